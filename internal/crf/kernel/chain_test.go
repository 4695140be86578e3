// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// problem is one sequence and its transition weights by state, without layout.
type problem struct {
	layout  Layout
	scores  [][]float64 // [T][L]
	weights [][]float64 // [L][L], NaN where forbidden
	varies  [][]bool    // [L][L], or nil: all vary; the weights of the others are 0
	without int         // state excluded from all paths, -1 for none
}

// thinned returns p where only some of BIO's transitions vary and, if seed is odd, one
// state is excluded. Training does this if most transitions were never seen.
func (p problem) thinned(seed uint64) problem {
	random := rand.New(rand.NewPCG(seed, 2))
	l := p.layout
	bio := l
	bio.Free = false
	p.varies = make([][]bool, l.States())
	p.weights = slices.Clone(p.weights)
	if seed%2 == 1 && l.States() > 1 {
		p.without = 1 + random.IntN(l.States()-1)
	}
	share := random.Float64()
	for i := range p.varies {
		p.varies[i], p.weights[i] = make([]bool, l.States()), slices.Clone(p.weights[i])
		for j := range p.varies[i] {
			p.varies[i][j] = i != p.without && j != p.without && bio.allows(i, j) && random.Float64() < share
			switch {
			case i == p.without || j == p.without:
				p.weights[i][j] = math.NaN()
			case !p.varies[i][j] && l.allows(i, j):
				p.weights[i][j] = 0
			}
		}
	}
	return p
}

// variants returns p and its variants in which few transitions vary.
func (p problem) variants(seed uint64) []problem {
	return []problem{p, p.thinned(2 * seed), p.thinned(2*seed + 1)}
}

func (p problem) transitions() func(from, to int) bool {
	return func(from, to int) bool { return p.varies == nil || p.varies[from][to] }
}

// newProblem returns random scores within the spread and weights within a quarter of
// it.
func newProblem(seed uint64, l Layout, n int, spread float64) problem {
	random := rand.New(rand.NewPCG(seed, 0))
	p := problem{layout: l, without: -1}
	draw := func() float64 { return (2*random.Float64() - 1) * spread }
	for range n {
		row := make([]float64, l.States())
		for j := range row {
			row[j] = draw()
		}
		p.scores = append(p.scores, row)
	}
	for from := range l.States() {
		row := make([]float64, l.States())
		for to := range row {
			row[to] = draw() / 4
			if !l.allows(from, to) {
				row[to] = math.NaN()
			}
		}
		p.weights = append(p.weights, row)
	}
	return p
}

// answer is the result of sum-product.
type answer struct {
	logZ      float64
	marginals [][]float64 // [T][L]
	counts    [][]float64 // [L][L] expected transitions
}

// enumerate adds up all allowed paths one by one.
func (p problem) enumerate() answer {
	l := p.layout.States()
	a := answer{marginals: grid(len(p.scores), l), counts: grid(l, l)}
	total := 0.0
	path := make([]int, len(p.scores))
	var visit func(t int, score float64)
	visit = func(t int, score float64) {
		if t == len(path) {
			weight := math.Exp(score)
			total += weight
			for t, j := range path {
				a.marginals[t][j] += weight
				if t > 0 {
					a.counts[path[t-1]][j] += weight
				}
			}
			return
		}
		for j := range l {
			s := score + p.scores[t][j]
			if t == 0 && j >= p.layout.starts() || j == p.without {
				continue
			}
			if t > 0 {
				s += p.weights[path[t-1]][j]
			}
			if !math.IsNaN(s) {
				path[t] = j
				visit(t+1, s)
			}
		}
	}
	visit(0, 0)
	a.logZ = math.Log(total)
	for i, row := range a.counts {
		for j := range row {
			if !p.transitions()(i, j) {
				row[j] = 0
			}
		}
	}
	for _, rows := range [][][]float64{a.marginals, a.counts} {
		for _, row := range rows {
			for j := range row {
				row[j] /= total
			}
		}
	}
	return a
}

func grid(n, m int) [][]float64 {
	g := make([][]float64, n)
	for i := range g {
		g[i] = make([]float64, m)
	}
	return g
}

// lay converts a problem to rows and tables.
func lay[F Float](p problem) ([]F, *Transitions[F], *Counts) {
	l := p.layout
	var scores []F
	for _, row := range p.scores {
		laid := Bias[F](l)
		for j, v := range row {
			laid[l.Place(j)] += F(v)
		}
		scores = append(scores, laid...)
	}
	t := NewTransitions[F](l)
	if p.varies != nil {
		t = NewSparseTransitions[F](l, p.transitions())
	}
	if p.without >= 0 {
		t.Exclude(p.without)
	}
	for from, row := range p.weights {
		for to, w := range row {
			if !math.IsNaN(w) {
				t.Set(from, to, math.Exp(w))
			}
		}
	}
	return scores, t, NewCounts(l)
}

// run runs the problem on one chain.
func run[F Float](t *testing.T, c *Chain[F], p problem) (answer, bool) {
	t.Helper()
	scores, transitions, counts := lay[F](p)
	logZ, ok := c.Run(scores, transitions, counts)
	l := c.layout
	a := answer{logZ, grid(len(p.scores), l.States()), grid(l.States(), l.States())}
	if !ok {
		for i, v := range counts.values {
			if v != 0 {
				t.Fatalf("count %d is %g after a failure", i, v)
			}
		}
		return a, false
	}
	for i := range scores {
		used := false
		for j := range l.States() {
			if i%l.Stride == l.Place(j) {
				a.marginals[i/l.Stride][j], used = float64(scores[i]), true
			}
		}
		if !used && scores[i] != 0 {
			t.Fatalf("padding %d of a row is %g", i%l.Stride, scores[i])
		}
	}
	for from, row := range p.weights {
		for to, w := range row {
			if !math.IsNaN(w) && p.transitions()(from, to) {
				a.counts[from][to] = counts.At(from, to) * math.Exp(w)
			}
		}
	}
	return a, true
}

// near is the distance of two answers: the difference of log Z relative to it and to
// the length, or the greatest difference of a probability or of a count per token.
func (a answer) near(b answer) float64 {
	worst := math.Abs(a.logZ-b.logZ) / (float64(len(a.marginals)) + math.Abs(b.logZ))
	for t, row := range a.marginals {
		for j, v := range row {
			worst = max(worst, math.Abs(v-b.marginals[t][j]))
		}
	}
	for i, row := range a.counts {
		for j, v := range row {
			worst = max(worst, math.Abs(v-b.counts[i][j])/float64(1+len(a.marginals)))
		}
	}
	return worst
}

func TestRunIsTheSumOverAllPaths(t *testing.T) {
	for _, l := range layouts() {
		for n := 1; n <= 5 && math.Pow(float64(l.States()), float64(n)) < 1e5; n++ {
			t.Run(fmt.Sprintf("%s/T=%d", l, n), func(t *testing.T) {
				for i, p := range newProblem(uint64(n), l, n, 3).variants(uint64(n)) {
					want := p.enumerate()
					got, ok := run(t, NewChain[float64](l), p)
					if d := got.near(want); !ok || !(d < 1e-12) {
						t.Errorf("variant %d, float64: ok %t, off by %g", i, ok, d)
					}
					for name, c := range map[string]*Chain[float32]{"scalar": scalarChain[float32](l), Name(): NewChain[float32](l)} {
						got, ok := run(t, c, p)
						if d := got.near(want); !ok || !(d < 2e-6) {
							t.Errorf("variant %d, %s: ok %t, off by %g", i, name, ok, d)
						}
					}
				}
			})
		}
	}
}
