// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"hide/internal/tabular"
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

// rows finds the columns. Errors name columns of the configuration, and never quote the
// table.
func (t CSV) rows(c Common, columns []string) (iter.Seq2[record, error], error) {
	if err := readable(t); err != nil {
		return nil, err
	}
	comma, _ := utf8.DecodeRuneInString(cmp.Or(c.Separator, ","))
	in, err := tabular.NewReader(bytes.NewReader(t), tabular.Options{Comma: comma, BlankLines: true})
	if err != nil {
		return nil, err
	}
	names := c.Columns
	if len(names) == 0 {
		if names, err = in.Header(); err != nil {
			return nil, err
		}
	}
	at := make([]int, len(columns))
	for i, want := range columns {
		if at[i], err = theColumn(names, want); err != nil {
			return nil, err
		}
	}
	return func(yield func(record, error) bool) {
		for n := 1; ; n++ {
			out, err := nextRow(in, len(names), at, n)
			if err == io.EOF && n == 1 {
				err = errNoRows
			}
			if err == io.EOF || !yield(out, err) || err != nil {
				return
			}
		}
	}, nil
}

// nextRow reads the n-th row that is not blank.
func nextRow(in *tabular.Reader, width int, at []int, n int) (record, error) {
	fields, err := in.Next()
	_, begin := in.Place()
	place := func(err error) error { return fmt.Errorf("row %d, byte %d: %w", n, begin, err) }
	wrong := (*tabular.Error)(nil)
	switch isWrong := errors.As(err, &wrong); {
	case isWrong && wrong.Record == 0:
		return record{}, io.EOF // an empty file without a header
	case isWrong:
		return record{}, place(fmt.Errorf("%s: %s", wrong.Reason, wrong.Hint))
	case err != nil:
		return record{}, err
	case len(fields) != width:
		return record{}, place(fmt.Errorf("it has %d columns, not %d: look for an extra separator or quote", len(fields), width))
	}
	return record{pick(fields, at), place}, nil
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

// Sequences are what prefix trees count: a file ([Lines]) or records in memory
// ([SequenceRecords]).
type Sequences interface {
	lines(c SequencesConfig) iter.Seq2[line, error]
	// The ledger recognizes the same data by the bytes that WriteTo writes.
	io.WriterTo
}

// line is one sequence.
type line struct {
	key     string // of the person; "" when unknown
	symbols []string
	in      func(error) error // adds the line's place to an error
}

// SequenceRecords are sequences that were not read from a file.
type SequenceRecords struct {
	Keys    []string   // of the person of each; "" when unknown
	Symbols [][]string // of each
}

func (s SequenceRecords) lines(SequencesConfig) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		for i, key := range s.Keys {
			in := func(err error) error { return fmt.Errorf("row %d: %w", i+1, err) }
			if !yield(line{key, s.Symbols[i], in}, nil) {
				return
			}
		}
	}
}

// WriteTo writes a line for each sequence: its key and its symbols, with tabs between.
func (s SequenceRecords) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	for i, key := range s.Keys {
		b.WriteString(key)
		for _, symbol := range s.Symbols[i] {
			b.WriteString("\t" + symbol)
		}
		b.WriteByte('\n')
	}
	return b.WriteTo(w)
}

// Lines is a file with a sequence a line.
type Lines []byte

// WriteTo writes the file as it is.
func (s Lines) WriteTo(w io.Writer) (int64, error) { return CSV(s).WriteTo(w) }

const byteOrderMark = "\ufeff"

// mostLine bounds a line, in bytes.
const mostLine = 16 << 20

func (s Lines) lines(c SequencesConfig) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		if err := readable(s); err != nil {
			yield(line{}, err)
			return
		}
		text := bytes.TrimPrefix(s, []byte(byteOrderMark))
		n, at := 0, len(s)-len(text)
		for raw := range bytes.Lines(text) {
			n++
			number, begin := n, at
			in := func(err error) error { return fmt.Errorf("line %d, byte %d: %w", number, begin, err) }
			one, err := c.line(raw)
			if one.in = in; err != nil {
				err = in(err)
			}
			if !yield(one, err) || err != nil {
				return
			}
			at += len(raw)
		}
	}
}

func (c SequencesConfig) line(raw []byte) (line, error) {
	text := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	switch {
	case len(text) > mostLine:
		return line{}, fmt.Errorf("it has more than %d bytes", mostLine)
	case strings.Contains(text, "\r"):
		return line{}, errors.New("it contains a carriage return: end lines with line feeds")
	}
	fields := c.split(text)
	if !c.KeyFirst {
		return line{symbols: fields}, nil
	}
	// A line that begins with a blank has no key: its first word may be a symbol.
	if len(fields) == 0 || c.Separator == "" && !strings.HasPrefix(text, fields[0]) {
		return line{}, nil
	}
	return line{key: strings.TrimSpace(fields[0]), symbols: fields[1:]}, nil
}

func (c SequencesConfig) split(line string) []string {
	if c.Separator == "" {
		return strings.Fields(line)
	}
	if line == "" {
		return nil
	}
	return strings.Split(line, c.Separator)
}
