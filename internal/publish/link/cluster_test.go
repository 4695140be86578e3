// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/publish/link"
	"hide/internal/publish/link/compare"
)

// connected marks the records that links lead to from a record, without one of the links.
func connected(n int, links []link.Pair, from int, without int) []bool {
	reached := make([]bool, n)
	reached[from] = true
	for changed := true; changed; {
		changed = false
		for i, p := range links {
			if i != without && reached[p.A] != reached[p.B] {
				reached[p.A], reached[p.B], changed = true, true, true
			}
		}
	}
	return reached
}

// TestClustersAreConnected checks clusters, splits and bridges by searching from each record.
func TestClustersAreConnected(t *testing.T) {
	bridges, splits := 0, 0
	for seed := range uint64(8) {
		f := invent(40+seed, 30)
		result := f.run(t, link.Options{})
		of := result.ClusterOf()
		var links, inside []link.Pair
		for _, p := range result.Pairs {
			if p.Probability >= .5 {
				links = append(links, p)
				if of[p.A] >= 0 && of[p.A] == of[p.B] {
					inside = append(inside, p)
				}
			}
		}
		for c, members := range result.Clusters {
			if len(members) < 2 || !slices.IsSorted(members) || c > 0 && members[0] <= result.Clusters[c-1][0] {
				t.Fatalf("seed %d: cluster %d is %v", seed, c, members)
			}
			reached := connected(len(f.rows), inside, members[0], -1)
			for i := range reached {
				if reached[i] != slices.Contains(members, i) {
					t.Fatalf("seed %d: cluster %v is not what its links connect", seed, members)
				}
			}
		}
		for _, p := range links {
			refused := slices.ContainsFunc(result.Splits, func(s link.Split) bool { return s.A == p.A && s.B == p.B })
			if !refused && (of[p.A] < 0 || of[p.A] != of[p.B]) {
				t.Fatalf("seed %d: the link %v neither joins nor is refused", seed, p)
			}
		}
		checkBridges(t, result, inside)
		bridges, splits = bridges+len(result.Bridges), splits+len(result.Splits)
	}
	if bridges == 0 || splits == 0 {
		t.Errorf("%d bridges and %d splits to check", bridges, splits)
	}
}

// checkBridges removes each link of clusters of three or more and looks whether they fall apart.
func checkBridges(t *testing.T, result *link.Result, links []link.Pair) {
	t.Helper()
	of := result.ClusterOf()
	found := 0
	for i, p := range links {
		members := result.Clusters[of[p.A]]
		left := connected(result.Records, links, p.A, i)
		if len(members) < 3 || left[p.B] {
			continue
		}
		found++
		size := 0
		for _, m := range members {
			if left[m] {
				size++
			}
		}
		if !slices.ContainsFunc(result.Bridges, func(b link.Bridge) bool {
			return b.Pair == p && (b.Left == size && b.Right == len(members)-size || b.Right == size && b.Left == len(members)-size)
		}) {
			t.Fatalf("the bridge %v of %d and %d records is not listed", p, size, len(members)-size)
		}
	}
	if found != len(result.Bridges) {
		t.Fatalf("%d bridges, %d are listed", found, len(result.Bridges))
	}
	if !slices.IsSortedFunc(result.Bridges, func(a, b link.Bridge) int { return cmp.Compare(a.Probability, b.Probability) }) {
		t.Fatal("the bridges are not in order")
	}
}

func TestOneToOne(t *testing.T) {
	f := invent(8, 60)
	config := link.Default(f.fields)
	config.OneToOne = true
	result := run(t, f.records(), config, link.Options{})
	for _, members := range result.Clusters {
		if len(members) != 2 {
			t.Errorf("cluster %v", members)
		}
	}
	if len(result.Clusters) < 20 {
		t.Errorf("only %d clusters", len(result.Clusters))
	}
}

// TestTwoFiles links each file with the other only.
func TestTwoFiles(t *testing.T) {
	f := invent(9, 40)
	records, half := link.NewRecords(f.fields), len(f.rows)/2
	for i, row := range f.rows {
		if i == half {
			records.NextFile()
		}
		records.Add(cells(row)...)
	}
	records.Add(cells(f.rows[0])...)
	records.Add(cells(f.rows[1])...)
	result := run(t, records, link.Default(f.fields), link.Options{})
	if len(result.Pairs) == 0 || result.Model.Pairs != float64(half*(len(f.rows)+2-half)) {
		t.Errorf("%d pairs of %v", len(result.Pairs), result.Model.Pairs)
	}
	for _, p := range result.Pairs {
		if (p.A < half) == (p.B < half) {
			t.Errorf("the pair %d and %d is of one file", p.A, p.B)
		}
	}
}

// TestASmallFileAndALargeOne links one record, and few records, with very many: most pairs are of
// one file and tell nothing. u must be as exact as of one file.
func TestASmallFileAndALargeOne(t *testing.T) {
	fields := []link.Field{{Name: "surname", Kind: compare.Surname}, {Name: "sex", Kind: compare.Sex}}
	for _, small := range []int{1, 30} {
		rng := rand.New(rand.NewPCG(4, uint64(small)))
		records, women := link.NewRecords(fields), [2]float64{}
		for i := range 20_000 {
			if i == small {
				records.NextFile()
			}
			sex, file := "m", 0
			if i >= small {
				file = 1
			}
			if rng.IntN(4) == 0 {
				sex = "f"
				women[file]++
			}
			records.Add([]string{randomWord(rng, 5)}, []string{sex})
		}
		women[0] /= float64(small)
		women[1] /= 20_000 - float64(small)
		want := women[0]*women[1] + (1-women[0])*(1-women[1])
		result := run(t, records, link.Default(fields), link.Options{Seed: 1})
		if u := result.Model.Fields[1].Levels[0].U; math.Abs(u-want) > .005 {
			t.Errorf("%d records and 20,000: u of equal sexes is %.4f, want %.4f", small, u, want)
		}
	}
}
