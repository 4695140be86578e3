// SPDX-License-Identifier: Apache-2.0

package link

import (
	"cmp"
	"context"
	"math"
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
const sampledPairs, randomPairs = 40_000, 400_000

// samples are the random pairs and then samples of each rule that gives pairs.
func (e *engine) samples(ctx context.Context, x *index, seed uint64) ([]*sample, error) {
	all := make([][]*sample, len(x.rules)+1)
	err := parallel.Do(ctx, e.workers, len(all), func(_, i int) {
		if i == 0 {
			all[i] = []*sample{e.randomSample(mix(seed))}
		} else {
			all[i] = e.ruleSamples(x, i-1, mix(seed+uint64(i)))
		}
	})
	return slices.Concat(all...), err
}

// randomSample takes all pairs if they are few.
func (e *engine) randomSample(seed uint64) *sample {
	s := &sample{pairs: e.pairs}
	t := newTally(e)
	add := func(i, j uint32) { t.add(i, j, false) }
	if s.pairs <= randomPairs {
		e.eachPair(add)
	} else {
		e.drawPairs(seed, add)
	}
	s.patterns, s.taken = t.sorted(), t.pairs
	return s
}

// eachPair calls yield with each pair of records that may be of one person.
func (e *engine) eachPair(yield func(i, j uint32)) {
	if e.files != nil {
		e.acrossFiles().all(yield)
		return
	}
	for i := range uint32(e.n) {
		for j := i + 1; j < uint32(e.n); j++ {
			yield(i, j)
		}
	}
}

// drawPairs calls yield with about randomPairs pairs of records that may be of one person.
func (e *engine) drawPairs(seed uint64, yield func(i, j uint32)) {
	if e.files != nil {
		across := e.acrossFiles()
		for k := range uint64(randomPairs) {
			yield(across.draw(mix(seed ^ k)))
		}
		return
	}
	for k := range uint64(randomPairs) {
		i, j := uint32(below(mix(seed^2*k), e.n)), uint32(below(mix(seed^(2*k+1)), e.n))
		if i != j {
			yield(i, j)
		}
	}
}

// ruleSamples takes each pair of a rule with the same probability. The pairs of blocks that
// were refined are a sample of their own: they have more fields in common.
func (e *engine) ruleSamples(x *index, rule int, seed uint64) []*sample {
	b := x.rules[rule]
	limit := e.sampleLimit(b)
	plain, refined := e.config.Rules[rule].fields(e.fields), uint32(0)
	tallies := [2]*tally{newTally(e), newTally(e)}
	given := [2]float64{}
	for number := range b.len() {
		kind := 0
		if b.fields[number] != plain {
			kind = 1
			refined |= b.fields[number]
		}
		x.pairsOf(rule, number, func(i, j uint32, rules uint32) {
			given[kind]++
			if mix(seed^uint64(i)<<32^uint64(j)) <= limit {
				tallies[kind].add(i, j, isFirst(rule, rules))
			}
		})
	}
	var all []*sample
	for kind, t := range tallies {
		if t.pairs > 0 {
			all = append(all, &sample{without: []uint32{plain, refined}[kind], pairs: given[kind], taken: t.pairs, patterns: t.sorted()})
		}
	}
	return all
}

// sampleLimit is the hash up to which a pair is taken.
func (e *engine) sampleLimit(b *blocks) uint64 {
	pairs := 0.
	for number := range b.len() {
		pairs += e.pairsAmong(slices.Values(b.block(number)))
	}
	if pairs <= sampledPairs {
		return math.MaxUint64
	}
	return uint64(sampledPairs / pairs * math.MaxUint64)
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
	t := &tally{by: e.newComparator(), seen: map[pattern]*counted{}}
	t.by.remember()
	return t
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
	slices.SortFunc(all, func(a, b counted) int { return cmp.Compare(a.pattern, b.pattern) })
	return all
}
