// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sequences are several of the same transitions, one after the other.
type sequences[F Float] struct {
	scores      []F
	starts      []int32
	transitions *Transitions[F]
}

// newSequences draws some of up to 40 tokens, of which one has none.
func newSequences[F Float](seed uint64, l Layout) sequences[F] {
	random := rand.New(rand.NewPCG(seed, 3))
	const first = 11
	s := sequences[F]{starts: []int32{first}}
	for i := range 2 + random.IntN(9) {
		n := 1 + random.IntN(40)
		if i == 1 {
			n = 0
		}
		p := newProblem(seed, l, n, 1+float64(i))
		p.weights = newProblem(seed, l, 0, 2).weights
		scores, transitions, _ := lay[F](p)
		s.scores, s.transitions = append(s.scores, scores...), transitions
		s.starts = append(s.starts, first+int32(len(s.scores)/l.Stride))
	}
	return s
}

// each are the rows of every sequence.
func (s sequences[F]) each(l Layout, do func(rows []F)) {
	for i, start := range s.starts[:len(s.starts)-1] {
		do(s.scores[int(start-s.starts[0])*l.Stride : int(s.starts[i+1]-s.starts[0])*l.Stride])
	}
}

func TestManySequencesAreDoneAsOneByOne(t *testing.T) {
	for _, l := range layouts() {
		t.Run(l.String(), func(t *testing.T) {
			for seed := range uint64(5) {
				testRunAll(t, scalarChain[float64](l), newSequences[float64](seed, l), 1e-12)
				testRunAll(t, scalarChain[float32](l), newSequences[float32](seed, l), 1e-6)
				testRunAll(t, NewChain[float32](l), newSequences[float32](seed, l), 1e-6)
			}
		})
	}
}

// testRunAll wants the same marginals, bit by bit, and the same sums to rounding.
func testRunAll[F Float](t *testing.T, c *Chain[F], s sequences[F], tolerance float64) {
	t.Helper()
	all, counts, want := slices.Clone(s.scores), NewCounts(c.layout), NewCounts(c.layout)
	logZ, ok := c.RunAll(all, s.starts, s.transitions, counts)
	wantZ, first := 0.0, 1
	s.each(c.layout, func(rows []F) {
		one, ok := c.Run(rows, s.transitions, want)
		if !ok {
			first = 0
		}
		wantZ += one
	})
	if !ok || first == 0 || !(math.Abs(logZ-wantZ) <= tolerance*(1+math.Abs(wantZ))) {
		t.Fatalf("log Z %g of all, ok %t, and %g one by one", logZ, ok, wantZ)
	}
	if !slices.Equal(all, s.scores) {
		t.Fatal("other marginals of all than one by one")
	}
	for i, v := range counts.values {
		if !(math.Abs(v-want.values[i]) <= tolerance*float64(len(all))) {
			t.Fatalf("count %d is %g of all and %g one by one", i, v, want.values[i])
		}
	}
}

func TestManySequencesAreNotOKWhenOneIsNot(t *testing.T) {
	for _, l := range layouts() {
		for seed := range uint64(6) {
			s := newSequences[float32](seed, l)
			for _, c := range []*Chain[float32]{scalarChain[float32](l), NewChain[float32](l)} {
				bad, counts := slices.Clone(s.scores), NewCounts(l)
				bad[len(bad)/l.Stride/2*l.Stride] = float32(math.NaN())
				if logZ, ok := c.RunAll(bad, s.starts, s.transitions, counts); ok {
					t.Fatalf("%s: ok, log Z %g", l, logZ)
				}
				if slices.ContainsFunc(counts.values, func(v float64) bool { return v != 0 }) {
					t.Fatalf("%s: counts have changed", l)
				}
			}
		}
	}
}

// A sequence whose numbers leave the range of float32 is not made good by others.
func TestManySequencesOfExtremeScoresAreRightOrNotOK(t *testing.T) {
	for _, l := range layouts() {
		right := 0
		for seed := range uint64(36) {
			p := extreme(seed, l)
			exact, wide, _ := lay[float64](p)
			scores, transitions, _ := lay[float32](p)
			n := int32(len(p.scores))
			want, _ := scalarChain[float64](l).Run(exact, wide, nil)
			single, ok := NewChain[float32](l).RunAll(slices.Concat(scores, scores), []int32{0, n, 2 * n}, transitions, NewCounts(l))
			if !ok {
				continue
			}
			right++
			if d := math.Abs(single-2*want) / (float64(n) + math.Abs(want)); !(d < 3e-4) {
				t.Fatalf("%s, seed %d: off by %g", l, seed, d)
			}
		}
		if right == 0 {
			t.Errorf("%s: nothing was ok", l)
		}
	}
}

func TestManySequencesStayInTheirSliceAndDoNotAllocate(t *testing.T) {
	for _, l := range layouts() {
		s, c := newSequences[float32](7, l), NewChain[float32](l)
		g := guard(len(s.scores), -7, func(i int) float32 { return s.scores[i] })
		counts := NewCounts(l)
		run := func() {
			copy(g.slice(), s.scores)
			if _, ok := c.RunAll(g.slice(), s.starts, s.transitions, counts); !ok {
				t.Errorf("%s: not ok", l)
			}
		}
		if n := testing.AllocsPerRun(3, run); n != 0 {
			t.Errorf("%s: %g allocations", l, n)
		}
		g.check(t)
	}
}

func TestSequencesThatAreNotAllOfTheRowsPanic(t *testing.T) {
	l := NewLayout(3)
	scores, transitions, _ := lay[float32](newProblem(1, l, 5, 1))
	for name, starts := range map[string][]int32{
		"none": nil, "no end": {0}, "too few rows": {0, 4}, "too many rows": {0, 2, 6}, "one goes back": {0, 3, 2, 5}, "one begins before all": {2, 1, 7},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			NewChain[float32](l).RunAll(scores, starts, transitions, nil)
		})
	}
}
