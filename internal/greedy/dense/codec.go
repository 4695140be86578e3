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

	"hide/internal/annotate/dictionary"
	"hide/internal/crf"
	"hide/internal/wire"
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
	own, lists := dictionary.OwnSum(), e.lists.Append(nil)
	b = append(binary.AppendUvarint(b, encodingVersion), own[:]...)
	b = wire.AppendSection(b, lists)
	b = wire.AppendFloat(b, e.share)
	b = wire.AppendFloat(b, e.like.base)
	for _, w := range e.like.weights {
		b = wire.AppendFloat32(b, w)
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
	d := &decoder{Reader: wire.NewReader(b)}
	e := d.encoder()
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEncoder, err)
	}
	return e, nil
}

// decoder reads an encoder.
type decoder struct {
	*wire.Reader
	last uint64 // key
}

// mostWeight bounds the magnitude of every number of an encoder.
const mostWeight = 1e6

func (d *decoder) encoder() *Encoder {
	d.Version(encodingVersion)
	own := dictionary.OwnSum()
	if !bytes.Equal(d.Take(len(own)), own[:]) {
		d.Fail(errors.New("it was made with other word lists: train it again"))
	}
	raw := d.Section()
	if d.Err() != nil {
		return nil
	}
	lists, err := crf.DecodeLists(raw)
	d.Fail(err)
	e := &Encoder{lists: lists, share: d.Float(mostWeight), like: &likeness{base: d.Float(mostWeight), weights: make([]float32, gramTable)}}
	if !(e.share > 0 && e.share < 1) {
		d.Fail(errors.New("its share is not between 0 and 1"))
	}
	for i := range e.like.weights {
		e.like.weights[i] = d.Float32(mostWeight)
	}
	n := d.Count(d.Left() / leastEntry)
	e.counts = make(map[uint64]count, n)
	for range n {
		d.entry(e.counts)
	}
	d.End()
	return e
}

func (d *decoder) entry(counts map[uint64]count) {
	key := d.Uint64()
	n := d.Count(math.MaxInt32)
	s := d.Count(n)
	if n == 0 || len(counts) > 0 && key <= d.last {
		d.Fail(errors.New("its keys are not in order, or count nothing"))
	}
	if d.Err() == nil {
		d.last, counts[key] = key, count{int32(n), int32(s)}
	}
}
