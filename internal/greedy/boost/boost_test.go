// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"hide/internal/parallel"
)

// random is a table of few different values, with what is true of its rows.
func random(seed uint64, rows, columns, values int) (Matrix, []bool) {
	r := rand.New(rand.NewPCG(seed, 1))
	x, y := make(Matrix, columns), make([]bool, rows)
	for c := range x {
		x[c] = make([]float32, rows)
		for i := range x[c] {
			x[c][i] = float32(r.IntN(values)) - 2.5
		}
	}
	for i := range y {
		f := 0.0
		for c := range x {
			f += math.Sin(float64(c)+1) * float64(x[c][i])
		}
		y[i] = r.Float64() < 1/(1+math.Exp(-f))
	}
	y[0], y[1] = true, false
	return x, y
}

func mustTrain(t testing.TB, x Matrix, y []bool, o Options) *Model {
	t.Helper()
	m, err := Train(context.Background(), x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// worthOf is G^2/(H+L2) of the rows that keep says, and H.
func worthOf(g, h []float64, l2 float64, keep func(r int) bool) (worth, second float64) {
	first := 0.0
	for r := range g {
		if keep(r) {
			first += g[r]
			second += h[r]
		}
	}
	return first * first / (second + l2), second
}

// bestByForce tries every column and every value as a threshold.
func bestByForce(x Matrix, g, h []float64, l2, least float64) float64 {
	best := 0.0
	whole, _ := worthOf(g, h, l2, func(int) bool { return true })
	for c := range x {
		for _, at := range x[c] {
			left, hl := worthOf(g, h, l2, func(r int) bool { return x[c][r] <= at })
			right, hr := worthOf(g, h, l2, func(r int) bool { return x[c][r] > at })
			if hl > 0 && hr > 0 && hl >= least && hr >= least {
				best = max(best, left+right-whole)
			}
		}
	}
	return best
}

func TestFirstSplitIsTheBestOfAll(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		x, y := random(seed, 3+r.IntN(25), 1+r.IntN(4), 1+r.IntN(6))
		g, h := make([]float64, len(y)), make([]float64, len(y))
		for i := range g {
			h[i] = r.Float64()
			g[i] = r.NormFloat64()
		}
		l2, least := 0.1+r.Float64(), 2*r.Float64()
		want := bestByForce(x, g, h, l2, least)
		bins, err := x.bin(t.Context(), 256, 1)
		if err != nil {
			t.Fatal(err)
		}
		tree, leaves, err := newGrower(bins, 1, 2, l2, least).grow(t.Context(), g, h)
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		if len(tree.Nodes) > 0 {
			whole, _ := worthOf(g, h, l2, func(int) bool { return true })
			left, _ := worthOf(g, h, l2, func(r int) bool { return slices.Contains(leaves[0], int32(r)) })
			right, _ := worthOf(g, h, l2, func(r int) bool { return slices.Contains(leaves[1], int32(r)) })
			got = left + right - whole
		}
		if math.Abs(got-want) > 1e-4*(1+want) {
			t.Fatalf("seed %d: gain %g, the best is %g", seed, got, want)
		}
	}
}

// TestLeavesPartitionTheRows: each row is in the leaf that scoring sends it to,
// each leaf has its closed-form value, and growing leaf by leaf takes the split
// that gains most among all leaves.
func TestLeavesPartitionTheRows(t *testing.T) {
	x, y := random(7, 5000, 6, 300)
	bins, err := x.bin(t.Context(), 64, 2)
	if err != nil {
		t.Fatal(err)
	}
	b := &booster{Options: Options{}.withDefaults(), grower: newGrower(bins, 2, 8, 1, 1), y: y,
		f: make([]float64, len(y)), g: make([]float64, len(y)), h: make([]float64, len(y))}
	b.derive()
	tree, leaves, err := b.grow(t.Context(), b.g, b.h)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for i, leaf := range leaves {
		rows += len(leaf)
		if !slices.IsSorted(leaf) {
			t.Errorf("leaf %d: rows are not in order", i)
		}
		for _, r := range leaf {
			if got := tree.leafOf(x, int(r)); got != i {
				t.Fatalf("row %d grew in leaf %d and is scored in %d", r, i, got)
			}
		}
	}
	if len(leaves) != 8 || rows != len(y) {
		t.Fatalf("%d leaves of %d rows", len(leaves), rows)
	}
}

func TestLeafValuesAreNewtonSteps(t *testing.T) {
	x := Matrix{{0, 0, 0, 1, 1, 1, 1, 1}}
	y := []bool{true, true, false, false, false, false, false, true}
	m := mustTrain(t, x, y, Options{Trees: 1, Leaves: 2, Rate: 0.5, L2: 2, MinHessian: 0.01})
	yes, no := 3.0, 5.0
	base := math.Log(yes / no)
	p := yes / (yes + no)
	value := func(yes, no float64) float64 {
		return base - 0.5*(yes*(p-1)+no*p)/((yes+no)*p*(1-p)+2)
	}
	got := m.LogOdds(x)
	for r, want := range map[int]float64{0: value(2, 1), 2: value(2, 1), 3: value(1, 4), 7: value(1, 4)} {
		if math.Abs(got[r]-want) > 1e-12 {
			t.Errorf("row %d: %g, want %g", r, got[r], want)
		}
	}
}

func TestLossFallsWithEveryTree(t *testing.T) {
	x, y := random(4, 3000, 8, 50)
	last, trees := math.Inf(1), 0
	m := mustTrain(t, x, y, Options{Progress: func(n int, loss float64) {
		if loss >= last || n != trees+1 {
			t.Errorf("tree %d: loss %g after %g", n, loss, last)
		}
		last, trees = loss, n
	}})
	if m.Trees() != trees || trees != 150 {
		t.Errorf("%d trees, %d reported", m.Trees(), trees)
	}
}

func TestResultIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	x, y := random(5, 20000, 9, 1000)
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	var first, firstAda []byte
	for _, n := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(n)
		m := mustTrain(t, x, y, Options{Trees: 20})
		a, err := AdaBoost(t.Context(), x, y, AdaOptions{Rounds: 10, Leaves: 4})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first, firstAda = m.Append(nil), a.Append(nil)
		}
		if !slices.Equal(first, m.Append(nil)) || !slices.Equal(firstAda, a.Append(nil)) {
			t.Errorf("GOMAXPROCS %d: other bytes", n)
		}
	}
}

// TestManyRowsSumAsFew fills several pieces of packed sums.
func TestManyRowsSumAsFew(t *testing.T) {
	const rows = 5*flushRows + 3
	r := rand.New(rand.NewPCG(1, 1))
	q := gradients{packed: make([]int64, rows)}
	g, h, column, all := make([]float64, rows), make([]float64, rows), make([]uint64, rows), make([]int32, rows)
	for i := range rows {
		g[i], h[i], column[i], all[i] = -1, 1, uint64(r.IntN(2))<<8, int32(i)
	}
	q.round(g, h)
	hists := make([]histogram, 2)
	var want [2]int64
	for _, b := range column {
		want[b>>8] += resolution
	}
	sumBlock(hists, column, all, q.packed, []bundle{{size: 2}, {size: 2}})
	for b := range want {
		if s := (sums{-want[b], want[b]}); hists[1][b] != s {
			t.Errorf("bin %d: %v, want %v", b, hists[1][b], s)
		}
	}
}

func TestBinsKeepOrderAndEveryFewValues(t *testing.T) {
	inf := float32(math.Inf(1))
	nan := float32(math.NaN())
	column := []float32{3, nan, -inf, 1, 1, 2, inf, math.MaxFloat32, math.Nextafter32(1, 2), -math.MaxFloat32}
	binOf := func(cuts []float32, v float32) int { return newSearch(cuts).above(v) }
	cuts := cutsOf(column, 256)
	if len(cuts) != 7 {
		t.Errorf("%d cuts between 8 values: %v", len(cuts), cuts)
	}
	for _, a := range column {
		for _, b := range column {
			if a == a && a < b && binOf(cuts, a) >= binOf(cuts, b) {
				t.Errorf("%g and %g share a bin", a, b)
			}
		}
	}
	if binOf(cuts, nan) != 0 {
		t.Error("NaN is not the least")
	}
	cuts = cutsOf([]float32{2, nan, 1, 1}, 256)
	if len(cuts) != 2 || binOf(cuts, nan) != 0 || binOf(cuts, 1) != 1 || binOf(cuts, 2) != 2 {
		t.Errorf("NaN has no bin of its own: cuts %v", cuts)
	}
	many := make([]float32, 200000)
	r := rand.New(rand.NewPCG(2, 2))
	for i := range many {
		many[i] = float32(math.Exp(3 * r.NormFloat64()))
	}
	cuts = cutsOf(many, 64)
	sizes := make([]int, 64)
	for _, v := range many {
		sizes[binOf(cuts, v)]++
	}
	if len(cuts) != 63 || slices.Max(sizes) > 2*len(many)/64 {
		t.Errorf("%d cuts, the largest bin has %d of %d", len(cuts), slices.Max(sizes), len(many))
	}
}

func TestVotesWeighAsByHand(t *testing.T) {
	x := Matrix{{0, 1, 2, 3, 4}, {0, 1, 0, 1, 0}}
	y := []bool{false, false, true, true, false}
	m, err := AdaBoost(t.Context(), x, y, AdaOptions{Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	// x0 > 1 is wrong on row 4 alone: e = 1/5, 2 alpha = log 4. Then row 4 weighs 1/2
	// and the others 1/8, and x0 > 3 puts the 1/2 apart from 1/4 true and 1/4 false.
	want := []float64{-1, -1, 1, 1, 1}
	got, err := AdaBoost(t.Context(), x, y, AdaOptions{Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	for r, f := range got.LogOdds(x) {
		if math.Abs(f-want[r]*math.Log(4)) > 1e-9 {
			t.Errorf("row %d: %g after one round", r, f)
		}
	}
	if n := m.trees[1].Nodes[0]; n.Column != 0 || n.Threshold != 3.5 {
		t.Errorf("the second stump is %+v", n)
	}
}

func TestRealValuesAreHalfLogOdds(t *testing.T) {
	x := Matrix{{0, 0, 0, 0, 1, 1, 1, 1}}
	y := []bool{true, false, false, false, true, true, true, false}
	m, err := AdaBoost(t.Context(), x, y, AdaOptions{Rounds: 1, Real: true})
	if err != nil {
		t.Fatal(err)
	}
	for r, f := range m.LogOdds(x) {
		if want := math.Log(3) * math.Copysign(1, float64(r)-3.5); math.Abs(f-want) > 1e-9 {
			t.Errorf("row %d: %g, want %g", r, f, want)
		}
	}
}

// TestAdaBoostBoundsTheTrainingError: the share of rows that F gets wrong is at
// most the product over rounds of 2 sqrt(e(1-e)) (Freund and Schapire 1997,
// theorem 6).
func TestAdaBoostBoundsTheTrainingError(t *testing.T) {
	for seed := range uint64(20) {
		x, y := random(seed, 300, 5, 12)
		for _, real := range []bool{false, true} {
			m, err := AdaBoost(t.Context(), x, y, AdaOptions{Rounds: 30, Real: real})
			if err != nil {
				t.Fatal(err)
			}
			loss, wrong := 0.0, 0.0
			for r, f := range m.LogOdds(x) {
				if !y[r] {
					f = -f
				}
				loss += math.Exp(-f / 2)
				if f <= 0 {
					wrong++
				}
			}
			bound := 1.0
			if !real {
				for i := range m.trees {
					alpha := math.Abs(m.trees[i].Values[0]) / 2
					e := 1 / (1 + math.Exp(2*alpha))
					bound *= 2 * math.Sqrt(e*(1-e))
				}
				if math.Abs(loss/300-bound) > 1e-6 {
					t.Errorf("seed %d: exponential loss %g, by the errors it is %g", seed, loss/300, bound)
				}
			}
			if wrong > loss || loss >= 300*bound+1e-3 {
				t.Errorf("seed %d: %g wrong, loss %g, bound %g", seed, wrong, loss, 300*bound)
			}
		}
	}
}

func TestBothEndEarlyWhenCancelled(t *testing.T) {
	x, y := random(6, 2000, 4, 30)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Train(ctx, x, y, Options{Trees: 10000, Progress: func(n int, _ float64) {
		if n == 3 {
			cancel()
		}
		if n > 3 {
			t.Error("it went on")
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Train: %v", err)
	}
	if _, err := AdaBoost(ctx, x, y, AdaOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("AdaBoost: %v", err)
	}
}

func TestBadInputIsRefused(t *testing.T) {
	x, y := random(8, 10, 2, 5)
	one := make([]bool, 10)
	for name, call := range map[string]func() error{
		"one kind":      func() error { _, err := Train(t.Context(), x, one, Options{}); return err },
		"one kind, ada": func() error { _, err := AdaBoost(t.Context(), x, one, AdaOptions{}); return err },
		"no columns":    func() error { _, err := Train(t.Context(), nil, y, Options{}); return err },
		"no rows":       func() error { _, err := Train(t.Context(), Matrix{{}}, nil, Options{}); return err },
		"ragged":        func() error { _, err := Train(t.Context(), Matrix{x[0], x[1][1:]}, y, Options{}); return err },
		"bins":          func() error { _, err := Train(t.Context(), x, y, Options{Bins: 257}); return err },
		"leaves":        func() error { _, err := Train(t.Context(), x, y, Options{Leaves: 1}); return err },
		"rate":          func() error { _, err := Train(t.Context(), x, y, Options{Rate: math.NaN()}); return err },
	} {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestNothingToSplitGivesThePrior: columns that are all alike make no tree.
func TestNothingToSplitGivesThePrior(t *testing.T) {
	x, y := Matrix{{1, 1, 1, 1}}, []bool{true, false, false, false}
	m := mustTrain(t, x, y, Options{})
	if got := m.LogOdds(x)[0]; m.Trees() != 0 || math.Abs(got+math.Log(3)) > 1e-12 {
		t.Errorf("%d trees, %g", m.Trees(), got)
	}
}

// What is unknown is told from the lowest value, wherever it matters.
func TestTreesTellNaNFromTheLeast(t *testing.T) {
	nan := float32(math.NaN())
	x, y := Matrix{nil}, []bool(nil)
	for i := range 120 {
		x[0], y = append(x[0], []float32{nan, 0, 1}[i%3]), append(y, i%3 != 1)
	}
	m := mustTrain(t, x, y, Options{Trees: 20})
	for r, f := range m.LogOdds(x)[:3] {
		if (f > 0) != y[r] {
			t.Errorf("%g has log-odds %g", x[0][r], f)
		}
	}
}

func TestAdaBoostWithoutATreeGivesThePrior(t *testing.T) {
	x, y := Matrix{{1, 1, 1, 1}}, []bool{true, false, false, false}
	m, err := AdaBoost(t.Context(), x, y, AdaOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.LogOdds(x)[0]; m.Trees() != 0 || math.Abs(got+math.Log(3)) > 1e-12 {
		t.Errorf("%d trees, log-odds %g", m.Trees(), got)
	}
}

func TestModelsReadBackAsTheyWere(t *testing.T) {
	x, y := random(9, 500, 4, 40)
	m := mustTrain(t, x, y, Options{Trees: 12})
	raw := m.Append(nil)
	back, err := Decode(raw)
	if err != nil || !reflect.DeepEqual(m, back) {
		t.Fatalf("it came back different: %v", err)
	}
	for cut := range raw {
		if _, err := Decode(raw[:cut]); !errors.Is(err, ErrModel) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
	if _, err := Decode(append(slices.Clone(raw), 0)); !errors.Is(err, ErrModel) {
		t.Error("something after the end is not refused")
	}
}

func FuzzDecode(f *testing.F) {
	x, y := random(9, 50, 3, 9)
	f.Add(mustTrain(f, x, y, Options{Trees: 2, Leaves: 4}).Append(nil))
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1})
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Decode(raw)
		if err != nil {
			return
		}
		if !slices.Equal(m.Append(nil), raw) {
			t.Fatal("two files of one model")
		}
		x := make(Matrix, m.Columns())
		for c := range x {
			x[c] = []float32{-1, 0, float32(math.NaN())}
		}
		m.LogOdds(x) // ends
	})
}

func BenchmarkTrain(b *testing.B) {
	x, y := random(10, 150000, 75, 100)
	for c := range x { // most columns of a detector are mostly one value
		if c%2 == 0 {
			for r := range x[c] {
				if r%16 != 0 {
					x[c][r] = 0
				}
			}
		}
	}
	for b.Loop() {
		mustTrain(b, x, y, Options{})
	}
}

// TestTreesGoOnFromWhereTheyStart: trees that start from what others say are those
// that would have followed them.
func TestTreesGoOnFromWhereTheyStart(t *testing.T) {
	x, y := random(11, 500, 4, 20)
	whole := mustTrain(t, x, y, Options{Trees: 9})
	first := mustTrain(t, x, y, Options{Trees: 4})
	rest := mustTrain(t, x, y, Options{Trees: 5, Start: first.LogOdds(x)})
	want, begun := whole.LogOdds(x), first.LogOdds(x)
	for r, f := range rest.LogOdds(x) {
		if math.Abs(begun[r]+f-want[r]) > 1e-9 {
			t.Fatalf("row %d: %g and %g, at once %g", r, begun[r], f, want[r])
		}
	}
	if _, err := Train(t.Context(), x, y, Options{Start: begun[1:]}); err == nil {
		t.Error("log-odds of fewer rows were taken")
	}
}

func TestPanicInAWorkerIsAnError(t *testing.T) {
	x := Matrix{{1, 2}, {1, 2, 3}} // the second column is longer than the matrix
	for _, workers := range []int{1, 2} {
		var p *parallel.PanicError
		if _, err := x.bin(t.Context(), 8, workers); !errors.As(err, &p) {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}
