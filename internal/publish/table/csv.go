// SPDX-License-Identifier: Apache-2.0

package table

import (
	"errors"
	"io"
	"slices"
	"strings"

	"hide/internal/tabular"
)

// ReadCSV reads a table as configured. Every column of the file must have a role,
// and each configured attribute a column. A wrong file is a [*tabular.Error].
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
		if names, err = in.Next(); err != nil {
			return nil, err
		}
		names = slices.Clone(names)
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

// addAll adds all records that are left. Those of the key column, if there is one,
// must be different and not missing.
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
			own := strings.TrimSpace(fields[key]) // a blank makes nobody another patient
			if !text(own) {
				return in.Refuse("has a key that is not UTF-8 text", "convert the file to UTF-8")
			}
			if b.missing[own] {
				return in.Refuse("has no key", "")
			}
			if seen[own] {
				return in.Refuse("has the key of an earlier one", "make one row of each patient first: k counts rows")
			}
			seen[strings.Clone(own)] = true
		}
		if err := b.Add(fields); err != nil {
			return in.Refuse(err.Error(), b.hint(err))
		}
	}
}

// hint says what to do about a value that its column cannot have.
func (b *Builder) hint(err error) string {
	var value *ValueError
	if errors.As(err, &value) && slices.ContainsFunc(b.columns, func(c *coding) bool { return c.Name == value.Column && c.Hierarchy != nil }) {
		return "add a row for every value to the hierarchy, or name what stands for a missing one under missing:"
	}
	return "correct the value or the configuration"
}
