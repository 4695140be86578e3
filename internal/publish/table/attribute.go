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
