// SPDX-License-Identifier: Apache-2.0

package kernel

import "fmt"

// Float is what the kernels compute in.
type Float interface{ float32 | float64 }

// Layout says where the states stand in a row of Stride numbers. Places that no
// state has are padding.
//
// With at most one label a row is O, B, I. With more it has two halves of Lanes
// places: O and B of label k at 0 and 1+k of the first, I of label k at 1+k of
// the second, so that what continues a span stands where it began. Up to three
// labels any place may be multiplied with any other (dense); from four on the
// continuation is a product place by place.
type Layout struct {
	Labels int // K
	Lanes  int // places of one half, or of the row when there is one half
	Stride int // places of a row

	// Free allows every transition, as programs do that know nothing of BIO; hide
	// needs it to be compared with them. The row is as without it, and dense.
	Free bool
}

// NewLayout lays out the states of a number of labels.
func NewLayout(labels int) Layout {
	switch {
	case labels < 0:
		panic("kernel: negative number of labels")
	case labels <= 1:
		return Layout{Labels: labels, Lanes: 4, Stride: 4}
	case labels <= 3:
		return Layout{Labels: labels, Lanes: 4, Stride: 8}
	}
	lanes := (labels + 1 + 7) &^ 7
	return Layout{Labels: labels, Lanes: lanes, Stride: 2 * lanes}
}

// States is L = 2K+1.
func (l Layout) States() int { return 2*l.Labels + 1 }

// Place is where a state stands in a row.
func (l Layout) Place(state int) int {
	switch {
	case state < 0 || state >= l.States():
		panic(fmt.Sprintf("kernel: state %d of %d", state, l.States()))
	case state <= l.Labels || l.Stride == l.Lanes:
		return state
	}
	return l.Lanes + state - l.Labels
}

func (l Layout) dense() bool { return l.Labels <= 3 || l.Free }

// columns is how many places of a row are entered from every place.
func (l Layout) columns() int {
	if l.dense() {
		return l.Stride
	}
	return l.Lanes
}

// places lists the places of all states, ascending.
func (l Layout) places() []int {
	places := make([]int, l.States())
	for s := range places {
		places[s] = l.Place(s)
	}
	return places
}

// row makes a row with one value at the first n states, another at the other
// states and a third in the padding.
func row[F Float](l Layout, n int, first, other, pad F) []F {
	r := make([]F, l.Stride)
	for i := range r {
		r[i] = pad
	}
	for s, p := range l.places() {
		r[p] = other
		if s < n {
			r[p] = first
		}
	}
	return r
}

// Bias is the row that the sums of scores start from: 0 for states and a very
// low number in the padding, so that it vanishes in the exponential.
func Bias[F Float](l Layout) []F { return row[F](l, 0, 0, 0, -1e30) }

// allows reports whether a state can follow another.
func (l Layout) allows(from, to int) bool {
	return l.Free || to <= l.Labels || from == to || from == to-l.Labels
}

// starts is how many states can begin a sequence: the first ones.
func (l Layout) starts() int {
	if l.Free {
		return l.States()
	}
	return l.Labels + 1
}

func panicForbidden(from, to int) {
	panic(fmt.Sprintf("kernel: state %d cannot follow state %d", to, from))
}

// arc is the place of an allowed transition among the entries, or among the
// continuations.
func (l Layout) arc(from, to int) (index int, continues bool) {
	i, j := l.Place(from), l.Place(to)
	switch {
	case l.dense() || to <= l.Labels:
		return i*l.columns() + j, false
	case from == to:
		return j, true
	}
	return i, true
}

func (l Layout) entries() int { return l.Stride * l.columns() }

func (l Layout) continuations() int {
	if l.dense() {
		return 0
	}
	return 2 * l.Lanes
}
