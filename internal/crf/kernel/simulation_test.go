// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/testsize"
)

// layouts are all kinds with kernels of their own, and some more.
func layouts() (all []Layout) {
	for _, labels := range []int{0, 1, 2, 3, 4, 7, 8, 13, 15, 16, 22, 23, 31, 40} {
		l := NewLayout(labels)
		all = append(all, l)
		if l.Free = true; labels <= 23 {
			all = append(all, l)
		}
	}
	return all
}

func (l Layout) String() string { return fmt.Sprintf("K=%d/free=%t", l.Labels, l.Free) }

// scalarChain is a chain without assembly.
func scalarChain[F Float](l Layout) *Chain[F] {
	return &Chain[F]{layout: l, scalar: newScalar[F](l)}
}

func TestRunInFloat32IsNearRunInFloat64(t *testing.T) {
	for _, l := range layouts() {
		t.Run(l.String(), func(t *testing.T) {
			exact, single, assembled := scalarChain[float64](l), scalarChain[float32](l), NewChain[float32](l)
			for _, n := range []int{1, 2, 3, 33, 64, 65, 200} {
				for i, p := range newProblem(uint64(n), l, n, 4).variants(uint64(n)) {
					want, ok := run(t, exact, p)
					if !ok {
						t.Fatalf("variant %d, T=%d: not ok in float64", i, n)
					}
					for name, c := range map[string]*Chain[float32]{"scalar": single, Name(): assembled} {
						got, ok := run(t, c, p)
						if d := got.near(want); !ok || !(d < 1e-5) {
							t.Fatalf("variant %d, T=%d, %s: ok %t, off by %g", i, n, name, ok, d)
						}
					}
				}
			}
		})
	}
}

func TestRunGivesTheSameBitsAgain(t *testing.T) {
	for _, l := range layouts() {
		t.Run(l.String(), func(t *testing.T) {
			p := newProblem(9, l, 150, 4)
			used, fresh := NewChain[float32](l), NewChain[float32](l)
			long := newProblem(8, l, 190, 4)
			run(t, used, long)
			first, ok := run(t, used, p)
			again, _ := run(t, fresh, p)
			if !ok || first.near(again) != 0 || math.Float64bits(first.logZ) != math.Float64bits(again.logZ) {
				t.Errorf("ok %t, a used chain is off by %g", ok, first.near(again))
			}
		})
	}
}

// With large scores, very unlikely transitions, and dominant I states that cannot be
// reached, the results are right or not ok.
func TestRunOfExtremeScoresIsRightOrNotOK(t *testing.T) {
	for _, l := range layouts() {
		t.Run(l.String(), func(t *testing.T) {
			exact, single, assembled := scalarChain[float64](l), scalarChain[float32](l), NewChain[float32](l)
			right := 0
			for seed := range uint64(testsize.Of(12, 360)) {
				for i, p := range extreme(seed, l).variants(seed) {
					want, ok := run(t, exact, p)
					if !ok {
						t.Fatalf("seed %d, variant %d: not ok in float64", seed, i)
					}
					for name, c := range map[string]*Chain[float32]{"scalar": single, Name(): assembled} {
						got, ok := run(t, c, p)
						if ok {
							right++
						}
						if d := got.near(want); ok && !(d < 3e-4) {
							t.Fatalf("seed %d, variant %d, %s: off by %g", seed, i, name, d)
						}
					}
				}
			}
			if right == 0 {
				t.Error("nothing was ok")
			}
		})
	}
}

// extreme makes scores of up to 80 in either direction.
func extreme(seed uint64, l Layout) problem {
	random := rand.New(rand.NewPCG(seed, 1))
	n := 1 + random.IntN(24)
	p := newProblem(seed, l, n, []float64{1, 10, 40}[seed%3])
	great := []float64{20, 50, 80}[seed/3%3]
	for range 1 + random.IntN(3) {
		p.scores[random.IntN(n)][random.IntN(l.States())] = great
		p.scores[random.IntN(n)][random.IntN(l.States())] = -great
	}
	inside := p.scores[random.IntN(n)]
	inside[len(inside)-1] = great
	if seed%4 == 0 {
		for _, row := range p.weights {
			for j := range row {
				row[j] *= 3
			}
		}
	}
	return p
}

func TestRunOfWhatIsNotANumberIsNotOK(t *testing.T) {
	for _, l := range layouts() {
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			for _, n := range []int{1, 2, 9} {
				scores, transitions, counts := lay[float32](newProblem(1, l, n, 1))
				chains := []*Chain[float32]{scalarChain[float32](l), NewChain[float32](l)}
				for at := range n {
					for _, c := range chains {
						row := slices.Clone(scores)
						row[at*l.Stride+l.Place(at%l.starts())] = float32(bad)
						if logZ, ok := c.Run(row, transitions, counts); ok {
							t.Fatalf("%s: %g at token %d of %d is accepted, log Z %g", l, bad, at, n, logZ)
						}
					}
				}
			}
		}
	}
}

func TestRunWithTransitionsOutOfRangeIsNotOK(t *testing.T) {
	l := NewLayout(4)
	p := newProblem(1, l, 10, 1)
	scores, transitions, counts := lay[float32](p)
	c := NewChain[float32](l)
	for _, v := range []float64{math.NaN(), math.Inf(1), 0, math.Exp(60), math.Exp(-60)} {
		transitions.Set(1, 2, v)
		if _, ok := c.Run(slices.Clone(scores), transitions, counts); ok {
			t.Errorf("a transition of %g is ok", v)
		}
	}
	transitions.Set(1, 2, 1)
	if _, ok := c.Run(scores, transitions, counts); !ok {
		t.Error("not ok after the transition was set to a valid value")
	}
}

func TestTransitionsThatDoNotVaryStayOne(t *testing.T) {
	l := Layout{Labels: 9, Lanes: 16, Stride: 32, Free: true}
	transitions := NewSparseTransitions[float32](l, func(from, to int) bool { return from == 0 && to == 0 })
	transitions.Set(0, 0, 2)
	transitions.Set(1, 2, 1)
	defer func() {
		if recover() == nil {
			t.Error("a fixed transition was set to 2")
		}
	}()
	transitions.Set(1, 2, 2)
}

func TestRunStaysInItsSlice(t *testing.T) {
	for _, l := range layouts() {
		for n := 1; n < 12; n++ {
			scores, transitions, counts := lay[float32](newProblem(1, l, n, 2))
			g := guard(len(scores), -7, func(i int) float32 { return scores[i] })
			c := NewChain[float32](l)
			want, _ := c.Run(scores, transitions, nil)
			got, ok := c.Run(g.slice(), transitions, counts)
			if !ok || got != want {
				t.Fatalf("%s, T=%d: ok %t, log Z %g among others and %g alone", l, n, ok, got, want)
			}
			g.check(t)
		}
	}
}

func TestRunDoesNotAllocate(t *testing.T) {
	for _, l := range []Layout{NewLayout(1), NewLayout(3), NewLayout(22), NewLayout(40)} {
		scores, transitions, counts := lay[float32](newProblem(1, l, 50, 2))
		row, c := slices.Clone(scores), NewChain[float32](l)
		pair := make([]BFloat16, len(row))
		dst, list := make([]float32, l.Stride), NewLists([]int32{0, 3}, []int32{1, 2, 3})
		if n := testing.AllocsPerRun(10, func() {
			copy(row, scores)
			c.Run(row, transitions, counts)
			Gather(dst, row, list, l.Stride, nil)
			Diff(pair, scores, row)
			Axpy(float32(PairDot(pair, pair, pair, scores).SG+Dot(row, row)), scores, row)
			PairAxpy(1, pair, 1, pair, row)
		}); n != 0 {
			t.Errorf("K=%d: %g allocations", l.Labels, n)
		}
	}
}
