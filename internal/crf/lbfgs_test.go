// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"errors"
	"math"
	"testing"
)

// rosenbrock is sum 100 (x[i+1]-x[i]^2)^2 + (1-x[i])^2, least at all ones.
func rosenbrock(_ context.Context, x, g []float64) (float64, error) {
	clear(g)
	f := 0.0
	for i := range len(x) - 1 {
		a, b := x[i+1]-x[i]*x[i], 1-x[i]
		f += 100*a*a + b*b
		g[i] += -400*a*x[i] - 2*b
		g[i+1] += 200 * a
	}
	return f, nil
}

// bowl is sum c_i (x_i - i)^2 with curvatures over four orders of magnitude.
func bowl(_ context.Context, x, g []float64) (float64, error) {
	f := 0.0
	for i := range x {
		c, d := math.Pow(10, float64(i%5)), x[i]-float64(i)
		f += c * d * d
		g[i] = 2 * c * d
	}
	return f, nil
}

func TestMinimizerFindsKnownMinima(t *testing.T) {
	tests := []struct {
		name      string
		f         func(context.Context, []float64, []float64) (float64, error)
		start     []float64
		want      func(i int) float64
		tolerance float64
	}{
		{"Rosenbrock 2", rosenbrock, []float64{-1.2, 1}, func(int) float64 { return 1 }, 1e-5},
		{"Rosenbrock 10", rosenbrock, []float64{-1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1, -1.2, 1}, func(int) float64 { return 1 }, 1e-4},
		{"quadratic", bowl, make([]float64, 40), func(i int) float64 { return float64(i) }, 1e-4},
	}
	for _, test := range tests {
		m := minimizer[float64]{evaluate: test.f, memory: 10, limit: 500, workers: 1}
		end, err := m.minimize(t.Context(), test.start)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		for i, v := range test.start {
			if !near(v, test.want(i), test.tolerance) {
				t.Errorf("%s: x[%d] is %g, want %g, after %+v", test.name, i, v, test.want(i), end)
			}
		}
	}
}

func TestMinimizerStopsAtItsLimitWithoutError(t *testing.T) {
	m := minimizer[float64]{evaluate: rosenbrock, memory: 5, limit: 3, workers: 1}
	end, err := m.minimize(t.Context(), []float64{-1.2, 1})
	if err != nil || end.status != Limit || end.iterations != 3 {
		t.Errorf("status %q after %d iterations, error %v", end.status, end.iterations, err)
	}
}

func TestMinimizerNeverGoesUphill(t *testing.T) {
	last := math.Inf(1)
	m := minimizer[float64]{evaluate: rosenbrock, memory: 5, limit: 100, workers: 1}
	m.progress = func(number, _ int, f, _ float64, _ []float64) {
		if f > last*(1+rounding[float64]()) {
			t.Errorf("iteration %d rises from %g to %g", number, last, f)
		}
		last = f
	}
	if _, err := m.minimize(t.Context(), []float64{-1.2, 1}); err != nil {
		t.Fatal(err)
	}
}

// The objective is not a number outside a ball that the first steps leave.
func TestMinimizerBacksOutOfInvalidPoints(t *testing.T) {
	f := func(_ context.Context, x, g []float64) (float64, error) {
		g[0] = 2*x[0] - 1/(0.1-x[0])*-1
		return x[0]*x[0] - math.Log(0.1-x[0]), nil
	}
	x := []float64{-2}
	m := minimizer[float64]{evaluate: f, memory: 5, limit: 100, workers: 1}
	if _, err := m.minimize(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	// 2x + 1/(0.1-x) = 0
	want := (0.1 - math.Sqrt(0.01+2)) / 2
	if !near(x[0], want, 1e-5) {
		t.Errorf("minimum at %g, want %g", x[0], want)
	}
}

func TestMinimizerReturnsTheObjectivesError(t *testing.T) {
	broken := errors.New("broken")
	calls := 0
	m := minimizer[float64]{memory: 5, limit: 10, workers: 1}
	m.evaluate = func(ctx context.Context, x, g []float64) (float64, error) {
		if calls++; calls == 3 {
			return 0, broken
		}
		return rosenbrock(ctx, x, g)
	}
	if _, err := m.minimize(t.Context(), []float64{-1.2, 1}); !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
}

// The penalty on |x| pulls every component towards 0 and keeps small ones there.
func TestPenaltyOnAbsoluteValuesShrinksToExactZero(t *testing.T) {
	const l1 = 1.0
	target := []float64{3, 0.2, -4, -0.3, 0, 10}
	f := func(_ context.Context, x, g []float64) (float64, error) {
		sum := 0.0
		for i := range x {
			d := x[i] - target[i]
			sum += d * d
			g[i] = 2 * d
		}
		return sum, nil
	}
	x := make([]float64, len(target))
	m := minimizer[float64]{evaluate: f, memory: 5, limit: 200, workers: 1, l1: l1}
	if _, err := m.minimize(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	for i, v := range x {
		// argmin (x-a)^2 + |x| is a moved half a unit towards 0, at most to 0.
		want := math.Copysign(max(math.Abs(target[i])-l1/2, 0), target[i])
		if !near(v, want, 1e-4) || want == 0 && v != 0 {
			t.Errorf("x[%d] is %g, want %g", i, v, want)
		}
	}
}

// The penalised optimum of a curved objective has no descent direction left: the
// pseudo-gradient vanishes.
func TestPenalisedMinimumHasNoWayDown(t *testing.T) {
	x := []float64{-1.2, 1, -1.2, 1}
	m := minimizer[float64]{evaluate: rosenbrock, memory: 10, limit: 2000, workers: 1, l1: 0.5}
	end, err := m.minimize(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	value := func(x []float64) float64 {
		f, _ := rosenbrock(t.Context(), x, make([]float64, len(x)))
		for _, v := range x {
			f += 0.5 * math.Abs(v)
		}
		return f
	}
	best := value(x)
	if !near(best, end.f, 1e-9) {
		t.Errorf("the objective is %g at the end, reported is %g", best, end.f)
	}
	for i := range x {
		for _, h := range []float64{-1e-3, 1e-3} {
			there := append([]float64(nil), x...)
			there[i] += h
			if value(there) < best-1e-7 {
				t.Errorf("moving x[%d] by %g lowers the objective from %.9g to %.9g", i, h, best, value(there))
			}
		}
	}
}
