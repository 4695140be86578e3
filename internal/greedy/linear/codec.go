// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"hide/internal/greedy"
)

// Magic is how the file of a machine begins.
const Magic = "HIDESVM\n"

// version of what follows the magic.
const version = 1

// ErrModel is returned for bytes that are no machine.
var ErrModel = errors.New("not a support vector machine")

var (
	_ encoding.BinaryMarshaler = (*Model)(nil)
	_ greedy.Keeper            = SVM{}
)

// EncodeClassifier implements [greedy.Keeper].
func (SVM) EncodeClassifier(h greedy.Classifier) ([]byte, error) {
	m, ok := h.(*Model)
	if !ok {
		return nil, fmt.Errorf("%w: it is a %T", ErrModel, h)
	}
	return m.MarshalBinary()
}

// DecodeClassifier implements [greedy.Keeper].
func (SVM) DecodeClassifier(raw []byte) (greedy.Classifier, error) {
	m, err := Decode(raw)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// MarshalBinary writes the machine: the two numbers of its sigmoid, and features in
// rising order, each as its distance from the one before, with their weights; then
// a checksum. Equal machines give equal bytes.
func (m *Model) MarshalBinary() ([]byte, error) {
	features := make([]feature, 0, len(m.index))
	for f := range m.index {
		features = append(features, f)
	}
	slices.Sort(features)
	b := binary.AppendUvarint([]byte(Magic), version)
	b = appendNumber(appendNumber(b, m.sigmoid.Slope), m.sigmoid.Shift)
	b = binary.AppendUvarint(b, uint64(len(features)))
	last := feature(0)
	for _, f := range features {
		b = appendNumber(binary.AppendUvarint(b, uint64(f-last)), m.weights[m.index[f]])
		last = f
	}
	sum := sha256.Sum256(b)
	return append(b, sum[:]...), nil
}

func appendNumber(b []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
}

// Decode reads what [Model.MarshalBinary] wrote. It believes nothing before the
// checksum is right, and refuses anything else.
func Decode(b []byte) (*Model, error) {
	end := len(b) - sha256.Size
	if end < len(Magic) || string(b[:len(Magic)]) != Magic {
		return nil, fmt.Errorf("%w: it does not begin as one, or ends too early", ErrModel)
	}
	if sum := sha256.Sum256(b[:end]); !bytes.Equal(sum[:], b[end:]) {
		return nil, fmt.Errorf("%w: its checksum is wrong: it was damaged or cut short", ErrModel)
	}
	r := &reading{rest: b[len(Magic):end]}
	if v := r.whole(); r.err == nil && v != version {
		return nil, fmt.Errorf("%w: its version is %d, this program reads %d: train it again", ErrModel, v, version)
	}
	m := r.model()
	if r.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, r.err)
	}
	return m, nil
}

// mostWeight is far above what training finds, and so low that no sum of weights
// leaves the numbers.
const mostWeight = 1e6

// reading keeps the first error; after it everything is zero.
type reading struct {
	rest []byte
	err  error
}

func (r *reading) fail(text string) {
	if r.err == nil {
		r.err = errors.New(text)
	}
	r.rest = nil
}

// whole refuses numbers with more bytes than they need: a machine has one form.
func (r *reading) whole() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || n > 1 && r.rest[n-1] == 0 {
		r.fail("a number is cut short, too long or padded")
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reading) number() float64 {
	if len(r.rest) < 8 {
		r.fail("it ends too early")
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(r.rest))
	r.rest = r.rest[8:]
	if !(math.Abs(x) <= mostWeight) {
		r.fail("a weight is out of range")
	}
	return x
}

func (r *reading) model() *Model {
	m := &Model{sigmoid: Sigmoid{r.number(), r.number()}}
	if !(m.sigmoid.Slope > 0) {
		r.fail("greater margins are less probable")
	}
	n := r.whole()
	if n > uint64(len(r.rest)/9) { // a feature takes nine bytes at least
		r.fail("it ends too early")
		return m
	}
	m.index, m.weights = make(map[feature]int32, n), make([]float64, n)
	last := uint64(0)
	for k := range m.weights {
		step := r.whole()
		if k > 0 && step == 0 || last+step < last {
			r.fail("features are not in order")
			return m
		}
		last += step
		m.index[feature(last)], m.weights[k] = int32(k), r.number()
	}
	if len(r.rest) > 0 {
		r.fail("something follows its end")
	}
	return m
}
