// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"hide/internal/crf"
)

// ErrEncoder is wrapped by every error of [Decode].
var ErrEncoder = errors.New("not a usable encoder")

// encodingVersion is raised whenever keys, columns or n-grams change.
const encodingVersion = 2

// Append adds the encoder's bytes to b: the version, a checksum of the program's
// lists, the length of the lists and they, share, weights of the n-grams, and each key in increasing order with its
// counts n and s. Numbers are unsigned varints, keys 8 bytes and floats 8 or 4,
// little endian. Equal encoders give equal bytes.
func (e *Encoder) Append(b []byte) []byte {
	own, lists := crf.OwnListsSum(), e.lists.Append(nil)
	b = append(binary.AppendUvarint(b, encodingVersion), own[:]...)
	b = append(binary.AppendUvarint(b, uint64(len(lists))), lists...)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(e.share))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(e.like.base))
	for _, w := range e.like.weights {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(w))
	}
	b = binary.AppendUvarint(b, uint64(len(e.counts)))
	for _, key := range slices.Sorted(maps.Keys(e.counts)) {
		c := e.counts[key]
		b = binary.LittleEndian.AppendUint64(b, key)
		b = binary.AppendUvarint(b, uint64(c.n))
		b = binary.AppendUvarint(b, uint64(c.s))
	}
	return b
}

// leastEntry is how many bytes a key takes with its counts at least.
const leastEntry = 10

// Decode reads what [Encoder.Append] wrote, to the end, and refuses anything else.
// Memory is in proportion to what there is to read.
func Decode(b []byte) (*Encoder, error) {
	d := &decoder{rest: b}
	if d.number(math.MaxInt32) != encodingVersion && !d.bad {
		return nil, fmt.Errorf("%w: it is of another version of the program: train it again", ErrEncoder)
	}
	own := crf.OwnListsSum()
	if sum := d.take(len(own)); !d.bad && !bytes.Equal(sum, own[:]) {
		return nil, fmt.Errorf("%w: the program has other lists: train it again", ErrEncoder)
	}
	lists, err := crf.DecodeLists(d.take(d.number(len(d.rest))))
	if !d.bad && err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEncoder, err)
	}
	e := &Encoder{lists: lists, share: d.float(), like: &likeness{base: d.float(), weights: make([]float32, gramTable)}}
	if !(e.share > 0 && e.share < 1) {
		d.bad = true
	}
	for i := range e.like.weights {
		e.like.weights[i] = d.float32()
	}
	n := d.number(len(d.rest) / leastEntry)
	e.counts = make(map[uint64]count, n)
	for range n {
		d.entry(e.counts)
	}
	if d.bad || len(d.rest) > 0 {
		return nil, fmt.Errorf("%w (byte %d)", ErrEncoder, len(b)-len(d.rest))
	}
	return e, nil
}

// decoder gives zeros once something is bad.
type decoder struct {
	rest []byte
	bad  bool
	last uint64 // key
}

func (d *decoder) number(most int) int {
	n, size := binary.Uvarint(d.rest)
	if d.bad || size <= 0 || n > uint64(most) || size > 1 && d.rest[size-1] == 0 {
		d.bad = true
		return 0
	}
	d.rest = d.rest[size:]
	return int(n)
}

func (d *decoder) take(n int) []byte {
	if d.bad || len(d.rest) < n {
		d.bad = true
		return make([]byte, n)
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) float() float64 {
	return d.finite(math.Float64frombits(binary.LittleEndian.Uint64(d.take(8))))
}

func (d *decoder) float32() float32 {
	return float32(d.finite(float64(math.Float32frombits(binary.LittleEndian.Uint32(d.take(4))))))
}

// mostWeight bounds the magnitude of every number of an encoder.
const mostWeight = 1e6

func (d *decoder) finite(v float64) float64 {
	if !(math.Abs(v) <= mostWeight) {
		d.bad = true
		return 0
	}
	return v
}

func (d *decoder) entry(counts map[uint64]count) {
	key := binary.LittleEndian.Uint64(d.take(8))
	n := d.number(math.MaxInt32)
	s := d.number(n)
	if n == 0 || len(counts) > 0 && key <= d.last {
		d.bad = true
	}
	if !d.bad {
		d.last, counts[key] = key, count{int32(n), int32(s)}
	}
}
