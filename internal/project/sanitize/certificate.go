// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
)

// Paying is an attacker of a run whose calls on the published text gain more than they
// cost. The check covers the learners of the run in the folds used for redaction; it does
// not exclude other attackers.
type Paying struct {
	Kind    attack.Kind   `json:"kind"`
	Learner string        `json:"learner,omitempty"`
	Counts  greedy.Counts `json:"counts"`
	Gain    float64       `json:"gain"` // sum_c L_c*TP_A,c
	Cost    float64       `json:"cost"` // sum_k C_k*FP_A,k
}

// Paying lists the profitable attackers of an L/C, in the order of the run's attackers.
func (p Params) Paying(c Result) []Paying {
	var out []Paying
	for _, a := range c.Attackers {
		worth, cost := float64(a.Marked.TP), float64(a.Marked.FP)
		if len(p.LossByLabel) > 0 {
			worth = a.Worth // 0 in runs of older versions, which did not price labels here
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
