// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"io"
)

// Rows reads any CSV file, byte for byte inside its quotes: header once with the
// names of the columns, then row for each row, numbered from 1. Fields are valid
// UTF-8 without control characters but white space; the slices are the caller's. An
// error of either function stops the reading and comes back with its place; a file
// that cannot be read is a [*Problem] that calls it name.
func Rows(in io.Reader, name string, header func([]string) error, row func(n int, fields []string) error) error {
	t, err := openTable(in)
	if err != nil {
		return unreadable(err, place{file: name, offset: -1})
	}
	if p := distinct(t.header); p != nil {
		return p.at(place{name, "line 1", 0})
	}
	if err := header(t.header); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for n := 1; ; n++ {
		fields, err := t.scan.read()
		if err == io.EOF {
			return nil
		}
		w := place{name, fmt.Sprintf("row %d, line %d", n, t.scan.startLine), t.scan.start}
		if err != nil {
			return unreadable(err, w)
		}
		if p := checkFields(fields, len(t.header)); p != nil {
			return p.at(w)
		}
		if err := row(n, fields); err != nil {
			return fmt.Errorf("%s, %s, byte %d: %w", name, w.record, w.offset, err)
		}
	}
}

func checkFields(fields []string, columns int) *Problem {
	if len(fields) != columns {
		return &Problem{
			Code: "csv-columns", Reason: fmt.Sprintf("the row has %d fields and the header %d", len(fields), columns), Offset: -1,
			Hint: "check for a missing quote",
		}
	}
	for i, field := range fields {
		if p := checkText(field); p != nil {
			return &Problem{Code: p.Code, Reason: fmt.Sprintf("column %d: %s", i+1, p.Reason), Hint: p.Hint, Offset: -1}
		}
	}
	return nil
}
