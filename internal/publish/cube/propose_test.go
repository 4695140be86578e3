// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hide/internal/publish/ledger"
)

// numbered is a domain of dimensions of these sizes, and n rows of which more are
// in the first categories.
func numbered(t *testing.T, n int, sizes ...int) *Counts {
	t.Helper()
	var d Domain
	for i, size := range sizes {
		d = append(d, Dimension{Name: fmt.Sprint("d", i), Min: 0, Max: float64(size - 1), Width: 1})
		if size == 1 {
			t.Fatal("a dimension of one bin is refused")
		}
	}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	rows := make([][]string, n)
	for i := range rows {
		for _, size := range sizes {
			rows[i] = append(rows[i], fmt.Sprint(min(rng.IntN(size), rng.IntN(size))))
		}
	}
	c, err := Count(rowsOf(rows...), d, 0)
	must(t, err)
	return c
}

// TestEstimatesAreWhatReleasesAreOff holds estimates against releases of generated
// tables: those from the noise alone closely, that of blocks within a factor of 4.
func TestEstimatesAreWhatReleasesAreOff(t *testing.T) {
	for _, sizes := range [][]int{{2, 6}, {4, 6, 5}, {10, 10, 10}, {20, 10, 8, 3}} {
		for _, n := range []int{300, 3000} {
			c := numbered(t, n, sizes...)
			tables := c.Domain.pairs()
			var dims [][]int
			for _, names := range tables {
				var set []int
				for _, name := range names {
					set = append(set, c.Domain.Find(name))
				}
				dims = append(dims, set)
			}
			w := NewWorkload(c, dims, 0, 1)
			for _, choice := range c.Domain.Choices(Plan{Bound: 1, Epsilon: ledger.One / 2, Units: float64(n)}) {
				off := 0.0
				const runs = 10
				for i := range uint64(runs) {
					r := publish(t, c, Params{Method: choice.Method, Marginals: choice.Marginals, Epsilon: ledger.One / 2}, seed(i))
					each, err := w.SliceErrors(r)
					must(t, err)
					off += total(each) / float64(len(each)) / runs
				}
				within := 1.6
				if choice.Method == DPCube {
					within = 4
				}
				if off > within*choice.Error || off < choice.Error/within {
					t.Errorf("%v, %d rows, %s: off by %.2f, estimated %.2f", sizes, n, choice.Method, off, choice.Error)
				}
			}
		}
	}
}

// TestTheChoiceFollowsFromPublicNumbers is about what is proposed.
func TestTheChoiceFollowsFromPublicNumbers(t *testing.T) {
	dims := func(sizes ...int) (d Domain) {
		for i, size := range sizes {
			d = append(d, Dimension{Name: fmt.Sprint("d", i), Min: 0, Max: float64(size - 1), Width: 1})
		}
		return d
	}
	for name, c := range map[string]struct {
		d    Domain
		p    Plan
		want Method
	}{
		"small":                    {dims(2, 7), Plan{Bound: 1, Epsilon: ledger.One}, Identity},
		"one dimension":            {dims(50), Plan{Bound: 1, Epsilon: ledger.One}, Identity},
		"large and few people":     {dims(74, 2, 2, 16, 7, 5), Plan{Bound: 1, Epsilon: ledger.One / 10, Units: 3000}, DPCube},
		"large and one table":      {dims(74, 2, 2, 16, 7, 5), Plan{Bound: 1, Epsilon: ledger.One / 10, Units: 30_000, Marginals: [][]string{{"d0", "d1"}}}, Marginals},
		"too large to count whole": {dims(1000, 1000, 1000), Plan{Bound: 1, Epsilon: ledger.One}, Marginals},
		"middling and many people": {dims(10, 10, 10), Plan{Bound: 1, Epsilon: ledger.One, Units: 1e6}, Marginals},
	} {
		got := c.d.Choices(c.p)
		if len(got) == 0 || got[0].Method != c.want {
			t.Errorf("%s: %+v", name, got)
		}
		for i := 1; i < len(got); i++ {
			if got[i].Error < got[i-1].Error || math.IsNaN(got[i].Error) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
	if got := dims(5, 5).named([][]string{{"d0"}, {"d1", "d0"}, {"d0", "d1"}, {"d1"}}); len(got) != 1 || len(got[0]) != 2 {
		t.Errorf("%v", got)
	}
	if got := dims(1000, 1000, 1000).Choices(Plan{Bound: 1, Epsilon: 1}); len(got) != 0 {
		t.Errorf("a millionth pays for %+v", got)
	}
}

// TestOneCountForAllIsForetoldByItsWorstCase: 500 units in one of two categories are
// 250 off in each, and half the noise; pairs of categories have more of them.
func TestOneCountForAllIsForetoldByItsWorstCase(t *testing.T) {
	d := Domain{{Name: "sex", Values: []string{"F", "M"}}, {Name: "ward", Values: []string{"a", "b", "c", "d"}}}
	p := Plan{Bound: 1, Epsilon: ledger.One, Units: 500, Marginals: [][]string{{"sex"}}}
	if least, most := d.Uniform(p); least != 0.5 || most != 250.5 {
		t.Errorf("%v to %v, want 0.5 to 250.5", least, most)
	}
	p.Marginals = nil
	least, most := d.Uniform(p)
	if want := (1.0/2 + 1.0/4 + 1.0/8) / 3; math.Abs(least-want) > 1e-12 {
		t.Errorf("at least %v, want %v", least, want)
	}
	if want := least + (250+187.5+1000*7.0/64)/3; math.Abs(most-want) > 1e-9 {
		t.Errorf("at most %v, want %v", most, want)
	}
}
