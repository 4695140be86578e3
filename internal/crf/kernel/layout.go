// SPDX-License-Identifier: Apache-2.0

package kernel

import "fmt"

// Float is the type that the kernels compute in.
type Float interface{ float32 | float64 }

// Layout gives the place of each state in a row of Stride numbers. Places without a
// state are padding.
//
// With at most one label a row is O, B, I. With more it has two halves of Lanes places:
// O and B of label k at 0 and 1+k of the first, I of label k at 1+k of the second, so
// that B and I of a label are in the same lane. With up to three labels the matrix
// product is dense; from four on the continuation is an element-wise product.
type Layout struct {
	Labels int // K
	Lanes  int // places of one half, or of the row if there is only one half
	Stride int // places of a row

	// Free allows every transition, as programs without BIO rules do; hide needs it to
	// compare itself with them. The row is the same, and dense.
	Free bool
}

// NewLayout lays out the states for the given number of labels.
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

// Place is the place of a state in a row.
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

// columns is the number of places of a row that can be entered from every place.
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

// row returns a row with one value at the first n states, another at the other states
// and a third in the padding.
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

// Bias is the row that sums of scores start from: 0 for states, and in the padding a
// number so low that its exponential is 0.
func Bias[F Float](l Layout) []F { return row[F](l, 0, 0, 0, -1e30) }

// allows reports whether one state can follow another.
func (l Layout) allows(from, to int) bool {
	return l.Free || to <= l.Labels || from == to || from == to-l.Labels
}

// starts is the number of states, the first ones, that can begin a sequence.
func (l Layout) starts() int {
	if l.Free {
		return l.States()
	}
	return l.Labels + 1
}

func panicForbidden(from, to int) {
	panic(fmt.Sprintf("kernel: state %d cannot follow state %d", to, from))
}

// arc is the place of an allowed transition among the entries or the continuations.
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

// piece is the length of the sums in F, which are then added in float64.
const piece = 8192

// Dot is the inner product of two vectors of the same length.
func Dot[F Float](x, y []F) float64 {
	same(len(x), len(y))
	sum := 0.0
	for len(x) > 0 {
		n := min(piece, len(x))
		sum += dotPiece(x[:n], y[:n])
		x, y = x[n:], y[n:]
	}
	return sum
}

func dotPiece[F Float](x, y []F) float64 {
	if s, ok := assembled(x); ok {
		return fast.dot(s, any(y).([]float32))
	}
	return dot(x, y)
}

// Axpy adds a times x to y.
func Axpy[F Float](a F, x, y []F) {
	same(len(x), len(y))
	if s, ok := assembled(x); ok {
		fast.axpy(float32(a), s, any(y).([]float32))
		return
	}
	axpy(a, x, y)
}

// AddScaled sets z to x + a*y.
func AddScaled[F Float](z, x []F, a F, y []F) {
	same(len(x), len(z))
	same(len(y), len(z))
	if s, ok := assembled(z); ok {
		fast.addScaled(s, any(x).([]float32), float32(a), any(y).([]float32))
		return
	}
	addScaled(z, x, a, y)
}

// Multiply sets z to x times y, element by element.
func Multiply[F Float](z, x, y []F) {
	same(len(x), len(z))
	same(len(y), len(z))
	if s, ok := assembled(z); ok {
		fast.multiply(s, any(x).([]float32), any(y).([]float32))
		return
	}
	multiply(z, x, y)
}

// assembled returns x as float32, and whether there is assembly for it.
func assembled[F Float](x []F) (s []float32, ok bool) {
	s, ok = any(x).([]float32)
	return s, ok && fast != nil && len(s) > 0
}

// dot uses four sums, which is faster and slightly more exact than one.
func dot[F Float](x, y []F) float64 {
	var a, b, c, d F
	y = y[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		p, q := x[i:i+4:i+4], y[i:i+4:i+4]
		a += p[0] * q[0]
		b += p[1] * q[1]
		c += p[2] * q[2]
		d += p[3] * q[3]
	}
	for ; i < len(x); i++ {
		a += x[i] * y[i]
	}
	return float64(a) + float64(b) + float64(c) + float64(d)
}

func axpy[F Float](a F, x, y []F) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

func scale[F Float](a F, x []F) {
	for i := range x {
		x[i] *= a
	}
}

func addScaled[F Float](z, x []F, a F, y []F) {
	for i := range z {
		z[i] = x[i] + a*y[i]
	}
}

func same(a, b int) {
	if a != b {
		panic("kernel: vectors of two lengths")
	}
}

func multiply[F Float](z, x, y []F) {
	for i := range z {
		z[i] = x[i] * y[i]
	}
}
