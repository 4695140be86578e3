// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
	"hide/internal/publish/noise/noisetest"
)

// still adds no noise: what then differs from the truth is the method's doing.
type still struct{}

func (still) Add(count, _ int64, _ float64) (int64, error) { return count, nil }

// seeded is noise that tests can repeat.
type seeded struct{ rng *rand.Rand }

func (s seeded) Add(count, sensitivity int64, epsilon float64) (int64, error) {
	u := s.rng.Float64() - 0.5
	x := noise.Scale(sensitivity, epsilon) * math.Log(1-2*math.Abs(u))
	return count + int64(math.Round(math.Copysign(x, u))), nil
}

func seed(n uint64) seeded { return seeded{rand.New(rand.NewPCG(n, 7))} }

var small = Domain{
	{Name: "sex", Values: []string{"F", "M"}},
	{Name: "age", Min: 0, Max: 19, Width: 5},
	{Name: "ward", Values: []string{"a", "b", "c"}, Other: true},
}

func rowsOf(values ...[]string) func(func(Row, error) bool) {
	return func(yield func(Row, error) bool) {
		for _, v := range values {
			if !yield(Row{Values: v}, nil) {
				return
			}
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// some are n rows that crowd in one corner.
func some(t *testing.T, n int) *Counts {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	var rows [][]string
	for range n {
		age := rng.IntN(10)
		if rng.IntN(10) == 0 {
			age = rng.IntN(20)
		}
		rows = append(rows, []string{[]string{"F", "F", "F", "M"}[rng.IntN(4)], strconv.Itoa(age), []string{"a", "b", "x"}[rng.IntN(3)]})
	}
	c, err := Count(rowsOf(rows...), small, 0)
	must(t, err)
	return c
}

func publish(t *testing.T, c *Counts, p Params, s noise.Source) *Release {
	t.Helper()
	if p.Epsilon == 0 {
		p.Epsilon = ledger.One
	}
	r, err := Publish(t.Context(), c, p, s)
	must(t, err)
	return r
}

func TestCategoriesAreThoseOfTheDomain(t *testing.T) {
	d := Dimension{Name: "age", Min: 0, Max: 19, Width: 5}
	for s, want := range map[string]int{"0": 0, "4.99": 0, "5": 1, "19": 3, "19.9": 3, "20": -1, "-1": -1, "x": -1, "": -1, "NaN": -1} {
		if got := d.index(nil, s); got != want {
			t.Errorf("%q is in bin %d, want %d", s, got, want)
		}
	}
	d.Other = true
	if got := d.index(nil, "x"); got != 4 || d.Size() != 5 || d.Label(4) != Other {
		t.Errorf("other is %d of %d, %q", got, d.Size(), d.Label(4))
	}
}

func TestDomainsThatMakeNoSenseAreRefused(t *testing.T) {
	for name, d := range map[string]Domain{
		"empty": {}, "no name": {{Values: []string{"a"}}}, "neither": {{Name: "a"}}, "both": {{Name: "a", Values: []string{"x"}, Width: 1, Max: 3}},
		"twice": {small[0], small[0]}, "value twice": {{Name: "a", Values: []string{"x", "x"}}}, "backwards": {{Name: "a", Min: 5, Max: 1, Width: 1}},
		"endless": {{Name: "a", Min: 0, Max: math.Inf(1), Width: 1}}, "negative": {{Name: "a", Max: 5, Width: -1}}, "too fine": {{Name: "a", Max: 1e9, Width: 1}},
		"nothing": {{Name: "a", Max: 1, Width: math.NaN()}},
	} {
		if err := d.Check(); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

func TestABillionCellsAreRefused(t *testing.T) {
	var big Domain
	for i := range 9 {
		big = append(big, Dimension{Name: strconv.Itoa(i), Min: 0, Max: 9, Width: 1})
	}
	for _, m := range []Method{DPCube, Identity} {
		if _, err := (Params{Method: m, Epsilon: ledger.One}).Check(big, 1); err == nil {
			t.Errorf("%s took 1e9 cells", m)
		}
	}
	if _, err := (Params{Method: Marginals, Marginals: [][]string{{"1", "2"}}, Epsilon: ledger.One}).Check(big, 1); err != nil {
		t.Errorf("marginals of it: %v", err)
	}
}

func TestRowsOutsideOfTheDomainAreRefusedWithoutTheirValue(t *testing.T) {
	_, err := Count(rowsOf([]string{"F", "3", "a"}, []string{"Weiss", "3", "a"}), small, 0)
	if err == nil || err.Error() != `row 2: its value of "sex" is not in the domain: list it if the code book does, or add "other": true to the dimension` {
		t.Errorf("got %v", err)
	}
}

func TestAUnitCountsAtMostBoundTimes(t *testing.T) {
	rows := func(yield func(Row, error) bool) {
		for i := range 10 {
			if !yield(Row{Unit: strconv.Itoa(i % 2), Values: []string{"F", "3", "a"}}, nil) {
				return
			}
		}
	}
	c, err := Count(rows, small, 3)
	must(t, err)
	if c.Rows() != 6 || c.Dropped != 4 || c.Bound != 3 {
		t.Errorf("%d rows, %d dropped, bound %d", c.Rows(), c.Dropped, c.Bound)
	}
	if r := publish(t, c, Params{Method: Identity}, still{}); r.Phases[0].Sensitivity != 3 || r.Phases[0].Scale != 3 {
		t.Errorf("%+v", r.Phases)
	}
	if _, err := Count(rowsOf([]string{"F", "3", "a"}), small, 1); err == nil {
		t.Error("a row of nobody was taken")
	}
}

// TestEveryMethodAnswersAsACountDoes holds answers without noise against counting
// rows, for all boxes of slices.
func TestEveryMethodAnswersAsACountDoes(t *testing.T) {
	c := some(t, 300)
	c.rows = slices.Repeat(c.rows, 100) // so that no difference is as small as noise
	rng := rand.New(rand.NewPCG(1, 1))
	for _, p := range []Params{
		{Method: Identity}, {Method: DPCube, Threshold: 1e-9, Epsilon: ledger.Most}, {Method: DPCube, Gain: SSE, Threshold: 1e-9, Epsilon: ledger.Most},
		{Method: Marginals, Marginals: [][]string{{"ward", "sex", "age"}, {"sex"}, {"age", "ward"}}},
	} {
		r := publish(t, c, p, still{})
		for range 200 {
			b := make(Box, 3)
			for d := range b {
				if n := small[d].Size(); rng.IntN(3) > 0 {
					b[d] = rng.Perm(n)[:1+rng.IntN(n)]
				}
			}
			a, err := r.Answer(b)
			must(t, err)
			if want := float64(c.Where(b)); math.Abs(a.Count-want) > 1e-6 {
				t.Fatalf("%s: box %v: %v, want %v", p.Method, b, a.Count, want)
			}
		}
	}
}

func TestBlocksCoverEachCellOnce(t *testing.T) {
	c := some(t, 500)
	for _, g := range Gains() {
		r := publish(t, c, Params{Gain: g}, seed(3))
		seen := make([]int, int(small.Cells()))
		step := strides(small.shape())
		for _, k := range r.Blocks {
			for run := range k.block().runs(step) {
				for i := range k.High[2] - k.Low[2] {
					seen[run.at+i]++
				}
			}
		}
		if slices.Min(seen) != 1 || slices.Max(seen) != 1 {
			t.Errorf("%s: cells are covered %d to %d times", g, slices.Min(seen), slices.Max(seen))
		}
	}
}

// bestByHand tries every cut of a block, adding cells up one by one.
func bestByHand(s *splitter, b block) (gain float64) {
	gain = s.tau
	for d := range s.shape {
		var sums []float64
		for i := b.lo[d]; i < b.hi[d]; i++ {
			slice := block{slices.Clone(b.lo), slices.Clone(b.hi)}
			slice.lo[d], slice.hi[d] = i, i+1
			sums = append(sums, max(0, sumOver(s.cells, slice, s.step)))
		}
		for k := 1; k < len(sums); k++ {
			w := float64(b.volume() / len(sums))
			n1, n2 := total(sums[:k]), total(sums[k:])
			g := xlnx(n1, w*float64(k)) + xlnx(n2, w*float64(len(sums)-k)) - xlnx(n1+n2, w*float64(len(sums)))
			gain = max(gain, g)
		}
	}
	return gain
}

func TestTheCutIsTheBestOfAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 300 {
		s := &splitter{shape: []int{1 + rng.IntN(4), 1 + rng.IntN(5), 2 + rng.IntN(3)}, gain: Likelihood, tau: 0.1}
		n := s.shape[0] * s.shape[1] * s.shape[2]
		for range n {
			s.cells = append(s.cells, int64(rng.IntN(30)-3))
		}
		root, err := s.partition(t.Context())
		must(t, err)
		for _, leaf := range root.leaves(nil) {
			b := leaf.block
			if g := bestByHand(s, b); g > s.tau+1e-9 && sumOver(s.cells, b, s.step) > 0 {
				t.Fatalf("a block was kept whole that a cut worth %v splits", g)
			}
		}
	}
}

func TestUniformCountsAreKeptWholeAndThePrintedGainSplitsThem(t *testing.T) {
	cells := make([]int64, 1024)
	for i := range cells {
		cells[i] = 100
	}
	for g, want := range map[Gain]bool{Likelihood: true, SSE: true, Printed: false} {
		s := &splitter{cells: cells, shape: []int{32, 32}, gain: g, tau: g.Threshold(2), variance: 8}
		root, err := s.partition(t.Context())
		must(t, err)
		blocks := root.leaves(nil)
		if whole := len(blocks) == 1; whole != want {
			t.Errorf("%s: %d blocks of a uniform cube", g, len(blocks))
		}
	}
}

func TestPhasesAddUpToEpsilon(t *testing.T) {
	c := some(t, 50)
	for _, p := range []Params{{Method: DPCube}, {Method: DPCube, First: 0.37}, {Method: Identity}, {Method: Uniform}, {Method: Marginals, Marginals: [][]string{{"sex"}, {"age"}, {"ward"}}}} {
		for _, e := range []ledger.Micro{3, 100_001, ledger.One, ledger.Most} {
			p.Epsilon = e
			sum := ledger.Micro(0)
			for _, ph := range publish(t, c, p, seed(1)).Phases {
				sum += ph.Epsilon
				if ph.Epsilon < 1 || ph.Scale != float64(ph.Sensitivity)/ph.Epsilon.Float() {
					t.Errorf("%s: %+v", p.Method, ph)
				}
			}
			if sum != e {
				t.Errorf("%s: phases of %v add up to %v", p.Method, e, sum)
			}
		}
	}
}

// TestAnswersScatterAsTheySay compares errors over many releases with those
// expected.
func TestAnswersScatterAsTheySay(t *testing.T) {
	c := some(t, 400)
	box := Box{{0}, nil, {0, 2}}
	want := float64(c.Where(box))
	for _, p := range []Params{{Method: Identity}, {Method: Marginals, Marginals: [][]string{{"sex", "ward"}}}, {Method: DPCube}} {
		s := seed(11)
		var abs, expected float64
		const n = 600
		for range n {
			a, err := publish(t, c, p, s).Answer(box)
			must(t, err)
			abs += math.Abs(a.Count-want) / n
			expected += a.Error / n
		}
		if abs > 1.6*expected || abs < expected/3 {
			t.Errorf("%s: error %v, %v expected", p.Method, abs, expected)
		}
	}
}

func TestMarginalsAgreeWhereTheyOverlap(t *testing.T) {
	r := publish(t, some(t, 200), Params{Method: Marginals, Marginals: [][]string{{"sex", "age"}, {"age", "ward"}, {"sex", "ward"}, {"ward"}}}, seed(2))
	for i := range r.Views {
		for k := range i {
			a, b := &r.Views[i], &r.Views[k]
			shared := slices.DeleteFunc(slices.Clone(a.Dims), func(d int) bool { return !slices.Contains(b.Dims, d) })
			x, y := a.project(small, shared), b.project(small, shared)
			for at := range x {
				if math.Abs(x[at]-y[at]) > 1e-6 {
					t.Errorf("views %d and %d: %v and %v", i, k, x, y)
				}
			}
		}
	}
	if _, err := r.Answer(Box{{0}, {0}, {0}}); !errors.Is(err, ErrNotMeasured) {
		t.Errorf("got %v", err)
	}
}

func TestAgreeingLowersTheError(t *testing.T) {
	c := some(t, 200)
	s := seed(4)
	var before, after float64
	for range 300 {
		r := publish(t, c, Params{Method: Marginals, Marginals: [][]string{{"sex", "age"}, {"sex", "ward"}}}, s)
		a, err := r.Answer(Box{{0}, nil, nil})
		must(t, err)
		after += math.Abs(a.Count - float64(c.Where(Box{{0}, nil, nil})))
		before += r.Views[0].SD * math.Sqrt(4) * math.Sqrt(2/math.Pi)
	}
	if after >= before {
		t.Errorf("error %v, %v before", after, before)
	}
}

func TestSimplexIsTheNearestPoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 200 {
		x := make([]float64, 1+rng.IntN(6))
		for i := range x {
			x[i] = rng.NormFloat64()*3 + 1
		}
		sum := total(x)
		got := Simplex(x)
		if slices.Min(got) < 0 || math.Abs(total(got)-max(0, sum)) > 1e-9 {
			t.Fatalf("%v became %v", x, got)
		}
		if sum <= 0 {
			continue
		}
		near := distance(x, got)
		for range 50 { // no other point of the simplex is nearer
			other := make([]float64, len(x))
			for i := range other {
				other[i] = rng.ExpFloat64()
			}
			scale := sum / total(other)
			for i := range other {
				other[i] = 0.9*got[i] + 0.1*other[i]*scale
			}
			if distance(x, other) < near-1e-9 {
				t.Fatalf("%v is nearer to %v than %v", other, x, got)
			}
		}
	}
}

func distance(x, y []float64) (d float64) {
	for i := range x {
		d += (x[i] - y[i]) * (x[i] - y[i])
	}
	return d
}

func TestSyntheticRecordsAreLikeTheRelease(t *testing.T) {
	c := some(t, 5000)
	r := publish(t, c, Params{Method: Identity, Epsilon: 5 * ledger.One}, seed(6))
	recs, err := r.Synthetic(rand.New(rand.NewPCG(1, 2)))
	must(t, err)
	women, all := 0, 0
	for rec := range recs {
		if all++; rec[0] == 0 {
			women++
		}
	}
	if want := c.Where(Box{{0}, nil, nil}); math.Abs(float64(women)-float64(want)) > 200 {
		t.Errorf("%d of %d synthetic records are of women, of %d", women, all, want)
	}
	recs, err = publish(t, some(t, 0), Params{Method: Uniform}, still{}).Synthetic(rand.New(rand.NewPCG(1, 2)))
	must(t, err)
	for rec := range recs {
		t.Errorf("of nothing: record %v", rec)
	}
}

// TestSyntheticRecordsAreDrawnFromTheCellsThatHaveAny is about the cells of a cube one
// by one, and about its blocks.
func TestSyntheticRecordsAreDrawnFromTheCellsThatHaveAny(t *testing.T) {
	domain := Domain{{Name: "a", Values: []string{"x", "y"}}, {Name: "b", Values: []string{"1", "2", "3"}}}
	cells := []int64{0, 0, 30, 0, 60, -5} // nearest with this sum and nothing below 0: 27.5 and 57.5
	blocks := []Block{{Low: []int{0, 2}, High: []int{1, 3}, Count: 28}, {Low: []int{1, 1}, High: []int{2, 2}, Count: 57}}
	for name, r := range map[string]*Release{"cells": {Domain: domain, Cells: cells}, "blocks": {Domain: domain, Blocks: blocks}} {
		recs, err := r.Synthetic(rand.New(rand.NewPCG(3, 4)))
		must(t, err)
		count := map[[2]int]int{}
		for rec := range recs {
			count[[2]int(rec)]++
		}
		if count[[2]int{0, 2}]+count[[2]int{1, 1}] != 85 || count[[2]int{0, 2}] < 10 || count[[2]int{1, 1}] < 30 {
			t.Errorf("%s: %v", name, count)
		}
	}
}

// TestSyntheticRecordsAreNotKept would allocate for each of a hundred thousand.
func TestSyntheticRecordsAreNotKept(t *testing.T) {
	r := &Release{Domain: Domain{{Name: "a", Values: []string{"x", "y"}}}, Cells: []int64{50_000, 50_000}}
	n := 0
	allocs := testing.AllocsPerRun(1, func() {
		recs, err := r.Synthetic(rand.New(rand.NewPCG(1, 2)))
		must(t, err)
		for range recs {
			n++
		}
	})
	if n != 200_000 || allocs > 100 {
		t.Errorf("%d records in two runs, %v allocations in one", n, allocs)
	}
}

func TestAnEmptyTableIsPublishedLikeAnyOther(t *testing.T) {
	for _, m := range []Method{DPCube, Identity, Uniform} {
		if r := publish(t, some(t, 0), Params{Method: m}, seed(1)); len(r.Phases) == 0 {
			t.Errorf("%s: %+v", m, r)
		}
	}
}

func TestParametersThatMakeNoSenseAreRefused(t *testing.T) {
	for name, p := range map[string]Params{
		"no epsilon": {}, "negative": {Epsilon: -1}, "huge": {Epsilon: ledger.Most + 1}, "too little for two phases": {Epsilon: 1}, "unknown method": {Method: "x", Epsilon: 9},
		"unknown gain": {Gain: "x", Epsilon: 9}, "negative threshold": {Threshold: -1, Epsilon: 9}, "no threshold": {Threshold: math.NaN(), Epsilon: 9}, "share": {First: 1, Epsilon: 9},
		"marginals of nothing": {Method: Marginals, Epsilon: 9}, "unknown marginal": {Method: Marginals, Marginals: [][]string{{"x"}}, Epsilon: 9},
		"marginals of a cube": {Method: DPCube, Marginals: [][]string{{"sex"}}, Epsilon: 9}, "twice in one": {Method: Marginals, Marginals: [][]string{{"sex", "sex"}}, Epsilon: 9},
	} {
		if _, err := Publish(t.Context(), some(t, 1), p, still{}); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	for _, b := range []Box{{}, {{2}, nil, nil}, {{-1}, nil, nil}, {{0, 0}, nil, nil}} {
		if _, err := publish(t, some(t, 1), Params{}, still{}).Answer(b); err == nil {
			t.Errorf("box %v: not refused", b)
		}
	}
}

// TestAuditOfDPCube guesses from released counts whether one patient is in the
// data.
func TestAuditOfDPCube(t *testing.T) {
	d := Domain{{Name: "a", Values: []string{"x", "y", "z"}}}
	runs := func(rows [][]string, s noise.Source) []float64 {
		c, err := Count(rowsOf(rows...), d, 0)
		must(t, err)
		out := make([]float64, 10_000)
		for i := range out {
			a, err := publish(t, c, Params{Fuse: true}, s).Answer(Box{{0}})
			must(t, err)
			out[i] = a.Count
		}
		return out
	}
	without := [][]string{{"x"}, {"x"}, {"y"}}
	with := append(slices.Clone(without), []string{"x"})
	if got := noisetest.Audit(runs(with, noise.Secure{}), runs(without, noise.Secure{}), 0.9999); got > 1 {
		t.Errorf("epsilon is at least %v, and 1 is claimed", got)
	}
	if got := noisetest.Audit(runs(with, third{}), runs(without, third{}), 0.99); got <= 1 {
		t.Errorf("a third of the noise was not caught: at least %v", got)
	}
}

// third is a bug: a third of the noise.
type third struct{}

func (third) Add(count, sensitivity int64, epsilon float64) (int64, error) {
	return noise.Secure{}.Add(count, sensitivity, 3*epsilon)
}

func TestPublishingStopsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Publish(ctx, some(t, 5), Params{Epsilon: ledger.One}, still{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAverageSlope(t *testing.T) {
	if got := AverageSlope([]float64{10, 6, 7, 1}); got != -9.0/4 {
		t.Errorf("got %v", got)
	}
}

// TestWhatBlocksMissIsEstimatedFromNoisyCells has two dimensions that say nearly
// the same, so that blocks miss what is off the diagonal together.
func TestWhatBlocksMissIsEstimatedFromNoisyCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	var rows [][]string
	for range 3000 {
		a := rng.IntN(16)
		rows = append(rows, []string{strconv.Itoa(a), strconv.Itoa((a*7 + rng.IntN(3)) % 16), strconv.Itoa(rng.IntN(8))})
	}
	c, err := Count(rowsOf(rows...), Domain{{Name: "a", Max: 15, Width: 1}, {Name: "b", Max: 15, Width: 1}, {Name: "c", Max: 7, Width: 1}}, 0)
	must(t, err)
	s := seed(6)
	var off, said [3]float64
	const n = 40
	for range n {
		r := publish(t, c, Params{Epsilon: ledger.One / 2}, s)
		for d := range off {
			answers, err := r.Slice([]int{d})
			must(t, err)
			truth := c.project([]int{d})
			for i, a := range answers {
				off[d] += math.Pow(a.Count-float64(truth[i]), 2) / float64(len(answers)) / n
			}
			said[d] += r.Misses[d] / n
		}
	}
	for d := range off {
		if ratio := math.Sqrt(said[d] / off[d]); ratio < 0.5 || ratio > 2 {
			t.Errorf("dimension %d: off by %v, estimated %v", d, math.Sqrt(off[d]), math.Sqrt(said[d]))
		}
	}
}
