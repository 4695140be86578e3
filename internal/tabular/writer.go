// SPDX-License-Identifier: Apache-2.0

package tabular

import (
	"bufio"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rule says how [Writer] makes cells safe, for the people who read the table.
const Rule = "A single quote (') stands before each cell that a spreadsheet program could run as a formula: one that begins with =, +, -, @, their full-width forms, a tab or a line end, also after separators, quotes and blanks. Plain numbers such as -3.5 are left as they are. Remove the first quote of such a cell to have its value."

// Writer writes tables for people, who open them in spreadsheet programs. These run a cell
// as a formula when it begins in one of several ways, and a formula can send other cells
// away or start a program. A patient can write such a cell. The writer follows the advice
// of OWASP on CSV injection: a single quote goes before the cell, and the cell is quoted.
//
// A plain number such as -3.5 keeps its sign, although it begins like a formula: as a whole
// it can only be a number, and with a quote before it no program could calculate with it.
//
// [Restore] undoes this exactly. The first record has the names of the columns. Apart from
// these cells a table is written as package csv does, and a single empty cell as "", because
// readers skip empty lines.
type Writer struct {
	out    *bufio.Writer
	header []string
	counts []int // prefixed cells, by column
	err    error
}

// Prefixed says which cells of a table have a prefix.
type Prefixed struct {
	Cells   int      `json:"cells"`
	Columns []string `json:"columns"` // with such cells, in order; never nil
}

// NewWriter makes a writer. [Writer.Flush] ends the table.
func NewWriter(w io.Writer) *Writer { return &Writer{out: bufio.NewWriterSize(w, 64<<10)} }

// Write writes a record. Errors stay with the writer until [Writer.Flush].
func (w *Writer) Write(record []string) error {
	if w.header == nil {
		w.header = append([]string{}, record...)
		w.counts = make([]int, len(record))
	}
	for i, cell := range record {
		if i > 0 {
			w.put(",")
		}
		formula := IsFormula(cell)
		if formula {
			cell = "'" + cell
			w.counts[min(i, len(w.counts)-1)]++
		}
		if formula || needsQuotes(cell) || len(record) == 1 && cell == "" {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		w.put(cell)
	}
	w.put("\n")
	return w.err
}

func (w *Writer) put(s string) {
	if w.err == nil {
		_, w.err = w.out.WriteString(s)
	}
}

// Flush writes what is left.
func (w *Writer) Flush() error {
	if w.err == nil {
		w.err = w.out.Flush()
	}
	return w.err
}

// Prefixed is the sum of what was written.
func (w *Writer) Prefixed() Prefixed {
	p := Prefixed{Columns: []string{}}
	for i, n := range w.counts {
		p.Cells += n
		if n > 0 {
			p.Columns = append(p.Columns, w.header[i])
		}
	}
	return p
}

// needsQuotes reports whether package csv quotes the cell.
func needsQuotes(cell string) bool {
	if cell == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(cell)
	return cell == `\.` || strings.ContainsAny(cell, "\",\r\n") || unicode.IsSpace(first)
}

// plainNumber is a number that no program reads as anything else.
var plainNumber = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// IsFormula reports whether a spreadsheet program could run the cell. Single quotes in
// front are ignored, so that a cell that looks as if it had a prefix gets one as well:
// only so can [Restore] tell which it was.
func IsFormula(cell string) bool {
	bare := strings.TrimLeft(cell, "'")
	if bare != "" && strings.ContainsRune("\t\r\n", rune(bare[0])) {
		return true
	}
	bare = strings.TrimLeftFunc(cell, skipped)
	first, _ := utf8.DecodeRuneInString(bare)
	return bare != "" && strings.ContainsRune("=+-@＝＋－＠", first) && !plainNumber.MatchString(cell)
}

// skipped are the characters after which a program can begin a new cell: separators,
// quotes, white space and a byte order mark.
func skipped(r rune) bool { return strings.ContainsRune(",;|'\"\ufeff", r) || unicode.IsSpace(r) }

// Restore is the value of a cell that a [Writer] wrote.
func Restore(cell string) string {
	if bare, found := strings.CutPrefix(cell, "'"); found && IsFormula(bare) {
		return bare
	}
	return cell
}
