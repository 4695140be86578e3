// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
)

// oracle is everything about one lattice by going through all allowed paths.
type oracle struct {
	logZ      float64
	marginals []float64 // [T][L]
	arcs      []float64 // expected transitions
	best      []uint16
	bestScore float64
	paths     int
}

func enumerate(s states, scores, w []float64) oracle {
	l := s.count()
	n := len(scores) / l
	o := oracle{marginals: make([]float64, len(scores)), arcs: make([]float64, len(w)), bestScore: math.Inf(-1)}
	path := make([]uint16, n)
	z := 0.0
	var walk func(t int, score float64)
	walk = func(t int, score float64) {
		if t == n {
			o.paths++
			z += math.Exp(score)
			if score > o.bestScore {
				o.bestScore, o.best = score, slices.Clone(path)
			}
			for t, j := range path {
				o.marginals[t*l+int(j)] += math.Exp(score)
				if t > 0 {
					o.arcs[s.arc(int(path[t-1]), int(j))] += math.Exp(score)
				}
			}
			return
		}
		for j := range l {
			step := scores[t*l+j]
			if t == 0 && j >= s.entries() || s.isAbsent(j) {
				continue
			}
			if t > 0 {
				arc := s.arc(int(path[t-1]), j)
				if arc < 0 {
					continue
				}
				step += w[arc]
			}
			path[t] = uint16(j)
			walk(t+1, score+step)
		}
	}
	walk(0, 0)
	o.logZ = math.Log(z)
	divide(o.marginals, z)
	divide(o.arcs, z)
	return o
}

func someStates(k int) states {
	var s states
	for i := range k {
		s.labels = append(s.labels, annotate.Label(fmt.Sprintf("L%d", i)))
	}
	return s
}

func noise(r *rand.Rand, n int, size float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64() * size
	}
	return v
}

func divide(x []float64, by float64) {
	for i := range x {
		x[i] /= by
	}
}

func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

func TestForwardBackwardMatchesEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []struct{ labels, tokens int }{{1, 1}, {1, 2}, {1, 3}, {1, 6}, {2, 4}, {2, 5}, {3, 3}, {0, 3}} {
		for range 20 {
			s := someStates(size.labels)
			scores, w := noise(r, size.tokens*s.count(), 3), noise(r, s.transitions(), 2)
			want := enumerate(s, scores, w)
			x := newLattice(s)
			x.setTransitions(w)
			path, score := bestPath(newViterbi(s, w), scores, s.count(), 0)
			if !slices.Equal(path, want.best) || !near(score, want.bestScore, 1e-12) {
				t.Fatalf("%+v: best path %v with %g, want %v with %g", size, path, score, want.best, want.bestScore)
			}
			if got := x.forward(scores); !near(got, want.logZ, 1e-12) {
				t.Fatalf("%+v: log Z %.15g, want %.15g over %d paths", size, got, want.logZ, want.paths)
			}
			arcs := make([]float64, len(w))
			x.backward(scores, want.logZ, arcs)
			for i, p := range scores {
				if !near(p, want.marginals[i], 1e-12) {
					t.Fatalf("%+v: marginal %d is %g, want %g", size, i, p, want.marginals[i])
				}
			}
			for i := range arcs {
				if !near(arcs[i], want.arcs[i], 1e-12) {
					t.Fatalf("%+v: transition %d expected %g times, want %g", size, i, arcs[i], want.arcs[i])
				}
			}
		}
	}
}

func TestFreeStatesSumOverAllPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	s := someStates(2)
	s.free = true
	scores, w := noise(r, 4*s.count(), 3), noise(r, s.transitions(), 2)
	want := enumerate(s, scores, w)
	if want.paths != 5*5*5*5 {
		t.Fatalf("%d paths", want.paths)
	}
	x := newLattice(s)
	x.setTransitions(w)
	if path, _ := bestPath(newViterbi(s, w), scores, s.count(), 0); !slices.Equal(path, want.best) {
		t.Errorf("best path %v, want %v", path, want.best)
	}
	if got := x.forward(scores); !near(got, want.logZ, 1e-12) {
		t.Errorf("log Z %.15g, want %.15g", got, want.logZ)
	}
}

func TestForbiddenTransitionsAreExactlyTheBIOOnes(t *testing.T) {
	s := someStates(2) // O, B0, B1, I0, I1
	forbidden := map[[2]int]bool{{0, 3}: true, {0, 4}: true, {1, 4}: true, {2, 3}: true, {3, 4}: true, {4, 3}: true}
	seen := map[int]bool{}
	for i := range 5 {
		for j := range 5 {
			arc := s.arc(i, j)
			if (arc < 0) != forbidden[[2]int{i, j}] {
				t.Errorf("transition %d to %d has place %d", i, j, arc)
			}
			if arc >= 0 && seen[arc] {
				t.Errorf("two transitions share place %d", arc)
			}
			seen[arc] = arc >= 0
		}
	}
	if want := 25 - len(forbidden); s.transitions() != want {
		t.Errorf("%d transitions, want %d", s.transitions(), want)
	}
}

// Whatever the scores say, an I never follows O or another label.
func TestViterbiNeverTakesAForbiddenTransition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s := someStates(3)
	for range 50 {
		scores := noise(r, 40*s.count(), 5)
		for i := range scores {
			if i%s.count() >= s.entries() {
				scores[i] += 10
			}
		}
		path, _ := bestPath(newViterbi(s, noise(r, s.transitions(), 1)), scores, s.count(), 0)
		if s.label(int(path[0])) >= 0 && !s.begins(int(path[0])) {
			t.Fatal("the path starts inside a span")
		}
		for i := 1; i < len(path); i++ {
			if s.arc(int(path[i-1]), int(path[i])) < 0 {
				t.Fatalf("state %d follows %d", path[i], path[i-1])
			}
		}
	}
}

func TestExtremeScoresGiveUsableProbabilities(t *testing.T) {
	s := someStates(2)
	x := newLattice(s)
	for _, size := range []float64{0, 1, 1e3, 1e6} {
		r := rand.New(rand.NewPCG(5, 6))
		x.setTransitions(noise(r, s.transitions(), size))
		scores := noise(r, 500*s.count(), size)
		logZ := x.forward(scores)
		if !finite(logZ) {
			t.Fatalf("size %g: log Z is %g", size, logZ)
		}
		x.backward(scores, logZ, nil)
		for i := 0; i < len(scores); i += s.count() {
			if sum := total(scores[i : i+s.count()]); !near(sum, 1, 1e-9*max(1, size)) {
				t.Fatalf("size %g: the marginals of token %d sum to %g", size, i/s.count(), sum)
			}
		}
	}
}

func TestLongSequencesDoNotUnderflow(t *testing.T) {
	s := someStates(1)
	x := newLattice(s)
	x.setTransitions(make([]float64, s.transitions()))
	const n = 100_000
	// Three equal states and no weights: every allowed path scores -5 per token.
	scores := make([]float64, n*s.count())
	for i := range scores {
		scores[i] = -5
	}
	// Allowed paths of length t: those that end in O or B, and in I.
	logPaths, o, b, i := 0.0, 1.0, 1.0, 0.0
	for range n - 1 {
		o, b, i = o+b+i, o+b+i, b+i
		sum := o + b + i
		o, b, i, logPaths = o/sum, b/sum, i/sum, logPaths+math.Log(sum)
	}
	want := logPaths + math.Log(o+b+i) - 5*n
	if got := x.forward(scores); !near(got, want, 1e-10) {
		t.Errorf("log Z is %.15g, want %.15g", got, want)
	}
}
