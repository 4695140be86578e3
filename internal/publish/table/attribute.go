// SPDX-License-Identifier: Apache-2.0

package table

import (
	"fmt"
	"slices"
	"strings"

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
