// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bufio"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// formulas is what the manifest says of cells that a spreadsheet program could run, in the
// order of the file. Earlier releases do not have it, and their cells are as they were.
type formulas struct {
	Rule  string         `json:"rule"`
	Files []formulaTable `json:"files"`
}

type formulaTable struct {
	Path    string   `json:"path"`
	Cells   int      `json:"cells"`
	Columns []string `json:"columns"`
}

// formulaRule is the only rule there is.
const formulaRule = "A single quote (') stands before each cell that a spreadsheet program could run as a formula: one that begins with =, +, -, @, their full-width forms, a tab or a line end, also after separators, quotes and blanks. Plain numbers such as -3.5 are left as they are. Remove the first quote of such a cell to have its value."

// checkFormulas reads every table and compares its cells with the rule and with what the
// manifest says of them.
func (r *release) checkFormulas() {
	f := r.manifest.Formulas
	if f == nil {
		return
	}
	if f.Rule != formulaRule {
		r.Add(manifestName, "has an unknown rule about formulas")
		return
	}
	listed := 0
	for _, is := range r.manifest.Files {
		if path.Ext(is.Path) != ".csv" {
			continue
		}
		if listed == len(f.Files) || f.Files[listed].Path != is.Path {
			r.Add(manifestName, "does not say which cells of %s have a prefix", is.Path)
			return
		}
		r.checkTableFormulas(f.Files[listed])
		listed++
	}
	if listed < len(f.Files) {
		r.Add(manifestName, "says which cells have a prefix of a table that is not there")
	}
}

func (r *release) checkTableFormulas(claimed formulaTable) {
	file, err := r.fsys.Open(claimed.Path)
	if err != nil {
		return // checkFiles reports it
	}
	defer file.Close() // only read
	in := tableReader{in: bufio.NewReaderSize(file, 1<<16)}
	var header []string
	var counts []int
	for n := 1; ; n++ {
		record, err := in.record()
		if err == io.EOF {
			break
		}
		if err != nil {
			r.Add(claimed.Path, "record %d: %v", n, err)
			return
		}
		if n == 1 {
			counts = make([]int, len(record))
		}
		if len(record) != len(counts) {
			r.Add(claimed.Path, "record %d has another number of cells than the first", n)
			return
		}
		for i, cell := range record {
			value := plainCell(cell.text)
			if n == 1 {
				header = append(header, value)
			}
			switch prefixed := value != cell.text; {
			case prefixed && !cell.quoted, !prefixed && runs(cell.text):
				r.Add(claimed.Path, "record %d, column %d: a spreadsheet program could run the cell", n, i+1)
				return
			case prefixed:
				counts[i]++
			}
		}
	}
	cells, columns := 0, []string{}
	for i, n := range counts {
		cells += n
		if n > 0 {
			columns = append(columns, header[i])
		}
	}
	if cells != claimed.Cells || !slices.Equal(columns, claimed.Columns) {
		r.Add(manifestName, "claims %d cells of %s with a prefix, there are %d, or they are in other columns", claimed.Cells, claimed.Path, cells)
	}
}

// restore removes in place the prefixes of a record, if the release has them.
func (r *release) restore(record []string) {
	if r.manifest.Formulas == nil {
		return
	}
	for i, cell := range record {
		record[i] = plainCell(cell)
	}
}

// plainCell is the value of a cell, without the prefix if it has one.
func plainCell(cell string) string {
	if strings.HasPrefix(cell, "'") && runs(cell[1:]) {
		return cell[1:]
	}
	return cell
}

// numeric is a number that may begin with a sign.
var numeric = regexp.MustCompile(`^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$`)

// runs reports whether a spreadsheet program could run the cell, by the rule.
func runs(cell string) bool {
	switch after := strings.TrimLeft(cell, "'"); {
	case numeric.MatchString(cell):
		return false
	case strings.HasPrefix(after, "\t"), strings.HasPrefix(after, "\r"), strings.HasPrefix(after, "\n"):
		return true
	}
	for _, c := range cell {
		switch c {
		case '=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20':
			return true
		case ',', ';', '|', '\'', '"', '\ufeff':
			continue
		}
		if !unicode.IsSpace(c) {
			return false
		}
	}
	return false
}

// tableWriter writes a table in the one way that a release has it.
type tableWriter struct {
	w    io.Writer
	safe bool // with prefixes
}

func (t *tableWriter) record(cells []string) {
	for i, cell := range cells {
		quoted := cell == `\.` || strings.ContainsAny(cell, ",\"\r\n")
		if first, _ := utf8.DecodeRuneInString(cell); cell != "" && unicode.IsSpace(first) {
			quoted = true
		}
		if t.safe && runs(cell) {
			cell, quoted = "'"+cell, true
		}
		if quoted {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		if i > 0 {
			cell = "," + cell
		}
		_, _ = io.WriteString(t.w, cell) // a comparison, which cannot fail
	}
	_, _ = io.WriteString(t.w, "\n")
}

// tableReader cuts a table into cells, byte for byte: package csv changes line ends inside
// of quotes and does not tell which cells have quotes.
type tableReader struct{ in *bufio.Reader }

type tableCell struct {
	text   string
	quoted bool
}

var errNotTable = errors.New("is not written as a table")

// record gives the next record, and [io.EOF] after the last.
func (t tableReader) record() ([]tableCell, error) {
	if _, err := t.in.Peek(1); err != nil {
		return nil, err
	}
	var cells []tableCell
	for {
		cell, last, err := t.cell()
		if err != nil {
			return nil, err
		}
		if cells = append(cells, cell); last {
			return cells, nil
		}
	}
}

// cell reads a cell and the comma or line end after it.
func (t tableReader) cell() (c tableCell, last bool, err error) {
	var text []byte
	for {
		b, err := t.in.ReadByte()
		if err != nil {
			return c, false, errNotTable
		}
		switch {
		case b == ',' || b == '\n':
			c.text = string(text)
			return c, b == '\n', nil
		case b != '"':
			if c.quoted {
				return c, false, errNotTable
			}
			text = append(text, b)
			continue
		case len(text) > 0 || c.quoted:
			return c, false, errNotTable
		}
		c.quoted = true
		if text, err = t.untilQuote(text); err != nil {
			return c, false, err
		}
	}
}

// untilQuote reads to the closing quote.
func (t tableReader) untilQuote(text []byte) ([]byte, error) {
	for {
		part, err := t.in.ReadBytes('"')
		if err != nil {
			return nil, errNotTable
		}
		text = append(text, part...)
		if next, err := t.in.Peek(1); err != nil || next[0] != '"' {
			return text[:len(text)-1], nil
		}
		_, _ = t.in.Discard(1) // was peeked
	}
}
