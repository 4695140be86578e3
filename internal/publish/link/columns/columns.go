// SPDX-License-Identifier: Apache-2.0

// Package columns recognises what the columns of a file of records are: the kind of their
// values, from their names and contents, and which columns must not be compared.
//
//	for _, c := range columns.Recognise(header, columns.Options{Never: []string{"cluster"}}, rows) {
//		fmt.Println(c.Name, c.Use, c.Kind, c.Reason)
//		cleaned := c.Clean(cell)
//	}
//
// Names are read in English, Spanish, French and German. Contents decide where a name says
// nothing. Reasons name counts and never values.
package columns

import (
	"iter"
	"slices"
	"strings"

	"hide/internal/publish/link/compare"
)

// Use is what linkage does with a column.
type Use string

// Uses.
const (
	Compared Use = "compared"
	RecordID Use = "record id" // tells records apart, and says nothing of people
	Truth    Use = "truth"     // says which records are of one person
	Ignored  Use = "ignored"
)

// Column describes a column.
type Column struct {
	Name    string
	Use     Use
	Kind    compare.Kind    // of a compared column
	Reading compare.Reading // how a compared column writes dates and sexes
	Reason  string          // why, in words
}

// Clean is the comparable form of a value of the column, and "" for a missing one. Values of a
// column that is not compared are missing.
func (c Column) Clean(raw string) string {
	if c.Use != Compared {
		return ""
	}
	return c.Kind.CleanAs(raw, c.Reading)
}

// Options are what the caller knows about the columns.
type Options struct {
	Never []string                // names of columns that must not be compared, such as the truth
	Kinds map[string]compare.Kind // kinds by name of column; the rest is recognised
}

// Recognise finds out what each column is. A source is the rows of one file; all have the same
// columns. Rows may be shorter than the header, and are not kept.
func Recognise(header []string, o Options, sources ...iter.Seq[[]string]) []Column {
	profiles := profile(len(header), sources)
	names := readNames(header, o.Kinds, profiles)
	found := make([]Column, len(header))
	for i, name := range header {
		found[i] = recognise(name, names[i], profiles[i], o)
	}
	chooseNames(found, names, profiles)
	chooseWords(found, names, profiles)
	chooseBirthDate(found, names, profiles)
	dropRepeated(found, names)
	dropConstants(found, profiles)
	for i := range found {
		if found[i].Use == Compared {
			addReading(&found[i], names[i], profiles[i])
		}
	}
	return found
}

// recognise decides on one column.
func recognise(name string, m meaning, p *values, o Options) Column {
	c := Column{Name: name, Use: Compared}
	if slices.Contains(o.Never, name) {
		c.Use, c.Reason = Truth, "it is the truth: it says whose record it is"
		return c
	}
	if kind, given := o.Kinds[name]; given {
		c.Kind, c.Reason = kind, "the configuration says "+string(kind)
		return c
	}
	switch {
	case strings.TrimSpace(name) == "":
		// It is often the number of the row. It cannot be named as the truth.
		c.Use, c.Reason = Ignored, "it has no name"
	case m.use != Compared:
		c.Use, c.Reason = m.use, m.reason()
	case p.filled == 0:
		c.Use, c.Reason = Ignored, "it has no values"
	case m.kind != "" && p.supports(m.kind):
		c.Kind, c.Reason = m.kind, m.reason()
	default:
		c.byContent(p, m)
	}
	return c
}

// dropConstants ignores columns with one value, which tell no people apart. If nothing else
// is compared they stay: records that are all equal are compared and found equal.
func dropConstants(found []Column, profiles []*values) {
	isConstant := func(i int) bool { return profiles[i].constant && profiles[i].filled > 1 }
	varies := false
	for i, c := range found {
		varies = varies || c.Use == Compared && !isConstant(i)
	}
	for i := range found {
		if c := &found[i]; varies && c.Use == Compared && isConstant(i) {
			c.Use, c.Kind, c.Reason = Ignored, "", "all its values are equal"
		}
	}
}
