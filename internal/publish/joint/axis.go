// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"math"
	"slices"
	"strings"

	"hide/internal/publish/table"
)

// axis is one quasi-identifier as Mondrian cuts it, relational or a type of terms.
type axis struct {
	name    string
	textual bool
	bias    float64
	metric  bool      // distances between keys mean something: numbers and dates
	dates   bool      // of metric ones
	keys    []float64 // [person]; missing for one who has no value
	text    int       // of a textual one: index of View.types
}

// missing orders persons without a value after all others.
var missing = math.Inf(1)

// axes makes the quasi-identifiers that lambda admits, in the order in which ties
// go (notes of rx-anon's program, k_anonymity.py): with lambda 0 only textual
// ones, with 1 only relational ones, from 0.5 relational ones first. Types with
// the fewest terms come first among the textual ones.
func (v *View) axes(lambda float64) []axis {
	relational, textual := v.relationalAxes(), v.textualAxes()
	switch {
	case lambda == 0:
		return textual
	case lambda == 1:
		return relational
	case lambda >= 0.5:
		return append(relational, textual...)
	}
	return append(textual, relational...)
}

func (v *View) relationalAxes() []axis {
	var all []axis
	quasi := v.Config.with(table.Quasi)
	for i, c := range v.columns {
		a := axis{name: c.Name, bias: v.Config.Attributes[quasi[i]].Bias, metric: c.Numbers != nil, dates: c.Kind == table.Date, keys: make([]float64, len(v.people))}
		for who, codes := range v.cells[i] {
			a.keys[who] = keyOf(c, codes)
		}
		all = append(all, a)
	}
	return all
}

// keyOf is where a person with a set of values stands on a column: at their mean,
// or where the mean says nothing, at the first.
func keyOf(c *table.Column, codes []int32) float64 {
	if c.IsMissing(codes[len(codes)-1]) {
		codes = codes[:len(codes)-1]
	}
	if len(codes) == 0 {
		return missing
	}
	if c.Numbers == nil {
		return float64(codes[0])
	}
	sum := 0.0
	for _, code := range codes {
		sum += c.Numbers[code]
	}
	return sum / float64(len(codes))
}

func (v *View) textualAxes() []axis {
	order := make([]int, len(v.types))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if d := v.types[a].size() - v.types[b].size(); d != 0 {
			return d
		}
		return strings.Compare(v.typeName(a), v.typeName(b))
	})
	all := make([]axis, len(order))
	for i, t := range order {
		all[i] = axis{name: v.typeName(t), textual: true, text: t, keys: v.modalTerms(t)}
	}
	return all
}

func (t termType) size() int { return int(t.to - t.from) }

// typeName is a text attribute and a type as rx-anon's program writes them:
// text_PERSON.
func (v *View) typeName(t int) string {
	return v.Config.TextAttributes()[v.types[t].text] + "_" + string(v.types[t].label)
}

// modalTerms gives for each person the term of a type that the person's texts have
// most often; of equals the first in the order of terms.
func (v *View) modalTerms(t int) []float64 {
	keys, count := make([]float64, len(v.people)), map[int32]int{}
	for i, p := range v.people {
		clear(count)
		keys[i] = missing
		most := 0
		for _, row := range p.rows {
			for _, m := range v.mentions[row][v.types[t].text] {
				if m.kind == plain && v.types[t].from <= m.term && m.term < v.types[t].to {
					count[m.term]++
				}
			}
		}
		for _, term := range p.terms {
			if n := count[term]; n > most {
				most, keys[i] = n, float64(term)
			}
		}
	}
	return keys
}

// span is how far a partition reaches on an axis: from the least key to the
// greatest of a metric one, else the number of different keys. Missing is one key
// more; together with others it makes the span of a metric axis whole, which is
// given as full.
func (a axis) span(people []int, full float64) float64 {
	if !a.metric {
		seen := map[float64]bool{}
		for _, p := range people {
			seen[a.keys[p]] = true
		}
		return float64(len(seen))
	}
	lo, hi, gaps := missing, -missing, 0
	for _, p := range people {
		if a.keys[p] == missing {
			gaps++
			continue
		}
		lo, hi = min(lo, a.keys[p]), max(hi, a.keys[p])
	}
	switch {
	case gaps == len(people):
		return 0
	case gaps > 0:
		return max(full, hi-lo, 1)
	}
	return hi - lo
}
