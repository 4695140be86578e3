// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"math"
	"slices"

	"hide/internal/annotate"
	"hide/internal/publish/release"
	"hide/internal/publish/table"
)

// publishedCut cuts like rx-anon's program (partitioning.py, __split_partition): numbers
// at < and >= of the median, all else after half of the different values, without a
// second try if one side is too small.
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

// PublishedGDF is rx-anon's published program for Algorithm 2 with its defects, for
// comparison. Terms used by one partitioning are missing in the next: the paper's
// experiment runs it for each k in turn.
type PublishedGDF struct {
	view   *View
	gone   []bool  // [term] was popped from the program's dictionary
	order  []int32 // in the order of the program's dictionary: by type, then by first occurrence
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

// next is __next_entity_column: the term with the highest share among the persons with
// any term of its type, -1 if no term has k persons.
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

// Statement is the statement of each release.
const Statement = "Weak privacy, for recipients under agreement: each person shares the quasi-identifiers and the set of sensitive terms that were found with at least k-1 others. " +
	"This is not anonymity: what was not found stays in the text, and so does how the notes are written."

// Claims are what a release claims.
type Claims struct {
	K          int               `json:"k"`
	Parameters Parameters        `json:"parameters"`
	Columns    []Column          `json:"columns"`
	Counts     Counts            `json:"counts"`
	Known      Known             `json:"known_identifiers,omitzero"`
	Attack     *release.Attacked `json:"attack,omitempty"`
}

// Known counts the places of identifiers that structured data gives, in any form, and those
// that are readable in the release. It is zero if there are none.
type Known struct {
	Found     int `json:"found"`
	Remaining int `json:"remaining"`
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

// Recoding is the released form of the classes of a partition.
type Recoding struct {
	view    *View
	classes [][]int
	of      []int          // [person] class
	Cells   [][]table.Cell // [class][quasi-identifier]
	kept    [][]int32      // [class] sorted terms that all of the class have
	surface [][]string     // [class] as kept: how each is written
}

// Recode generalizes each class separately (local recoding; rx-anon, section 4.2): each
// quasi-identifier to the least general value that covers all values of the class. Terms
// that every person of the class has are kept. It checks ctx before each class.
func (v *View) Recode(ctx context.Context, p Partition) (*Recoding, error) {
	r := &Recoding{view: v, classes: p.Classes, of: make([]int, len(v.people))}
	for class, people := range p.Classes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		cells := make([]table.Cell, len(v.columns))
		for i, column := range v.columns {
			cells[i] = column.GeneralizeSorted(v.unionOf(i, people))
		}
		for _, who := range people {
			r.of[who] = class
		}
		kept := v.common(people)
		r.Cells, r.kept = append(r.Cells, cells), append(r.kept, kept)
		r.surface = append(r.surface, v.surfaces(people, kept))
	}
	return r, nil
}

// common are the terms that all of some persons have.
func (v *View) common(people []int) []int32 {
	kept := slices.Clone(v.people[people[0]].terms)
	for _, who := range people[1:] {
		kept = slices.DeleteFunc(kept, func(term int32) bool { return !v.people[who].has(term) })
	}
	return kept
}

// surfaces gives each kept term one spelling per class: the most frequent in its texts,
// of equals the first by bytes. Different spellings would distinguish the persons of a
// class.
func (v *View) surfaces(people []int, kept []int32) []string {
	if len(kept) == 0 {
		return nil
	}
	counts := make([]map[string]int, len(kept))
	v.eachMention(people, func(text string, m mention) {
		if i, stays := slices.BinarySearch(kept, m.term); m.kind == plain && stays {
			if counts[i] == nil {
				counts[i] = map[string]int{}
			}
			counts[i][m.span.Surface(text)]++
		}
	})
	out := make([]string, len(kept))
	for i, forms := range counts {
		most := 0
		for form, n := range forms {
			if n > most || n == most && form < out[i] {
				out[i], most = form, n
			}
		}
	}
	return out
}

func (v *View) eachMention(people []int, fn func(text string, m mention)) {
	for _, who := range people {
		for _, row := range v.people[who].rows {
			for i, mentions := range v.mentions[row] {
				for _, m := range mentions {
					fn(v.rows[row].Texts[i].Text, m)
				}
			}
		}
	}
}

// How says what happened to a sensitive term.
type How string

const (
	Kept       How = "kept"       // kept, because everybody in the class has it
	Recoded    How = "recoded"    // repeats an attribute, and is written as the attribute is released
	Suppressed How = "suppressed" // replaced by its type
)

// Place is the place of a sensitive term, in bytes of the released text.
type Place struct {
	Start, End annotate.ByteOff
	Type       annotate.Label
	How        How
	Attribute  string // of a recoded one
}

// Placeholder replaces a suppressed term of a type.
func Placeholder(label annotate.Label) string { return "[" + string(label) + "]" }

// becomes is the replacement of a mention in the texts of a class.
func (r *Recoding) becomes(class int, text string, m mention) (string, How) {
	surface := m.span.Surface(text)
	switch m.kind {
	case plain:
		if i, stays := slices.BinarySearch(r.kept[class], m.term); stays {
			return r.surface[class][i], Kept
		}
	case redundant:
		if value := r.Cells[class][m.column].Text; value != table.Suppressed {
			if m.reading.yearOnly() && value[0] != '[' {
				value = value[:4] // the class's date is more exact than the term was
			}
			return surface[:m.from] + value + surface[m.to:], Recoded
		}
	}
	return Placeholder(m.label), Suppressed
}

// Rewrite is the released text of a row: unchanged between sensitive terms.
func (r *Recoding) Rewrite(row, text, class int) (string, []Place) {
	original := r.view.rows[row].Texts[text].Text
	var out []byte
	var places []Place
	at := 0
	for _, m := range r.view.mentions[row][text] {
		if m.kind == unlisted {
			continue
		}
		becomes, how := r.becomes(class, original, m)
		out = append(out, original[at:m.span.Start]...)
		p := Place{Start: annotate.ByteOff(len(out)), Type: m.label, How: how}
		if how == Recoded {
			p.Attribute = r.view.columns[m.column].Name
		}
		out = append(out, becomes...)
		p.End = annotate.ByteOff(len(out))
		places, at = append(places, p), int(m.span.End)
	}
	return string(append(out, original[at:]...)), places
}
