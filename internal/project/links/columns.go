// SPDX-License-Identifier: Apache-2.0

package links

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"hide/internal/annotate/dictionary"
	"hide/internal/publish/link/columns"
	"hide/internal/publish/link/compare"
)

// recognise finds out what the structured fields are, and adds their values.
//
// A field whose values differ between the notes of one patient is about the note: its type, its
// date, the ward. Such a field says nothing of who the patient is.
func (g *gathering) recognise() {
	header := g.header()
	found := columns.Recognise(header, columns.Options{}, g.rows(header))
	use := map[string]columns.Column{}
	for _, c := range found {
		_, known := ofKind(c.Kind, c.Name)
		known = known || c.Kind == compare.FullName
		reason := c.Reason
		ofNote, words := g.varies(c.Name)
		switch {
		case c.Use != columns.Compared:
		case !known:
			reason = "it says nothing of who the patient is"
		case ofNote:
			reason = words
		default:
			use[c.Name] = c
			g.uses(c)
			continue
		}
		g.columns = append(g.columns, Column{c.Name, reason})
	}
	for _, e := range g.records {
		for _, v := range e.columns {
			if c, ok := use[v.column]; ok {
				e.column(c, v)
			}
		}
		e.columns = nil
	}
}

// header lists the names of all structured fields.
func (g *gathering) header() []string {
	names := map[string]bool{}
	for _, e := range g.records {
		for _, v := range e.columns {
			names[v.column] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// rows yields one row for each record, with the first value of each field.
func (g *gathering) rows(header []string) iter.Seq[[]string] {
	at := map[string]int{}
	for i, name := range header {
		at[name] = i
	}
	return func(yield func([]string) bool) {
		for _, e := range g.records {
			row := make([]string, len(header))
			for _, v := range e.columns {
				row[at[v.column]] = cmp.Or(row[at[v.column]], v.text)
			}
			if !yield(row) {
				return
			}
		}
	}
}

// fewRecords is how many records of several notes are needed to see that a field varies.
const fewRecords = 3

// varies reports whether a field has several values in most of the records that have several
// notes, and says so in words.
func (g *gathering) varies(column string) (bool, string) {
	several, differ := 0, 0
	for _, e := range g.records {
		values, notes := map[string]bool{}, 0
		for _, v := range e.columns {
			if v.column == column {
				values[dictionary.Fold(v.text)] = true
				notes++
			}
		}
		if notes < 2 {
			continue
		}
		several++
		if len(values) > 1 {
			differ++
		}
	}
	if several < fewRecords || 2*differ <= several {
		return false, ""
	}
	return true, fmt.Sprintf("it differs between the notes of %d of %d patients, so it is about the note", differ, several)
}

// uses records which field a column gives values to.
func (g *gathering) uses(c columns.Column) {
	fields := []field{given, middle, surname}
	if f, ok := ofKind(c.Kind, c.Name); ok {
		fields = []field{f}
	}
	for _, f := range fields {
		g.used[f] = append(g.used[f], "field "+c.Name+": "+c.Reason)
	}
}

// column adds a value of a recognised column.
func (e *evidence) column(c columns.Column, v columnValue) {
	f, _ := ofKind(c.Kind, c.Name)
	switch {
	case c.Clean(v.text) == "":
	case c.Kind == compare.FullName:
		e.names = append(e.names, mention(v.text, "", "", FromFields, v.doc))
	case c.Kind == compare.BirthDate || c.Kind == compare.Sex: // as this column writes them
		e.add(f, c.Clean(v.text), FromFields, v.doc)
	case f == street:
		e.addStreet(v.text, FromFields, v.doc)
	default:
		e.add(f, v.text, FromFields, v.doc)
	}
}
