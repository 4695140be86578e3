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
