// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/crf/intern"
)

// ErrModel is wrapped by every error of [Decode] caused by the file rather than by
// reading it.
var ErrModel = errors.New("not a usable model file")

// ErrOldModel is wrapped, besides [ErrModel], by the error for a file of an earlier
// format version.
var ErrOldModel = errors.New("train it again")

// Limits of a model file. A file that claims more is refused, and so is a count that the
// rest of the file is too short for.
const (
	maxFile    = 1 << 28 // bytes: a hundred times what large corpora give
	maxName    = 1 << 10 // bytes of an attribute's name, a phrase or a dictionary's name
	maxLists   = 1 << 16
	maxWeights = math.MaxInt32
	maxWeight  = 1e6 // magnitude
)

// maxStretch is how many bytes of names one byte of a file may represent, beyond a fixed
// allowance: names with long common prefixes take little room in a file and much in
// memory.
const maxStretch, freeStretch = 16, 1 << 16

// Decode reads a model to the end of r. It trusts nothing before the checksum is
// verified, and refuses anything that [Model.Encode] does not write. Errors that wrap
// [ErrModel] give the byte where reading stopped. Memory is proportional to the input.
func Decode(r io.Reader) (*Model, error) { return decode(r, maxFile) }

// decode reads a model of at most most bytes.
func decode(r io.Reader, most int64) (*Model, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("read model: %w", err)
	}
	d := &decoder{data: data}
	if int64(len(data)) > most {
		d.fail("it is larger than %d bytes", most)
	}
	d.frame()
	m := d.models()
	if d.err == nil && d.at < len(d.data) {
		d.item = d.at
		d.fail("data follows its end")
	}
	if d.err != nil {
		return nil, fmt.Errorf("read model: %w", d.err)
	}
	return m, nil
}

// decoder keeps the first error; after it every read returns zero.
type decoder struct {
	data  []byte
	at    int // next byte to read
	item  int // where what was read last begins
	names int // bytes of all names
	err   error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: "+format+" (byte %d)", append(append([]any{ErrModel}, args...), d.item)...)
	}
}

// frame checks the envelope, and leaves the content in data.
func (d *decoder) frame() {
	if d.err != nil {
		return
	}
	if string(d.take(len(magic))) != magic {
		d.item = 0
		d.err = nil
		d.fail("its header is wrong")
		return
	}
	switch v := d.number("version", math.MaxInt32); {
	case d.err != nil || v == version:
	case v < version:
		d.fail("its version is %d and this program reads %d: %w", v, version, ErrOldModel)
	default:
		d.fail("its version is %d and this program reads %d: a newer program wrote it", v, version)
	}
	end := len(d.data) - sha256.Size
	if d.err == nil && end < d.at {
		d.fail("it ends too early")
	}
	if d.err != nil {
		return
	}
	if sum := sha256.Sum256(d.data[:end]); !bytes.Equal(sum[:], d.data[end:]) {
		d.item = end
		d.fail("its checksum is wrong: it was damaged or cut short")
	}
	d.data = d.data[:end]
}

// take returns the next n bytes, which the caller must not retain.
func (d *decoder) take(n int) []byte {
	d.item = d.at
	if d.err == nil && n > len(d.data)-d.at {
		d.fail("it ends too early")
	}
	if d.err != nil {
		return nil
	}
	d.at += n
	return d.data[d.item:d.at]
}

// number reads a varint in its shortest form, up to limit.
func (d *decoder) number(what string, limit int) int {
	d.item = d.at
	if d.err != nil {
		return 0
	}
	n, size := binary.Uvarint(d.data[d.at:])
	switch {
	case size == 0:
		d.fail("it ends too early")
	case size < 0:
		d.fail("%s is too large", what)
	case size > 1 && d.data[d.at+size-1] == 0:
		d.fail("%s is written too long", what)
	case n > uint64(limit):
		d.fail("%s is %d, at most %d", what, n, limit)
	default:
		d.at += size
		return int(n)
	}
	return 0
}

// count reads a number of items that take at least each bytes each.
func (d *decoder) count(what string, limit, each int) int {
	n := d.number(what, limit)
	if d.err == nil && n > (len(d.data)-d.at)/each {
		d.fail("%s is %d, more than the rest of the file can hold", what, n)
		return 0
	}
	return n
}

func (d *decoder) text(what string) string {
	return string(d.take(d.number("length of "+what, maxName)))
}

// name reads a name that is prefix-coded against before, which is nil for the first.
func (d *decoder) name(before []byte) []byte {
	start := d.at
	shared := d.number("number of shared bytes", len(before))
	rest := d.take(d.number("length of a name", maxName-shared))
	if d.err != nil {
		return nil
	}
	d.item = start
	switch {
	case before == nil:
	case len(rest) == 0, shared < len(before) && rest[0] < before[shared]:
		d.fail("a name is out of order")
	case shared < len(before) && rest[0] == before[shared]:
		d.fail("a name shares more bytes than the name before it has")
	}
	if d.names += shared + len(rest); d.names > min(maxStretch*len(d.data)+freeStretch, math.MaxUint32) {
		d.fail("its names are longer than those of a file of this size")
	}
	if before == nil {
		before = make([]byte, 0, maxName)
	}
	return append(before[:shared], rest...)
}

// list reads a number of names.
func (d *decoder) list(what string, limit int) []string {
	n := d.count("number of "+what, limit, 2)
	list := make([]string, 0, n)
	var name []byte
	for i := 0; i < n && d.err == nil; i++ {
		name = d.name(name)
		list = append(list, string(name))
	}
	return list
}

// float reads a weight.
func (d *decoder) float() float32 {
	b := d.take(4)
	if d.err != nil {
		return 0
	}
	v := math.Float32frombits(binary.LittleEndian.Uint32(b))
	if !(v >= -maxWeight && v <= maxWeight) {
		d.fail("a weight is not a usable number")
	}
	return v
}

func (d *decoder) floats(n int) []float32 {
	if d.err == nil && n > (len(d.data)-d.at)/4 {
		d.item = d.at
		d.fail("it ends too early")
	}
	if d.err != nil {
		return nil
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = d.float()
	}
	return values
}

func (d *decoder) models() *Model {
	card := d.card()
	n := d.number("number of models", 2)
	if n == 0 {
		d.fail("it contains no model")
	}
	m := d.model()
	if n == 2 && m.families&Consistency == 0 {
		first := m
		m = d.model()
		m.first = first
	}
	if d.err == nil && (m.families&Consistency != 0) != (m.first != nil) {
		d.fail("its feature families do not fit its %d models", n)
	}
	m.card = card
	return m
}

func (d *decoder) card() Card {
	card, err := decodeCard(d.take(d.number("length of the card", maxCard)))
	if err != nil {
		d.fail("its card: %w", err)
	}
	return card
}

func (d *decoder) model() *Model {
	m := &Model{families: Families(d.number("feature families", int(allFamilies)))}
	flags := d.number("flags", allFlags)
	m.binary = flags&binaryFlag != 0
	m.states = d.labels()
	lists := d.at
	if m.gazette = d.gazetteer(); m.families&Classes != 0 {
		m.gazette = d.classes(m.gazette, lists)
	}
	l := m.states.count()
	if flags&bayesFlag != 0 {
		m.bayes = &bayes{d.floats(l), d.floats(l)}
		m.weights = make([]float32, m.states.transitions())
	} else {
		m.weights = d.floats(m.states.transitions())
	}
	d.attributes(m)
	return m
}

// printable reads a text for display.
func (d *decoder) printable(what string) string {
	s := d.text(what)
	if !isPrintable(s) {
		d.fail("%s contains an unprintable character", what)
	}
	return s
}

func isPrintable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

func (d *decoder) labels() states {
	names := d.list("labels", MaxLabels)
	s := states{labels: make([]annotate.Label, len(names))}
	for k, name := range names {
		if !isPrintable(name) {
			d.fail("a label contains an unprintable character")
		}
		s.labels[k] = annotate.Label(name)
	}
	if len(names) > 0 && names[0] == "" {
		d.fail("a label is empty")
	}
	return s
}

func (d *decoder) attributes(m *Model) {
	n := d.count("number of attributes", maxWeights, 4)
	m.pairs = make([]uint16, len(m.weights))
	m.rows = append(make([]int32, 0, n+1), int32(len(m.weights)))
	names := intern.NewPacker(n)
	sets, known := [][]uint16(nil), map[string]bool{}
	var name []byte
	for i := 0; i < n && d.err == nil; i++ {
		name = d.name(name)
		states := d.set(&sets, known, m)
		m.pairs = append(m.pairs, states...)
		for range states {
			w := d.float()
			if w == 0 {
				d.fail("a weight is 0")
			}
			m.weights = append(m.weights, w)
		}
		if len(m.weights) > maxWeights {
			d.fail("too many weights")
			return
		}
		m.rows = append(m.rows, int32(len(m.weights)))
		names.Add(name)
	}
	m.attrs = names.Done()
	m.index()
}

// set reads a set of states, which may be new, and checks that the rest of the file has
// weights for all of them.
func (d *decoder) set(sets *[][]uint16, known map[string]bool, m *Model) []uint16 {
	n := d.number("set of states", len(*sets))
	if d.err == nil && n == len(*sets) {
		states := d.newSet(m)
		if key := setKey(states); d.err == nil && known[key] {
			d.fail("a set of states occurs twice")
		} else {
			known[key] = true
		}
		*sets = append(*sets, states)
	}
	if d.err != nil {
		return nil
	}
	states := (*sets)[n]
	if len(states) > (len(d.data)-d.at)/4 {
		d.item = d.at
		d.fail("it ends too early")
		return nil
	}
	return states
}

func (d *decoder) newSet(m *Model) []uint16 {
	size := d.count("size of a set of states", m.states.count(), 1)
	if d.err == nil && size == 0 {
		d.fail("an attribute has no weight")
	}
	states, next := make([]uint16, 0, size), 0
	for i := 0; i < size && d.err == nil; i++ {
		state := next + d.number("state", m.states.count()-1)
		if state >= m.states.count() {
			d.fail("a state is %d, at most %d", state, m.states.count()-1)
		}
		states, next = append(states, uint16(state)), state+1
	}
	return slices.Clip(states)
}
