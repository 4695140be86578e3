// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/dense"
	"hide/internal/wire"
)

// ErrDetector is wrapped by every error of [Decode].
var ErrDetector = errors.New("not a usable detector")

// The file of a detector, version 3:
//
//	magic "HIDEDET\n"; version, parts: unsigned varints
//	usual novelty, trust in the second stage, bonus of each pattern: float64, little
//	endian
//	with a second stage, its blend: float64s, little endian, one for each base
//	learner and one more
//	of the CRF, the encoder, the trees and the second stage: length, an unsigned
//	varint, 0 for none, and bytes as their packages write them
//	SHA-256 of everything before it, 32 bytes
const version = 3

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
	numbers := append([]float64{c.usual, c.trust}, c.bonus[:]...)
	if c.second != nil {
		numbers = append(numbers, c.second.blend...)
	}
	for _, v := range numbers {
		b = wire.AppendFloat(b, v)
	}
	var model bytes.Buffer
	if c.bases.crf != nil {
		if err := c.bases.crf.CRF.Encode(&model); err != nil {
			return nil, err
		}
	}
	b = wire.AppendSection(b, model.Bytes())
	b = wire.AppendSection(b, c.encoder.Append(nil))
	for _, m := range []*boost.Model{c.bases.trees, c.corrections()} {
		var raw []byte
		if m != nil {
			raw = m.Append(nil)
		}
		b = wire.AppendSection(b, raw)
	}
	return wire.Seal(b), nil
}

// corrections are the trees of the second stage, nil when it is no part.
func (c *Classifier) corrections() *boost.Model {
	if c.second == nil {
		return nil
	}
	return c.second.trees
}

// Decode reads what [Classifier.MarshalBinary] wrote. It believes nothing before
// the checksum is right, and refuses anything else, such as models of other parts
// or for other columns.
func Decode(b []byte) (*Classifier, error) {
	sealed, err := wire.Open(b, Magic)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDetector, err)
	}
	r := &reader{sealed}
	r.Version(version)
	c := r.classifier()
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDetector, err)
	}
	return c, nil
}

// reader reads a detector.
type reader struct{ *wire.Reader }

func (r *reader) classifier() *Classifier {
	c := &Classifier{parts: r.parts(), usual: r.Float(1), trust: r.Float(1), bonus: r.bonus()}
	if !(c.usual >= 0 && c.usual < 1 && c.trust >= leastTrust) {
		r.Fail(errors.New("its novelty or trust is out of range"))
	}
	var blend []float64
	if c.parts.has(SecondStage) {
		blend = r.blend(c.parts.bases() + 1)
	}
	c.bases.crf = r.crf(r.Section())
	c.encoder = r.encoder(r.Section())
	columns := 0
	if c.encoder != nil {
		columns = c.encoder.Width()
	}
	c.bases.trees = r.trees(r.Section(), columns)
	if m := r.trees(r.Section(), secondColumns(c.parts)); m != nil {
		c.second = &stage{blend, m}
	}
	r.End()
	if r.Err() == nil && (c.parts.has(CRF) != (c.bases.crf != nil) || c.parts.has(Trees) != (c.bases.trees != nil) ||
		c.parts.has(SecondStage) != (c.second != nil)) {
		r.Fail(errors.New("its models are not those of its parts"))
	}
	return c
}

func (r *reader) parts() Parts {
	n := r.Uint(math.MaxUint64)
	p := Parts(n)
	if uint64(p) != n {
		r.Fail(errors.New("unknown parts"))
	}
	if r.Err() == nil {
		r.Fail(p.check())
	}
	return p
}

// mostBlend bounds the numbers of a blend.
const mostBlend = 1e6

func (r *reader) blend(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = r.Float(mostBlend)
	}
	return out
}

func (r *reader) bonus() (out bonus) {
	for form := range out {
		out[form] = r.Float(mostOdds)
		if math.Signbit(out[form]) && out[form] == 0 {
			r.Fail(errors.New("a bonus is zero with a sign"))
		}
	}
	return out
}

func (r *reader) crf(raw []byte) *greedy.Model {
	if r.Err() != nil || len(raw) == 0 {
		return nil
	}
	m, err := crf.Decode(bytes.NewReader(raw))
	r.Fail(err)
	return &greedy.Model{CRF: m}
}

func (r *reader) encoder(raw []byte) *dense.Encoder {
	if r.Err() != nil {
		return nil
	}
	e, err := dense.Decode(raw)
	r.Fail(err)
	return e // nil after an error
}

func (r *reader) trees(raw []byte, columns int) *boost.Model {
	if r.Err() != nil || len(raw) == 0 {
		return nil
	}
	m, err := boost.Decode(raw)
	r.Fail(err)
	if err == nil && m.Columns() != columns {
		r.Failf("trees over %d columns, there are %d", m.Columns(), columns)
	}
	return m
}
