// SPDX-License-Identifier: Apache-2.0

package query

import (
	"fmt"
	"slices"
	"strings"

	"hide/internal/publish/cube"
)

// cond is true of a row or not, by its categories.
type cond interface {
	holds(row []int32) bool
	String() string // the condition in the language, the same for equal ones
}

// set is true of some categories of a dimension.
type set struct {
	domain cube.Domain
	dim    int
	in     []int // ascending
}

func (s set) holds(row []int32) bool {
	_, found := slices.BinarySearch(s.in, int(row[s.dim]))
	return found
}

// String names categories by number: bins have no values to compare with.
func (s set) String() string {
	return fmt.Sprintf("%s in %v", ident(s.domain[s.dim].Name), s.in)
}

type negation struct{ of cond }

func (n negation) holds(row []int32) bool { return !n.of.holds(row) }
func (n negation) String() string         { return "not (" + n.of.String() + ")" }

// join is true when all of its conditions are, or any.
type join struct {
	any bool
	all []cond
}

func (j join) holds(row []int32) bool {
	for _, c := range j.all {
		if c.holds(row) == j.any {
			return j.any
		}
	}
	return !j.any
}

func (j join) String() string {
	by := " and "
	if j.any {
		by = " or "
	}
	parts := make([]string, len(j.all))
	for i, c := range j.all {
		parts[i] = "(" + c.String() + ")"
	}
	return strings.Join(parts, by)
}

func ident(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// String is a canonical form of the query, which does not depend on spelling and blanks.
func (q *Query) String() string {
	var b strings.Builder
	b.WriteString("count")
	if q.Where != nil {
		b.WriteString(" where " + q.Where.String())
	}
	for i, d := range q.Groups {
		b.WriteString([]string{" group by ", ", "}[min(i, 1)] + ident(q.Domain[d].Name))
	}
	return b.String()
}
