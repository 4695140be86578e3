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
}

const byteOrderMark = "\ufeff"

// openTable finds the wanted columns. Errors name columns of the configuration,
// never what is in the table.
func openTable(raw []byte, c Common, want []string) (*table, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, []byte(byteOrderMark))))
	r.FieldsPerRecord = -1
	r.ReuseRecord = false
	if c.Separator != "" {
		r.Comma, _ = utf8.DecodeRuneInString(c.Separator)
	}
	t := &table{csv: r}
	names := c.Columns
	if len(names) == 0 {
		header, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the table is empty: it has not even a header")
		}
		if err != nil {
			return nil, badCSV(err)
		}
		names = header
	}
	t.width = len(names)
	for _, w := range want {
		at := slices.IndexFunc(names, func(n string) bool { return strings.TrimSpace(n) == w })
		if at < 0 {
			return nil, fmt.Errorf("the table has no column %q", w)
		}
		t.at = append(t.at, at)
	}
	return t, nil
}

// badCSV leaves out of a parser's error what it quotes.
func badCSV(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("the table, line %d: %w", p.Line, p.Err)
	}
	return errors.New("the table cannot be read as CSV")
}

// rows yields the wanted columns of each row, without blanks around.
func (t *table) rows() iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for n := 1; ; n++ {
			rec, err := t.csv.Read()
			if errors.Is(err, io.EOF) && n > 1 {
				return
			}
			if errors.Is(err, io.EOF) {
				yield(nil, errors.New("the table has no rows"))
				return
			}
			if err == nil && len(rec) == 1 && strings.TrimSpace(rec[0]) == "" {
				n--
				continue // an empty line with blanks
			}
			if err == nil && len(rec) != t.width {
				err = fmt.Errorf("row %d has %d columns, not %d", n, len(rec), t.width)
			} else if err != nil {
				err = badCSV(err)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			out := make([]string, len(t.at))
			for i, at := range t.at {
				out[i] = strings.TrimSpace(rec[at])
			}
			if !yield(out, nil) {
				return
			}
		}
	}
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
