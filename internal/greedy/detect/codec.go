// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/dense"
)

// ErrDetector is wrapped by every error of [Decode].
var ErrDetector = errors.New("not a usable detector")

// The file of a detector, version 2:
//
//	magic "HIDEDET\n"; version, parts: unsigned varints
//	bonus of each pattern: float64, little endian
//	with a second stage, its blend: float64s, little endian, one for each base
//	learner and one more
//	of the CRF, the encoder, the trees and the second stage: length, an unsigned
//	varint, 0 for none, and bytes as their packages write them
//	SHA-256 of everything before it, 32 bytes
const version = 2

// Magic is how the file of a detector begins.
const Magic = "HIDEDET\n"

var (
	_ encoding.BinaryMarshaler = (*Classifier)(nil)
	_ greedy.Keeper            = Detector{}
)

// EncodeClassifier implements [greedy.Keeper].
func (Detector) EncodeClassifier(h greedy.Classifier) ([]byte, error) {
	c, ok := h.(*Classifier)
	if !ok {
		return nil, fmt.Errorf("%w: it is a %T", ErrDetector, h)
	}
	return c.MarshalBinary()
}

// DecodeClassifier implements [greedy.Keeper].
func (Detector) DecodeClassifier(raw []byte) (greedy.Classifier, error) {
	c, err := Decode(raw)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// MarshalBinary writes the detector. Equal detectors give equal bytes.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	b := binary.AppendUvarint([]byte(Magic), version)
	b = binary.AppendUvarint(b, uint64(c.parts))
	numbers := c.bonus[:]
	if c.second != nil {
		numbers = append(slices.Clone(numbers), c.second.blend...)
	}
	for _, v := range numbers {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	var model bytes.Buffer
	if c.bases.crf != nil {
		if err := c.bases.crf.CRF.Encode(&model); err != nil {
			return nil, err
		}
	}
	b = appendSection(b, model.Bytes())
	b = appendSection(b, c.encoder.Append(nil))
	for _, m := range []*boost.Model{c.bases.trees, c.corrections()} {
		var raw []byte
		if m != nil {
			raw = m.Append(nil)
		}
		b = appendSection(b, raw)
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
}

// corrections are the trees of the second stage, nil when it is no part.
func (c *Classifier) corrections() *boost.Model {
	if c.second == nil {
		return nil
	}
	return c.second.trees
}

func appendSection(b, content []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(content))), content...)
}

// Decode reads what [Classifier.MarshalBinary] wrote. It believes nothing before
// the checksum is right, and refuses anything else, such as models of other parts
// or for other columns.
func Decode(b []byte) (*Classifier, error) {
	end := len(b) - sha256.Size
	if end < len(Magic) || string(b[:len(Magic)]) != Magic {
		return nil, fmt.Errorf("%w: it does not begin as one, or ends too early", ErrDetector)
	}
	if sum := sha256.Sum256(b[:end]); !bytes.Equal(sum[:], b[end:]) {
		return nil, fmt.Errorf("%w: its checksum is wrong: it was damaged or cut short", ErrDetector)
	}
	r := &reader{rest: b[len(Magic):end]}
	if v := r.number(); v != version {
		return nil, fmt.Errorf("%w: its version is %d, this program reads %d: train it again", ErrDetector, v, version)
	}
	c := r.classifier()
	if r.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDetector, r.err)
	}
	return c, nil
}

// reader keeps the first error; after it everything is zero.
type reader struct {
	rest []byte
	err  error
}

var errCut = errors.New("a part of it is cut short")

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if r.err != nil || size <= 0 || size > 1 && r.rest[size-1] == 0 {
		r.fail(errCut)
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) take(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.rest)) {
		r.fail(errCut)
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) section() []byte { return r.take(r.number()) }

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err // nil stays nil
	}
}

func (r *reader) classifier() *Classifier {
	c := &Classifier{parts: r.parts(), bonus: r.bonus()}
	var blend []float64
	if c.parts.has(SecondStage) {
		blend = r.blend(c.parts.bases() + 1)
	}
	c.bases.crf = r.crf(r.section())
	c.encoder = r.encoder(r.section())
	columns := 0
	if c.encoder != nil {
		columns = c.encoder.Width()
	}
	c.bases.trees = r.trees(r.section(), columns)
	if m := r.trees(r.section(), secondColumns(c.parts)); m != nil {
		c.second = &stage{blend, m}
	}
	if len(r.rest) > 0 {
		r.fail(errors.New("something follows its end"))
	}
	if r.err == nil && (c.parts.has(CRF) != (c.bases.crf != nil) || c.parts.has(Trees) != (c.bases.trees != nil) ||
		c.parts.has(SecondStage) != (c.second != nil)) {
		r.fail(errors.New("its models are not those of its parts"))
	}
	return c
}

func (r *reader) parts() Parts {
	n := r.number()
	p := Parts(n)
	if r.err == nil && uint64(p) != n {
		r.fail(errors.New("unknown parts"))
	}
	r.fail(p.check())
	return p
}

// float reads a number, 0 after an error.
func (r *reader) float() float64 {
	raw := r.take(8)
	if r.err != nil {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(raw))
}

// mostBlend bounds the numbers of a blend.
const mostBlend = 1e6

func (r *reader) blend(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		if out[i] = r.float(); !(math.Abs(out[i]) <= mostBlend) {
			r.fail(errors.New("a blend is out of bounds"))
		}
	}
	return out
}

func (r *reader) bonus() (out bonus) {
	for form := range out {
		out[form] = r.float()
		if !(math.Abs(out[form]) <= mostOdds) || math.Signbit(out[form]) && out[form] == 0 {
			r.fail(errors.New("a bonus is out of bounds"))
		}
	}
	return out
}

func (r *reader) crf(raw []byte) *greedy.Model {
	if r.err != nil || len(raw) == 0 {
		return nil
	}
	m, err := crf.Decode(bytes.NewReader(raw))
	r.fail(err)
	return &greedy.Model{CRF: m}
}

func (r *reader) encoder(raw []byte) *dense.Encoder {
	if r.err != nil {
		return nil
	}
	e, err := dense.Decode(raw)
	r.fail(err)
	return e // nil after an error
}

func (r *reader) trees(raw []byte, columns int) *boost.Model {
	if r.err != nil || len(raw) == 0 {
		return nil
	}
	m, err := boost.Decode(raw)
	r.fail(err)
	if err == nil && m.Columns() != columns {
		r.fail(fmt.Errorf("trees over %d columns, there are %d", m.Columns(), columns))
	}
	return m
}
