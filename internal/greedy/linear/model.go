// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/wire"
)

// Model is a trained [SVM]. It is immutable and safe for concurrent use.
type Model struct {
	index   map[feature]int32
	weights []float64
	sigmoid Sigmoid
}

var _ greedy.Classifier = (*Model)(nil)

// Margins is w.x of each token, labelled from left to right: the history of a token comes
// from the margins before it. A redacted token counts as not sensitive, as in training.
func (m *Model) Margins(v annotate.View) []float64 { return m.Judge(v, Doubt{}) }

// Judge is Margins with a doubt, for a machine trained that way. Tokens outside the doubt
// are never sensitive in the history.
func (m *Model) Judge(v annotate.View, d Doubt) []float64 {
	out := make([]float64, len(v.Words))
	r := newReader()
	r.open(v)
	var features []feature
	before, twoBefore := false, false
	for x := range v.Words {
		features = d.features(x, r.past(x, before, twoBefore, r.describe(x, append(features[:0], bias))))
		for _, f := range features {
			if n, known := m.index[f]; known {
				out[x] += m.weights[n]
			}
		}
		before, twoBefore = out[x] > 0 && !v.Hidden(x) && d.asks(x), before
	}
	return out
}

// Scores implements [greedy.Classifier]: margins as probabilities.
func (m *Model) Scores(v annotate.View) []float64 {
	out := m.Margins(v)
	for x, margin := range out {
		out[x] = m.Probability(margin)
	}
	return out
}

// Probability is the probability of a margin.
func (m *Model) Probability(margin float64) float64 { return m.sigmoid.Probability(margin) }

// Hard implements [greedy.Classifier]: the side of the plane.
func (m *Model) Hard(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	for x, margin := range m.Margins(v) {
		out[x] = margin > 0
	}
	return out
}

// Weights is how many weights training set, the bias among them.
func (m *Model) Weights() int { return len(m.weights) }

// compact drops features with weight 0 and the memory shared with training.
func (m *Model) compact() *Model {
	out := &Model{index: map[feature]int32{}, sigmoid: m.sigmoid}
	number := make([]int32, len(m.weights))
	for n, w := range m.weights {
		number[n] = -1
		if w != 0 {
			number[n] = int32(len(out.weights))
			out.weights = append(out.weights, w)
		}
	}
	for f, n := range m.index {
		if number[n] >= 0 {
			out.index[f] = number[n]
		}
	}
	return out
}

// Doubt is another classifier's scores of a document, for a machine that corrects it. The
// zero value is no scores, with all tokens doubtful.
type Doubt struct {
	Only []bool    // doubtful tokens; nil for all
	Odds []float64 // log-odds of each token; nil for none
}

func (d Doubt) asks(x int) bool { return d.Only == nil || d.Only[x] }

// steps are thresholds of log-odds, with a feature for each one reached, so that higher
// odds have more features.
var steps = [...]float64{-3, -1.5, 0, 1, 2, 3, 5}

// features appends the features of the other classifier's scores of token i and its
// neighbours.
func (d Doubt) features(i int, to []feature) []feature {
	for offset := -1; offset <= 1 && d.Odds != nil; offset++ {
		if i+offset < 0 || i+offset >= len(d.Odds) {
			continue
		}
		for k, step := range steps {
			if d.Odds[i+offset] >= step {
				to = append(to, of(doubtKind, uint64(offset+1), uint64(k)))
			}
		}
	}
	return to
}

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

// Sigmoid converts a margin m to a probability, 1 / (1 + exp(-(Slope m + Shift))).
type Sigmoid struct{ Slope, Shift float64 }

// uncalibrated is used if nothing can be fitted.
var uncalibrated = Sigmoid{Slope: 2}

// Probability is in (0, 1) and rises with the margin.
func (s Sigmoid) Probability(margin float64) float64 {
	return greedy.Logistic(s.Slope*margin + s.Shift)
}

// FitSigmoid is the maximum likelihood sigmoid with Platt's targets: with n+ positive
// margins and n- others the targets are (n+ + 1)/(n+ + 2) and 1/(n- + 2) instead of 1 and
// 0, so that separable margins do not give certainty. If there is only one class, or
// larger margins are less probable, nothing can be fitted and the slope is 2.
func FitSigmoid(margins []float64, positive []bool) Sigmoid {
	f := newSigmoidFit(margins, positive)
	if f.ones == 0 || f.ones == len(margins) {
		return uncalibrated
	}
	s := Sigmoid{Slope: 1, Shift: f.prior()}
	for range 100 {
		next, moved := f.newton(s)
		if !moved {
			break
		}
		s = next
	}
	if !(s.Slope > 0) || math.IsInf(s.Slope, 0) || math.IsNaN(s.Shift) {
		return uncalibrated
	}
	return s
}

type sigmoidFit struct {
	margins   []float64
	positive  []bool
	ones      int
	high, low float64 // the two targets
}

func newSigmoidFit(margins []float64, positive []bool) *sigmoidFit {
	f := &sigmoidFit{margins: margins, positive: positive}
	for _, p := range positive {
		if p {
			f.ones++
		}
	}
	f.high = float64(f.ones+1) / float64(f.ones+2)
	f.low = 1 / float64(len(margins)-f.ones+2)
	return f
}

// prior is the log-odds of the base rate.
func (f *sigmoidFit) prior() float64 {
	return math.Log(float64(f.ones+1) / float64(len(f.margins)-f.ones+1))
}

func (f *sigmoidFit) target(i int) float64 {
	if f.positive[i] {
		return f.high
	}
	return f.low
}

// loss is -log likelihood: sum_i log(1 + exp(z_i)) - t_i z_i.
func (f *sigmoidFit) loss(s Sigmoid) float64 {
	sum := 0.0
	for i, m := range f.margins {
		z := s.Slope*m + s.Shift
		sum += max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - f.target(i)*z
	}
	return sum
}

// newton takes one Newton step, halved until the loss falls.
func (f *sigmoidFit) newton(s Sigmoid) (Sigmoid, bool) {
	const ridge = 1e-12 // keeps the Hessian from being singular
	gm, g0, hmm, hm0, h00 := 0.0, 0.0, ridge, 0.0, ridge
	for i, m := range f.margins {
		p := s.Probability(m)
		e, h := p-f.target(i), p*(1-p)
		gm, g0 = gm+e*m, g0+e
		hmm, hm0, h00 = hmm+h*m*m, hm0+h*m, h00+h
	}
	det := hmm*h00 - hm0*hm0
	if math.Abs(gm) < 1e-6 && math.Abs(g0) < 1e-6 || !(det > 0) {
		return s, false
	}
	dm, d0 := -(h00*gm-hm0*g0)/det, -(hmm*g0-hm0*gm)/det
	now := f.loss(s)
	for step := 1.0; step > 1e-10; step /= 2 {
		next := Sigmoid{s.Slope + step*dm, s.Shift + step*d0}
		if f.loss(next) < now {
			return next, true
		}
	}
	return s, false
}
