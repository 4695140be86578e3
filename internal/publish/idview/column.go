// SPDX-License-Identifier: Apache-2.0

package idview

import "hide/internal/publish/table"

// Column is what a table knows of the attribute, for who makes other tables of it
// than this view.
func (a Attribute) Column() (table.Attribute, error) { return a.column(a.Name) }

// Reader reads single values as the view does: in the form that a table takes, and
// false for what is not what the attribute should be.
func (a Attribute) Reader() func(value string) (string, bool) { return a.reader() }
