// SPDX-License-Identifier: Apache-2.0

// Package tabular reads CSV files strictly, for all rooms that read tables.
//
//	in, err := tabular.NewReader(file, tabular.Options{})
//	header, err := in.Next()
//
// It refuses files that are not UTF-8 text in one consistent form, and says in which
// record and at which byte. It never quotes the file.
package tabular

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Limits of a file.
const (
	MaxRecord  = 16 << 20 // bytes
	maxColumns = 16384
)

// Error says where a file is wrong. It does not quote the file.
type Error struct {
	Record int   // from 1, the header being one; 0 when it is about the whole file
	Offset int64 // of the record's first byte
	Reason string
	Hint   string // what to do about it; may be empty
}

func (e *Error) Error() string {
	if e.Record == 0 {
		return e.Reason
	}
	return fmt.Sprintf("record %d, byte %d: %s", e.Record, e.Offset, e.Reason)
}

// Options say how a file is written.
type Options struct {
	Comma      rune // between fields; 0 to guess it from the first line, see [Delimiter]
	BlankLines bool // skips blank lines instead of refusing them
}

// Reader reads one record after the other.
type Reader struct {
	options Options
	csv     *csv.Reader
	limit   *allowance
	bom     int64
	width   int   // fields of a record; 0 before the first
	number  int   // of the last record
	at      int64 // its first byte
	line    int   // after it
}

// NewReader reads the beginning of a file.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	head, err := buffered.Peek(64 << 10)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return nil, &Error{Record: 1, Reason: "the file is UTF-16", Hint: "convert it to UTF-8"}
	}
	in := &Reader{options: o, line: 1}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		in.bom, head = 3, head[3:]
		_, _ = buffered.Discard(3) // was peeked
	}
	if o.Comma == 0 {
		o.Comma = rune(Delimiter(head))
	}
	in.limit = &allowance{r: buffered, left: MaxRecord}
	in.csv = csv.NewReader(in.limit)
	in.csv.Comma, in.csv.ReuseRecord, in.csv.TrimLeadingSpace = o.Comma, true, true
	if o.BlankLines {
		in.csv.FieldsPerRecord = -1
	}
	return in, nil
}

// Header gives the first record, which names the columns, and refuses [Twins] among them.
// The caller owns it.
func (in *Reader) Header() ([]string, error) {
	names, err := in.Next()
	if err != nil {
		return nil, err
	}
	if first, second, found := Twins(names); found {
		return nil, in.Refuse(fmt.Sprintf("columns %d and %d have the same name, or differ only in upper and lower case", first, second), "rename one of them")
	}
	return slices.Clone(names), nil
}

// Next gives a record, valid until the next call, and io.EOF only after at least one.
func (in *Reader) Next() ([]string, error) {
	in.number++
	fields, err := in.read()
	for in.options.BlankLines && err == nil && len(fields) == 1 && strings.TrimSpace(fields[0]) == "" {
		fields, err = in.read()
	}
	switch {
	case err == io.EOF && in.number == 1:
		return nil, &Error{Reason: "the file is empty", Hint: "a table needs a header and a row per patient"}
	case err != nil:
		return nil, in.explain(err)
	case len(fields) > maxColumns:
		return nil, in.Refuse(fmt.Sprintf("there are more than %d columns", maxColumns), "")
	case in.width > 0 && len(fields) != in.width:
		return nil, in.explain(csv.ErrFieldCount)
	}
	in.width = len(fields)
	if at := slices.IndexFunc(fields, func(f string) bool { return !utf8.ValidString(f) }); at >= 0 {
		return nil, in.Refuse(fmt.Sprintf("field %d is not UTF-8 text", at+1), "convert the file to UTF-8; it may be Latin-1 or Windows-1252")
	}
	first, _ := in.csv.FieldPos(0)
	if first != in.line && !in.options.BlankLines {
		return nil, in.Refuse("there is an empty line before this record", "take the line out, or write its values as missing")
	}
	last, _ := in.csv.FieldPos(len(fields) - 1)
	in.line = last + strings.Count(fields[len(fields)-1], "\n") + 1
	return fields, nil
}

func (in *Reader) read() ([]string, error) {
	in.at = in.csv.InputOffset() + in.bom
	in.limit.left = MaxRecord
	return in.csv.Read()
}

// explain turns an error of package csv into one that a person can act on.
func (in *Reader) explain(err error) error {
	var wrong *csv.ParseError
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		return in.Refuse("has more or fewer fields than the first record", "quote fields with the separator in them")
	case errors.As(err, &wrong):
		return in.Refuse("a quote is in the wrong place, or is not closed", "double a quote inside a quoted field")
	case errors.Is(err, errTooLong):
		return in.Refuse(fmt.Sprintf("is longer than %d bytes", MaxRecord), "look for a quote that is not closed")
	}
	return err
}

// Place is the number of the last record, from 1, and its first byte.
func (in *Reader) Place() (record int, offset int64) { return in.number, in.at }

// Refuse is an error about the last record.
func (in *Reader) Refuse(reason, hint string) error {
	return &Error{in.number, in.at, reason, hint}
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

// Delimiter is the one of comma, semicolon and tab that the first line has most often
// outside quotes, and the comma in doubt. head is the beginning of the table. It is a
// guess: ask a person where there is one.
func Delimiter(head []byte) byte {
	counts, quoted := map[byte]int{}, false
	for _, c := range head {
		if c == '\n' && !quoted {
			break
		}
		quoted = quoted != (c == '"')
		if !quoted {
			counts[c]++
		}
	}
	best := byte(',')
	for _, c := range []byte{';', '\t'} {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return best
}

// Twins finds the first two columns, counted from 1, whose names are equal by [Fold].
// Programs disagree about which of them a name means.
func Twins(header []string) (first, second int, found bool) {
	seen := make(map[string]int, len(header))
	for i, name := range header {
		folded := Fold(name)
		if first, found := seen[folded]; found {
			return first, i + 1, true
		}
		seen[folded] = i + 1
	}
	return 0, 0, false
}

// Fold is equal for two names that differ only in case or in Unicode normal form.
func Fold(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
		}
	}
	return strings.ToLower(name)
}
