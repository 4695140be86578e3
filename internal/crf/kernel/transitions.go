// SPDX-License-Identifier: Apache-2.0

package kernel

import "math"

// Transitions hold M = exp(w) of the allowed transitions in the forms that the
// recursions want, zero where a transition is forbidden or there is no state. In
// the beginning every allowed transition has 1. Many goroutines may read them.
type Transitions[F Float] struct {
	layout  Layout
	forward []F        // [Stride][columns] M[i][j]
	back    []F        // [columns][Stride] M[i][j] at [j][i]
	lanes   []F        // [2][Lanes] B to I and I to I; empty when dense
	ends    []F        // [2][Stride] 1 where a sequence can start, and for every state
	strange int        // number of values that F cannot compute with
	sparse  *sparse[F] // nil when any may vary
}

// NewTransitions makes transitions of weight 0.
func NewTransitions[F Float](l Layout) *Transitions[F] {
	t := &Transitions[F]{
		layout:  l,
		forward: make([]F, l.entries()),
		back:    make([]F, l.entries()),
		lanes:   make([]F, l.continuations()),
		ends:    append(row[F](l, l.starts(), 1, 0, 0), row[F](l, 0, 1, 1, 0)...),
	}
	for from := range l.States() {
		for to := range l.States() {
			if l.allows(from, to) {
				t.put(from, to, 1)
			}
		}
	}
	return t
}

// Set gives the transition between two states the value exp(weight). It panics
// when that transition is forbidden. A value out of the range that F can compute
// with, exp(+-40) in float32 and exp(+-300) in float64, or that is not a number,
// makes every [Chain.Run] fail until it is set again. It panics, too, when one that
// does not vary gets another value than 1.
func (t *Transitions[F]) Set(from, to int, value float64) {
	if !t.layout.allows(from, to) {
		panicForbidden(from, to)
	}
	if s := t.sparse; s != nil && value != 1 && s.fixed[t.layout.Place(from)*t.layout.Stride+t.layout.Place(to)] {
		panic("kernel: a transition that does not vary")
	}
	if t.isStrange(float64(t.at(from, to))) {
		t.strange--
	}
	t.put(from, to, F(value))
	if t.isStrange(float64(t.at(from, to))) {
		t.strange++
	}
}

// Exclude takes a state out of all paths, for good: none of its transitions may be
// [Transitions.Set] afterwards.
func (t *Transitions[F]) Exclude(state int) {
	l := t.layout
	if t.sparse != nil {
		t.sparse.setMask(l.Place(state), 0)
	}
	for other := range l.States() {
		for _, arc := range [][2]int{{state, other}, {other, state}} {
			if l.allows(arc[0], arc[1]) {
				t.put(arc[0], arc[1], 0)
			}
		}
	}
	t.ends[l.Place(state)], t.ends[l.Stride+l.Place(state)] = 0, 0
}

func (t *Transitions[F]) start() []F { return t.ends[:t.layout.Stride] }
func (t *Transitions[F]) end() []F   { return t.ends[t.layout.Stride:] }

func (t *Transitions[F]) isStrange(value float64) bool {
	bound := limits[F]().weight
	return !(math.Exp(-bound) <= value && value <= math.Exp(bound))
}

func (t *Transitions[F]) put(from, to int, value F) {
	l := t.layout
	i, continues := l.arc(from, to)
	if continues {
		t.lanes[i] = value
		return
	}
	t.forward[i] = value
	t.back[i%l.columns()*l.Stride+i/l.columns()] = value
	if t.sparse != nil {
		t.sparse.put(i/l.columns(), i%l.columns(), value)
	}
}

func (t *Transitions[F]) at(from, to int) F {
	i, continues := t.layout.arc(from, to)
	if continues {
		return t.lanes[i]
	}
	return t.forward[i]
}

// Counts are sums over transitions, in the places of [Transitions].
type Counts struct {
	layout Layout
	values []float64 // [Stride][columns] entries, then [2][Lanes] continuations
}

// NewCounts makes counts of zero.
func NewCounts(l Layout) *Counts {
	return &Counts{l, make([]float64, l.entries()+l.continuations())}
}

// Count adds n to the count of a transition. It panics when that is forbidden.
func (c *Counts) Count(from, to int, n float64) { c.values[c.place(from, to)] += n }

// At is the count of a transition. It panics when that is forbidden.
func (c *Counts) At(from, to int) float64 { return c.values[c.place(from, to)] }

func (c *Counts) place(from, to int) int {
	if !c.layout.allows(from, to) {
		panicForbidden(from, to)
	}
	i, continues := c.layout.arc(from, to)
	if continues {
		i += c.layout.entries()
	}
	return i
}

// Clear sets all counts to zero.
func (c *Counts) Clear() { clear(c.values) }

// Add adds the counts of other, which must have the same layout.
func (c *Counts) Add(other *Counts) { c.add(other.values) }

func (c *Counts) add(sums []float64) {
	values := c.values[:len(sums)]
	for i, v := range sums {
		values[i] += v
	}
}
