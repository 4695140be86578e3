// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
)

// dense makes rows of vectors, zeros left out.
func dense(vectors ...[]float64) []Row {
	rows := make([]Row, len(vectors))
	for i, v := range vectors {
		rows[i].Value = []float64{}
		for k, x := range v {
			if x != 0 {
				rows[i].Index, rows[i].Value = append(rows[i].Index, int32(k)), append(rows[i].Value, x)
			}
		}
	}
	return rows
}

func randomProblem(r *rand.Rand, n, dim int) Problem {
	p := Problem{Dim: dim, Cost: make([]float64, n)}
	for i := range n {
		row := Row{Index: []int32{0}, Value: []float64{1}}
		for k := 1; k < dim; k++ {
			if r.IntN(3) > 0 {
				row.Index, row.Value = append(row.Index, int32(k)), append(row.Value, r.NormFloat64())
			}
		}
		p.Rows, p.Positive = append(p.Rows, row), append(p.Positive, row.Value[len(row.Value)-1]+r.NormFloat64() > 0)
		p.Cost[i] = math.Exp(r.NormFloat64())
	}
	return p
}

var losses = []Loss{Hinge, SquaredHinge}

// Weak duality: D(a) <= P(w) for every feasible a and every w, so a small gap
// proves both optimal.
func TestSolveLeavesNoDualityGap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 200 {
		p := randomProblem(r, 1+r.IntN(30), 1+r.IntN(6))
		for _, loss := range losses {
			s, err := Solve(t.Context(), p, Options{Loss: loss, Tolerance: 1e-9, Passes: 100000, Seed: uint64(round)})
			if err != nil {
				t.Fatal(err)
			}
			if gap := s.Primal - s.Dual; gap < -1e-7 || gap > 1e-5*max(1, s.Primal) || !s.Converged {
				t.Errorf("problem %d, %s: primal %g, dual %g after %d passes", round, loss, s.Primal, s.Dual, s.Passes)
			}
		}
	}
}

func TestSolveMeetsTheConditionsOfKarushKuhnTucker(t *testing.T) {
	p := randomProblem(rand.New(rand.NewPCG(2, 1)), 60, 5)
	for _, loss := range losses {
		s, err := Solve(t.Context(), p, Options{Loss: loss, Tolerance: 1e-9, Passes: 100000})
		if err != nil {
			t.Fatal(err)
		}
		w := make([]float64, p.Dim)
		for i, row := range p.Rows {
			row.add(s.Alpha[i]*p.sign(i), w)
			slack, bound := 1-p.sign(i)*row.dot(s.W), p.Cost[i]
			if loss == SquaredHinge {
				slack, bound = slack-s.Alpha[i]/(2*p.Cost[i]), math.Inf(1)
			}
			switch a := s.Alpha[i]; {
			case a < 0 || a > bound:
				t.Errorf("%s: alpha %d = %g is not between 0 and %g", loss, i, a, bound)
			case a > 0 && slack < -1e-6, a < bound && slack > 1e-6:
				t.Errorf("%s: row %d with alpha %g of %g is short by %g", loss, i, a, bound, slack)
			}
		}
		for k := range w {
			if math.Abs(w[k]-s.W[k]) > 1e-9 {
				t.Errorf("%s: w[%d] is %g and the sum of rows %g", loss, k, s.W[k], w[k])
			}
		}
	}
}

// Two points (1, 1) and (-1, 1) with the constant second: the widest margin has
// the line x = 0, w = (1, 0).
func TestSolveFindsTheWidestMargin(t *testing.T) {
	p := Problem{Dim: 2, Rows: dense([]float64{1, 1}, []float64{-1, 1}), Positive: []bool{true, false}}
	s, err := Solve(t.Context(), p, Options{Loss: Hinge, C: 100, Tolerance: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(s.W[0]-1) > 1e-6 || math.Abs(s.W[1]) > 1e-6 {
		t.Errorf("w = %v, want (1, 0)", s.W)
	}
}

// With one row x = 2 in one dimension, P = w^2/2 + C max(0, 1-2w) is least at
// min(1/2, 2C), and P = w^2/2 + C max(0, 1-2w)^2 at 4C/(1+8C).
func TestSolveHasTheClosedFormOfOneRow(t *testing.T) {
	for _, c := range []float64{0.01, 0.1, 0.25, 1, 50} {
		for _, tc := range []struct {
			loss Loss
			want float64
		}{{Hinge, min(0.5, 2*c)}, {SquaredHinge, 4 * c / (1 + 8*c)}} {
			p := Problem{Dim: 1, Rows: dense([]float64{2}), Positive: []bool{true}}
			s, err := Solve(t.Context(), p, Options{Loss: tc.loss, C: c, Tolerance: 1e-10})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(s.W[0]-tc.want) > 1e-8 {
				t.Errorf("%s with C %g: w = %g, want %g", tc.loss, c, s.W[0], tc.want)
			}
		}
	}
}

// No point of a fine grid around the origin is better than the solution.
func TestSolveBeatsEveryPointOfAGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 20 {
		p := randomProblem(r, 12, 2)
		for _, loss := range losses {
			s, err := Solve(t.Context(), p, Options{Loss: loss, Tolerance: 1e-8, Passes: 100000})
			if err != nil {
				t.Fatal(err)
			}
			best := math.Inf(1)
			for x := -4.0; x <= 4; x += 0.05 {
				for y := -4.0; y <= 4; y += 0.05 {
					d := descent{p: &p, out: &Solution{W: []float64{x, y}, Alpha: make([]float64, 12)}, diagonal: make([]float64, 12)}
					primal, _ := d.objectives(Options{Loss: loss})
					best = min(best, primal)
				}
			}
			if s.Primal > best+1e-6 || s.Primal < best-0.1*max(1, best) {
				t.Errorf("%s: objective %g, the grid has %g", loss, s.Primal, best)
			}
		}
	}
}

func TestSolveTakesACostAsSoManyRows(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	p := randomProblem(r, 15, 4)
	var many Problem
	many.Dim = p.Dim
	for i := range p.Rows {
		p.Cost[i] = float64(1 + r.IntN(4))
		for range int(p.Cost[i]) {
			many.Rows, many.Positive = append(many.Rows, p.Rows[i]), append(many.Positive, p.Positive[i])
		}
	}
	for _, loss := range losses {
		o := Options{Loss: loss, C: 1, Tolerance: 1e-9, Passes: 100000}
		a, errA := Solve(t.Context(), p, o)
		b, errB := Solve(t.Context(), many, o)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		for k := range a.W {
			if math.Abs(a.W[k]-b.W[k]) > 1e-4 {
				t.Errorf("%s: w[%d] = %g by cost, %g by rows", loss, k, a.W[k], b.W[k])
			}
		}
	}
}

func TestSolveOfEmptyAndOneSidedProblems(t *testing.T) {
	for name, p := range map[string]Problem{
		"no rows":    {Dim: 3},
		"empty rows": {Dim: 1, Rows: []Row{{}, {}}, Positive: []bool{true, false}},
		"one side":   {Dim: 1, Rows: []Row{{Index: []int32{0}}, {Index: []int32{0}}}, Positive: []bool{true, true}},
	} {
		for _, loss := range losses {
			s, err := Solve(t.Context(), p, Options{Loss: loss, Tolerance: 1e-9})
			if err != nil {
				t.Fatal(err)
			}
			if !s.Converged || math.Abs(s.Primal-s.Dual) > 1e-6 {
				t.Errorf("%s, %s: converged %v, primal %g, dual %g", name, loss, s.Converged, s.Primal, s.Dual)
			}
		}
	}
}

func TestSolveRefusesWhatIsNoProblem(t *testing.T) {
	one := []Row{{Index: []int32{0}}}
	for name, tc := range map[string]struct {
		p Problem
		o Options
	}{
		"labels missing":   {Problem{Dim: 1, Rows: one}, Options{}},
		"index outside":    {Problem{Dim: 1, Rows: []Row{{Index: []int32{1}}}, Positive: []bool{true}}, Options{}},
		"index below":      {Problem{Dim: 1, Rows: []Row{{Index: []int32{-1}}}, Positive: []bool{true}}, Options{}},
		"index twice":      {Problem{Dim: 1, Rows: []Row{{Index: []int32{0, 0}}}, Positive: []bool{true}}, Options{}},
		"values missing":   {Problem{Dim: 1, Rows: []Row{{Index: []int32{0}, Value: []float64{}}}, Positive: []bool{true}}, Options{}},
		"value not finite": {Problem{Dim: 1, Rows: []Row{{Index: []int32{0}, Value: []float64{math.NaN()}}}, Positive: []bool{true}}, Options{}},
		"cost zero":        {Problem{Dim: 1, Rows: one, Positive: []bool{true}, Cost: []float64{0}}, Options{}},
		"cost NaN":         {Problem{Dim: 1, Rows: one, Positive: []bool{true}, Cost: []float64{math.NaN()}}, Options{}},
		"C negative":       {Problem{Dim: 1, Rows: one, Positive: []bool{true}}, Options{C: -1}},
		"C infinite":       {Problem{Dim: 1, Rows: one, Positive: []bool{true}}, Options{C: math.Inf(1)}},
		"unknown loss":     {Problem{Dim: 1, Rows: one, Positive: []bool{true}}, Options{Loss: "log"}},
	} {
		if _, err := Solve(t.Context(), tc.p, tc.o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSolveEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Solve(ctx, randomProblem(rand.New(rand.NewPCG(5, 1)), 10, 3), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestSolveGivesTheSameBytesForAnyNumberOfProcessors(t *testing.T) {
	p := randomProblem(rand.New(rand.NewPCG(6, 1)), 200, 20)
	var first *Solution
	for _, n := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(n)
		s, err := Solve(t.Context(), p, Options{Seed: 7})
		runtime.GOMAXPROCS(old)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = s
		}
		if !reflect.DeepEqual(s, first) {
			t.Errorf("GOMAXPROCS %d gives another solution", n)
		}
	}
}
