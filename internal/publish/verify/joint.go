// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Files of a release of notes with a table.
const (
	rowsName = "rows.jsonl"
	dataName = "data.csv"
)

// jointClaims are the claims of a release of notes with a table, in the order of the
// file.
type jointClaims struct {
	K          int             `json:"k"`
	Parameters json.RawMessage `json:"parameters"`
	Columns    []column        `json:"columns"`
	Counts     jointCounts     `json:"counts"`
	Known      *knownCounts    `json:"known_identifiers,omitempty"`
	Attack     *attackClaim    `json:"attack,omitempty"`
}

// attackClaim is what an attacker who goes for the patients links. Her figures come from the
// originals of all patients, so that a recipient can only read them.
type attackClaim struct {
	Words   []string        `json:"words"`
	Figures json.RawMessage `json:"figures,omitempty"`
}

// says are the words of a claim, nil for none.
func (a *attackClaim) says() []string {
	if a == nil {
		return nil
	}
	return a.Words
}

type column struct {
	Name   string   `json:"name"`
	Role   string   `json:"role"`
	Kind   string   `json:"kind,omitempty"`
	Around []string `json:"around,omitempty"`
}

type jointCounts struct {
	Persons    int `json:"persons"`
	Rows       int `json:"rows"`
	Kept       int `json:"kept"`
	Recoded    int `json:"recoded"`
	Suppressed int `json:"suppressed"`
}

// jointChecker is the state of the verification of notes with a table.
type jointChecker struct {
	*release
	report *Joint
	claims jointClaims
	values []column // the columns that are not texts
	texts  []column
	rows   []row
	people map[int]*person
	broken bool               // places cannot be found in the texts
	went   map[int][][]string // by person: the words of each suppressed term
	ranks  []map[string]int   // [column] ordinals of the originals
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

// person is the content of all rows of one person.
type person struct {
	quasi []string
	kept  map[string]bool // text, type and spelling of kept terms
	rows  []int           // by index
}

func checkJoint(r *release) (*jointChecker, error) {
	c := &jointChecker{release: r, report: &Joint{Report: *r.Report}, people: map[int]*person{}}
	r.Report = &c.report.Report
	if err := r.claims(&c.claims); err != nil {
		return c, err
	}
	c.report.Attack = c.claims.Attack.says()
	c.checkClaims()
	if err := c.readRows(); err != nil {
		return c, err
	}
	c.checkClasses()
	c.checkLinkage(linkable{patients: c.report.Persons, exactly: true, k: c.report.K, smallest: c.report.Least})
	return c, c.checkTable()
}

// checkClaims sorts the columns.
func (c *jointChecker) checkClaims() {
	c.report.K = c.claims.K
	if c.claims.K < 2 {
		c.Add(manifestName, "claims k = %d; k must be at least 2", c.claims.K)
	}
	for i, col := range c.claims.Columns {
		switch col.Role {
		case "quasi", "insensitive":
			if len(c.texts) > 0 {
				c.Add(manifestName, "column %d stands after a text", i+1)
			}
			c.values = append(c.values, col)
		case "text":
			c.texts = append(c.texts, col)
		default:
			c.Add(manifestName, "column %d has a role that is not released", i+1)
		}
	}
	for _, name := range []string{rowsName, dataName} {
		if !slices.ContainsFunc(c.manifest.Files, func(f file) bool { return f.Path == name }) {
			c.Add(manifestName, "does not claim %s", name)
		}
	}
}

func (c *jointChecker) readRows() error {
	f, err := c.fsys.Open(rowsName)
	if err != nil {
		return fmt.Errorf("%w: %s is missing", ErrNotRelease, rowsName)
	}
	defer f.Close() // only read
	err = eachLine(f, true, func(n int, line []byte) error {
		var r row
		if err := strict(line, &r); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := twins(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		c.rows = append(c.rows, r)
		c.checkRow(n, r)
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s, %w", rowsName, err)
	}
	return nil
}

func (c *jointChecker) checkRow(n int, r row) {
	if r.Row != n || len(r.Values) != len(c.values) || len(r.Texts) != len(c.texts) {
		c.Add(rowsName, "line %d does not have the expected number, values and texts", n)
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
		c.Add(rowsName, "line %d: a quasi-identifier differs from the person's other rows", n)
	}
	for x, t := range r.Texts {
		c.checkText(n, x, t, r, p)
	}
}

func (c *jointChecker) quasiOf(r row) []string {
	var quasi []string
	for i, col := range c.values {
		if col.Role == "quasi" && i < len(r.Values) {
			quasi = append(quasi, r.Values[i])
		}
	}
	return quasi
}

// checkText checks each place: its words must match its kind.
func (c *jointChecker) checkText(n, x int, t text, r row, p *person) {
	runes, last := []rune(t.Text), 0
	for i, at := range t.Places {
		if at.Start < last || at.End <= at.Start || at.End > len(runes) {
			c.Add(rowsName, "line %d, text %d: place %d is not in the text or not in order", n, x+1, i+1)
			c.broken = true
			return
		}
		last = at.End
		words := string(runes[at.Start:at.End])
		switch at.How {
		case "suppressed":
			c.report.Suppressed++
			if words != "["+at.Type+"]" {
				c.Add(rowsName, "line %d, text %d: place %d is suppressed and does not hold its placeholder", n, x+1, i+1)
			}
		case "kept":
			c.report.Kept++
			p.kept[strconv.Itoa(x)+"\x00"+at.Type+"\x00"+words] = true
		case "recoded":
			c.report.Recoded++
			if !c.isRecoded(words, at, r) {
				c.Add(rowsName, "line %d, text %d: place %d does not hold the person's released value", n, x+1, i+1)
			}
		default:
			c.Add(rowsName, "line %d, text %d: place %d is neither kept nor recoded nor suppressed", n, x+1, i+1)
		}
	}
}

// isRecoded reports whether words are the row's released value of the attribute, or the
// year of a date, with only declared words around it.
func (c *jointChecker) isRecoded(words string, at place, r row) bool {
	i := slices.IndexFunc(c.values, func(col column) bool { return col.Name == at.Attribute && col.Role == "quasi" })
	if i < 0 || r.Values[i] == "*" {
		return false
	}
	allowed := []string{r.Values[i]}
	if c.values[i].Kind == "date" && len(r.Values[i]) > 4 && r.Values[i][0] != '[' {
		allowed = append(allowed, r.Values[i][:4])
	}
	return slices.ContainsFunc(allowed, func(value string) bool {
		before, after, found := strings.Cut(words, value)
		return found && beside(before, c.values[i].Around) && beside(after, c.values[i].Around)
	})
}

// checkClasses groups and counts persons with equal values.
func (c *jointChecker) checkClasses() {
	classes := map[string]int{}
	for _, p := range c.people {
		kept := make([]string, 0, len(p.kept))
		for k := range p.kept {
			kept = append(kept, strconv.Quote(k))
		}
		slices.Sort(kept)
		classes[fmt.Sprintf("%q %q", p.quasi, kept)]++
	}
	r := c.report
	r.Classes, r.Persons, r.Rows = len(classes), len(c.people), len(c.rows)
	small := 0
	for _, n := range classes {
		if r.Least == 0 || n < r.Least {
			r.Least = n
		}
		if n < c.claims.K {
			small++
		}
	}
	if small > 0 {
		r.Add(rowsName, "%d of %d equivalence classes have fewer than k = %d persons", small, len(classes), c.claims.K)
	}
	got := jointCounts{r.Persons, r.Rows, r.Kept, r.Recoded, r.Suppressed}
	if k := c.claims.Known; k != nil && k.impossible() {
		r.Add(manifestName, "claims impossible numbers of known identifiers")
	}
	if got != c.claims.Counts {
		r.Add(manifestName, "claims wrong numbers of persons, rows or places")
	}
	for number := range c.people {
		if number < 1 || number > len(c.people) {
			r.Add(rowsName, "persons are not numbered from 1 without gaps")
			break
		}
	}
}

// checkTable writes data.csv again from the rows and compares byte for byte.
func (c *jointChecker) checkTable() error {
	f, err := c.fsys.Open(dataName)
	if err != nil {
		return nil // checkFiles reports it
	}
	defer f.Close() // only read
	same := &compare{want: bufio.NewReader(f)}
	out := &tableWriter{w: same, safe: c.manifest.Formulas != nil}
	header := []string{"person"}
	for _, col := range slices.Concat(c.values, c.texts) {
		header = append(header, col.Name)
	}
	out.record(header)
	for _, r := range c.rows {
		line := append([]string{strconv.Itoa(r.Person)}, r.Values...)
		for _, t := range r.Texts {
			line = append(line, t.Text)
		}
		out.record(line)
	}
	if _, err := same.want.ReadByte(); same.differs || err != io.EOF {
		c.Add(dataName, "is not the table of %s", rowsName)
	}
	return nil
}

// compare is a writer that compares the written bytes with those of a reader.
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

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }

// beside reports whether only allowed words are here.
func beside(s string, around []string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return !inWord(r) })
	return !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(around, strings.ToLower(word)) })
}

// alike reports whether two spellings are of one term, and whether that can be decided:
// letters outside ASCII have several forms, which this package does not know.
func alike(a, b string) (same, known bool) {
	for _, s := range []string{a, b} {
		for i := range len(s) {
			if s[i] >= 0x80 {
				return false, false
			}
		}
	}
	return plain(a) == plain(b), true
}

// plain is a spelling in lower case with single blanks, without characters at its ends
// that are neither letter nor digit.
func plain(s string) string {
	s = strings.Join(strings.Fields(strings.ToLower(s)), " ")
	if bare := strings.TrimFunc(s, func(r rune) bool { return !inWord(r) }); bare != "" {
		return bare
	}
	return s
}

// words splits a text at everything that is not part of a word.
func words(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return !inWord(r) }) }
