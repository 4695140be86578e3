// SPDX-License-Identifier: Apache-2.0

package greedy

import "context"

// Certified is a learner's best attack on what would be published: the threshold
// on its out-of-fold scores, priced where prices gain more, of those that mark
// something, that would lower the loss most, or its hard labels where they would lower
// it more, and the two sides of the papers' stopping rule. When it does not pay, no
// threshold of that learner does, nor do its hard labels.
type Certified struct {
	Learner   string  `json:"learner"`
	Threshold float64 `json:"threshold"`
	Hard      bool    `json:"hard,omitempty"` // it marks by hard labels, not by Threshold
	Counts    Counts  `json:"counts"`         // on what would be published
	Cost      float64 `json:"cost"`           // sum_k C_k*FP_k
	Gain      float64 `json:"gain"`           // sum_c L_c*TP_c
	Pays      bool    `json:"pays"`           // Cost < Gain
}

// certify attacks what masks leave with every learner.
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
