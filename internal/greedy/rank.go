// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"context"
	"slices"

	"hide/internal/annotate"
)

// ranked is one token that would be published, in an attacker's order.
type ranked struct {
	score     float64
	weight    float64 // cost of an error on it: L_c/L if sensitive, otherwise C_k/C
	group     int32
	sensitive bool
}

// rank sorts the tokens left by masks by score, highest first; equal scores keep the
// order of document and token. If nothing is left, the order is empty but not nil: an
// attack was made, and finds nothing.
func (l *lab) rank(masks [][]bool, scores [][]float64) []ranked {
	out := []ranked{}
	for i := range l.docs {
		v := annotate.View{Note: &l.docs[i], Redacted: masks[i]}
		for x := range v.Words {
			if !v.Hidden(x) {
				out = append(out, ranked{scores[i][x], l.tariff.of(v.Note, x), int32(l.group[i]), v.Sensitive[x]})
			}
		}
	}
	return inOrder(out)
}

// inOrder sorts by score and, among equal scores, by original position, with explicit
// comparison of both: this takes a third of the time of a stable sort.
func inOrder(all []ranked) []ranked {
	type place struct {
		score float64
		at    int
	}
	places, out := make([]place, len(all)), make([]ranked, len(all))
	for i, r := range all {
		places[i] = place{r.score, i}
	}
	slices.SortFunc(places, func(a, b place) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		return a.at - b.at
	})
	for i, p := range places {
		out[i] = all[p.at]
	}
	return out
}

// cut is a threshold on a ranking and what it marks.
type cut struct {
	threshold float64 // marks scores >= threshold
	counts    Priced
	gain      float64 // sum_c L_c*TP_c - sum_k C_k*FP_k with C = 1
}

// bestCut returns the prefix of the order, never empty unless the order is and never
// ending between equal scores, that maximises sum_c L_c*TP_c - sum_k C_k*FP_k; the
// shortest such prefix. If its gain is not above 0, no threshold on these scores pays.
func bestCut(order []ranked, lc float64) cut {
	best, marked := cut{threshold: 1}, Priced{}
	for i, r := range order {
		marked.add(r)
		if i+1 < len(order) && order[i+1].score == r.score {
			continue
		}
		if gain := marked.gain(lc); gain > best.gain || best.counts == (Priced{}) {
			best = cut{r.score, marked, gain}
		}
	}
	return best.complete(marked.TP, marked.FP)
}

// add counts r as marked.
func (p *Priced) add(r ranked) {
	if r.sensitive {
		p.TP++
		p.Worth += r.weight
	} else {
		p.FP++
		p.Cost += r.weight
	}
}

// complete fills in the counts outside the cut, from the totals of tp sensitive and fp
// other tokens.
func (c cut) complete(tp, fp int) cut {
	c.counts.FN, c.counts.TN = tp-c.counts.TP, fp-c.counts.FP
	return c
}

// cutAt is the cut at a given threshold.
func cutAt(order []ranked, threshold float64) cut {
	out, marked := cut{threshold: threshold}, Priced{}
	for _, r := range order {
		marked.add(r)
		if r.score >= threshold {
			out.counts = marked
		}
	}
	return out.complete(marked.TP, marked.FP)
}

// Certified is a learner's best attack on the text that would be published, and the two
// sides of the papers' stopping rule for it. The attack is the threshold on out-of-fold
// scores (or on priced scores, or the hard labels) that lowers the loss most. If it does
// not pay, no threshold of that learner pays, nor do its hard labels.
type Certified struct {
	Learner   string  `json:"learner"`
	Threshold float64 `json:"threshold"`
	Hard      bool    `json:"hard,omitempty"` // marks by hard labels, not by Threshold
	Counts    Counts  `json:"counts"`         // on the published text
	Cost      float64 `json:"cost"`           // sum_k C_k*FP_k
	Gain      float64 `json:"gain"`           // sum_c L_c*TP_c
	Pays      bool    `json:"pays"`           // Cost < Gain
}

// certify attacks the text left by masks with every learner.
func (l *lab) certify(ctx context.Context, masks [][]bool, lc float64) ([]Certified, error) {
	all := make([]Certified, len(l.learners))
	for i := range l.learners {
		m, err := l.attack(ctx, i, masks, lc)
		if err != nil {
			return nil, err
		}
		c := m.cut.counts
		all[i] = Certified{m.name, m.cut.threshold, m.hard, c.Counts, c.Cost, lc * c.Worth, c.Pays(lc)}
	}
	return all, nil
}
