// SPDX-License-Identifier: Apache-2.0

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

// Role is what becomes of an attribute.
type Role string

const (
	Direct      Role = "direct"      // identifies by itself: never released
	Quasi       Role = "quasi"       // identifies together with others: generalized
	Sensitive   Role = "sensitive"   // released as it is; what l-diversity and t-closeness protect
	Insensitive Role = "insensitive" // released as it is
	Text        Role = "text"        // prose; a release of tables leaves it out
)

// Kind is what the values of an attribute are, and so how they are ordered and
// generalized.
type Kind string

const (
	Number  Kind = "number"  // by size; a range
	Date    Kind = "date"    // by time; a day, a month, a year, a range of years
	Ordinal Kind = "ordinal" // by [Attribute.Order]; a range
	Nominal Kind = "nominal" // no order; a set
	Code    Kind = "code"    // postcodes and such, of which the front says more: what values share at their start
)

var (
	roles = []Role{Direct, Quasi, Sensitive, Insensitive, Text}
	kinds = []Kind{Number, Date, Ordinal, Nominal, Code}
)

// Attribute is a column as it is meant, without its values.
type Attribute struct {
	Name  string
	Role  Role
	Kind  Kind     // default Nominal
	Order []string // of an Ordinal: its values in order; none for the order in which they appear
	// Layout is how a Date is written, as package time has it; [Strftime] makes
	// one. Default: ISO 8601, a day or a time of day.
	Layout string
	// Hierarchy generalizes any kind but Text in steps instead; nil for none.
	Hierarchy *hierarchy.Hierarchy
	Auto      bool // makes the hierarchy of a Number or a Date of the values of the table
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
		return fmt.Errorf("attribute %q: a hierarchy can be made of the values of a %s or a %s only", a.Name, Number, Date)
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

// kept says whether a table holds the attribute's values at all.
func (a Attribute) kept() bool { return a.Role != Direct }

func list[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, one := range all {
		words[i] = string(one)
	}
	return strings.Join(words, ", ")
}

// maxNumber is the largest number up to which all whole ones differ.
const maxNumber = 1 << 53

// parseNumber reads a decimal number and writes it in its shortest form.
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

// isoLayouts are the forms of dates that need not be told.
var isoLayouts = []string{day, clock, "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.RFC3339}

// parseDate reads a date and writes it as ISO 8601, in UTC, without a time of
// day when that is midnight.
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
	return "", 0, errors.New("a value is not a date of the form told")
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

// Strftime makes a layout of a form such as %d.%m.%Y.
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
