// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Release checks a release from itself alone. What is wrong is in the report; an
// error means that something could not be read, or that this is no such release.
func Release(fsys fs.FS) (Report, error) {
	c, err := examine(fsys)
	if err != nil {
		return Report{}, err
	}
	c.report.OK = c.report.Found == 0
	return c.report, nil
}

// checker is the state of one verification.
type checker struct {
	fsys     fs.FS
	report   Report
	manifest manifest
	values   []column // that are no texts
	texts    []column
	rows     []row
	people   map[int]*person
	broken   bool               // a row or a place is not where it can be looked at
	went     map[int][][]string // by person: the words of each term that was suppressed
	ranks    []map[string]int   // [column] ordinals of the originals
}

// row is one line of rows.jsonl.
type row struct {
	Row    int      `json:"row"`
	Person int      `json:"person"`
	Values []string `json:"values"`
	Texts  []text   `json:"texts"`
}

type text struct {
	Text   string  `json:"text"`
	Places []place `json:"places"`
}

// place is where a sensitive term stood, in code points.
type place struct {
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Type      string `json:"type"`
	How       string `json:"how"`
	Attribute string `json:"attribute,omitempty"`
}

// person is what all rows of one person say.
type person struct {
	quasi []string
	kept  map[string]bool // text, type and spelling of kept terms
	rows  []int           // by index
}

func examine(fsys fs.FS) (*checker, error) {
	c := &checker{fsys: fsys, people: map[int]*person{}}
	c.report.Problems = []Problem{}
	for _, step := range []func() error{c.readManifest, c.checkFiles, c.readRows, c.checkClasses, c.checkTable} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *checker) readRows() error {
	f, err := c.fsys.Open(rowsName)
	if err != nil {
		return fmt.Errorf("%w: %s is missing", ErrNoRelease, rowsName)
	}
	defer f.Close() // only read
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 1<<16), lineLimit)
	for n := 1; lines.Scan(); n++ {
		var r row
		if err := strict(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("%s, line %d: %w", rowsName, n, err)
		}
		c.rows = append(c.rows, r)
		c.checkRow(n, r)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", rowsName, err)
	}
	return nil
}

func (c *checker) checkRow(n int, r row) {
	if r.Row != n || len(r.Values) != len(c.values) || len(r.Texts) != len(c.texts) {
		c.report.add(rowsName, "line %d has not the number, values and texts that it should have", n)
		c.broken = true
		return
	}
	p := c.people[r.Person]
	if p == nil {
		p = &person{quasi: c.quasiOf(r), kept: map[string]bool{}}
		c.people[r.Person] = p
	}
	p.rows = append(p.rows, n-1)
	if !slices.Equal(p.quasi, c.quasiOf(r)) {
		c.report.add(rowsName, "line %d: a quasi-identifier is not that of the person's other rows", n)
	}
	for x, t := range r.Texts {
		c.checkText(n, x, t, r, p)
	}
}

func (c *checker) quasiOf(r row) []string {
	var quasi []string
	for i, col := range c.values {
		if col.Role == "quasi" && i < len(r.Values) {
			quasi = append(quasi, r.Values[i])
		}
	}
	return quasi
}

// checkText looks at each place: its words must be what its kind allows.
func (c *checker) checkText(n, x int, t text, r row, p *person) {
	runes, last := []rune(t.Text), 0
	for i, at := range t.Places {
		if at.Start < last || at.End <= at.Start || at.End > len(runes) {
			c.report.add(rowsName, "line %d, text %d: place %d is not in the text or not in order", n, x+1, i+1)
			c.broken = true
			return
		}
		last = at.End
		words := string(runes[at.Start:at.End])
		switch at.How {
		case "suppressed":
			c.report.Suppressed++
			if words != "["+at.Type+"]" {
				c.report.add(rowsName, "line %d, text %d: place %d is suppressed and does not hold its placeholder", n, x+1, i+1)
			}
		case "kept":
			c.report.Kept++
			p.kept[strconv.Itoa(x)+"\x00"+at.Type+"\x00"+words] = true
		case "recoded":
			c.report.Recoded++
			if !c.isRecoded(words, at, r) {
				c.report.add(rowsName, "line %d, text %d: place %d does not hold the person's released value", n, x+1, i+1)
			}
		default:
			c.report.add(rowsName, "line %d, text %d: place %d is neither kept nor recoded nor suppressed", n, x+1, i+1)
		}
	}
}

// isRecoded reports whether words are the row's released value of the attribute,
// or of a date its year, with nothing but declared words around it.
func (c *checker) isRecoded(words string, at place, r row) bool {
	i := slices.IndexFunc(c.values, func(col column) bool { return col.Name == at.Attribute && col.Role == "quasi" })
	if i < 0 || r.Values[i] == "*" {
		return false
	}
	allowed := []string{r.Values[i]}
	if c.values[i].Kind == "date" && len(r.Values[i]) > 4 && r.Values[i][0] != '[' {
		allowed = append(allowed, r.Values[i][:4])
	}
	for _, value := range allowed {
		if before, after, found := strings.Cut(words, value); found && beside(before, c.values[i].Around) && beside(after, c.values[i].Around) {
			return true
		}
	}
	return false
}

// checkClasses groups persons who are alike and counts them.
func (c *checker) checkClasses() error {
	classes := map[string]int{}
	for _, p := range c.people {
		kept := make([]string, 0, len(p.kept))
		for k := range p.kept {
			kept = append(kept, strconv.Quote(k))
		}
		slices.Sort(kept)
		classes[fmt.Sprintf("%q %q", p.quasi, kept)]++
	}
	r := &c.report
	r.Classes, r.Persons, r.Rows = len(classes), len(c.people), len(c.rows)
	small := 0
	for _, n := range classes {
		if r.Least == 0 || n < r.Least {
			r.Least = n
		}
		if n < c.manifest.K {
			small++
		}
	}
	if small > 0 {
		r.add(rowsName, "%d of %d classes have fewer than %d persons who are alike", small, len(classes), c.manifest.K)
	}
	got := counts{r.Persons, r.Rows, r.Kept, r.Recoded, r.Suppressed}
	if got != c.manifest.Counts {
		r.add(manifestName, "claims other numbers of persons, rows or places than there are")
	}
	for number := range c.people {
		if number < 1 || number > len(c.people) {
			r.add(rowsName, "persons are not numbered from 1 without gaps")
			break
		}
	}
	return nil
}

// checkTable writes data.csv anew from the rows and compares byte for byte.
func (c *checker) checkTable() error {
	f, err := c.fsys.Open(tableName)
	if err != nil {
		return nil // said by checkFiles
	}
	defer f.Close() // only read
	same := &compare{want: bufio.NewReader(f)}
	out := csv.NewWriter(same)
	header := []string{"person"}
	for _, col := range slices.Concat(c.values, c.texts) {
		header = append(header, col.Name)
	}
	_ = out.Write(header) // compare cannot fail
	for _, r := range c.rows {
		line := append([]string{strconv.Itoa(r.Person)}, r.Values...)
		for _, t := range r.Texts {
			line = append(line, t.Text)
		}
		_ = out.Write(line)
	}
	out.Flush()
	if _, err := same.want.ReadByte(); same.differs || err != io.EOF {
		c.report.add(tableName, "is not the table of %s", rowsName)
	}
	return nil
}

// compare is a writer that compares what is written with what a reader has.
type compare struct {
	want    *bufio.Reader
	differs bool
}

func (c *compare) Write(p []byte) (int, error) {
	for _, b := range p {
		if got, err := c.want.ReadByte(); err != nil || got != b {
			c.differs = true
			break
		}
	}
	return len(p), nil
}
