// SPDX-License-Identifier: Apache-2.0

package table

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Builder makes a [Table] row by row.
type Builder struct {
	columns []*coding
	missing map[string]bool
	rows    int
	sample  int // rows before the first person of the population; 0 without one
}

// coding is a column being made: codes in the order of appearance.
type coding struct {
	Column
	codes   map[string]int32 // by the value as written
	missing int32            // its code so far; -1 for none
}

// ValueError is a value that its column cannot have. It does not quote it.
type ValueError struct {
	Column string
	Reason string
}

func (e *ValueError) Error() string { return fmt.Sprintf("column %q: %s", e.Column, e.Reason) }

// maxRows is what codes of rows can count.
const maxRows = math.MaxInt32

// NewBuilder starts a table with these columns. Values equal to one of missing,
// to [MissingText] or to nothing are missing.
func NewBuilder(attributes []Attribute, missing []string) (*Builder, error) {
	b := &Builder{missing: map[string]bool{"": true, MissingText: true}}
	for _, word := range missing {
		b.missing[word] = true
	}
	seen := map[string]bool{}
	for _, a := range attributes {
		if a.Kind == "" {
			a.Kind = Nominal
		}
		if err := a.Check(); err != nil {
			return nil, err
		}
		if seen[a.Name] {
			return nil, fmt.Errorf("there are two columns %q", a.Name)
		}
		seen[a.Name] = true
		b.columns = append(b.columns, &coding{Column: Column{Attribute: a}, codes: map[string]int32{}, missing: -1})
	}
	return b, nil
}

// Add adds a row, one value a column. It returns a [*ValueError] for a value
// that its column cannot have, and then the builder is of no more use. It keeps
// none of the strings' slice.
func (b *Builder) Add(values []string) error {
	if len(values) != len(b.columns) {
		return fmt.Errorf("a row has %d values for %d columns", len(values), len(b.columns))
	}
	if b.sample > 0 {
		return errors.New("rows come before the people of a population")
	}
	if err := b.more(); err != nil {
		return err
	}
	for i, c := range b.columns {
		if !c.kept() {
			continue
		}
		if err := b.append(c, values[i]); err != nil {
			return err
		}
	}
	return nil
}

// more counts one row more.
func (b *Builder) more() error {
	if b.rows == maxRows {
		return errors.New("a table may have at most 2147483647 rows")
	}
	b.rows++
	return nil
}

// append gives the last row its value.
func (b *Builder) append(c *coding, value string) error {
	code, known := c.codes[value]
	if !known {
		var err error
		if code, err = c.learn(value, b.missing[value]); err != nil {
			return err
		}
	}
	c.Codes = append(c.Codes, code)
	return nil
}

// learn gives a value that has not been seen a code.
func (c *coding) learn(value string, missing bool) (int32, error) {
	value = strings.Clone(value) // of a whole record
	if missing {
		if c.missing < 0 {
			c.missing = c.append(MissingText, 0)
		}
		c.codes[value] = c.missing
		return c.missing, nil
	}
	if !text(value) {
		return 0, &ValueError{c.Name, "a value is not UTF-8 text"}
	}
	own, number, err := c.parse(value)
	if err != nil {
		return 0, err
	}
	code, known := c.codes[own]
	if !known {
		code = c.append(own, number)
		c.codes[own] = code
	}
	c.codes[value] = code
	return code, nil
}

// text says whether a value is UTF-8 without zero bytes, which no text has.
func text(value string) bool { return utf8.ValidString(value) && strings.IndexByte(value, 0) < 0 }

func (c *coding) append(text string, number float64) int32 {
	c.Domain = append(c.Domain, text)
	if c.Kind == Number || c.Kind == Date {
		c.Numbers = append(c.Numbers, number)
	}
	return int32(len(c.Domain) - 1)
}

// parse gives a value in its one right form, and its number where it has one.
func (c *coding) parse(value string) (text string, number float64, err error) {
	switch c.Kind {
	case Number:
		text, number, err = parseNumber(value)
	case Date:
		text, number, err = parseDate(value, c.Layout)
	case Ordinal:
		if text = value; len(c.Order) > 0 && !slices.Contains(c.Order, value) {
			err = errors.New("a value is not in the order given")
		}
	default:
		text = value
	}
	if err == nil && c.Hierarchy != nil {
		if _, known := c.Hierarchy.Path(text); !known {
			err = errors.New("a value is missing from the hierarchy")
		}
	}
	if err != nil {
		return "", 0, &ValueError{c.Name, err.Error()}
	}
	return text, number, nil
}

// Table ends the table; the builder is of no more use.
func (b *Builder) Table() *Table {
	t := &Table{Rows: b.rows}
	if b.sample > 0 {
		b.meet(t)
	}
	for _, c := range b.columns {
		if c.kept() {
			c.sort()
			if c.Auto && c.present() > 0 {
				c.Hierarchy = hierarchyOf(&c.Column)
			}
			if c.Hierarchy != nil {
				c.Tree = newTree(c.Domain, c.Missing, c.Hierarchy)
			}
		}
		column := c.Column
		t.Columns = append(t.Columns, &column)
	}
	t.unsee()
	return t
}
