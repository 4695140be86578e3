// SPDX-License-Identifier: Apache-2.0

package prefixtree

import (
	"context"
	"fmt"

	"hide/internal/publish/noise"
)

// Markov is the baseline: what comes first, and what follows what wherever it is.
type Markov struct {
	start []float64   // noisy counts, not below 0
	next  [][]float64 // shares
}

// firstShare is the share of epsilon for what comes first.
const firstShare = 0.2

// NewMarkov spends a fifth of epsilon on what comes first, and the rest on pairs
// of neighbours: a sequence has up to Height - 1 of these, which is their sensitivity.
// One that has a pair with its end is shorter than Height.
func NewMarkov(ctx context.Context, seqs [][]int, p Params, s noise.Source) (*Markov, error) {
	p, err := p.Check()
	if err != nil {
		return nil, err
	}
	if p.Alphabet > mostPaired {
		return nil, fmt.Errorf("pairs can be counted of at most %d symbols", mostPaired)
	}
	cut, err := p.cut(seqs)
	if err != nil {
		return nil, err
	}
	start, pairs := p.pairs(cut)
	sensitivity := int64(max(1, p.Height-1)) * p.Sensitivity()
	e := p.Epsilon.Float()
	if err := noise.AddAll(ctx, s, start, p.Sensitivity(), firstShare*e); err != nil {
		return nil, err
	}
	m := &Markov{}
	for _, x := range start {
		m.start = append(m.start, max(0, float64(x)))
	}
	for _, row := range pairs {
		if err := noise.AddAll(ctx, s, row, sensitivity, (1-firstShare)*e); err != nil {
			return nil, err
		}
		m.next = append(m.next, shares(row))
	}
	return m, nil
}

// pairs counts first symbols and neighbours; the last column is the end.
func (p Params) pairs(seqs [][]int) (start []int64, pairs [][]int64) {
	start = make([]int64, p.Alphabet)
	pairs = make([][]int64, p.Alphabet)
	for c := range pairs {
		pairs[c] = make([]int64, p.Alphabet+1)
	}
	for _, seq := range seqs {
		for i, c := range seq {
			if i == 0 {
				start[c]++
			} else {
				pairs[seq[i-1]][c]++
			}
		}
		if n := len(seq); n > 0 && n < p.Height {
			pairs[seq[n-1]][p.Alphabet]++
		}
	}
	return start, pairs
}

func shares(row []int64) []float64 {
	out, sum := make([]float64, len(row)), 0.0
	for i, x := range row {
		out[i] = max(1e-9, float64(x))
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// Count estimates how many sequences begin with the prefix.
func (m *Markov) Count(prefix []int) float64 {
	if len(prefix) == 0 {
		sum := 0.0
		for _, x := range m.start {
			sum += x
		}
		return sum
	}
	x := m.start[prefix[0]]
	for i := 1; i < len(prefix); i++ {
		x *= m.next[prefix[i-1]][prefix[i]]
	}
	return x
}
