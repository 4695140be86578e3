// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// guarded is a slice of n numbers between guard areas.
type guarded[T comparable] struct {
	all  []T
	wall T
	n    int
}

const wallLength = 40

// guard returns n numbers of the given kind between guard areas of another kind.
func guard[T comparable](n int, wall T, number func(i int) T) guarded[T] {
	g := guarded[T]{make([]T, n+2*wallLength), wall, n}
	for i := range g.all {
		g.all[i] = wall
	}
	for i := range n {
		g.slice()[i] = number(i)
	}
	return g
}

func (g guarded[T]) slice() []T { return g.all[wallLength : wallLength+g.n : wallLength+g.n] }

// check fails if a guard area was written to.
func (g guarded[T]) check(t *testing.T) {
	t.Helper()
	for i, v := range g.all {
		if (i < wallLength || i >= wallLength+g.n) && v != g.wall {
			t.Fatalf("index %d, outside a slice of %d numbers, was written", i-wallLength, g.n)
		}
	}
}

// lengths are lengths around the step sizes of the loops and the pieces of the sums.
var lengths = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 39, 40, 41, 63, 64, 65, 100, 8191, 8192, 8193, 20000}

// operand is a guarded vector with huge guard values, so that reading one changes the
// result.
func operand[F Float](random *rand.Rand, n int) guarded[F] {
	return guard(n, 1e30, func(int) F { return F(random.NormFloat64()) })
}

func TestVectorsAreSummedWithinRounding(t *testing.T) {
	testVectors[float32](t, 1e-6)
	testVectors[float64](t, 1e-15)
}

func testVectors[F Float](t *testing.T, tolerance float64) {
	for _, n := range lengths {
		t.Run(fmt.Sprintf("%T/%d", F(0), n), func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(n)))
			x, y := operand[F](random, n), operand[F](random, n)
			want, size := 0.0, 0.0
			for i, v := range x.slice() {
				p := float64(v) * float64(y.slice()[i])
				want, size = want+p, size+math.Abs(p)
			}
			if d := Dot(x.slice(), y.slice()); math.Abs(d-want) > tolerance*size {
				t.Errorf("dot is %g, want %g", d, want)
			}
			for _, g := range []guarded[F]{x, y} {
				g.check(t)
			}
		})
	}
}

func TestVectorsAreChangedAsByTheScalarKernels(t *testing.T) {
	testChanges[float32](t, 1e-6)
	testChanges[float64](t, 1e-15)
}

func testChanges[F Float](t *testing.T, tolerance float64) {
	for _, n := range lengths {
		t.Run(fmt.Sprintf("%T/%d", F(0), n), func(t *testing.T) {
			random := rand.New(rand.NewPCG(2, uint64(n)))
			x, y, z := operand[F](random, n), operand[F](random, n), operand[F](random, n)
			want := append([]F(nil), y.slice()...)
			compare := func(name string, got []F) {
				t.Helper()
				near(t, got, want, tolerance)
				if t.Failed() {
					t.Fatal(name)
				}
			}
			Axpy(-1.5, x.slice(), y.slice())
			axpy(-1.5, x.slice(), want)
			compare("axpy", y.slice())
			AddScaled(z.slice(), x.slice(), 2.5, y.slice())
			addScaled(want, x.slice(), 2.5, y.slice())
			compare("addScaled", z.slice())
			Multiply(z.slice(), x.slice(), y.slice())
			multiply(want, x.slice(), y.slice())
			compare("multiply", z.slice())
			for _, g := range []guarded[F]{x, y, z} {
				g.check(t)
			}
		})
	}
}

// near fails when two vectors differ by more than the tolerance, relative to
// numbers greater than 1.
func near[F Float](t *testing.T, got, want []F, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i, v := range got {
		if d := math.Abs(float64(v - want[i])); !(d <= tolerance*max(1, math.Abs(float64(want[i])))) {
			t.Fatalf("number %d is %g, want %g", i, v, want[i])
		}
	}
}

func TestVectorsOfTwoLengthsPanic(t *testing.T) {
	long, short := make([]float32, 9), make([]float32, 8)
	for name, f := range map[string]func(){
		"dot":        func() { Dot(long, short) },
		"axpy":       func() { Axpy(1, long, short) },
		"addScaled":  func() { AddScaled(short, long, 1, short) },
		"multiply":   func() { Multiply(long, long, short) },
		"diff":       func() { Diff(make([]BFloat16, 9), long, short) },
		"scaledDiff": func() { ScaledDiff(make([]BFloat16, 9), long, long, short) },
		"scale":      func() { Scale(make([]BFloat16, 9), short) },
		"pairDot":    func() { PairDot(make([]BFloat16, 9), make([]BFloat16, 8), make([]BFloat16, 9), long) },
		"pairAxpy":   func() { PairAxpy(1, make([]BFloat16, 9), 1, make([]BFloat16, 8), long) },
	} {
		if !panics(f) {
			t.Errorf("%s does not panic", name)
		}
	}
}

func panics(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}
