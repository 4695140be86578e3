// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"slices"

	"hide/internal/parallel"
)

// A sample has the patterns of pairs to train on: random pairs, or pairs of one rule.
type sample struct {
	without  uint32 // fields that the rule uses: in its pairs they say nothing
	pairs    float64
	taken    float64
	patterns []counted

	// What the EM algorithm estimates for the pairs of the sample alone.
	share        float64 // of matches
	match, other states
}

// counted is a pattern with the pairs that have it, and those of them that the rule takes.
type counted struct {
	pattern      pattern
	count, first float64
}

// sampledPairs is about how many pairs of each rule are used for training, and randomPairs how
// many random ones.
const sampledPairs, randomPairs = 100_000, 500_000

// samples are the random pairs and then a sample of each rule that gives pairs.
func (e *engine) samples(ctx context.Context, x *index, seed uint64) ([]*sample, error) {
	all := make([]*sample, len(x.rules)+1)
	err := parallel.Do(ctx, e.workers, len(all), func(_, i int) {
		if i == 0 {
			all[i] = e.randomSample(mix(seed))
		} else {
			all[i] = e.ruleSample(x, i-1, mix(seed+uint64(i)))
		}
	})
	if err != nil {
		return nil, err
	}
	rules := slices.DeleteFunc(all[1:], func(s *sample) bool { return len(s.patterns) == 0 })
	return append([]*sample{all[0]}, rules...), nil
}

// randomSample takes all pairs if they are few.
func (e *engine) randomSample(seed uint64) *sample {
	s := &sample{pairs: e.allPairs()}
	t := newTally(e)
	if s.pairs <= randomPairs {
		for i := range uint32(e.n) {
			for j := i + 1; j < uint32(e.n); j++ {
				if e.comparable(i, j) {
					t.add(i, j, false)
				}
			}
		}
	} else {
		for k := range uint64(randomPairs) {
			i, j := uint32(below(mix(seed^2*k), e.n)), uint32(below(mix(seed^(2*k+1)), e.n))
			if i != j && e.comparable(i, j) {
				t.add(i, j, false)
			}
		}
	}
	s.patterns, s.taken = t.sorted(), t.pairs
	return s
}

// ruleSample takes each pair of a rule with the same probability.
func (e *engine) ruleSample(x *index, rule int, seed uint64) *sample {
	s := &sample{without: e.config.Rules[rule].fields(e.fields)}
	for b := range x.rules[rule].len() {
		size := float64(len(x.rules[rule].block(b)))
		s.pairs += size * (size - 1) / 2
	}
	limit := ^uint64(0)
	if s.pairs > sampledPairs {
		limit = uint64(sampledPairs / s.pairs * (1 << 63) * 2)
	}
	t, given := newTally(e), 0.
	for b := range x.rules[rule].len() {
		x.pairsOf(rule, b, func(i, j uint32, rules uint32) {
			given++
			if mix(seed^uint64(i)<<32^uint64(j)) <= limit {
				t.add(i, j, isFirst(rule, rules))
			}
		})
	}
	s.pairs, s.patterns, s.taken = given, t.sorted(), t.pairs
	return s
}

// scale is how many pairs one sampled pair stands for.
func (s *sample) scale() float64 { return s.pairs / max(s.taken, 1) }

// A tally counts patterns.
type tally struct {
	by    *comparator
	seen  map[pattern]*counted
	pairs float64
}

func newTally(e *engine) *tally {
	return &tally{by: e.newComparator(), seen: map[pattern]*counted{}}
}

func (t *tally) add(i, j uint32, first bool) {
	p := t.by.pattern(i, j)
	c := t.seen[p]
	if c == nil {
		c = &counted{pattern: p}
		t.seen[p] = c
	}
	c.count++
	t.pairs++
	if first {
		c.first++
	}
}

// sorted lists the patterns in order, so that sums do not depend on the order of a map.
func (t *tally) sorted() []counted {
	all := make([]counted, 0, len(t.seen))
	for _, c := range t.seen {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b counted) int {
		if a.pattern < b.pattern {
			return -1
		}
		return 1
	})
	return all
}
