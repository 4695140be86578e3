// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/publish/link"
	"hide/internal/publish/link/compare"
)

// TestRulesGiveThePairsThatHaveTheirKeys compares with a search through all pairs. Records have
// none, one or several of a few values, and belong to one file or two.
func TestRulesGiveThePairsThatHaveTheirKeys(t *testing.T) {
	fields := []link.Field{{Name: "a", Kind: compare.Text}, {Name: "b", Kind: compare.Text}, {Name: "c", Kind: compare.Text}}
	rules := []link.Rule{
		{{Field: "a"}},
		{{Field: "a", Part: link.First}, {Field: "b"}},
		{{Field: "a", Or: "c"}},
		{{Field: "c"}, {Field: "b"}, {Field: "a"}},
	}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		records, n, second := link.NewRecords(fields), 12+rng.IntN(20), 0
		var rows [][][]string
		for i := range n {
			if seed%3 == 0 && i == n/2 {
				records.NextFile()
				second = i
			}
			row := make([][]string, len(fields))
			for f := range row {
				for range rng.IntN(3) {
					row[f] = append(row[f], fmt.Sprintf("%cx%d", 'p'+rng.IntN(2), rng.IntN(3)))
				}
			}
			rows = append(rows, row)
			records.Add(row...)
		}
		config := link.Config{Rules: rules, Link: .5, Review: .5, MaxBlock: 1000}
		result := run(t, records, config, link.Options{Workers: 2})
		pairs, only, union := make([]int, len(rules)), make([]int, len(rules)), 0
		for j := range rows {
			for i := range j {
				if second > 0 && (i < second) == (j < second) {
					continue
				}
				var by []int
				for r, rule := range rules {
					if shareKey(fields, rule, rows[i], rows[j]) {
						by = append(by, r)
						pairs[r]++
					}
				}
				if len(by) > 0 {
					union++
				}
				if len(by) == 1 {
					only[by[0]]++
				}
			}
		}
		for r, size := range result.Rules {
			if size.Pairs != pairs[r] || size.Only != only[r] {
				t.Errorf("seed %d, rule %q: %d pairs, %d of them alone; want %d and %d", seed, size.Rule, size.Pairs, size.Only, pairs[r], only[r])
			}
		}
		if result.Compared != union {
			t.Errorf("seed %d: %d pairs compared, want %d", seed, result.Compared, union)
		}
	}
}

// shareKey reports whether two rows have a key of a rule in common.
func shareKey(fields []link.Field, rule link.Rule, a, b [][]string) bool {
	keysOf := func(row [][]string) []string {
		keys := []string{""}
		for _, k := range rule {
			var next []string
			for _, v := range valuesOf(fields, k, row) {
				for _, before := range keys {
					next = append(next, before+"|"+v)
				}
			}
			keys = next
		}
		return keys
	}
	other := keysOf(b)
	return slices.ContainsFunc(keysOf(a), func(k string) bool { return slices.Contains(other, k) })
}

func valuesOf(fields []link.Field, k link.Key, row [][]string) (values []string) {
	at := func(name string) int {
		return slices.IndexFunc(fields, func(f link.Field) bool { return f.Name == name })
	}
	for _, v := range row[at(k.Field)] {
		if k.Part == link.First {
			v = v[:1]
		}
		if k.Or == "" {
			values = append(values, v)
			continue
		}
		for _, w := range row[at(k.Or)] {
			values = append(values, min(v, w)+"&"+max(v, w))
		}
	}
	return values
}

func TestPartsOfValues(t *testing.T) {
	for _, test := range []struct {
		kind compare.Kind
		part link.Part
		a, b string
		want bool
	}{
		{compare.Surname, link.Whole, "Miller", "MILLER", true},
		{compare.Surname, link.Whole, "Miller", "Millar", false},
		{compare.Surname, link.First, "Miller", "Moss", true},
		{compare.Surname, link.First, "Miller", "Abel", false},
		{compare.Surname, link.Prefix, "Miller", "Millar", true},
		{compare.Surname, link.Prefix, "Miller", "Mueller", false},
		{compare.Surname, link.Sound, "Miller", "Muller", true},
		{compare.Surname, link.Sound, "Robert", "Rupert", true},
		{compare.Surname, link.Sound, "Robert", "Rubin", false},
		{compare.Surname, link.Sound, "Иванов", "Иванов", true},
		{compare.Surname, link.Sound, "Иванов", "Петров", false},
		{compare.BirthDate, link.Year, "1971-06-24", "1971-01-02", true},
		{compare.BirthDate, link.Year, "1971-06-24", "1972-06-24", false},
		{compare.BirthDate, link.Day, "1971-06-24", "1972-06-24", true},
		{compare.BirthDate, link.Day, "1971-06-24", "1971-06-25", false},
		{compare.Phone, link.LastFour, "555 123 4567", "544 999 4567", true},
		{compare.Phone, link.LastFour, "555 123 4567", "555 123 4568", false},
	} {
		t.Run(fmt.Sprintf("%s of %s and %s", test.part, test.a, test.b), func(t *testing.T) {
			records := link.NewRecords([]link.Field{{Name: "f", Kind: test.kind}})
			records.Add([]string{test.a})
			records.Add([]string{test.b})
			config := link.Config{Rules: []link.Rule{{{Field: "f", Part: test.part}}}, Link: .5, Review: .1}
			if got := run(t, records, config, link.Options{}).Rules[0].Pairs == 1; got != test.want {
				t.Errorf("in common: %v, want %v", got, test.want)
			}
		})
	}
}

// TestLargeBlocksAreBounded has 6,000 records of one surname. The rule is refined by the other
// fields, and what they do not refine is cut.
func TestLargeBlocksAreBounded(t *testing.T) {
	const n, limit = 6000, 30
	fields := []link.Field{{Name: "given", Kind: compare.Given}, {Name: "surname", Kind: compare.Surname}, {Name: "born", Kind: compare.BirthDate}}
	records, rng := link.NewRecords(fields), rand.New(rand.NewPCG(1, 1))
	for i := range n {
		given, born := givens[rng.IntN(len(givens))], fmt.Sprintf("%d-03-04", 1950+rng.IntN(60))
		if i%3 == 0 {
			given, born = fmt.Sprintf("R%c%c%c", 'a'+rng.IntN(26), 'a'+rng.IntN(26), 'a'+rng.IntN(26)), "1970-01-02"
		}
		records.Add([]string{given}, []string{"Miller"}, []string{born})
	}
	config := link.Default(fields)
	config.Rules, config.MaxBlock = []link.Rule{{{Field: "surname"}}}, limit
	size := run(t, records, config, link.Options{}).Rules[0]
	if size.Largest < n*9/10 || size.Refined != 1 || size.Cut == 0 || size.Limit != limit {
		t.Errorf("%+v", size)
	}
	if size.Pairs > n*limit || size.Pairs < n {
		t.Errorf("%d pairs of %d records", size.Pairs, n)
	}
}
