// SPDX-License-Identifier: Apache-2.0

package hierarchy

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Limits of what [Read] takes.
const (
	maxBytes  = 64 << 20
	maxLevels = 64
)

// Read reads a hierarchy in the form of ARX: CSV with semicolons, no header. An
// error says which row is wrong and never what it says.
func Read(r io.Reader) (*Hierarchy, error) {
	limited := &io.LimitedReader{R: r, N: maxBytes + 1}
	rows, err := readRows(limited)
	if limited.N <= 0 {
		return nil, fmt.Errorf("a hierarchy may have at most %d bytes", maxBytes)
	}
	if err != nil {
		return nil, err
	}
	return New(rows)
}

func readRows(r io.Reader) ([][]string, error) {
	in := csv.NewReader(r)
	in.Comma, in.FieldsPerRecord = ';', -1
	var rows [][]string
	for {
		row, err := in.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, rowError(len(rows)+1, err)
		}
		if len(row) > maxLevels {
			return nil, &Problem{len(rows) + 1, fmt.Sprintf("has more than %d levels", maxLevels)}
		}
		for _, label := range row {
			if !utf8.ValidString(label) {
				return nil, &Problem{len(rows) + 1, "is not UTF-8"}
			}
		}
		rows = append(rows, row)
	}
}

func rowError(row int, err error) error {
	if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
		return &Problem{row, fmt.Sprintf("cannot be read at column %d of line %d: a quote is in the wrong place", wrong.Column, wrong.Line)}
	}
	return err
}

// Write writes the hierarchy in the form of ARX.
func (h *Hierarchy) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Comma = ';'
	for _, row := range h.rows {
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
