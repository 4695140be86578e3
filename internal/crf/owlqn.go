// SPDX-License-Identifier: Apache-2.0

package crf

import "math"

// What OWL-QN (Andrew and Gao 2007) adds to L-BFGS: the objective gets a term
// l1 |x|, and no step leaves the orthant that it starts into.

// penalise adds the penalty to the objective and fills descent with the pseudo-
// gradient: the derivative from the side on which the objective falls, 0 where it
// falls on neither.
func (m *minimizer[F]) penalise(at *point[F]) {
	sum, l1 := 0.0, F(m.l1)
	for i, v := range at.x {
		g := at.gradient[i]
		sum += math.Abs(float64(v))
		switch {
		case v < 0 || v == 0 && g > l1:
			g -= l1
		case v > 0 || g < -l1:
			g += l1
		default:
			g = 0
		}
		at.descent[i] = g
	}
	at.f += m.l1 * sum
}

// align drops the components of the direction that lead uphill.
func (m *minimizer[F]) align() {
	for i, d := range m.direction {
		if d*m.here.descent[i] >= 0 {
			m.direction[i] = 0
		}
	}
}

// project sets to 0 what has left the orthant: the sign that a weight has, or
// that it takes on.
func (m *minimizer[F]) project() {
	for i, v := range m.next.x {
		side := m.here.x[i]
		if side == 0 {
			side = -m.here.descent[i]
		}
		if v*side <= 0 {
			m.next.x[i] = 0
		}
	}
}

// promised is the linear decrease over the step that was really made.
func (m *minimizer[F]) promised() float64 {
	sum := 0.0
	for i, g := range m.here.descent {
		sum += float64(g) * float64(m.next.x[i]-m.here.x[i])
	}
	return sum
}
