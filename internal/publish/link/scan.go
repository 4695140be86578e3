// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"math"
	"math/bits"
	"sync"

	"hide/internal/parallel"
)

// findings are the results of scoring pairs. They are added in the order of the tasks.
type findings struct {
	pairs    []Pair
	compared int
	rules    []RuleSize
	bins     [2 * mostBits]Bin
	seen     captures
	below    float64 // matches below the review threshold
}

// mostBits bounds the histogram: weights beyond count as the last ones.
const mostBits = 64

// A task is a part of the pairs: blocks of a rule, or rows of all pairs if rule is len(rules).
type task struct{ rule, from, to int }

// taskPairs is about how many pairs a task has.
const taskPairs = 200_000

func (e *engine) tasks(x *index) []task {
	var tasks []task
	for r, b := range x.rules {
		from, pairs := 0, 0
		for i := range b.len() {
			pairs += b.pairs(i)
			if pairs >= taskPairs || i == b.len()-1 {
				tasks = append(tasks, task{r, from, i + 1})
				from, pairs = i+1, 0
			}
		}
	}
	if e.comparesAll() {
		rows := max(taskPairs/max(e.n, 1), 1)
		for from := 0; from < e.n; from += rows {
			tasks = append(tasks, task{len(x.rules), from, min(from+rows, e.n)})
		}
	}
	return tasks
}

// comparesAll reports whether the records are so few that all pairs are compared.
func (e *engine) comparesAll() bool { return e.n <= e.config.Every }

// scorePairs scores each pair that a rule gives, once.
func (e *engine) scorePairs(ctx context.Context, x *index, progress func(done, total int)) (*findings, error) {
	tasks := e.tasks(x)
	parts := make([]*findings, len(tasks))
	scans := make([]*scan, e.workers)
	var mu sync.Mutex // guards done and progress
	done := 0
	err := parallel.Do(ctx, e.workers, len(tasks), func(worker, i int) {
		if scans[worker] == nil {
			scans[worker] = &scan{index: x, lists: e.ruleLists(), scorer: e.newScorer(logOdds(e.config.Review/16) - logOdds(e.prior))}
			scans[worker].scorer.remember()
		}
		parts[i] = scans[worker].run(tasks[i])
		mu.Lock()
		defer mu.Unlock()
		if done++; progress != nil {
			progress(done, len(tasks))
		}
	})
	if err != nil {
		return nil, err
	}
	return e.together(x, parts), nil
}

// together adds the findings of the tasks.
func (e *engine) together(x *index, parts []*findings) *findings {
	all := &findings{}
	for _, b := range x.rules {
		all.rules = append(all.rules, b.size)
	}
	if e.comparesAll() && e.n > 1 {
		all.rules = append(all.rules, RuleSize{Rule: "all pairs of few records", Pairs: int(e.pairs), Largest: e.n, Blocks: 1, Limit: e.config.Every})
	}
	for _, part := range parts {
		all.pairs = append(all.pairs, part.pairs...)
		all.compared += part.compared
		for i, r := range part.rules[:len(all.rules)] {
			all.rules[i].Pairs += r.Pairs
			all.rules[i].Only += r.Only
		}
		for i, b := range part.bins {
			all.bins[i].Pairs += b.Pairs
			all.bins[i].Matches += b.Matches
		}
		all.seen.add(&part.seen)
		all.below += part.below
	}
	return all
}

// A scan scores the pairs of tasks on one goroutine.
type scan struct {
	index  *index
	scorer *scorer
	lists  [2]uint32
	found  *findings
}

func (s *scan) run(t task) *findings {
	s.found = &findings{rules: make([]RuleSize, len(s.index.rules)+1)}
	if t.rule == len(s.index.rules) {
		s.rows(t.from, t.to)
		return s.found
	}
	for b := t.from; b < t.to; b++ {
		s.index.pairsOf(t.rule, b, func(i, j, rules uint32) {
			if isFirst(t.rule, rules) {
				s.count(rules)
				s.pair(i, j, rules)
			}
		})
	}
	return s.found
}

// rows scores the pairs that no rule gives, of records i from one position to another.
func (s *scan) rows(from, to int) {
	e := s.index.engine
	for i := uint32(from); i < uint32(to); i++ {
		for j := i + 1; j < uint32(e.n); j++ {
			if e.comparable(i, j) && s.index.givenBy(i, j) == 0 {
				s.found.rules[len(s.index.rules)].Only++
				s.pair(i, j, 0)
			}
		}
	}
}

func (s *scan) count(rules uint32) {
	if bits.OnesCount32(rules) == 1 {
		s.found.rules[bits.TrailingZeros32(rules)].Only++
	}
	for set := rules; set != 0; set &= set - 1 {
		s.found.rules[bits.TrailingZeros32(set)].Pairs++
	}
}

func (s *scan) pair(i, j, rules uint32) {
	e := s.index.engine
	s.found.compared++
	_, weight, ok := s.scorer.score(i, j)
	if !ok {
		s.found.bins[0].Pairs++
		return
	}
	p := probability(weight, e.prior)
	odds := weight + logOdds(e.prior)
	bin := min(max(int(math.Floor(odds))+mostBits, 0), 2*mostBits-1)
	s.found.bins[bin].Pairs++
	s.found.bins[bin].Matches += p
	if rules != 0 {
		s.found.seen.count(rules, s.lists, p)
	}
	if p < e.config.Review {
		s.found.below += p
		return
	}
	a, b := inOrder(int(e.order[i]), int(e.order[j]))
	s.found.pairs = append(s.found.pairs, Pair{A: a, B: b, Weight: weight, Probability: p})
}
