// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"hide/internal/publish/hierarchy"
	"hide/internal/tabular"
)

// Builder makes a [Table] row by row.
type Builder struct {
	columns []*coding
	missing map[string]bool
	rows    int
	sample  int // rows before the first person of the population; 0 without one
}

// coding is a column under construction: codes in the order of appearance.
type coding struct {
	Column
	codes   map[string]int32 // by the value as written
	missing int32            // its code so far; -1 for none
}

// ValueError is about a value that is not valid in its column. It does not quote the
// value.
type ValueError struct {
	Column string
	Reason string
}

func (e *ValueError) Error() string { return fmt.Sprintf("column %q: %s", e.Column, e.Reason) }

// maxRows is the largest number of rows that codes can count.
const maxRows = math.MaxInt32

// NewBuilder starts a table with these columns. Values equal to one of missing, to
// [MissingText] or to "" are missing.
func NewBuilder(attributes []Attribute, missing []string) (*Builder, error) {
	b := &Builder{missing: map[string]bool{"": true, MissingText: true}}
	for _, word := range missing {
		b.missing[word] = true
	}
	seen := map[string]bool{}
	for _, a := range attributes {
		a.Kind = cmp.Or(a.Kind, Nominal)
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

// Add adds a row, one value per column. It returns a [*ValueError] for an invalid value;
// the builder cannot be used after that. It does not keep the slice.
func (b *Builder) Add(values []string) error {
	if len(values) != len(b.columns) {
		return fmt.Errorf("a row has %d values for %d columns", len(values), len(b.columns))
	}
	if b.sample > 0 {
		return errors.New("add rows before the people of a population")
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

// more adds one to the number of rows.
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

// learn gives a new value a code.
func (c *coding) learn(value string, missing bool) (int32, error) {
	value = strings.Clone(value) // does not retain the whole record
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

// text reports whether a value is UTF-8 without zero bytes.
func text(value string) bool { return utf8.ValidString(value) && strings.IndexByte(value, 0) < 0 }

func (c *coding) append(text string, number float64) int32 {
	c.Domain = append(c.Domain, text)
	if c.Kind == Number || c.Kind == Date {
		c.Numbers = append(c.Numbers, number)
	}
	return int32(len(c.Domain) - 1)
}

// parse returns the canonical form of a value, and its number if it has one.
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

// Table completes the table. The builder cannot be used after that.
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

// hierarchyOf makes the hierarchy of a column of numbers or dates.
func hierarchyOf(c *Column) *hierarchy.Hierarchy {
	values, numbers := c.Domain[:c.present()], c.Numbers[:c.present()]
	if c.Kind == Date {
		return hierarchy.Dates(values)
	}
	return hierarchy.Numbers(values, numbers)
}

// sort renumbers the codes by the order of the kind.
func (c *coding) sort() {
	order := make([]int32, len(c.Domain)) // [new code] old code
	for i := range order {
		order[i] = int32(i)
	}
	compare := c.comparison()
	slices.SortStableFunc(order, func(a, b int32) int {
		if a == c.missing || b == c.missing {
			return boolInt(a == c.missing) - boolInt(b == c.missing)
		}
		return compare(a, b)
	})
	c.Missing = c.missing >= 0
	c.renumber(order)
}

// comparison compares values by their first codes.
func (c *coding) comparison() func(a, b int32) int {
	switch {
	case c.Numbers != nil:
		return func(a, b int32) int { return cmp.Compare(c.Numbers[a], c.Numbers[b]) }
	case c.Kind == Ordinal:
		return comparePlaces(c.Domain, c.Order)
	case c.Hierarchy != nil:
		return comparePlaces(c.Domain, c.Hierarchy.Leaves())
	default:
		return func(a, b int32) int { return strings.Compare(c.Domain[a], c.Domain[b]) }
	}
}

// comparePlaces compares values of the domain by their places in a list. Values outside
// the list are equal.
func comparePlaces(domain, list []string) func(a, b int32) int {
	place := make(map[string]int, len(list))
	for i, value := range list {
		place[value] = i
	}
	at := make([]int, len(domain))
	for code, value := range domain {
		at[code] = place[value]
	}
	return func(a, b int32) int { return at[a] - at[b] }
}

func (c *coding) renumber(order []int32) {
	domain, numbers := make([]string, len(order)), make([]float64, len(c.Numbers))
	code := make([]int32, len(order)) // [old code] new code
	for i, old := range order {
		domain[i], code[old] = c.Domain[old], int32(i)
		if c.Numbers != nil {
			numbers[i] = c.Numbers[old]
		}
	}
	for row, old := range c.Codes {
		c.Codes[row] = code[old]
	}
	c.Domain = domain
	if c.Numbers != nil {
		c.Numbers = numbers
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// ReadCSV reads a table as configured. Every column of the file must have a role, and
// each configured attribute a column. An invalid file gives a [*tabular.Error].
func ReadCSV(r io.Reader, c Config) (*Table, error) {
	b, err := readRows(r, c)
	if err != nil {
		return nil, err
	}
	return b.Table(), nil
}

func readRows(r io.Reader, c Config) (*Builder, error) {
	in, err := tabular.NewReader(r, tabular.Options{Comma: c.comma()})
	if err != nil {
		return nil, err
	}
	names := c.Columns
	if len(names) == 0 {
		if names, err = in.Header(); err != nil {
			return nil, err
		}
	}
	attributes, err := c.inOrder(names)
	if err != nil {
		return nil, in.Refuse(err.Error(), "each column of the file needs a role, \"direct\" to leave it out, and each attribute a column; names must be equal letter by letter")
	}
	b, err := NewBuilder(attributes, c.Missing)
	if err != nil {
		return nil, err
	}
	key := slices.Index(names, c.Key)
	if err := b.addAll(in, key); err != nil {
		return nil, err
	}
	if b.rows == 0 {
		return nil, &tabular.Error{Reason: "the file has no rows", Hint: "a table needs a row per patient"}
	}
	return b, nil
}

// addAll adds all remaining records. Keys in the key column, if there is one, must be
// distinct and not missing.
func (b *Builder) addAll(in *tabular.Reader, key int) error {
	seen := map[string]bool{}
	for {
		fields, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if key >= 0 {
			own := strings.TrimSpace(fields[key]) // a different blank makes no different patient
			if !text(own) {
				return in.Refuse("has a key that is not UTF-8 text", "convert the file to UTF-8")
			}
			if b.missing[own] {
				return in.Refuse("has no key", "")
			}
			if seen[own] {
				return in.Refuse("has the same key as an earlier record", "first make one row per patient: k counts rows")
			}
			seen[strings.Clone(own)] = true
		}
		if err := b.Add(fields); err != nil {
			return in.Refuse(err.Error(), b.hint(err))
		}
	}
}

// hint tells how to correct an invalid value.
func (b *Builder) hint(err error) string {
	if value, ok := errors.AsType[*ValueError](err); ok && slices.ContainsFunc(b.columns, func(c *coding) bool { return c.Name == value.Column && c.Hierarchy != nil }) {
		return "add a row for every value to the hierarchy, or list the marks of missing values under missing:"
	}
	return "correct the value or the configuration"
}
