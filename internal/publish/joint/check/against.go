// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// mappingSchema is in the first line of a mapping.
const mappingSchema = "hide joint mapping 1"

// ErrMapping is returned when a mapping is none.
var ErrMapping = errors.New("not a mapping of such a release")

// original is one line of the originals: a text with its sensitive terms.
type original struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Spans []struct {
		Start int    `json:"start"`
		End   int    `json:"end"`
		Label string `json:"label"`
	} `json:"spans"`
	Values []originalValue `json:"values"` // of the row, with its first text, as the columns that are no texts; may be missing
}

// Against checks a release and compares it with the originals: annotated JSONL
// whose ids are rows of the input, from 1, and where a row has several texts, a
// slash and the number of the text. mapping says which released row is which. It looks at ctx before each row.
func Against(ctx context.Context, fsys fs.FS, mapping, originals io.Reader) (Report, error) {
	c, err := examine(fsys)
	if err != nil {
		return Report{}, err
	}
	sources, err := c.readMapping(mapping)
	if err != nil {
		return Report{}, err
	}
	texts, err := readOriginals(ctx, originals)
	if err != nil {
		return Report{}, err
	}
	c.comparePeople(sources)
	if c.broken {
		return c.report, nil // its places cannot be told from its texts
	}
	c.ranks = ranksOf(len(c.values), texts)
	c.prose = map[int]string{}
	for i, r := range c.rows {
		if err := ctx.Err(); err != nil {
			return c.report, err
		}
		for x, t := range r.Texts {
			id := strconv.Itoa(sources[i].Source)
			if len(r.Texts) > 1 {
				id = fmt.Sprintf("%d/%d", sources[i].Source, x+1)
			}
			o, known := texts[id]
			if !known {
				c.report.add("originals", "no text is that of row %d of the release", i+1)
				continue
			}
			delete(texts, id)
			if o.Values != nil {
				c.compareValues(i, r, o.Values)
			}
			c.compareText(i, x, t, o)
		}
	}
	if len(texts) > 0 {
		c.report.add("originals", "%d texts are not in the release", len(texts))
	}
	c.report.OK = c.report.Found == 0
	return c.report, nil
}

// ranksOf collects the ordinals by column.
func ranksOf(columns int, texts map[string]original) []map[string]int {
	ranks := make([]map[string]int, columns)
	for _, o := range texts {
		for i, v := range o.Values[:min(columns, len(o.Values))] {
			if v.Rank == 0 {
				continue
			}
			if ranks[i] == nil {
				ranks[i] = map[string]int{}
			}
			ranks[i][v.Value] = v.Rank
		}
	}
	return ranks
}

// compareValues checks that each released value of a row covers the original's, and
// that what is not generalized is the same.
func (c *checker) compareValues(i int, r row, was []originalValue) {
	if len(was) != len(r.Values) {
		c.report.add("originals", "row %d has other columns than the release", i+1)
		return
	}
	for n, cell := range r.Values {
		c.report.Cells++
		if col := c.values[n]; cell != was[n].Value && (col.Role != "quasi" || !covers(col.Kind, cell, was[n], c.ranks[n])) {
			c.report.add(rowsName, "row %d: what is released of column %d does not cover the original's value", i+1, n+1)
		}
	}
}

type source struct {
	Row    int    `json:"row"`
	Source int    `json:"source"`
	Person int    `json:"person"`
	Key    string `json:"key"`
}

func (c *checker) readMapping(r io.Reader) ([]source, error) {
	dec := json.NewDecoder(r)
	var head struct{ Schema string }
	if err := dec.Decode(&head); err != nil || head.Schema != mappingSchema {
		return nil, ErrMapping
	}
	var all []source
	for n := 1; ; n++ {
		var s source
		err := dec.Decode(&s)
		if err == io.EOF {
			break
		}
		if err != nil || s.Row != n {
			return nil, fmt.Errorf("%w: see line %d", ErrMapping, n+1)
		}
		all = append(all, s)
	}
	if len(all) != len(c.rows) {
		return nil, fmt.Errorf("%w: it is about %d rows, the release has %d", ErrMapping, len(all), len(c.rows))
	}
	return all, nil
}

// comparePeople checks that a released person is one person, and the other way
// round: who is there twice counts twice in a class.
func (c *checker) comparePeople(sources []source) {
	key, number := map[int]string{}, map[string]int{}
	for i, s := range sources {
		p := c.rows[i].Person
		if known, seen := key[p]; p != s.Person || seen && known != s.Key {
			c.report.add("mapping", "row %d is of another person than the release has it", i+1)
		}
		if known, seen := number[s.Key]; seen && known != p {
			c.report.add("mapping", "one person has two numbers: see row %d", i+1)
		}
		key[p], number[s.Key] = s.Key, p
	}
}

func readOriginals(ctx context.Context, r io.Reader) (map[string]original, error) {
	all := map[string]original{}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<16), lineLimit)
	for n := 1; lines.Scan(); n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var o original
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return nil, fmt.Errorf("originals, line %d: not an object of id, text and spans", n)
		}
		if _, twice := all[o.ID]; twice {
			return nil, fmt.Errorf("originals, line %d: its id was there before", n)
		}
		all[o.ID] = o
	}
	return all, lines.Err()
}

// compareText walks original and released text together: between sensitive terms
// they must be equal, and each term must have its place.
func (c *checker) compareText(i, x int, t text, o original) {
	was, is := []rune(o.Text), []rune(t.Text)
	a, b := 0, 0
	if len(o.Spans) != len(t.Places) {
		c.report.Leaks += max(0, len(o.Spans)-len(t.Places))
		c.report.add(rowsName, "row %d, text %d: %d sensitive terms have %d places", i+1, x+1, len(o.Spans), len(t.Places))
		return
	}
	for n, span := range o.Spans {
		at := t.Places[n]
		if span.Start < a || span.End <= span.Start || span.End > len(was) || at.Start < b || at.End > len(is) {
			c.report.add("originals", "row %d, text %d: term %d is not in its text", i+1, x+1, n+1)
			return
		}
		if string(was[a:span.Start]) != string(is[b:at.Start]) {
			c.report.add(rowsName, "row %d, text %d: differs from the original before term %d", i+1, x+1, n+1)
			return
		}
		c.compareTerm(i, x, n, string(was[span.Start:span.End]), string(is[at.Start:at.End]), span.Label, at)
		a, b = span.End, at.End
	}
	if string(was[a:]) != string(is[b:]) {
		c.report.add(rowsName, "row %d, text %d: differs from the original after the last term", i+1, x+1)
	}
}

func (c *checker) compareTerm(i, x, n int, was, is, label string, at place) {
	c.report.Compared++
	if at.Type != label {
		c.report.add(rowsName, "row %d, text %d: term %d has another type than the original", i+1, x+1, n+1)
	}
	if at.How == "kept" {
		if same, known := alike(was, is); known && !same {
			c.report.Leaks++
			c.report.add(rowsName, "row %d, text %d: term %d is kept as another term", i+1, x+1, n+1)
		}
		return
	}
	if strings.Contains(is, was) && at.How == "suppressed" && is != "["+at.Type+"]" {
		c.report.Leaks++
		c.report.add(rowsName, "row %d, text %d: term %d is still in its place", i+1, x+1, n+1)
	}
	if at.How == "suppressed" && c.standsElsewhere(c.rows[i].Person, words(was)) {
		c.report.Elsewhere++
	}
}

// standsElsewhere reports whether the words stand outside any place in a text of
// the person.
func (c *checker) standsElsewhere(number int, some []string) bool {
	if len(some) == 0 {
		return false
	}
	prose, known := c.prose[number]
	if !known {
		prose = c.proseOf(c.people[number])
		c.prose[number] = prose
	}
	return strings.Contains(prose, "\x00"+strings.Join(some, "\x00")+"\x00")
}

// proseOf is the words of all texts of a person that are in no place, each between
// NULs, with a NUL more wherever a place or a text ends.
func (c *checker) proseOf(p *person) string {
	var b strings.Builder
	add := func(s string) {
		b.WriteByte(0)
		for _, word := range words(s) {
			b.WriteString(word)
			b.WriteByte(0)
		}
	}
	for _, i := range p.rows {
		for _, t := range c.rows[i].Texts {
			runes, at := []rune(t.Text), 0
			for _, place := range t.Places {
				add(string(runes[at:place.Start]))
				at = place.End
			}
			add(string(runes[at:]))
		}
	}
	return b.String()
}
