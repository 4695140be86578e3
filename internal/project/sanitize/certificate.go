// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
)

// Paying is an attacker of a run whose own calls, of what would be published, gain
// more than they cost. The certificate is about the learners of the run in the folds
// that the redactions were found with; a certificate by which nothing pays does not
// say that no such attacker is there.
type Paying struct {
	Kind    attack.Kind   `json:"kind"`
	Learner string        `json:"learner,omitempty"`
	Counts  greedy.Counts `json:"counts"`
	Gain    float64       `json:"gain"` // sum_c L_c*TP_A,c
	Cost    float64       `json:"cost"` // sum_k C_k*FP_A,k
}

// Paying are those of an L/C of a run, in the order of its attackers.
func (p Params) Paying(c Result) []Paying {
	var out []Paying
	for _, a := range c.Attackers {
		worth, cost := float64(a.Marked.TP), float64(a.Marked.FP)
		if len(p.LossByLabel) > 0 {
			worth = a.Worth // 0 in runs of earlier versions, which did not price labels here
		}
		if len(p.CostByKind) > 0 {
			cost = a.Cost
		}
		if gain := c.LC * worth; cost < gain {
			out = append(out, Paying{a.Kind, a.Learner, a.Marked, gain, cost})
		}
	}
	return out
}
