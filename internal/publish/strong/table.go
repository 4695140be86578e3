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

// table reads a CSV with the columns that are wanted.
type table struct {
	csv   *csv.Reader
	at    []int // where the wanted columns are
	width int
	bom   int64 // bytes before the first record
	row   int   // number of the last row, from 1
	begin int64 // its first byte
}

const byteOrderMark = "\ufeff"

// openTable finds the wanted columns. Errors name columns of the configuration,
// never what is in the table.
func openTable(raw []byte, c Common, want []string) (*table, error) {
	if err := readable(raw); err != nil {
		return nil, err
	}
	text := bytes.TrimPrefix(raw, []byte(byteOrderMark))
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	r.ReuseRecord = false
	if c.Separator != "" {
		r.Comma, _ = utf8.DecodeRuneInString(c.Separator)
	}
	t := &table{csv: r, bom: int64(len(raw) - len(text))}
	names := c.Columns
	if len(names) == 0 {
		header, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the table is empty: it has not even a header")
		}
		if err != nil {
			return nil, badCSV(t.bom, err)
		}
		names = header
	}
	t.width = len(names)
	for _, w := range want {
		at, err := theColumn(names, w)
		if err != nil {
			return nil, err
		}
		t.at = append(t.at, at)
	}
	return t, nil
}

// theColumn finds the only column of a name.
func theColumn(names []string, want string) (int, error) {
	is := func(n string) bool { return strings.TrimSpace(n) == want }
	at := slices.IndexFunc(names, is)
	if at < 0 {
		return 0, fmt.Errorf("the table has no column %q: its first line names the columns, unless the configuration does under \"columns\", and \"separator\" says what is between them", want)
	}
	if slices.ContainsFunc(names[at+1:], is) {
		return 0, fmt.Errorf("the table has two columns %q: rename one", want)
	}
	return at, nil
}

// badCSV leaves out of a parser's error what it quotes.
func badCSV(at int64, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("line %d, record from byte %d: %w: double a quote inside a quoted field", p.Line, at, p.Err)
	}
	return errors.New("the table cannot be read as CSV")
}

// rows yields the wanted columns of each row, without blanks around.
func (t *table) rows() iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
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
}

// next is the next row that is no empty line, or io.EOF after at least one.
func (t *table) next() ([]string, error) {
	for {
		t.begin = t.bom + t.csv.InputOffset()
		rec, err := t.csv.Read()
		switch {
		case errors.Is(err, io.EOF) && t.row == 0:
			return nil, errors.New("the table has no rows")
		case errors.Is(err, io.EOF):
			return nil, err
		case err != nil:
			return nil, badCSV(t.begin, err)
		case len(rec) == 1 && strings.TrimSpace(rec[0]) == "":
			continue // an empty line with blanks
		}
		t.row++
		if len(rec) != t.width {
			return nil, t.inRow(fmt.Errorf("it has %d columns, not %d: look for a separator or a quote too many", len(rec), t.width))
		}
		out := make([]string, len(t.at))
		for i, at := range t.at {
			out[i] = strings.TrimSpace(rec[at])
		}
		return out, nil
	}
}

// inRow says of an error where it is.
func (t *table) inRow(err error) error {
	if err != nil {
		err = fmt.Errorf("row %d, byte %d: %w", t.row, t.begin, err)
	}
	return err
}

// errTwoParts refuses what parallel composition cannot take: parts that share a
// person cost the sum of what they spend, and not the most. Which row comes first
// would not settle it, since the next table may have another order.
var errTwoParts = errors.New("its person has rows in another part: parts must not share anybody")

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
