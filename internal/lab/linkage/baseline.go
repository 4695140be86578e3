// SPDX-License-Identifier: Apache-2.0

package linkage

import (
	"cmp"
	"slices"
	"strings"

	"hide/internal/publish/link/score"
)

// rule is a deterministic rule: two records are of one person when the rule is met.
type rule struct {
	name string
	met  func(p pair, names float64) bool
}

// pair is how two records agree. A missing value agrees with nothing.
type pair struct {
	a, b         int
	equal        [identifier + 1]bool
	given, names float64 // similarity of the given names; the smaller of both names, in the better order
	date         bool    // birth dates differ in at most two digits
}

func (p pair) home() bool { return p.equal[number] && p.equal[postcode] }

// rules are "exact plus Jaro": one field or more must be equal, and names similar.
var rules = []rule{
	{"birth date and names", func(p pair, t float64) bool { return p.equal[birth] && p.names >= t }},
	{"telephone and names", func(p pair, t float64) bool { return p.equal[phone] && p.names >= t }},
	{"house number, postcode and names", func(p pair, t float64) bool { return p.home() && p.names >= t }},
	{"birth date, given name, and telephone or address", func(p pair, t float64) bool {
		return p.equal[birth] && p.given >= t && (p.equal[phone] || p.home())
	}},
	{"names, postcode, and a birth date with at most two other digits", func(p pair, t float64) bool {
		return p.date && p.equal[postcode] && p.names >= t
	}},
	{"birth date, telephone", func(p pair, _ float64) bool { return p.equal[birth] && p.equal[phone] && p.equal[sex] }},
	{"identifier", func(p pair, _ float64) bool { return p.equal[identifier] }},
}

// Baseline is the best of all combinations of rules and thresholds for names.
type Baseline struct {
	Rules []string
	Names float64 // least similarity of names
	Score score.Pairs
}

// thresholds are the similarities of names that are tried.
var thresholds = []float64{0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 1}

// BestBaseline links records by every subset of the rules, with every threshold, with and
// without chains, and returns the one with the fewest errors. It chooses by the truth, which
// no hospital has: nobody can choose better.
func BestBaseline(all []Record) Baseline {
	pairs := candidates(all)
	truth := make([]int, len(all))
	for i, r := range all {
		truth[i] = r.Person
	}
	best := Baseline{Score: score.Clusters(truth, nil)}
	for _, t := range thresholds {
		met := make([]uint, len(pairs)) // rules that a pair meets, as bits
		for i, p := range pairs {
			for k, r := range rules {
				if r.met(p, t) {
					met[i] |= 1 << k
				}
			}
		}
		for set := uint(1); set < 1<<len(rules); set++ {
			b := linkBy(pairs, met, set, truth)
			if b.Score.Errors() < best.Score.Errors() {
				b.Names = t
				best = b
			}
		}
	}
	return best
}

// linkBy links by a set of rules.
func linkBy(pairs []pair, met []uint, set uint, truth []int) Baseline {
	var b Baseline
	for k, r := range rules {
		if set&(1<<k) != 0 {
			b.Rules = append(b.Rules, r.name)
		}
	}
	var linked [][2]int
	for i, p := range pairs {
		if met[i]&set != 0 {
			linked = append(linked, [2]int{p.a, p.b})
		}
	}
	b.Score = score.Linked(truth, linked)
	if chained := score.Clusters(truth, score.Components(len(truth), linked)); chained.Errors() < b.Score.Errors() {
		b.Score = chained
	}
	return b
}

// candidates are the pairs that can meet a rule: each rule needs one or two equal fields.
func candidates(all []Record) []pair {
	blocks := map[string][]int{}
	for i, r := range all {
		for _, key := range keys(r.Values) {
			blocks[key] = append(blocks[key], i)
		}
	}
	seen := map[[2]int]bool{}
	var out []pair
	for _, block := range blocks {
		for i, a := range block {
			for _, b := range block[i+1:] {
				if !seen[[2]int{a, b}] {
					seen[[2]int{a, b}] = true
					out = append(out, compared(all, a, b))
				}
			}
		}
	}
	slices.SortFunc(out, func(x, y pair) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
	return out
}

// keys are the blocks of a record.
func keys(v []string) []string {
	var out []string
	add := func(name string, values ...string) {
		if !slices.Contains(values, "") {
			out = append(out, name+strings.Join(values, "\n"))
		}
	}
	add("birth ", v[birth])
	add("phone ", v[phone])
	add("home ", v[number], v[postcode])
	if v[given] != "" && v[surname] != "" && v[postcode] != "" {
		// The first letters in both orders, because names may have changed places.
		first, last := min(v[given][:1], v[surname][:1]), max(v[given][:1], v[surname][:1])
		add("names ", v[postcode], first, last)
	}
	if len(v) > identifier {
		add("identifier ", v[identifier])
	}
	return out
}

// compared compares two records.
func compared(all []Record, i, j int) pair {
	a, b := all[i].Values, all[j].Values
	p := pair{a: i, b: j}
	for k := range a {
		p.equal[k] = a[k] != "" && a[k] == b[k]
	}
	if a[given] != "" && b[given] != "" {
		p.given = similarity(a[given], b[given])
	}
	if a[given] != "" && b[given] != "" && a[surname] != "" && b[surname] != "" {
		straight := min(p.given, similarity(a[surname], b[surname]))
		crossed := min(similarity(a[given], b[surname]), similarity(a[surname], b[given]))
		p.names = max(straight, crossed)
	}
	p.date = a[birth] != "" && b[birth] != "" && otherDigits(a[birth], b[birth]) <= 2
	return p
}

// otherDigits counts the places at which two dates differ.
func otherDigits(a, b string) int {
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
