// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

// Row is one row of an RX-dataset: one note of a person with the attributes that
// came with it.
type Row struct {
	Values []string // [attribute] as in the file; those of texts are not looked at
	Texts  []Text   // [text attribute]
}

// Text is a text with its sensitive terms, in order and without overlap. The label of a
// span is the term's type; types that are not sensitive ([Config.Counts]) are plain text.
// A term that ends within a word extends to the whole word.
type Text struct {
	Text  string
	Terms []annotate.Span
}

// Term is a non-redundant sensitive term. Terms of one text attribute are the same if
// type and normalised form agree.
type Term struct {
	Text int // index of the text attribute
	Type annotate.Label
	Form string // see [Normalize]
}

// View is the person-centric view D* of an RX-dataset (rx-anon, section 3): for
// each person the set of values of each attribute and the set X' of non-redundant
// sensitive terms. It does not change, and may be used by several goroutines.
type View struct {
	Config   Config
	rows     []Row
	mentions [][][]mention   // [row][text] as the spans, which are whole tokens
	people   []person        // by key
	columns  []*table.Column // quasi-identifiers; Codes by row
	cells    [][][]int32     // [column][person] sorted distinct codes
	released []*table.Column // these and insensitive attributes, as configured; Codes by row
	terms    []Term          // by text attribute, type and form
	types    []termType      // columns of terms
	holders  [][]int32       // [term] persons, ascending
	first    []int32         // terms in the order in which they appear, person by person
}

// person is one record of D*.
type person struct {
	key   string
	rows  []int
	terms []int32 // sorted distinct
}

// has reports whether a term is in X' of the person.
func (p person) has(term int32) bool { return contains(p.terms, term) }

// RowsOf are the rows of a person, who is given by place in the view as in [Partition].
func (v *View) RowsOf(person int) []int { return slices.Clone(v.people[person].rows) }

// contains looks a term up among sorted ones.
func contains(terms []int32, term int32) bool {
	_, found := slices.BinarySearch(terms, term)
	return found
}

// termType is one textual quasi-identifier: the terms of one type in one text
// attribute.
type termType struct {
	text     int
	label    annotate.Label
	from, to int32 // of View.terms
}

// maxRows is how many rows codes can count.
const maxRows = 1<<31 - 1

// NewView builds the view. It refuses rows that do not fit the configuration,
// naming the row (from 1) and never its text. It looks at ctx before each row.
func NewView(ctx context.Context, c Config, rows []Row) (*View, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("there are no rows")
	}
	v := &View{Config: c, rows: rows}
	if err := v.checkRows(ctx); err != nil {
		return nil, err
	}
	if err := v.group(); err != nil {
		return nil, err
	}
	if err := v.relational(); err != nil {
		return nil, err
	}
	if err := v.textual(ctx); err != nil {
		return nil, err
	}
	return v, nil
}

func (v *View) checkRows(ctx context.Context) error {
	texts := len(v.Config.with(table.Text))
	if len(v.rows) > maxRows {
		return fmt.Errorf("there are more than %d rows", maxRows)
	}
	for i, row := range v.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(row.Values) != len(v.Config.Attributes) || len(row.Texts) != texts {
			return fmt.Errorf("row %d has %d values and %d texts for %d attributes, %d of them texts", i+1, len(row.Values), len(row.Texts), len(v.Config.Attributes), texts)
		}
		for _, t := range row.Texts {
			if err := annotate.CheckSpans(t.Text, t.Terms); err != nil {
				return fmt.Errorf("row %d: sensitive terms: %w", i+1, err)
			}
		}
	}
	return nil
}

// group collects the rows of each person, persons by key.
func (v *View) group() error {
	key, number := v.Config.key(), map[string]int{}
	for i, row := range v.rows {
		name := strings.TrimSpace(row.Values[key]) // a different blank would make one person two, who would count twice towards k
		if name == "" {
			return fmt.Errorf("row %d has no %q, so that its person is unknown", i+1, v.Config.Attributes[key].Name)
		}
		n, known := number[name]
		if !known {
			n = len(v.people)
			number[name] = n
			v.people = append(v.people, person{key: name})
		}
		v.people[n].rows = append(v.people[n].rows, i)
	}
	slices.SortFunc(v.people, func(a, b person) int { return strings.Compare(a.key, b.key) })
	return nil
}

// relational codes the attributes that are released, and collects the sets of
// values of each person.
func (v *View) relational() error {
	var attributes []table.Attribute
	var places []int
	for i, a := range v.Config.Attributes {
		if a.Role != table.Quasi && a.Role != table.Insensitive {
			continue // not released, or a text
		}
		if a.Role != table.Quasi {
			a.Kind, a.Order, a.Layout = table.Nominal, nil, "" // released unchanged
		} else if a.tree != nil {
			values, rows := v.valuesOf(i, a)
			tree, err := a.hierarchy(values)
			if bad := (*misfit)(nil); errors.As(err, &bad) {
				return fmt.Errorf("row %d: %w", rows[bad.at]+1, err)
			}
			if err != nil {
				return err
			}
			a.Hierarchy = tree
		}
		attributes, places = append(attributes, a.Attribute), append(places, i)
	}
	t, err := v.code(attributes, places)
	if err != nil {
		return err
	}
	v.columns, v.released = t.With(table.Quasi), t.Columns
	for _, column := range v.columns {
		v.cells = append(v.cells, v.sets(column.Codes))
	}
	return nil
}

func (v *View) code(attributes []table.Attribute, places []int) (*table.Table, error) {
	b, err := table.NewBuilder(attributes, nil)
	if err != nil {
		return nil, err
	}
	values := make([]string, len(places))
	for n, row := range v.rows {
		for i, at := range places {
			values[i] = row.Values[at]
		}
		if err := b.Add(values); err != nil {
			return nil, fmt.Errorf("row %d: %w", n+1, err)
		}
	}
	return b.Table(), nil
}

// valuesOf gives the distinct values of an attribute as tables write them,
// missing ones left out, and the first row that has each.
func (v *View) valuesOf(at int, a Attribute) (values []string, rows []int) {
	seen := map[string]bool{"": true, table.MissingText: true}
	for i, row := range v.rows {
		value := row.Values[at]
		if seen[value] {
			continue
		}
		if number, err := strconv.ParseFloat(value, 64); a.Kind == table.Number && err == nil {
			value = strconv.FormatFloat(number, 'f', -1, 64)
		}
		if !seen[value] {
			seen[value] = true
			values, rows = append(values, value), append(rows, i)
		}
	}
	return values, rows
}

// sets gives each person's distinct codes.
func (v *View) sets(codes []int32) [][]int32 {
	sets := make([][]int32, len(v.people))
	for i, p := range v.people {
		for _, row := range p.rows {
			sets[i] = append(sets[i], codes[row])
		}
		slices.Sort(sets[i])
		sets[i] = slices.Compact(sets[i])
	}
	return sets
}

// Persons is the number of persons, the unit in which k counts.
func (v *View) Persons() int { return len(v.people) }

// Rows is the number of rows.
func (v *View) Rows() int { return len(v.rows) }

// Row is a row as it was given, with its sensitive terms.
func (v *View) Row(i int) Row { return v.rows[i] }

// Terms is the number of different non-redundant sensitive terms.
func (v *View) Terms() int { return len(v.terms) }
