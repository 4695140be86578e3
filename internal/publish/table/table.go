// SPDX-License-Identifier: Apache-2.0

// Package table holds a table with one row per patient and the roles of its attributes,
// and generalizes the values of a class of rows to common ones. Its roles and kinds are
// those of the configurations of all releases.
//
// [ReadConfig] reads what the attributes are, [ReadCSV] the rows. A [Table] keeps
// each distinct value once and for each row a code, so ten million rows with nine
// attributes need 360 MB. Packages mondrian and incognito decide which rows make a class;
// [Column.Generalize] gives the generalized value of the class and its information loss.
//
// In the terms of k-anonymity: direct identifiers are omitted, quasi-identifiers are
// generalized so that at least k rows agree in all of them, sensitive attributes are
// unchanged and should be diverse in each class (HIDE dissertation, 2.3.1).
//
// # Caveats
//
// One row is one patient: k, l and t count rows. Errors name columns, rows and
// byte offsets, and never a value.
package table

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hide/internal/publish/hierarchy"
)

// MissingText is released for a missing value.
const MissingText = "na"

// Table is one row per patient, column by column. It does not change.
type Table struct {
	Rows    int
	Columns []*Column // in the order of the file, those of [Direct] without values
	// Sample is how many rows are released, the first ones; the others are people of the
	// population of which they are a sample. 0 means that all rows are released.
	Sample int
	Beyond int    // released rows without a match in a separate population
	absent []bool // [row] of the released ones, whether it has no match; nil without a separate population
}

// Column is one attribute of all rows. Equal values have equal codes, and codes
// are in the order of the kind: numbers by size, dates by time, ordinals by their order,
// values of a hierarchy so that those below a label are neighbours, all others by their
// bytes. A missing value is a category of its own, after all others.
type Column struct {
	Attribute
	Domain  []string  // [code] each distinct value, in its unchanged released form
	Numbers []float64 // [code] of a Number, or seconds since 1970 of a Date; nil for other kinds; 0 for the missing value
	Missing bool      // the last of Domain is the missing value
	Codes   []int32   // [row]
	Tree    *Tree     // of the hierarchy, by code; nil when there is none
}

// Absent reports whether the separate population has no person with the quasi-identifiers of
// a row. The person may be there all the same, with a differently written value.
func (t *Table) Absent(row int32) bool { return int(row) < len(t.absent) && t.absent[row] }

// Column finds a column by name, nil when there is none.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// With gives the columns of a role, in their order.
func (t *Table) With(role Role) []*Column {
	var found []*Column
	for _, c := range t.Columns {
		if c.Role == role {
			found = append(found, c)
		}
	}
	return found
}

// IsMissing reports whether a code is the missing value.
func (c *Column) IsMissing(code int32) bool {
	return c.Missing && int(code) == len(c.Domain)-1
}

// present is the number of values without the missing one.
func (c *Column) present() int {
	if c.Missing {
		return len(c.Domain) - 1
	}
	return len(c.Domain)
}

// Unseen is the code of the sensitive value of a row that is not released: no model
// counts it.
const Unseen = -1

// In returns the table with the rows of a sample first, and with the sensitive values of
// all others [Unseen].
func (t *Table) In(s Sample) (*Table, error) {
	marks := t.Column(s.Column)
	value := int32(slices.Index(marks.Domain, s.Value))
	order, rest := make([]int32, 0, t.Rows), []int32(nil)
	for row, code := range marks.Codes {
		if code == value {
			order = append(order, int32(row))
		} else {
			rest = append(rest, int32(row))
		}
	}
	if len(order) == 0 {
		return nil, errors.New("no row is in the sample")
	}
	all := &Table{Rows: t.Rows, Sample: len(order)}
	order = append(order, rest...)
	for _, c := range t.Columns {
		column := *c
		if c.kept() {
			column.Codes = make([]int32, len(order))
			for i, row := range order {
				column.Codes[i] = c.Codes[row]
			}
		}
		all.Columns = append(all.Columns, &column)
	}
	all.unsee()
	return all, nil
}

// unsee hides the sensitive values of rows that are not released.
func (t *Table) unsee() {
	if t.Sample == 0 {
		return
	}
	for _, c := range t.With(Sensitive) {
		for row := t.Sample; row < t.Rows; row++ {
			c.Codes[row] = Unseen
		}
	}
}

// Released is the table of the released rows. Values that only other people have stay in
// its domains.
func (t *Table) Released() *Table {
	if t.Sample == 0 {
		return t
	}
	all := &Table{Rows: t.Sample}
	for _, c := range t.Columns {
		column := *c
		if c.kept() {
			column.Codes = c.Codes[:t.Sample:t.Sample]
		}
		all.Columns = append(all.Columns, &column)
	}
	return all
}

// Role is the role of an attribute in a release.
type Role string

const (
	Direct      Role = "direct"      // identifies by itself: never released
	Quasi       Role = "quasi"       // identifies together with others: generalized
	Sensitive   Role = "sensitive"   // released unchanged; protected by l-diversity and t-closeness
	Insensitive Role = "insensitive" // released unchanged
	Text        Role = "text"        // prose; releases of tables leave it out
)

// Kind is the kind of values, which decides their order and generalization.
type Kind string

const (
	Number  Kind = "number"  // by size; a range
	Date    Kind = "date"    // by time; a day, a month, a year, a range of years
	Ordinal Kind = "ordinal" // by [Attribute.Order]; a range
	Nominal Kind = "nominal" // no order; a set
	Code    Kind = "code"    // postcodes and the like, whose first characters are more general: the common prefix
)

var (
	roles = []Role{Direct, Quasi, Sensitive, Insensitive, Text}
	kinds = []Kind{Number, Date, Ordinal, Nominal, Code}
)

// Attribute describes a column without its values.
type Attribute struct {
	Name  string
	Role  Role
	Kind  Kind     // default Nominal
	Order []string // of an Ordinal: its values in order; if empty, the order of appearance
	// Layout is the format of a Date, as in package time; [Strftime] makes one. Default:
	// ISO 8601, a day or a time of day.
	Layout string
	// Hierarchy generalizes any kind but Text; nil for none.
	Hierarchy *hierarchy.Hierarchy
	Auto      bool // makes the hierarchy of a Number or Date from the table's values
}

// Check reports why the attribute cannot be used.
func (a Attribute) Check() error {
	switch {
	case a.Name == "":
		return fmt.Errorf("an attribute has no name")
	case !slices.Contains(roles, a.Role):
		return fmt.Errorf("unknown role %q of attribute %q; roles are %s", a.Role, a.Name, list(roles))
	case !slices.Contains(kinds, a.Kind):
		return fmt.Errorf("unknown kind %q of attribute %q; kinds are %s", a.Kind, a.Name, list(kinds))
	case len(a.Order) > 0 && a.Kind != Ordinal:
		return fmt.Errorf("attribute %q has an order and is not of kind %s", a.Name, Ordinal)
	case a.Auto && (a.Hierarchy != nil || a.Kind != Number && a.Kind != Date):
		return fmt.Errorf("attribute %q: a hierarchy can be made only from the values of a %s or a %s", a.Name, Number, Date)
	case a.Layout != "" && a.Kind != Date:
		return fmt.Errorf("attribute %q has a date format and is not of kind %s", a.Name, Date)
	}
	seen := map[string]bool{}
	for _, value := range a.Order {
		if seen[value] {
			return fmt.Errorf("attribute %q has a value twice in its order", a.Name)
		}
		seen[value] = true
	}
	return nil
}

// kept reports whether a table holds the attribute's values at all.
func (a Attribute) kept() bool { return a.Role != Direct }

func list[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, one := range all {
		words[i] = string(one)
	}
	return strings.Join(words, ", ")
}

// maxNumber is the largest number up to which all integers are distinct as float64.
const maxNumber = 1 << 53

// parseNumber reads a decimal number and returns it in its shortest form.
func parseNumber(value string) (string, float64, error) {
	number, err := strconv.ParseFloat(value, 64)
	if err != nil || strings.ContainsAny(value, "xXpPnN_") {
		return "", 0, errors.New("a value is not a number")
	}
	if math.Abs(number) > maxNumber {
		return "", 0, errors.New("a value is too large a number; make the column a code")
	}
	number += 0 // -0 is 0
	return formatNumber(number), number, nil
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Forms in which dates are released.
const (
	day   = "2006-01-02"
	month = "2006-01"
	year  = "2006"
	clock = "2006-01-02T15:04:05"
)

// isoLayouts are the date formats that need no configuration.
var isoLayouts = []string{day, clock, "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.RFC3339}

// parseDate reads a date and returns it in ISO 8601 in UTC, without the time of day if it
// is midnight.
func parseDate(value, layout string) (string, float64, error) {
	layouts := isoLayouts
	if layout != "" {
		layouts = []string{layout}
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, value); err == nil && t.Year() >= 1 {
			seconds := t.Unix()
			return formatDate(float64(seconds)), float64(seconds), nil
		}
	}
	return "", 0, errors.New("a value does not match the date format")
}

func formatDate(seconds float64) string {
	t := dateOf(seconds)
	if t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 {
		return t.Format(day)
	}
	return t.Format(clock)
}

func dateOf(seconds float64) time.Time { return time.Unix(int64(seconds), 0).UTC() }

// directives are what [Strftime] knows.
var directives = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'B': "January", 'b': "Jan", 'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM", '%': "%",
}

// Strftime makes a layout from a format such as %d.%m.%Y.
func Strftime(form string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(form); i++ {
		c := form[i]
		switch {
		case c == '%' && i+1 < len(form) && directives[form[i+1]] != "":
			i++
			b.WriteString(directives[form[i]])
		case c == '%':
			return "", fmt.Errorf("a date format has an unknown directive at byte %d; directives are %%Y %%y %%m %%d %%B %%b %%H %%I %%M %%S %%p", i)
		case c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' && c != 'T' && c != 'Z' || c >= 'a' && c <= 'z' || c == '_':
			return "", fmt.Errorf("a date format has a letter or digit at byte %d", i)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}
