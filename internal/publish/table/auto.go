// SPDX-License-Identifier: Apache-2.0

package table

import "hide/internal/publish/hierarchy"

// hierarchyOf makes the hierarchy of a column of numbers or dates.
func hierarchyOf(c *Column) *hierarchy.Hierarchy {
	values, numbers := c.Domain[:c.present()], c.Numbers[:c.present()]
	if c.Kind == Date {
		return hierarchy.Dates(values)
	}
	return hierarchy.Numbers(values, numbers)
}
