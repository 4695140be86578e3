// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"slices"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

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
