// SPDX-License-Identifier: Apache-2.0

package greedy

import "hide/internal/annotate"

// Measure is the outcome of redacting masks in documents that nothing was trained on. Nobody
// attacks: its Attack is the zero value.
func Measure(docs []annotate.Note, masks [][]bool, lc float64, p Params) Outcome {
	p = p.withDefaults()
	l := newLab(docs, p, newPool(1))
	o := l.tally(masks).outcome(lc, 1, newResampler(l.groups, p.Seed, true), nil, nil)
	o.Attack = Attack{}
	return o
}
