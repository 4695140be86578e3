// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"math"
	"slices"

	"hide/internal/publish/table"
)

// publishedCut is how rx-anon's program cuts (partitioning.py, __split_partition):
// numbers at < and >= of the median, all else after half of the different values,
// without another try when one side is too small.
func publishedCut(a axis, people []int) (left, right []int) {
	keys := make([]float64, len(people))
	for i, p := range people {
		keys[i] = a.keys[p]
	}
	slices.Sort(keys)
	if a.metric && !a.dates {
		n := len(keys)
		for n > 0 && math.IsInf(keys[n-1], 1) {
			n-- // the program drops rows with a missing number
		}
		if n == 0 {
			return nil, nil
		}
		median := (keys[(n-1)/2] + keys[n/2]) / 2
		return part(people, func(p int) bool { return a.keys[p] < median })
	}
	keys = slices.Compact(keys)
	if len(keys) < 2 {
		return nil, nil
	}
	first := keys[len(keys)/2]
	return part(people, func(p int) bool { return a.keys[p] < first })
}

// PublishedGDF is rx-anon's program for Algorithm 2 as it was published, with its
// defects, to compare with. Terms that one partitioning used up are gone for the
// next: the paper's experiment asks the same one for each k in turn.
type PublishedGDF struct {
	view   *View
	gone   []bool  // [term] was popped from the program's dictionary
	order  []int32 // terms as the program's dictionary has them: by type, then as it met them
	typeOf []int   // [term] index of View.types
}

// PublishedGDF starts with all terms.
func (v *View) PublishedGDF() *PublishedGDF {
	g := &PublishedGDF{view: v, gone: make([]bool, len(v.terms)), typeOf: make([]int, len(v.terms))}
	for _, a := range v.textualAxes() {
		t := v.types[a.text]
		for _, term := range v.first {
			if t.from <= term && term < t.to {
				g.order = append(g.order, term)
				g.typeOf[term] = a.text
			}
		}
	}
	return g
}

// Partition is partition_gdf of the program.
func (g *PublishedGDF) Partition(ctx context.Context, k int) (Partition, error) {
	if err := g.view.checkSettings(&Settings{Strategy: GDF, K: k}); err != nil {
		return Partition{}, err
	}
	var out Partition
	for stack := [][]int{g.view.everybody()}; len(stack) > 0; {
		people := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := ctx.Err(); err != nil {
			return Partition{}, err
		}
		term := g.next(people, k)
		if len(people) <= k || term < 0 {
			out.Classes = append(out.Classes, people)
			continue
		}
		left, right := part(people, func(p int) bool { return g.view.people[p].has(term) })
		switch {
		case len(left) == 0 || len(right) == 0:
			g.gone[term] = true
			stack = append(stack, people)
		case len(left) < k || len(right) < k:
			out.Classes = append(out.Classes, people) // and tries no other term
		default:
			g.gone[term] = true
			out.Textual++
			stack = append(stack, right, left)
		}
	}
	return out, nil
}

// next is __next_entity_column: the term with the highest share among the persons
// who have any term of its type, -1 when none is had by k.
func (g *PublishedGDF) next(people []int, k int) int32 {
	count, holders := make([]int, len(g.gone)), make([]int, len(g.view.types))
	for _, p := range people {
		seen := -1
		for _, term := range g.view.people[p].terms { // sorted, so types come one after the other
			if g.gone[term] {
				continue
			}
			count[term]++
			if t := g.typeOf[term]; t != seen {
				seen = t
				holders[t]++
			}
		}
	}
	best, share := int32(-1), 0.0
	for _, term := range g.order {
		if s := float64(count[term]) / float64(holders[g.typeOf[term]]); count[term] >= k && s > share {
			best, share = term, s
		}
	}
	return best
}

// Statement is what each release says about itself.
const Statement = "Weak privacy, for recipients under agreement: each person shares the quasi-identifiers and the set of sensitive terms that were found with at least k-1 others. " +
	"This is not anonymity: what was not found stays in the text, and so does how the notes are written."

// Claims are what a release claims.
type Claims struct {
	K          int        `json:"k"`
	Parameters Parameters `json:"parameters"`
	Columns    []Column   `json:"columns"`
	Counts     Counts     `json:"counts"`
}

// Parameters are how the equivalence classes were found.
type Parameters struct {
	Strategy Strategy `json:"strategy"`
	Lambda   float64  `json:"lambda"`
	Cut      Cut      `json:"cut,omitempty"`
}

// Counts can all be recomputed from the release.
type Counts struct {
	Persons    int `json:"persons"`
	Rows       int `json:"rows"`
	Kept       int `json:"kept"`
	Recoded    int `json:"recoded"`
	Suppressed int `json:"suppressed"`
}

// Claims are those of a release with this report.
func (v *View) Claims(r Report) Claims {
	return Claims{
		K: r.K, Parameters: Parameters{r.Strategy, r.Lambda, r.Cut}, Columns: v.Columns(),
		Counts: Counts{r.Persons, r.Rows, r.Mentions.Kept, r.Mentions.Recoded, r.Mentions.Suppressed},
	}
}

// Column is one column of a release.
type Column struct {
	Name   string     `json:"name"`
	Role   table.Role `json:"role"`
	Kind   table.Kind `json:"kind,omitempty"`   // of a quasi-identifier
	Around []string   `json:"around,omitempty"` // of a quasi-identifier: words that may stand beside its value in a text
}

// Columns lists what is released: quasi-identifiers and insensitive attributes in
// the order of the configuration, and then the texts.
func (v *View) Columns() []Column {
	var columns, texts []Column
	for _, a := range v.Config.Attributes {
		switch a.Role {
		case table.Quasi:
			c := Column{Name: a.Name, Role: a.Role, Kind: a.Kind}
			if len(a.Entities) > 0 {
				c.Around = a.around()
			}
			columns = append(columns, c)
		case table.Insensitive:
			columns = append(columns, Column{Name: a.Name, Role: a.Role})
		case table.Text:
			texts = append(texts, Column{Name: a.Name, Role: a.Role})
		}
	}
	return append(columns, texts...)
}
