// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/testsize"
)

// sequences are several sequences with the same transitions.
type sequences[F Float] struct {
	scores      []F
	starts      []int32
	transitions *Transitions[F]
}

// newSequences returns random sequences of up to 40 tokens; one is empty.
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

// each returns the rows of every sequence.
func (s sequences[F]) each(l Layout, do func(rows []F)) {
	for i, start := range s.starts[:len(s.starts)-1] {
		do(s.scores[int(start-s.starts[0])*l.Stride : int(s.starts[i+1]-s.starts[0])*l.Stride])
	}
}

func TestManySequencesAreDoneAsOneByOne(t *testing.T) {
	for _, l := range layouts() {
		t.Run(l.String(), func(t *testing.T) {
			double, single, fast := scalarChain[float64](l), scalarChain[float32](l), NewChain[float32](l)
			for seed := range uint64(5) {
				testRunAll(t, double, newSequences[float64](seed, l), 1e-12)
				testRunAll(t, single, newSequences[float32](seed, l), 1e-6)
				testRunAll(t, fast, newSequences[float32](seed, l), 1e-6)
			}
		})
	}
}

// The product of their sums is out of the range of float64.
func TestVeryManySequencesAreDoneAsOneByOne(t *testing.T) {
	for _, l := range layouts() {
		s := sequences[float32]{starts: []int32{0}}
		s.scores, s.transitions, _ = lay[float32](newProblem(1, l, 2000, 0.1))
		for i := range int32(2000) {
			s.starts = append(s.starts, i+1)
		}
		testRunAll(t, NewChain[float32](l), s, 1e-6)
	}
}

func TestSequencesWithoutTokensAreNothing(t *testing.T) {
	for _, l := range layouts() {
		_, transitions, counts := lay[float32](newProblem(1, l, 0, 1))
		for _, starts := range [][]int32{{5}, {5, 5}, {5, 5, 5}} {
			if logZ, ok := NewChain[float32](l).RunAll(nil, starts, transitions, counts); logZ != 0 || !ok {
				t.Errorf("%s: log Z of %d sequences without tokens is %g, ok %t", l, len(starts)-1, logZ, ok)
			}
		}
	}
}

// testRunAll wants the same marginals, bit for bit, and the same sums up to rounding.
func testRunAll[F Float](t *testing.T, c *Chain[F], s sequences[F], tolerance float64) {
	t.Helper()
	scores, all, counts, want := slices.Clone(s.scores), slices.Clone(s.scores), NewCounts(c.layout), NewCounts(c.layout)
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
		t.Fatal("the marginals differ from those of single runs")
	}
	if again, ok := c.RunAll(scores, s.starts, s.transitions, nil); again != logZ || !ok {
		t.Fatalf("log Z %g without counts, ok %t, and %g with them", again, ok, logZ)
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
					t.Fatalf("%s: ok although a score is bad, log Z %g", l, logZ)
				}
				if slices.ContainsFunc(counts.values, func(v float64) bool { return v != 0 }) {
					t.Fatalf("%s: counts have changed", l)
				}
			}
		}
	}
}

// A sequence whose numbers leave the range of float32 is not hidden by its neighbours.
func TestManySequencesOfExtremeScoresAreRightOrNotOK(t *testing.T) {
	for _, l := range layouts() {
		right := 0
		for seed := range uint64(testsize.Of(24, 720)) {
			p := extreme(seed, l)
			mild := newProblem(seed, l, 12, 1)
			mild.weights = p.weights
			for _, pair := range [][2]problem{{p, p}, {p, mild}, {mild, p}} {
				if testTwo(t, l, pair) {
					right++
				}
			}
		}
		if right == 0 {
			t.Errorf("%s: nothing was ok", l)
		}
	}
}

// testTwo runs two sequences together. If that is ok, each alone must be ok, and log Z
// and the marginals must be those of float64.
func testTwo(t *testing.T, l Layout, pair [2]problem) (ok bool) {
	t.Helper()
	var scores []float32
	var exact []float64
	var transitions *Transitions[float32]
	starts, want, alone, c := []int32{0}, 0.0, true, NewChain[float32](l)
	for _, p := range pair {
		marginals, wide, _ := lay[float64](p)
		one, _ := scalarChain[float64](l).Run(marginals, wide, nil)
		var own []float32
		own, transitions, _ = lay[float32](p)
		want, exact, scores = want+one, append(exact, marginals...), append(scores, own...)
		starts = append(starts, int32(len(scores)/l.Stride))
		_, fine := c.Run(own, transitions, nil)
		alone = alone && fine
	}
	got, ok := c.RunAll(scores, starts, transitions, NewCounts(l))
	if !ok {
		return false
	}
	off := 0.0
	for i, p := range scores {
		off = max(off, math.Abs(float64(p)-exact[i]))
	}
	if d := math.Abs(got-want) / (float64(starts[2]) + math.Abs(want)); !alone || !(d < 3e-4) || !(off < 1e-3) {
		t.Fatalf("%s: relative error of log Z %g, error of a marginal %g; each alone ok: %t", l, d, off, alone)
	}
	return true
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
