// SPDX-License-Identifier: Apache-2.0

package linear

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

// say appends the features of what was said of token i and its neighbours.
func (d Doubt) say(i int, to []feature) []feature {
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
