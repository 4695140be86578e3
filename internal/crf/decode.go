// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"

	"hide/internal/annotate"
)

// ErrModel is wrapped by every error of [Decode] that the file, not the reading
// of it, is to blame for.
var ErrModel = errors.New("not a usable model file")

// Limits of a model file. A file that claims more is refused; a file that claims
// much and holds little costs no memory, because everything grows as it is read.
const (
	maxName    = 1 << 10 // bytes of an attribute's name, a phrase or a dictionary's name
	maxLists   = 1 << 16
	maxWeights = math.MaxInt32
	maxWeight  = 1e6 // magnitude
)

// Decode reads a model to the end of r, checks its checksum and refuses anything
// that [Model.Encode] does not write.
func Decode(r io.Reader) (*Model, error) {
	d := &decoder{hash: sha256.New()}
	d.r = bufio.NewReader(r)
	m := d.model()
	d.checksum()
	if d.err != nil {
		return nil, fmt.Errorf("read model: %w", d.err)
	}
	return m, nil
}

// decoder keeps the first error; after it every read gives zero.
type decoder struct {
	r    *bufio.Reader
	hash hash.Hash
	err  error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: "+format, append([]any{ErrModel}, args...)...)
	}
}

// bytes fills p.
func (d *decoder) bytes(p []byte) {
	if d.err != nil {
		clear(p)
		return
	}
	switch _, err := io.ReadFull(d.r, p); {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		d.fail("it ends too early")
	case err != nil:
		d.err = err
	default:
		d.hash.Write(p)
		return
	}
	clear(p)
}

// number reads a varint in its shortest form, up to limit.
func (d *decoder) number(what string, limit int) int {
	var n uint64
	var b [1]byte
	for shift := 0; ; shift += 7 {
		d.bytes(b[:])
		n |= uint64(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			if b[0] == 0 && shift > 0 {
				d.fail("a number is written too long")
			}
			break
		}
		if shift >= 35 {
			d.fail("a number is too large")
			return 0
		}
	}
	if n > uint64(limit) {
		d.fail("%s is %d, at most %d", what, n, limit)
		return 0
	}
	return int(n)
}

func (d *decoder) text(what string) string {
	p := make([]byte, d.number("length of "+what, maxName))
	d.bytes(p)
	return string(p)
}

func (d *decoder) floats(to []float32, n int) []float32 {
	var b [4]byte
	for i := 0; i < n && d.err == nil; i++ {
		d.bytes(b[:])
		v := math.Float32frombits(binary.LittleEndian.Uint32(b[:]))
		if !(v >= -maxWeight && v <= maxWeight) {
			d.fail("a weight is not a usable number")
		}
		to = append(to, v)
	}
	return to
}

func (d *decoder) model() *Model {
	start := make([]byte, len(magic))
	d.bytes(start)
	if string(start) != magic {
		d.fail("it does not begin as one")
	}
	if v := d.number("version", maxName); v != version {
		d.fail("its version is %d, this program reads %d", v, version)
	}
	m := &Model{attrs: map[string]int32{}}
	m.families = Families(d.number("feature families", int(allFamilies)))
	m.binary = d.number("binary flag", 1) == 1
	m.states = d.labels()
	m.gazette = newGazetteer(d.lists())
	m.weights = d.floats(nil, m.states.transitions())
	d.attributes(m)
	return m
}

func (d *decoder) labels() states {
	n := d.number("number of labels", maxLabels)
	var s states
	for i := 0; i < n && d.err == nil; i++ {
		label := annotate.Label(d.text("a label"))
		if label == "" || i > 0 && label <= s.labels[i-1] {
			d.fail("labels are out of order")
		}
		s.labels = append(s.labels, label)
	}
	return s
}

func (d *decoder) lists() []DictionaryList {
	var lists []DictionaryList
	n := d.number("number of dictionaries", maxLists-1)
	for i := 0; i < n && d.err == nil; i++ {
		list := DictionaryList{Name: d.text("a dictionary's name")}
		phrases := d.number("number of phrases", maxWeights)
		for j := 0; j < phrases && d.err == nil; j++ {
			list.Phrases = append(list.Phrases, d.text("a phrase"))
		}
		lists = append(lists, list)
	}
	return lists
}

func (d *decoder) attributes(m *Model) {
	n := d.number("number of attributes", maxWeights)
	m.pairs = make([]uint16, len(m.weights))
	m.rows = append(m.rows, int32(len(m.weights)))
	var before []byte
	for a := 0; a < n && d.err == nil; a++ {
		name := d.name(before)
		if a > 0 && bytes.Compare(name, before) <= 0 {
			d.fail("attributes are out of order")
		}
		width := d.number("number of weights", m.states.count())
		if len(m.weights)+width > maxWeights {
			d.fail("too many weights")
		}
		m.pairs = d.pairs(m.pairs, width, m.states.count())
		m.weights = d.floats(m.weights, width)
		m.rows = append(m.rows, int32(len(m.weights)))
		m.attrs[string(name)] = int32(a)
		before = name
	}
}

// pairs reads the states of an attribute's weights, in increasing order.
func (d *decoder) pairs(to []uint16, n, states int) []uint16 {
	before := -1
	for i := 0; i < n && d.err == nil; i++ {
		state := d.number("state", states-1)
		if state <= before {
			d.fail("states are out of order")
		}
		to, before = append(to, uint16(state)), state
	}
	return to
}

// name reads a name of which only what differs from the one before is written.
func (d *decoder) name(before []byte) []byte {
	shared := d.number("shared length", len(before))
	rest := d.text("an attribute")
	if len(rest) > 0 && shared < len(before) && before[shared] == rest[0] {
		d.fail("a name shares more than it says")
	}
	if shared+len(rest) > maxName {
		d.fail("an attribute's name is too long")
	}
	return append(bytes.Clone(before[:shared]), rest...)
}

// checksum compares the last 32 bytes with what was read before them, and wants
// nothing after.
func (d *decoder) checksum() {
	want := d.hash.Sum(nil)
	got := make([]byte, len(want))
	d.bytes(got)
	if d.err == nil && !bytes.Equal(got, want) {
		d.fail("its checksum is wrong: it was damaged")
	}
	if d.err != nil {
		return
	}
	if _, err := d.r.ReadByte(); err == nil {
		d.fail("something follows its end")
	} else if !errors.Is(err, io.EOF) {
		d.err = err
	}
}
