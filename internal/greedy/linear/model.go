// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"hide/internal/annotate"
	"hide/internal/greedy"
)

// Model is a trained [SVM]. It is immutable and safe for concurrent use.
type Model struct {
	index   map[feature]int32
	weights []float64
	sigmoid Sigmoid
}

var _ greedy.Classifier = (*Model)(nil)

// Margins is w.x of each token, labelled from left to right: the history of a
// token is what the margins before it say. A redacted token is not sensitive, as
// when the machine was trained.
func (m *Model) Margins(v annotate.View) []float64 { return m.Judge(v, Doubt{}) }

// Judge is Margins in the light of a doubt, for a machine that was trained so. Tokens
// that are not in question are not sensitive in any history.
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

// Probability is what a margin means.
func (m *Model) Probability(margin float64) float64 { return m.sigmoid.Probability(margin) }

// Hard implements [greedy.Classifier]: the side of the plane.
func (m *Model) Hard(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	for x, margin := range m.Margins(v) {
		out[x] = margin > 0
	}
	return out
}

// compact drops the features whose weight is 0 and what the model shares with
// its training.
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

// Doubt is what another classifier says of a document, for a machine that judges
// it. The zero value is that nothing was said, and all tokens are in question.
type Doubt struct {
	Only []bool    // tokens in question; nil for all
	Odds []float64 // log-odds of each token; nil for none
}

func (d Doubt) asks(x int) bool { return d.Only == nil || d.Only[x] }

// steps are the log-odds that features tell apart: one for each that is reached,
// so that more of them says more.
var steps = [...]float64{-3, -1.5, 0, 1, 2, 3, 5}

// features appends the features of what was said of token i and its neighbours.
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
