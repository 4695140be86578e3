// SPDX-License-Identifier: Apache-2.0

package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"hide/internal/delimiter"
)

// Limits of what [ReadCSV] takes.
const (
	maxRecord  = 16 << 20
	maxColumns = 16384
)

// CSVError says where a file is not a table as configured. It does not quote the
// file.
type CSVError struct {
	Record int   // from 1, the header being one; 0 when it is about the whole file
	Offset int64 // of the record's first byte
	Reason string
	Hint   string // what to do about it; may be empty
}

func (e *CSVError) Error() string {
	if e.Record == 0 {
		return e.Reason
	}
	return fmt.Sprintf("record %d, byte %d: %s", e.Record, e.Offset, e.Reason)
}

// ReadCSV reads a table as configured. Every column of the file must have a role,
// and each configured attribute a column. A wrong file is a [*CSVError].
func ReadCSV(r io.Reader, c Config) (*Table, error) {
	b, err := readRows(r, c)
	if err != nil {
		return nil, err
	}
	return b.Table(), nil
}

func readRows(r io.Reader, c Config) (*Builder, error) {
	in, err := newRecords(r, c.comma())
	if err != nil {
		return nil, err
	}
	names := c.Columns
	if len(names) == 0 {
		if names, err = in.next(); err != nil {
			return nil, err
		}
		names = slices.Clone(names)
	}
	attributes, err := c.inOrder(names)
	if err != nil {
		return nil, in.refuse(err.Error(), "each column of the file needs a role, \"direct\" to leave it out, and each attribute a column; names must be equal letter by letter")
	}
	b, err := NewBuilder(attributes, c.Missing)
	if err != nil {
		return nil, err
	}
	key := slices.Index(names, c.Key)
	if err := in.rows(b, key); err != nil {
		return nil, err
	}
	if b.rows == 0 {
		return nil, &CSVError{Reason: "the file has no rows", Hint: "a table needs a row per patient"}
	}
	return b, nil
}

// records reads one record after the other and knows where it is.
type records struct {
	csv    *csv.Reader
	limit  *allowance
	bom    int64
	number int   // of the last record
	at     int64 // its first byte
	line   int   // after it
}

func newRecords(r io.Reader, comma rune) (*records, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	head, err := buffered.Peek(64 << 10)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return nil, &CSVError{Record: 1, Reason: "the file is UTF-16", Hint: "convert it to UTF-8"}
	}
	in := &records{line: 1}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		in.bom, head = 3, head[3:]
		_, _ = buffered.Discard(3) // was peeked
	}
	if comma == 0 {
		comma = rune(delimiter.Of(head))
	}
	in.limit = &allowance{r: buffered, left: maxRecord}
	in.csv = csv.NewReader(in.limit)
	in.csv.Comma, in.csv.ReuseRecord, in.csv.TrimLeadingSpace = comma, true, true
	return in, nil
}

// next gives a record, valid until the next call, and io.EOF only after at least one.
func (in *records) next() ([]string, error) {
	in.number++
	in.at = in.csv.InputOffset() + in.bom
	in.limit.left = maxRecord
	fields, err := in.csv.Read()
	switch {
	case err == io.EOF && in.number == 1:
		return nil, &CSVError{Reason: "the file is empty", Hint: "a table needs a header and a row per patient"}
	case err != nil:
		return nil, in.explain(err)
	case len(fields) > maxColumns:
		return nil, in.refuse(fmt.Sprintf("there are more than %d columns", maxColumns), "")
	}
	first, _ := in.csv.FieldPos(0)
	if first != in.line {
		return nil, in.refuse("there is an empty line before this record", "take the line out, or write its values as missing")
	}
	last, _ := in.csv.FieldPos(len(fields) - 1)
	in.line = last + strings.Count(fields[len(fields)-1], "\n") + 1
	return fields, nil
}

// explain turns an error of package csv into one that a person can act on.
func (in *records) explain(err error) error {
	var wrong *csv.ParseError
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		return in.refuse("has more or fewer fields than the first record", "quote fields with the separator in them")
	case errors.As(err, &wrong):
		return in.refuse("a quote is in the wrong place, or is not closed", "double a quote inside a quoted field")
	case errors.Is(err, errTooLong):
		return in.refuse(fmt.Sprintf("is longer than %d bytes", maxRecord), "look for a quote that is not closed")
	}
	return err
}

func (in *records) refuse(reason, hint string) error {
	return &CSVError{in.number, in.at, reason, hint}
}

// rows adds all records that are left. Those of the key column, if there is one,
// must be different and not missing.
func (in *records) rows(b *Builder, key int) error {
	seen := map[string]bool{}
	for {
		fields, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if key >= 0 {
			own := strings.TrimSpace(fields[key]) // a blank makes nobody another patient
			if !text(own) {
				return in.refuse("has a key that is not UTF-8 text", "convert the file to UTF-8")
			}
			if b.missing[own] {
				return in.refuse("has no key", "")
			}
			if seen[own] {
				return in.refuse("has the key of an earlier one", "make one row of each patient first: k counts rows")
			}
			seen[strings.Clone(own)] = true
		}
		if err := b.Add(fields); err != nil {
			return in.refuse(err.Error(), b.hint(err))
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

// allowance is a reader that gives up when a record does not end.
type allowance struct {
	r    io.Reader
	left int
}

var errTooLong = errors.New("a record is too long")

func (a *allowance) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, errTooLong
	}
	n, err := a.r.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}
