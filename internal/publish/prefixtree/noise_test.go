// SPDX-License-Identifier: Apache-2.0

package prefixtree

import (
	"math/rand/v2"
	"testing"

	"hide/internal/publish/ledger"
	"hide/internal/publish/noise/noisetest"
)

// TestNoiseIsForAllSequencesOfAPerson compares what was drawn, when 15 sequences may
// be one person's, with what is declared.
func TestNoiseIsForAllSequencesOfAPerson(t *testing.T) {
	seqs := random(rand.New(rand.NewPCG(1, 2)), 4000, 3, 4)
	p := Params{Alphabet: 3, Height: 3, Epsilon: ledger.One, Bound: 15}
	var rec noisetest.Recorder
	tree := build(t, seqs, p, &rec)
	var want []noisetest.Draws
	for _, ph := range tree.Phases {
		if ph.Sensitivity != 15 || ph.Counts == 0 {
			t.Errorf("declared %+v", ph)
		}
		want = append(want, noisetest.Draws{Sensitivity: 15, Epsilon: ph.Epsilon.Float(), Counts: ph.Counts})
	}
	rec.Expect(t, "tree", want...)
	// A sequence has one first symbol, and 2 pairs of neighbours, with its end 3.
	for fixed, pairs := range map[bool]int64{true: 2 * 15, false: 3 * 15} {
		p.Fixed, rec = fixed, noisetest.Recorder{}
		if fixed {
			seqs = [][]int{{0, 1, 2}, {1, 1, 1}}
		} else {
			seqs = [][]int{{0, 1}, {}}
		}
		_, err := NewMarkov(t.Context(), seqs, p, &rec)
		must(t, err)
		rec.Expect(t, "markov", noisetest.Draws{Sensitivity: 15, Epsilon: firstShare, Counts: 3}, noisetest.Draws{Sensitivity: pairs, Epsilon: 1 - firstShare, Counts: 3 * 4})
	}
}
