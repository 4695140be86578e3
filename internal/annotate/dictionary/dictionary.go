// SPDX-License-Identifier: Apache-2.0

// Package dictionary has lists of terms: built-in ones, such as first names and months, and
// those of users.
//
//	lists, err := dictionary.Read("surnames.csv", file) // a user's file
//	months := dictionary.Terms("months")                 // a built-in list
//
// A [List] is a name and its phrases. Package crf finds the phrases in notes and keeps
// a user's lists with the model.
package dictionary

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// List is a named list of phrases, such as first names or hospitals. Phrases are compared
// token by token, ignoring case and accents.
type List struct {
	Name    string
	Phrases []string
}

//go:embed lists/*.txt
var files embed.FS

// OwnPrefix starts the names of built-in lists, to distinguish them from lists of a user.
const OwnPrefix = "."

// Own are the built-in lists, one term a line.
var Own = sync.OnceValue(func() []List {
	entries, err := files.ReadDir("lists")
	if err != nil {
		panic("dictionary: the program's own lists are missing")
	}
	lists := make([]List, len(entries))
	for i, f := range entries {
		text, err := files.ReadFile(path.Join("lists", f.Name()))
		if err != nil {
			panic("dictionary: one of the program's own lists is missing")
		}
		lists[i] = List{OwnPrefix + strings.TrimSuffix(f.Name(), ".txt"), strings.Split(strings.TrimSpace(string(text)), "\n")}
	}
	return lists
})

// OwnSum is a hash of the built-in lists. It changes when they do.
var OwnSum = sync.OnceValue(func() [sha256.Size]byte {
	h := sha256.New()
	for _, list := range Own() {
		h.Write([]byte(list.Name + "\n" + strings.Join(list.Phrases, "\n") + "\n"))
	}
	return [sha256.Size]byte(h.Sum(nil))
})

// Terms are the terms of a built-in list, such as "given" or "months", as written. It
// panics for an unknown list.
func Terms(name string) []string {
	for _, list := range Own() {
		if list.Name == OwnPrefix+name {
			return list.Phrases
		}
	}
	panic("dictionary: there is no list " + name)
}

// Hint describes the formats of a dictionary file, for people whose file is refused.
const Hint = "a dictionary is a file with one term a line, a census list (NAME frequency cumulative rank), or columns with a header"

// Limits of a dictionary file.
const (
	MaxBytes   = 32 << 20 // bytes
	maxTerms   = 1 << 20  // lines
	maxTerm    = 256      // bytes of a term
	maxColumns = 64
)

// ErrUnusable is wrapped by the errors of [Read] about the content of a file. They give the
// line and never its text.
var ErrUnusable = errors.New("not a usable dictionary")

// Read reads a dictionary file in UTF-8. name is the file's, without folders; the lists are
// named after it. There are three forms:
//
//   - One term a line. Empty lines, and lines that start with #, are ignored.
//   - A census list of names: NAME frequency cumulative rank, separated by blanks. Besides
//     the whole list there is NAME-common, a list of the commonest names, which together
//     cover half of all people.
//   - Columns with a header: files named .csv or .tsv, or whose first line has a bar or a
//     tab. The separator is the one of bar, tab, semicolon and comma that occurs most in
//     the header. Each column of words is a separate list, called NAME.HEADER; columns of
//     numbers are skipped.
func Read(name string, r io.Reader) ([]List, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrUnusable, MaxBytes)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	called := listName(name)
	first, _, _ := bytes.Cut(text, []byte("\n"))
	switch kind := strings.ToLower(path.Ext(name)); {
	case kind == ".csv" || kind == ".tsv" || bytes.ContainsAny(first, "|\t"):
		return readColumns(called, text, separator(first))
	case isCensus(string(first)):
		return readCensus(called, text)
	}
	return readTerms(called, text)
}

// listName is the name without the extensions of file formats.
func listName(name string) string {
	switch kind := path.Ext(name); strings.ToLower(kind) {
	case ".txt", ".csv", ".tsv", ".lst":
		return strings.TrimSuffix(name, kind)
	}
	return name
}

// eachLine calls fn for every line that is not empty, by number from 1.
func eachLine(text []byte, fn func(n int, line string) error) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxTerm*4)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSpace(lines.Text())
		switch {
		case n > maxTerms:
			return fmt.Errorf("%w: it has more than %d lines", ErrUnusable, maxTerms)
		case !utf8.ValidString(line):
			return badLine(n, "is not UTF-8")
		case line == "":
			continue
		}
		if err := fn(n, line); err != nil {
			return err
		}
	}
	if lines.Err() != nil {
		return badLine(n+1, "is longer than %d bytes", maxTerm*4)
	}
	return nil
}

func badLine(n int, format string, args ...any) error {
	return fmt.Errorf("%w: line %d "+format, append([]any{ErrUnusable, n}, args...)...)
}

// termOf checks a term of line n.
func termOf(n int, term string) (string, error) {
	if len(term) > maxTerm {
		return "", badLine(n, "has a term of %d bytes, at most %d", len(term), maxTerm)
	}
	return term, nil
}

func readTerms(name string, text []byte) ([]List, error) {
	list := List{Name: name}
	err := eachLine(text, func(n int, line string) error {
		if strings.HasPrefix(line, "#") {
			return nil
		}
		term, err := termOf(n, line)
		list.Phrases = append(list.Phrases, term)
		return err
	})
	if err == nil && len(list.Phrases) == 0 {
		err = fmt.Errorf("%w: it contains no terms", ErrUnusable)
	}
	return []List{list}, err
}

// isCensus reports whether a line is NAME frequency cumulative rank.
func isCensus(line string) bool {
	_, _, ok := censusLine(line)
	return ok
}

func censusLine(line string) (name string, cumulative float64, ok bool) {
	fields := strings.Fields(line)
	if len(fields) != 4 {
		return "", 0, false
	}
	_, err1 := strconv.ParseFloat(fields[1], 64)
	cumulative, err2 := strconv.ParseFloat(fields[2], 64)
	_, err3 := strconv.Atoi(fields[3])
	return fields[0], cumulative, err1 == nil && err2 == nil && err3 == nil
}

// commonShare is the percentage of people whose names are common.
const commonShare = 50

func readCensus(name string, text []byte) ([]List, error) {
	all, common := List{Name: name}, List{Name: name + "-common"}
	err := eachLine(text, func(n int, line string) error {
		called, cumulative, ok := censusLine(line)
		if !ok {
			return badLine(n, "is not NAME frequency cumulative rank, as the first one is")
		}
		called, err := termOf(n, called)
		all.Phrases = append(all.Phrases, called)
		if cumulative <= commonShare {
			common.Phrases = append(common.Phrases, called)
		}
		return err
	})
	if len(common.Phrases) == 0 {
		return []List{all}, err
	}
	return []List{all, common}, err
}

// separator is the separator that occurs most in a header.
func separator(header []byte) rune {
	best, most := ',', 0
	for _, r := range "|\t;," {
		if n := bytes.Count(header, []byte(string(r))); n > most {
			best, most = r, n
		}
	}
	return best
}

func readColumns(name string, text []byte, comma rune) ([]List, error) {
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%w: it is not UTF-8", ErrUnusable)
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.LazyQuotes, r.ReuseRecord, r.TrimLeadingSpace = comma, true, true, true
	header, err := r.Read()
	if err != nil || len(header) > maxColumns {
		return nil, badLine(1, "is not a header of 1 to %d columns", maxColumns)
	}
	columns := make([]column, len(header))
	for i, h := range header {
		columns[i] = column{list: List{Name: name + "." + strings.TrimSpace(h)}, seen: map[string]bool{}}
	}
	for {
		record, err := r.Read()
		line, _ := r.FieldPos(0)
		switch {
		case errors.Is(err, io.EOF):
			return usable(columns)
		case errors.Is(err, csv.ErrFieldCount):
			return nil, badLine(line, "has %d columns, the header has %d", len(record), len(columns))
		case err != nil:
			return nil, badLine(line, "has a quotation mark out of place")
		case line > maxTerms:
			return nil, fmt.Errorf("%w: it has more than %d lines", ErrUnusable, maxTerms)
		}
		for i := range columns {
			if err := columns[i].add(line, record[i]); err != nil {
				return nil, err
			}
		}
	}
}

// column collects the distinct values of one column.
type column struct {
	list  List
	seen  map[string]bool
	words int // values with a letter
	all   int
}

func (c *column) add(line int, value string) error {
	value = strings.TrimSpace(value)
	if value == "" {
		return nil
	}
	value, err := termOf(line, value)
	c.all++
	if strings.ContainsFunc(value, unicode.IsLetter) {
		c.words++
	}
	if !c.seen[value] {
		c.seen[value] = true
		c.list.Phrases = append(c.list.Phrases, value)
	}
	return err
}

// usable are the columns in which most values are words.
func usable(columns []column) ([]List, error) {
	var lists []List
	for _, c := range columns {
		if 2*c.words > c.all {
			lists = append(lists, c.list)
		}
	}
	if len(lists) == 0 {
		return nil, fmt.Errorf("%w: no column contains words", ErrUnusable)
	}
	return lists, nil
}
