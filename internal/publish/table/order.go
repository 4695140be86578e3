// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"slices"
	"strings"
)

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

// comparison compares values by their codes of appearance.
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

// comparePlaces compares values of the domain by their places in a list; those
// that are not in it, which all are when it is empty, are equal.
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
