// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestBFloat16RoundsToTheNearest(t *testing.T) {
	for v, want := range map[float32]float32{
		0: 0, 1: 1, -2.5: -2.5, 1e-30: 1e-30, 3e38: 3e38,
		1 + 1.0/256 + 1e-6: 1 + 1.0/128, 1 + 1.0/256 - 1e-6: 1, -1 - 3.0/512: -1 - 1.0/128,
	} {
		got := wide[float32](bfloat16Of(v))
		if want == 1e-30 || want == 3e38 {
			if math.Abs(float64(got/want-1)) > 1.0/256 {
				t.Errorf("%g becomes %g", v, got)
			}
			continue
		}
		if got != want {
			t.Errorf("%g becomes %g, want %g", v, got, want)
		}
	}
	infinite := float32(math.Inf(1))
	if got := wide[float32](bfloat16Of(infinite)); got != infinite {
		t.Errorf("infinity becomes %g", got)
	}
	if got := wide[float64](bfloat16Of(math.NaN())); !math.IsNaN(got) {
		t.Errorf("NaN becomes %g", got)
	}
}

func TestDifferencesAreRoundedAsOneByOne(t *testing.T) {
	testDifferences[float32](t)
	testDifferences[float64](t)
}

func testDifferences[F Float](t *testing.T) {
	for _, n := range lengths {
		random := rand.New(rand.NewPCG(3, uint64(n)))
		x, y, by := operand[F](random, n), operand[F](random, n), operand[F](random, n)
		z := guard(n, BFloat16(0x7777), func(int) BFloat16 { return 1 })
		compare := func(want func(i int) F) {
			t.Helper()
			for i, got := range z.slice() {
				if want := bfloat16Of(want(i)); got != want {
					t.Fatalf("%T, %d of %d: %g, want %g", F(0), i, n, wide[F](got), wide[F](want))
				}
			}
			z.check(t)
		}
		Diff(z.slice(), x.slice(), y.slice())
		compare(func(i int) F { return x.slice()[i] - y.slice()[i] })
		ScaledDiff(z.slice(), x.slice(), y.slice(), by.slice())
		compare(func(i int) F { return (x.slice()[i] - y.slice()[i]) * by.slice()[i] })
		was := append([]BFloat16(nil), z.slice()...)
		Scale(z.slice(), y.slice())
		compare(func(i int) F { return wide[F](was[i]) * y.slice()[i] })
	}
}

func TestPairsAreMultipliedAndAddedAsOneByOne(t *testing.T) {
	testPairs[float32](t, 1e-6)
	testPairs[float64](t, 1e-15)
}

func testPairs[F Float](t *testing.T, tolerance float64) {
	for _, n := range lengths {
		t.Run(fmt.Sprintf("%T/%d", F(0), n), func(t *testing.T) {
			random := rand.New(rand.NewPCG(4, uint64(n)))
			brief := func() guarded[BFloat16] {
				return guard(n, bfloat16Of(float32(1e30)), func(int) BFloat16 { return bfloat16Of(F(random.NormFloat64())) })
			}
			s, y, v, g := brief(), brief(), brief(), operand[F](random, n)
			got, want := PairDot(s.slice(), y.slice(), v.slice(), g.slice()), [4]float64{}
			x := append([]F(nil), g.slice()...)
			for i, g := range g.slice() {
				s, y, v, g := wide[float64](s.slice()[i]), wide[float64](y.slice()[i]), wide[float64](v.slice()[i]), float64(g)
				for k, p := range []float64{s * g, s * v, y * g, y * v} {
					want[k] += p
				}
				x[i] = F(g + 0.7*s - 1.5*y)
			}
			for k, p := range []float64{got.SG, got.SV, got.YG, got.YV} {
				if d := math.Abs(p - want[k]); !(d <= tolerance*(1+float64(n))) {
					t.Errorf("product %d is %g, want %g", k, p, want[k])
				}
			}
			PairAxpy(0.7, s.slice(), -1.5, y.slice(), g.slice())
			near(t, g.slice(), x, 4*tolerance)
			s.check(t)
			y.check(t)
			v.check(t)
			g.check(t)
		})
	}
}
