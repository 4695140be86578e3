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
	// A sequence has one first symbol, and 2 pairs of neighbours, that with its end among
	// them when it is shorter.
	for _, seqs = range [][][]int{{{0, 1, 2}, {1, 1, 1}}, {{0, 1}, {}, {0}}} {
		p.Fixed, rec = len(seqs[1]) > 0, noisetest.Recorder{}
		for _, seq := range seqs {
			start, pairs := p.pairs([][]int{seq})
			if s, n := sumOf(start), sumOf(pairs...); s > 1 || n > 2 {
				t.Errorf("%v has %d first symbols and %d pairs", seq, s, n)
			}
		}
		_, err := NewMarkov(t.Context(), seqs, p, &rec)
		must(t, err)
		rec.Expect(t, "markov", noisetest.Draws{Sensitivity: 15, Epsilon: firstShare, Counts: 3}, noisetest.Draws{Sensitivity: 2 * 15, Epsilon: 1 - firstShare, Counts: 3 * 4})
	}
}

func sumOf(rows ...[]int64) (n int64) {
	for _, row := range rows {
		for _, x := range row {
			n += x
		}
	}
	return n
}

// TestEveryNodeIsNoisy draws noise that no count of 400 sequences is without.
func TestEveryNodeIsNoisy(t *testing.T) {
	seqs := random(rand.New(rand.NewPCG(1, 3)), 400, 3, 4)
	tree := build(t, seqs, Params{Alphabet: 3, Height: 3, Epsilon: ledger.One, Raw: true}, noisetest.Plus(1e6))
	tree.Walk(func(prefix []int, n *Node) {
		if n.Noisy < 1e6 || n.Count < 1e6 {
			t.Errorf("%v: %d, %v", prefix, n.Noisy, n.Count)
		}
	})
	m, err := NewMarkov(t.Context(), seqs, Params{Alphabet: 3, Height: 3, Epsilon: ledger.One}, noisetest.Plus(1e6))
	must(t, err)
	for c, n := range m.start {
		if n < 1e6 {
			t.Errorf("%d comes first %v times", c, n)
		}
	}
}
