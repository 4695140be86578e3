// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"hide/internal/greedy"
	"hide/internal/wire"
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
	b = wire.AppendFloat(wire.AppendFloat(b, m.sigmoid.Slope), m.sigmoid.Shift)
	b = binary.AppendUvarint(b, uint64(len(features)))
	last := feature(0)
	for _, f := range features {
		b = wire.AppendFloat(binary.AppendUvarint(b, uint64(f-last)), m.weights[m.index[f]])
		last = f
	}
	return wire.Seal(b), nil
}

// Decode reads what [Model.MarshalBinary] wrote. It believes nothing before the
// checksum is right, and refuses anything else.
func Decode(b []byte) (*Model, error) {
	r, err := wire.Open(b, Magic)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	r.Version(version)
	m := readModel(r)
	r.End()
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return m, nil
}

// mostWeight is far above what training finds, and so low that no sum of weights
// leaves the numbers.
const mostWeight = 1e6

// leastFeature is how many bytes a feature takes at least.
const leastFeature = 9

func readModel(r *wire.Reader) *Model {
	m := &Model{sigmoid: Sigmoid{r.Float(mostWeight), r.Float(mostWeight)}}
	if !(m.sigmoid.Slope > 0) {
		r.Fail(errors.New("greater margins are less probable"))
	}
	n := r.Count(r.Left() / leastFeature)
	m.index, m.weights = make(map[feature]int32, n), make([]float64, n)
	last := uint64(0)
	for k := range m.weights {
		step := r.Uint(math.MaxUint64)
		if k > 0 && step == 0 || last+step < last {
			r.Fail(errors.New("features are not in order"))
			break
		}
		last += step
		m.index[feature(last)], m.weights[k] = int32(k), r.Float(mostWeight)
	}
	return m
}
