// SPDX-License-Identifier: Apache-2.0

package prefixtree

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
	"hide/internal/publish/noise/noisetest"
)

type still struct{}

func (still) Add(count, _ int64, _ float64) (int64, error) { return count, nil }

type seeded struct{ rng *rand.Rand }

func (s seeded) Add(count, sensitivity int64, epsilon float64) (int64, error) {
	u := s.rng.Float64() - 0.5
	x := noise.Scale(sensitivity, epsilon) * math.Log(1-2*math.Abs(u))
	return count + int64(math.Round(math.Copysign(x, u))), nil
}

func seed(n uint64) seeded { return seeded{rand.New(rand.NewPCG(n, 7))} }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func build(t *testing.T, seqs [][]int, p Params, s noise.Source) *Tree {
	t.Helper()
	tree, err := Build(t.Context(), seqs, p, s)
	must(t, err)
	return tree
}

// random are n sequences of up to most symbols.
func random(rng *rand.Rand, n, alphabet, most int) [][]int {
	out := make([][]int, n)
	for i := range out {
		for range rng.IntN(most + 1) {
			out[i] = append(out[i], min(rng.IntN(alphabet), rng.IntN(alphabet)))
		}
	}
	return out
}

func begins(seqs [][]int, prefix []int, height int) (n int) {
	for _, s := range seqs {
		if len(prefix) <= min(len(s), height) && slices.Equal(s[:len(prefix)], prefix) {
			n++
		}
	}
	return n
}

func TestTreeWithoutNoiseCountsPrefixes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		seqs := random(rng, 200, 3, 6)
		tree := build(t, seqs, Params{Alphabet: 3, Height: 4, Epsilon: ledger.Most, Threshold: 0.1}, still{})
		tree.Walk(func(prefix []int, n *Node) {
			if n.Symbol < 3 {
				if want := begins(seqs, prefix, 4); math.Abs(n.Count-float64(want)) > 1e-6 {
					t.Fatalf("prefix %v: %v, want %d", prefix, n.Count, want)
				}
			}
		})
	}
}

func TestLevelsAddUpToEpsilon(t *testing.T) {
	for _, h := range []int{1, 2, 6, 7, 13} {
		for _, e := range []ledger.Micro{271, 333_333, ledger.One, ledger.Most} {
			sum, counts := ledger.Micro(0), 0
			tree := build(t, random(rand.New(rand.NewPCG(1, 1)), 500, 2, h), Params{Alphabet: 2, Height: h, Epsilon: e}, seed(2))
			for _, p := range tree.Phases {
				sum += p.Epsilon
				counts += p.Counts
			}
			if sum != e || len(tree.Phases) != h+1 || counts != tree.Nodes {
				t.Errorf("height %d: %d levels spend %v of %v on %d of %d nodes", h, len(tree.Phases), sum, e, counts, tree.Nodes)
			}
		}
	}
}

func TestChildrenAddUpToTheirParentAndNoneIsNegative(t *testing.T) {
	tree := build(t, random(rand.New(rand.NewPCG(3, 1)), 2000, 4, 6), Params{Alphabet: 4, Height: 6, Epsilon: ledger.One}, seed(5))
	tree.Walk(func(prefix []int, n *Node) {
		sum := 0.0
		for _, c := range n.Children {
			sum += c.Count
			if c.Count < 0 {
				t.Errorf("prefix %v: a child counts %v", prefix, c.Count)
			}
		}
		if len(n.Children) > 0 && math.Abs(sum-n.Count) > 1e-6 {
			t.Errorf("prefix %v: children %v of %v", prefix, sum, n.Count)
		}
	})
}

// sticky are the Markov sequences that the reference numbers are about.
func sticky(rng *rand.Rand, n int) [][]int {
	next := [][]float64{{.75, .2, .04, .01}, {.12, .7, .16, .02}, {.03, .15, .7, .12}, {.01, .05, .2, .74}}
	out := make([][]int, n)
	for i := range out {
		c := pick([]float64{.3, .4, .2, .1}, rng)
		for range 7 {
			out[i] = append(out[i], c)
			c = pick(next[c], rng)
		}
	}
	return out
}

// errors7 are mean errors of all prefixes of each length.
func errors7(count func([]int) float64, seqs [][]int) []float64 {
	truth := map[string]float64{}
	key := func(p []int) string {
		var b strings.Builder
		for _, c := range p {
			b.WriteByte(byte(c))
		}
		return b.String()
	}
	for _, s := range seqs {
		for n := range s {
			truth[key(s[:n+1])]++
		}
	}
	out := make([]float64, 7)
	var walk func(p []int)
	walk = func(p []int) {
		if n := len(p); n > 0 {
			out[n-1] += math.Abs(count(p)-truth[key(p)]) / math.Pow(4, float64(n))
		}
		if len(p) < 7 {
			for c := range 4 {
				walk(append(slices.Clone(p), c))
			}
		}
	}
	walk(nil)
	return out
}

func TestConsistencyBuysMoreThanTheSpareBudgetCosts(t *testing.T) {
	seqs := sticky(rand.New(rand.NewPCG(5, 5)), 10_000)
	p := Params{Alphabet: 4, Height: 7, Epsilon: ledger.One, Fixed: true}
	raw := p
	raw.Raw = true
	s := seed(6)
	sumOf := func(p Params) (sum float64) {
		for range 6 {
			for _, x := range errors7(build(t, seqs, p, s).Count, seqs) {
				sum += x
			}
		}
		return sum
	}
	if with, without := sumOf(p), sumOf(raw); with >= without {
		t.Errorf("error %v with consistency, %v without", with, without)
	}
}

func TestSyntheticSequencesAreLikeTheTree(t *testing.T) {
	seqs := sticky(rand.New(rand.NewPCG(5, 5)), 5000)
	tree := build(t, seqs, Params{Alphabet: 4, Height: 7, Epsilon: 5 * ledger.One}, seed(6))
	made := slices.Collect(tree.Synthetic(rand.New(rand.NewPCG(1, 1))))
	for _, prefix := range [][]int{{0}, {1}, {0, 0}, {3, 3, 3}} {
		got, want := begins(made, prefix, 7), begins(seqs, prefix, 7)
		if math.Abs(float64(got-want)) > 150+0.1*float64(want) {
			t.Errorf("%d synthetic sequences begin with %v, and %d real ones", got, prefix, want)
		}
	}
	for _, s := range made {
		if len(s) > 7 {
			t.Fatalf("a sequence of %d", len(s))
		}
	}
}

func TestSlopes(t *testing.T) {
	if got := Slope([]int{0, 1, 2, 3}); math.Abs(got-1) > 1e-12 {
		t.Errorf("a rise of 1: %v", got)
	}
	if got := Slope([]int{3, 3, 1, 1}); math.Abs(got+0.8) > 1e-12 {
		t.Errorf("a fall: %v", got)
	}
	seqs := append(slices.Repeat([][]int{{0, 1, 2}}, 500), slices.Repeat([][]int{{2, 2, 2}}, 300)...)
	tree := build(t, seqs, Params{Alphabet: 3, Height: 3, Epsilon: ledger.Most, Fixed: true}, still{})
	up, _ := tree.Slopes(0.5, 1.5)
	flat, _ := tree.Slopes(-0.5, 0.5)
	if math.Abs(up-500) > 1e-6 || math.Abs(flat-300) > 1e-6 {
		t.Errorf("%v rise, %v stay", up, flat)
	}
}

func TestMarkovWithoutNoiseCountsPairs(t *testing.T) {
	m, err := NewMarkov(t.Context(), [][]int{{0, 1}, {0, 0}, {1, 0}, {1, 0}}, Params{Alphabet: 2, Height: 2, Epsilon: ledger.One, Fixed: true}, still{})
	must(t, err)
	if got := m.Count([]int{1, 0}); math.Abs(got-2) > 1e-6 {
		t.Errorf("got %v", got)
	}
	if got := m.Count([]int{0, 1}); math.Abs(got-1) > 1e-6 {
		t.Errorf("got %v", got)
	}
}

func TestLargeAlphabetsAndTreesAreBounded(t *testing.T) {
	seqs := make([][]int, 3000)
	for i := range seqs {
		seqs[i] = []int{i % 7, i % 5, i % 3}
	}
	tree := build(t, seqs, Params{Alphabet: 10_000, Height: 3, Epsilon: ledger.One, MostNodes: 45_000}, seed(1))
	if !tree.Full || tree.Nodes > 45_000 {
		t.Errorf("%d nodes, full %v", tree.Nodes, tree.Full)
	}
	if got := tree.Count([]int{0}); math.Abs(got-429) > 100 {
		t.Errorf("got %v", got)
	}
}

func TestWhatMakesNoSenseIsRefused(t *testing.T) {
	good := Params{Alphabet: 3, Height: 3, Epsilon: ledger.One}
	for name, change := range map[string]func(*Params){
		"no alphabet": func(p *Params) { p.Alphabet = 0 }, "huge alphabet": func(p *Params) { p.Alphabet = MostSymbols + 1 }, "no height": func(p *Params) { p.Height = 0 },
		"huge height": func(p *Params) { p.Height = MostHeight + 1 }, "no epsilon": func(p *Params) { p.Epsilon = 0 }, "negative": func(p *Params) { p.Epsilon = -5 },
		"huge": func(p *Params) { p.Epsilon = ledger.Most + 1 }, "threshold": func(p *Params) { p.Threshold = math.NaN() }, "nodes": func(p *Params) { p.MostNodes = 2 },
	} {
		p := good
		change(&p)
		if _, err := Build(t.Context(), nil, p, still{}); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	if _, err := Build(t.Context(), [][]int{{0}, {0, 3}}, good, still{}); err == nil || err.Error() != "sequence 2: symbol 2 is not in the alphabet" {
		t.Errorf("got %v", err)
	}
	if _, err := Build(t.Context(), [][]int{{0}}, Params{Alphabet: 3, Height: 3, Epsilon: ledger.One, Fixed: true}, still{}); err == nil {
		t.Error("a short sequence among fixed ones was taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Build(ctx, nil, good, still{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestSequencesLongerThanTheHeightAreCutAndNoneIsATree(t *testing.T) {
	long := make([]int, 500)
	tree := build(t, slices.Repeat([][]int{long}, 400), Params{Alphabet: 2, Height: 3, Epsilon: ledger.One}, seed(3))
	if got := tree.Count([]int{0, 0, 0}); math.Abs(got-400) > 40 {
		t.Errorf("got %v", got)
	}
	if tree := build(t, nil, Params{Alphabet: 2, Height: 3, Epsilon: ledger.One}, still{}); tree.Nodes != 4 || len(slices.Collect(tree.Synthetic(rand.New(rand.NewPCG(1, 1))))) != 0 {
		t.Errorf("%+v", tree)
	}
}

func TestAuditOfTheTree(t *testing.T) {
	runs := func(n int, s noise.Source) []float64 {
		out := make([]float64, 4000)
		for i := range out {
			tree := build(t, slices.Repeat([][]int{{0}}, n), Params{Alphabet: 1, Height: 1, Epsilon: ledger.One, Fixed: true}, s)
			out[i] = tree.Root.Count
		}
		return out
	}
	if got := noisetest.Audit(runs(31, noise.Secure{}), runs(30, noise.Secure{}), 0.9999); got > 1 {
		t.Errorf("epsilon is at least %v, and 1 is claimed", got)
	}
}
