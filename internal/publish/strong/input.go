// SPDX-License-Identifier: Apache-2.0

package strong

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table is what cubes and queries count: a file ([CSV]) or records in memory
// ([Records]).
type Table interface {
	// rows yields the values of these columns, row by row, without blanks around them.
	rows(c Common, columns []string) (iter.Seq2[record, error], error)
	// The ledger recognizes the same data by the bytes that WriteTo writes.
	io.WriterTo
}

// record is one row.
type record struct {
	values []string
	in     func(error) error // adds the row's place to an error
}

// Records are rows that were not read from a file.
type Records struct {
	Columns []string
	Rows    iter.Seq[[]string] // a value for each column, good until the next row
}

func (t Records) rows(_ Common, columns []string) (iter.Seq2[record, error], error) {
	var at []int
	for _, want := range columns {
		i, err := theColumn(t.Columns, want)
		if err != nil {
			return nil, err
		}
		at = append(at, i)
	}
	return func(yield func(record, error) bool) {
		n := 0
		for row := range t.Rows {
			n++
			number := n
			if !yield(record{pick(row, at), func(err error) error { return fmt.Errorf("row %d: %w", number, err) }}, nil) {
				return
			}
		}
		if n == 0 {
			yield(record{}, errNoRows)
		}
	}, nil
}

// WriteTo writes the records as CSV.
func (t Records) WriteTo(w io.Writer) (int64, error) {
	out := csv.NewWriter(w)
	_ = out.Write(t.Columns) // errors stay with out
	for row := range t.Rows {
		_ = out.Write(row)
	}
	out.Flush()
	return 0, out.Error()
}

var errNoRows = errors.New("the table has no rows")

// pick gives the values at these places, without blanks around them.
func pick(row []string, at []int) []string {
	out := make([]string, len(at))
	for i, column := range at {
		out[i] = strings.TrimSpace(row[column])
	}
	return out
}

// CSV is a file with a header, unless the configuration names the columns.
type CSV []byte

// WriteTo writes the file as it is.
func (t CSV) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(t)
	return int64(n), err
}

const byteOrderMark = "\ufeff"

// rows finds the columns. Errors name columns of the configuration, and never quote the
// table.
func (t CSV) rows(c Common, columns []string) (iter.Seq2[record, error], error) {
	if err := readable(t); err != nil {
		return nil, err
	}
	text := bytes.TrimPrefix(t, []byte(byteOrderMark))
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	if c.Separator != "" {
		r.Comma, _ = utf8.DecodeRuneInString(c.Separator)
	}
	in := &csvRows{csv: r, bom: int64(len(t) - len(text))}
	names := c.Columns
	if len(names) == 0 {
		header, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the table is empty: it does not even have a header")
		}
		if err != nil {
			return nil, badCSV(in.bom, err)
		}
		names = header
	}
	in.width = len(names)
	for _, want := range columns {
		at, err := theColumn(names, want)
		if err != nil {
			return nil, err
		}
		in.at = append(in.at, at)
	}
	return in.all, nil
}

// theColumn finds the column of a name, of which there must be one.
func theColumn(names []string, want string) (int, error) {
	is := func(n string) bool { return strings.TrimSpace(n) == want }
	at := slices.IndexFunc(names, is)
	if at < 0 {
		return 0, fmt.Errorf("the table has no column %q: its first line names the columns, unless the configuration does with \"columns\"; \"separator\" is the character between them", want)
	}
	if slices.ContainsFunc(names[at+1:], is) {
		return 0, fmt.Errorf("the table has two columns %q: rename one", want)
	}
	return at, nil
}

// badCSV is a parser's error without its quotation.
func badCSV(at int64, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("line %d, record from byte %d: %w: double a quote inside a quoted field", p.Line, at, p.Err)
	}
	return errors.New("the table cannot be read as CSV")
}

// csvRows reads rows one after the other and knows where they are.
type csvRows struct {
	csv   *csv.Reader
	at    []int // where the wanted columns are
	width int
	bom   int64 // bytes before the first record
	row   int   // number of the last row, from 1
	begin int64 // its first byte
}

func (t *csvRows) all(yield func(record, error) bool) {
	for {
		out, err := t.next()
		if errors.Is(err, io.EOF) {
			return
		}
		if !yield(out, err) || err != nil {
			return
		}
	}
}

// next is the next row that is not an empty line, or io.EOF after at least one.
func (t *csvRows) next() (record, error) {
	for {
		t.begin = t.bom + t.csv.InputOffset()
		row, err := t.csv.Read()
		switch {
		case errors.Is(err, io.EOF) && t.row == 0:
			return record{}, errNoRows
		case errors.Is(err, io.EOF):
			return record{}, err
		case err != nil:
			return record{}, badCSV(t.begin, err)
		case len(row) == 1 && strings.TrimSpace(row[0]) == "":
			continue // an empty line with blanks
		}
		t.row++
		if len(row) != t.width {
			return record{}, t.inRow(fmt.Errorf("it has %d columns, not %d: look for an extra separator or quote", len(row), t.width))
		}
		return record{pick(row, t.at), t.inRow}, nil
	}
}

// inRow adds to an error where the last row is.
func (t *csvRows) inRow(err error) error {
	return fmt.Errorf("row %d, byte %d: %w", t.row, t.begin, err)
}

// errTwoParts refuses a person in two parts. Parallel composition needs disjoint parts:
// those that share a person cost the sum of what they spend, not the maximum. The order
// of rows cannot decide, since the next table may have another order.
var errTwoParts = errors.New("its person has rows in another part: parts must be disjoint")

// inPart keeps the rows of a part: those whose value in column col is that part.
// It refuses a person with rows in two parts.
func inPart(part string, col, key int) func([]string) (bool, error) {
	of := map[string]string{}
	return func(row []string) (bool, error) {
		if key >= 0 {
			if other, known := of[row[key]]; known && other != row[col] {
				return false, errTwoParts
			}
			of[row[key]] = row[col]
		}
		return row[col] == part, nil
	}
}

// readable refuses a file that is not UTF-8 text: a person whose name is written in
// another encoding would count twice.
func readable(raw []byte) error {
	if bytes.HasPrefix(raw, []byte("\xff\xfe")) || bytes.HasPrefix(raw, []byte("\xfe\xff")) {
		return errors.New("byte 0: the file is UTF-16: convert it to UTF-8")
	}
	if at := bytes.IndexByte(raw, 0); at >= 0 {
		return fmt.Errorf("byte %d: a zero byte, which is not text: remove it, or convert the file to UTF-8", at)
	}
	if !utf8.Valid(raw) {
		return fmt.Errorf("byte %d: this is not UTF-8: convert the file; it may be Latin-1 or Windows-1252", validUpTo(raw))
	}
	return nil
}

// validUpTo is the place of the first byte that is not part of a character.
func validUpTo(raw []byte) int {
	at := 0
	for at < len(raw) {
		r, size := utf8.DecodeRune(raw[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}
