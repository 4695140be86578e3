// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"math"
	"testing"
)

// fiftieths are the rows of tools/reference/learners.py, and a constant.
func fiftieths(n int, state uint32) Problem {
	p := Problem{Dim: 7}
	for range n {
		u := [7]float64{6: 1}
		for c := range 6 {
			state = 1664525*state + 1013904223
			u[c] = float64((state>>16)*50>>16) / 50
		}
		p.Rows = append(p.Rows, dense(u[:])...)
		p.Positive = append(p.Positive, (u[0]+u[1]*u[2] > 0.8) != (u[3] > 0.9))
	}
	return p
}

// TestObjectiveIsLiblinears: LinearSVC of scikit-learn 1.2.1, which is LIBLINEAR, ends at
// these with C = 1/2.
func TestObjectiveIsLiblinears(t *testing.T) {
	for loss, want := range map[Loss]float64{Hinge: 210.187449, SquaredHinge: 242.234167} {
		s, err := Solve(t.Context(), fiftieths(1000, 1), Options{Loss: loss, C: 0.5, Tolerance: 1e-7, Passes: 1_000_000})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(s.Primal-want) > 1e-4 {
			t.Errorf("%s: objective %.6f, want %.6f", loss, s.Primal, want)
		}
	}
}
