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

	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/boost"
	"hide/internal/greedy/dense"
)

// ErrDetector is wrapped by every error of [Decode].
var ErrDetector = errors.New("not a usable detector")

// The file of a detector, version 1:
//
//	magic "HIDEDET\n"; version, parts: unsigned varints
//	bonus of each pattern: float64, little endian
//	of the CRF, the encoder, the trees and the second stage: length, an unsigned
//	varint, 0 for none, and bytes as their packages write them
//	SHA-256 of everything before it, 32 bytes
const version = 1

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
	for _, points := range c.bonus {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(points))
	}
	var model bytes.Buffer
	if c.bases.crf != nil {
		if err := c.bases.crf.CRF.Encode(&model); err != nil {
			return nil, err
		}
	}
	b = appendSection(b, model.Bytes())
	b = appendSection(b, c.encoder.Append(nil))
	for _, m := range []*boost.Model{c.bases.trees, c.second} {
		var raw []byte
		if m != nil {
			raw = m.Append(nil)
		}
		b = appendSection(b, raw)
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
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
	c.bases.crf = r.crf(r.section())
	c.encoder = r.encoder(r.section())
	c.bases.trees = r.trees(r.section(), dense.Columns())
	c.second = r.trees(r.section(), secondColumns(c.parts))
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

func (r *reader) bonus() (out bonus) {
	for form := range out {
		raw := r.take(8)
		if r.err != nil {
			return bonus{}
		}
		out[form] = math.Float64frombits(binary.LittleEndian.Uint64(raw))
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
	return e
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
