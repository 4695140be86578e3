// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"math"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf/kernel"
)

// states is the BIO state space over K labels. State 0 is O, 1+k is B of label
// k, 1+K+k is I of label k; there are L = 2K+1. O and every B, the first K+1
// states, can follow any state and start a document; I of label k can follow
// only B and I of label k.
//
// Its transition weights are one vector of L*(K+1)+2K numbers. w[i*(K+1)+j] is from
// state i to state j <= K; then follow, for each label k, the weights of B -> I and of
// I -> I. Forbidden transitions have no weight, so neither training nor decoding can
// use one. If the states are free, all L can follow any state, and there are no other
// weights.
//
// In training some states may be absent: no path goes through them. They keep
// their numbers and the weights of their transitions, which are 0.
type states struct {
	labels []annotate.Label // sorted
	free   bool
	absent []bool // nil, or by state
}

func (s states) count() int       { return 2*len(s.labels) + 1 }
func (s states) transitions() int { return s.count()*s.entries() + 2*s.continuations() }

// entries is the number of states, the first ones, that can follow any.
func (s states) entries() int {
	if s.free {
		return s.count()
	}
	return len(s.labels) + 1
}

// continuations is the number of labels with their own transitions into I.
func (s states) continuations() int {
	if s.free {
		return 0
	}
	return len(s.labels)
}
func (s states) inside(k int) int { return 1 + len(s.labels) + k }

// label is the index of a state's label, or -1 for O.
func (s states) label(state int) int {
	if state == 0 {
		return -1
	}
	return (state - 1) % len(s.labels)
}

// begins reports whether the state opens a span.
func (s states) begins(state int) bool { return state >= 1 && state <= len(s.labels) }

// arc is the place of the transition in the weight vector, or -1 when it is
// forbidden.
func (s states) arc(from, to int) int {
	if to < s.entries() {
		return from*s.entries() + to
	}
	k := s.label(to)
	switch from {
	case 1 + k:
		return s.count()*s.entries() + 2*k
	case to:
		return s.count()*s.entries() + 2*k + 1
	}
	return -1
}

func (s states) isAbsent(state int) bool { return s.absent != nil && s.absent[state] }

// present is the number of states that are not absent.
func (s states) present() int {
	n := s.count()
	for _, absent := range s.absent {
		if absent {
			n--
		}
	}
	return n
}

// unseen lists the states other than O that no token has in training.
func (s states) unseen(gold []uint16) []bool {
	absent := slices.Repeat([]bool{true}, s.count())
	absent[0] = false
	for _, state := range gold {
		absent[state] = false
	}
	return absent
}

// each calls yield for every allowed transition between states that are not absent.
func (s states) each(yield func(from, to, arc int)) {
	for from := range s.count() {
		for to := range s.count() {
			if arc := s.arc(from, to); arc >= 0 && !s.isAbsent(from) && !s.isAbsent(to) {
				yield(from, to, arc)
			}
		}
	}
}

// numbersIn returns each state's number in another set of labels, -1 for those that are
// not in it.
func (s states) numbersIn(other states) []int {
	number := make([]int, s.count())
	for k, label := range s.labels {
		number[1+k], number[s.inside(k)] = -1, -1
		if old, ok := slices.BinarySearch(other.labels, label); ok {
			number[1+k], number[s.inside(k)] = 1+old, other.inside(old)
		}
	}
	return number
}

// goldLeft returns the states of the tokens that training does not skip.
func (s states) goldLeft(d sequence) []uint16 {
	path := s.gold(d)
	if d.skip == nil {
		return path
	}
	left := path[:0]
	for i, state := range path {
		if !d.skips(i) {
			left = append(left, state)
		}
	}
	return left
}

// gold returns the state of every token of d. If training skips the first tokens of a
// span, the span begins with the first remaining one.
func (s states) gold(d sequence) []uint16 {
	path := make([]uint16, len(d.words))
	open := -1 // label of the current span, if it has a token that is not skipped
	for i, label := range d.labels {
		if label == "" {
			open = -1
			continue
		}
		k, known := slices.BinarySearch(s.labels, label)
		if !known || d.opens(i) {
			open = -1
		}
		if !known || d.skips(i) {
			continue
		}
		path[i] = uint16(1 + k)
		if open == k {
			path[i] = uint16(s.inside(k))
		}
		open = k
	}
	return path
}

// connect finds the transitions that occur in the documents.
func (p *pass[F]) connect(o Options) {
	d := p.data
	p.observed = observed(d)
	if p.frozen = d.frozen; p.frozen == nil {
		p.frozen = make([]bool, len(p.observed))
		for i, n := range p.observed {
			p.frozen[i] = o.Pairs == Observed && n == 0
		}
	}
	p.transitions = kernel.NewSparseTransitions[F](d.layout, func(from, to int) bool {
		arc := d.states.arc(from, to)
		return arc >= 0 && !p.frozen[arc]
	})
	for state := range p.places {
		if d.states.isAbsent(state) {
			p.transitions.Exclude(state)
		}
	}
}

func observed(d *dataset) []float64 {
	n := d.states.count()
	met := make([]int32, n*n)
	for i := range len(d.docs) - 1 {
		for t := d.docs[i] + 1; t < d.docs[i+1]; t++ {
			met[int(d.gold[t-1])*n+int(d.gold[t])]++
		}
	}
	counts := make([]float64, d.states.transitions())
	for i, times := range met {
		if times > 0 {
			counts[d.states.arc(i/n, i%n)] = float64(times)
		}
	}
	return counts
}

// setTransitions passes exp(w) to the kernel and stores the exact logarithms of the
// rounded values: the gold path must be scored with the same numbers as all other
// paths.
func (p *pass[F]) setTransitions(w []F) {
	p.data.states.each(func(from, to, arc int) {
		v := F(math.Exp(min(max(float64(w[arc]), -steepest), steepest)))
		p.transitions.Set(from, to, float64(v))
		p.scores[arc] = math.Log(float64(v))
	})
}

// steepest bounds a transition's weight during training; float32 holds exp(80).
const steepest = 80

// goldTransitions is the score of the transitions of all gold paths.
func (p *pass[F]) goldTransitions() float64 {
	sum := 0.0
	for arc, n := range p.observed {
		if n != 0 {
			sum += n * p.scores[arc]
		}
	}
	return sum
}

// transitionGradient fills the transitions' part of the gradient.
func (p *pass[F]) transitionGradient(w, gradient []F) {
	p.data.states.each(func(from, to, arc int) {
		if p.frozen[arc] {
			gradient[arc] = 0
			return
		}
		sum := 0.0
		for _, expected := range p.expected {
			sum += expected.At(from, to)
		}
		gradient[arc] = F(sum*math.Exp(p.scores[arc]) - p.observed[arc] + 2*p.c2*float64(w[arc]))
	})
}
