// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/publish/link"
	"hide/internal/publish/link/compare"
)

// few has three people: 0, 1 and 4 are one, 2 and 3 another; 5 is the sister of 2.
var few = file{fields: peopleFields, rows: [][]string{
	{"Robert", "Miller", "1971-06-24", "Station Road", "12", "Leeds", ""},
	{"Bob", "Miller", "1971-06-24", "Station Rd", "12", "Leeds", "5551234567"},
	{"Grace", "Kelly", "1988-02-03", "Mill Lane", "7", "Hull", "5557654321"},
	{"Kelly", "Grace", "1988-02-03", "Mill Lane", "7", "", ""},
	{"Robert", "Millar", "1971-06-24", "Church Street", "88", "Oxford", "5551234567"},
	{"Anna", "Kelly", "1991-11-17", "Mill Lane", "7", "Hull", "5557654321"},
}}

func TestAFewPeople(t *testing.T) {
	result := few.run(t, link.Options{})
	if want := [][]int{{0, 1, 4}, {2, 3}}; !reflect.DeepEqual(result.Clusters, want) {
		t.Errorf("clusters %v, want %v", result.Clusters, want)
	}
}

func TestPeopleWithErrorsAreFound(t *testing.T) {
	for seed := range uint64(3) {
		f := invent(seed, 100)
		if got := f.f1(f.run(t, link.Options{})); got < .94 {
			t.Errorf("seed %d: F1 %.4f", seed, got)
		}
	}
}

// TestEveryPairIsScoredExactly compares the pairs that are kept with the waterfalls of all
// pairs, which are scored without bounds.
func TestEveryPairIsScoredExactly(t *testing.T) {
	for seed := range uint64(3) {
		f := invent(seed, 14)
		f.move(rand.New(rand.NewPCG(seed, 3)))
		// A second street makes twin fields.
		f.fields = append(slices.Clone(f.fields), link.Field{Name: "street 2", Kind: compare.Street}, link.Field{Name: "sex", Kind: compare.Sex})
		for i, row := range f.rows {
			f.rows[i] = append(row, f.rows[(i+1)%len(f.rows)][3], []string{"f", "m"}[f.person[i]%2])
			if i%7 == 0 {
				f.rows[i][3], f.rows[i][7] = f.rows[i][7], f.rows[i][3]
			}
		}
		config := link.Default(f.fields)
		result := run(t, f.records(), config, link.Options{Seed: seed})
		kept := map[[2]int]link.Pair{}
		for _, p := range result.Pairs {
			kept[[2]int{p.A, p.B}] = p
		}
		for b := range f.rows {
			for a := range b {
				odds := 0.
				for _, bar := range result.Waterfall(a, b) {
					odds += bar.Bits
				}
				p := 1 / (1 + math.Exp2(-odds))
				got, isKept := kept[[2]int{a, b}]
				if isKept != (p >= config.Review) || isKept && math.Abs(got.Probability-p) > 1e-9 {
					t.Fatalf("seed %d, records %d and %d: probability %v (kept %v), the waterfall says %v", seed, a, b, got.Probability, isKept, p)
				}
			}
		}
	}
}

func TestTheOrderOfRowsDoesNotMatter(t *testing.T) {
	f := invent(5, 40)
	want := f.run(t, link.Options{})
	for seed := range uint64(3) {
		to := rand.New(rand.NewPCG(seed, 2)).Perm(len(f.rows)) // the new place of each row
		g := file{fields: f.fields, rows: make([][]string, len(f.rows))}
		for from, at := range to {
			g.rows[at] = f.rows[from]
		}
		got := g.run(t, link.Options{Workers: 3})
		if !reflect.DeepEqual(got.Model, want.Model) || !reflect.DeepEqual(got.Rules, want.Rules) || !reflect.DeepEqual(got.Errors, want.Errors) || !reflect.DeepEqual(got.Histogram, want.Histogram) {
			t.Fatalf("seed %d: another model or other figures", seed)
		}
		var pairs []link.Pair
		for _, p := range want.Pairs {
			a, b := to[p.A], to[p.B]
			p.A, p.B = min(a, b), max(a, b)
			pairs = append(pairs, p)
		}
		// Equal records may change places.
		byRecords := func(a, b link.Pair) int {
			return cmp.Or(cmp.Compare(b.Probability, a.Probability), a.A-b.A, a.B-b.B)
		}
		slices.SortFunc(pairs, byRecords)
		slices.SortFunc(got.Pairs, byRecords)
		if !reflect.DeepEqual(got.Pairs, pairs) {
			t.Fatalf("seed %d: other pairs", seed)
		}
		var clusters [][]int
		for _, members := range want.Clusters {
			var moved []int
			for _, m := range members {
				moved = append(moved, to[m])
			}
			slices.Sort(moved)
			clusters = append(clusters, moved)
		}
		slices.SortFunc(clusters, func(a, b []int) int { return a[0] - b[0] })
		if !reflect.DeepEqual(got.Clusters, clusters) {
			t.Fatalf("seed %d: clusters %v, want %v", seed, got.Clusters, clusters)
		}
	}
}

// TestTheModelIsRecovered simulates two records each of many people with known error rates.
func TestTheModelIsRecovered(t *testing.T) {
	fields := []link.Field{{Name: "a", Kind: compare.Text}, {Name: "b", Kind: compare.Middle}, {Name: "c", Kind: compare.Place}, {Name: "d", Kind: compare.Email}}
	const people, values = 700, 60
	errorRates := []float64{.05, .1, .2, .3}
	rng := rand.New(rand.NewPCG(9, 9))
	value := func() string { return fmt.Sprintf("%c%c%c", 'a'+rng.IntN(3), 'k'+rng.IntN(5), 't'+rng.IntN(4)) }
	records := link.NewRecords(fields)
	for range people {
		row := []string{value(), value(), value(), value()}
		records.Add(cells(row)...)
		for i, rate := range errorRates {
			if rng.Float64() < rate {
				row[i] = value()
			}
		}
		records.Add(cells(row)...)
	}
	config := link.Default(fields)
	config.Rules = []link.Rule{{{Field: "a"}, {Field: "b"}}, {{Field: "c"}, {Field: "d"}}, {{Field: "a"}, {Field: "c"}}}
	result := run(t, records, config, link.Options{})
	for i, rate := range errorRates {
		m, u := result.Model.Fields[i].Levels[0].M, result.Model.Fields[i].Levels[0].U
		if want := 1 - rate*(1-1./values); math.Abs(m-want) > .04 {
			t.Errorf("field %d: m %.3f, simulated %.3f", i, m, want)
		}
		if want := 1. / values; math.Abs(u-want) > .1*want {
			t.Errorf("field %d: u %.5f, simulated %.5f", i, u, want)
		}
	}
	if got := result.Model.Matches; math.Abs(got-people) > .08*people {
		t.Errorf("%.0f matches estimated, %d simulated", got, people)
	}
}

// TestTheErrorsAreEstimated compares the estimates at the link threshold with the truth.
func TestTheErrorsAreEstimated(t *testing.T) {
	falseLinks, missed, estimated := errorsOf(t, 4, func(seed uint64) file { return invent(100+seed, 80) })
	if estimated.FalseLinks > 2*falseLinks+6 || falseLinks > 2*estimated.FalseLinks+6 {
		t.Errorf("%.1f false links estimated, %.0f true", estimated.FalseLinks, falseLinks)
	}
	if estimated.Missed > 2*missed+6 || missed > 2*estimated.Missed+6 {
		t.Errorf("%.1f missed matches estimated, %.0f true", estimated.Missed, missed)
	}
}

// TestMissedMatchesOfPeopleWhoMoveAreEstimated has people whose telephone changes with their
// address: the two disagree together, not independently.
func TestMissedMatchesOfPeopleWhoMoveAreEstimated(t *testing.T) {
	_, missed, estimated := errorsOf(t, 4, func(seed uint64) file {
		f := invent(300+seed, 120)
		f.move(rand.New(rand.NewPCG(seed, 2)))
		return f
	})
	if missed < 40 || estimated.Missed < .65*missed || estimated.Missed > 1.5*missed {
		t.Errorf("%.1f missed matches estimated, %.0f true", estimated.Missed, missed)
	}
}

// errorsOf sums the false links and the missed matches at the link threshold, and their
// estimates, over files.
func errorsOf(t *testing.T, files uint64, make func(seed uint64) file) (falseLinks, missed float64, estimated link.Estimate) {
	for seed := range files {
		f := make(seed)
		result := f.run(t, link.Options{})
		estimated.FalseLinks += result.Errors.At.FalseLinks
		estimated.Missed += result.Errors.At.Missed
		for i := range f.person {
			for j := range i {
				if f.person[i] == f.person[j] {
					missed++
				}
			}
		}
		for _, p := range result.Pairs {
			if p.Probability < .5 {
				continue
			}
			if f.person[p.A] == f.person[p.B] {
				missed--
			} else {
				falseLinks++
			}
		}
	}
	return falseLinks, missed, estimated
}

// TestUnseenMatchesAreEstimated has two rules, and counts the matches that neither gives.
func TestUnseenMatchesAreEstimated(t *testing.T) {
	estimated, unseen := 0., 0.
	for seed := range uint64(4) {
		f := invent(200+seed, 100)
		config := link.Default(f.fields)
		config.Every, config.Rules = 0, []link.Rule{{{Field: "born"}}, {{Field: "phone"}}}
		result := run(t, f.records(), config, link.Options{})
		estimated += result.Errors.Unseen
		for i, a := range f.rows {
			for j, b := range f.rows[:i] {
				if f.person[i] == f.person[j] && (a[2] != b[2] || a[2] == "") && (a[6] != b[6] || a[6] == "") {
					unseen++
				}
			}
		}
	}
	if unseen < 40 || estimated < .7*unseen || estimated > 1.4*unseen {
		t.Errorf("%.1f unseen matches estimated, %.0f true", estimated, unseen)
	}
}

func TestEstimatesAreConsistent(t *testing.T) {
	f := invent(3, 60)
	result := f.run(t, link.Options{})
	for _, e := range result.Errors.Thresholds {
		links, expected := 0, 0.
		for _, p := range result.Pairs {
			if p.Probability >= e.Threshold {
				links++
				expected += p.Probability
			}
		}
		if e.Links != links || math.Abs(e.FalseLinks-(float64(links)-expected)) > 1e-6 {
			t.Errorf("threshold %v: %d links with %.3f false, want %d with %.3f", e.Threshold, e.Links, e.FalseLinks, links, float64(links)-expected)
		}
		if math.Abs(e.Missed+expected-result.Errors.Matches-result.Errors.Unseen) > 1e-6 {
			t.Errorf("threshold %v: missed %.3f", e.Threshold, e.Missed)
		}
	}
	pairs := 0
	for _, bin := range result.Histogram {
		pairs += bin.Pairs
	}
	if pairs != result.Compared || pairs != len(f.rows)*(len(f.rows)-1)/2 {
		t.Errorf("%d pairs in the histogram, %d compared, of %d records", pairs, result.Compared, len(f.rows))
	}
}

func TestCancelling(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := link.Run(ctx, few.records(), link.Default(few.fields), link.Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestProgressEndsComplete(t *testing.T) {
	last, all := 0, 0
	f := invent(1, 60)
	f.run(t, link.Options{Workers: 2, Progress: func(done, total int) {
		if done != last+1 {
			t.Errorf("%d done after %d", done, last)
		}
		last, all = done, total
	}})
	if last == 0 || last != all {
		t.Errorf("%d of %d done", last, all)
	}
}

func TestValuesAreNotPrinted(t *testing.T) {
	records := few.records()
	result := few.run(t, link.Options{})
	for _, text := range []string{fmt.Sprint(records), fmt.Sprintf("%+v", *records), fmt.Sprintf("%#v", records), fmt.Sprintf("%+v %#v", result, result)} {
		if strings.Contains(strings.ToLower(text), "miller") {
			t.Error("a print shows values")
		}
	}
}
