// SPDX-License-Identifier: Apache-2.0

package kanonymity

import (
	"fmt"
	"slices"
	"time"

	"hide/internal/publish/privacy"
	"hide/internal/publish/table"
)

// Statement is what each release says about itself.
const Statement = "Weak privacy, for recipients under agreement. Each row has the same quasi-identifiers as at least k-1 others, " +
	"and its sensitive values are as diverse as is claimed: that bounds what somebody finds who knows the quasi-identifiers and nothing more. " +
	"It does not hold against an attacker who knows more, against a second release of the same patients, or for attributes that were not declared. " +
	"It is not differential privacy, and a release of it beside others voids what those promise about the same patients."

// Claims are what a release claims.
type Claims struct {
	Parameters Parameters  `json:"parameters"`
	Attributes []Attribute `json:"attributes"`
	Counts     Counts      `json:"counts"`
}

// Parameters are how the classes were found.
type Parameters struct {
	K           int     `json:"k"`
	Map         bool    `json:"k_map,omitempty"` // k counts people of a population of which the rows are a sample
	Method      string  `json:"method"`
	Cut         string  `json:"cut,omitempty"`
	Relaxed     bool    `json:"relaxed,omitempty"`
	Suppression float64 `json:"suppression_percent,omitempty"` // of the rows, at most
	Levels      []int   `json:"levels,omitempty"`              // of full-domain generalization, by quasi-identifier
}

// Attribute is a column of the original.
type Attribute struct {
	Name      string     `json:"name"`
	Role      table.Role `json:"role"`
	Kind      table.Kind `json:"kind"`
	Released  bool       `json:"released"`
	Order     []string   `json:"order,omitempty"` // of a sensitive ordinal
	L         float64    `json:"l,omitempty"`
	Diversity string     `json:"diversity,omitempty"`
	C         float64    `json:"c,omitempty"`
	T         float64    `json:"t,omitempty"`
	Distance  string     `json:"distance,omitempty"`
	Hierarchy string     `json:"hierarchy,omitempty"` // file of a sensitive attribute whose distance needs it
}

// Counts can be recomputed from table.csv, except Suppressed.
type Counts struct {
	Rows       int `json:"rows"`
	Suppressed int `json:"suppressed"`
	Classes    int `json:"equivalence_classes"`
	Smallest   int `json:"smallest_class"`
}

// Origin says who wrote a release, when, and warnings, such as of other releases of the
// same people.
type Origin struct {
	Tool     string
	Created  time.Time
	Warnings []string
}

func (r *Result) claims(sizes []int) Claims {
	c := Claims{
		Parameters: r.Parameters,
		Counts:     Counts{Rows: r.rows(), Suppressed: len(r.Suppressed), Classes: len(sizes), Smallest: slices.Min(append(sizes, r.Table.Rows))},
	}
	for i, column := range r.Table.Columns {
		c.Attributes = append(c.Attributes, r.attribute(i, column))
	}
	return c
}

func (r *Result) attribute(i int, c *table.Column) Attribute {
	a := Attribute{Name: c.Name, Role: c.Role, Kind: c.Kind, Released: released(c)}
	for _, condition := range r.Conditions {
		if condition.Column != c {
			continue
		}
		switch m := condition.Model.(type) {
		case privacy.Distinct:
			a.L, a.Diversity = float64(m.L), "distinct"
		case privacy.Entropy:
			a.L, a.Diversity = m.L, "entropy"
		case privacy.Recursive:
			a.L, a.Diversity, a.C = float64(m.L), "recursive", m.C
		case privacy.Closeness:
			a.T, a.Distance = m.T, string(m.Distance)
			if m.Distance == privacy.Hierarchical {
				a.Hierarchy = hierarchyFile(i)
			}
			if c.Kind == table.Ordinal {
				a.Order = c.Domain
			}
		}
	}
	return a
}

func hierarchyFile(i int) string { return fmt.Sprintf("%d.hierarchy", i+1) }

// released says whether a column is released.
func released(c *table.Column) bool { return c.Role != table.Direct && c.Role != table.Text }
