// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// jointMappingSchema is in the first line of the re-identification map of a release of
// notes with a table.
const jointMappingSchema = "hide joint mapping 1"

// original is one line of the originals: a text with its sensitive terms.
type original struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Spans []struct {
		Start int    `json:"start"`
		End   int    `json:"end"`
		Label string `json:"label"`
	} `json:"spans"`
	Values []originalValue `json:"values"` // of the row, with its first text, for the columns that are not texts; may be missing
}

// jointAgainst checks a release and compares it with the originals: annotated JSONL whose
// ids are rows of the input, from 1, followed by a slash and the number of the text if a
// row has several texts. mapping links released rows to originals.
func jointAgainst(ctx context.Context, r *release, mapping, originals io.Reader) (Result, error) {
	c, err := checkJoint(r)
	if err != nil {
		return c.report, err
	}
	sources, err := c.readMapping(mapping)
	if err != nil {
		return c.report, err
	}
	c.comparePeople(sources)
	if c.broken {
		return c.report, nil
	}
	return c.report, c.compareAll(ctx, originals, sources)
}

// released is the place of a text in the release.
type released struct{ row, text int }

// compareAll reads the originals, which are too many to keep. Afterwards it checks what
// needs all of them: values of ordinals, which need all ranks, and words that stand
// elsewhere in a person's texts.
func (c *jointChecker) compareAll(ctx context.Context, originals io.Reader, sources []source) error {
	left := c.places(sources)
	ranked := slices.ContainsFunc(c.values, func(col column) bool { return col.Kind == "ordinal" })
	values := map[int][]originalValue{} // by released row, if ranks are needed first
	c.ranks = make([]map[string]int, len(c.values))
	c.went = map[int][][]string{}
	spare, seen := 0, map[string]bool{}
	err := eachOriginal(ctx, originals, func(n int, o original) error {
		at, known := left[o.ID]
		switch {
		case known:
			delete(left, o.ID)
			seen[o.ID] = true
			c.rank(o.Values)
			switch {
			case o.Values == nil: // not the first text of its row
			case ranked:
				values[at.row] = o.Values
			default:
				c.compareValues(at.row, c.rows[at.row], o.Values)
			}
			c.compareText(at.row, at.text, c.rows[at.row].Texts[at.text], o)
		case seen[o.ID]:
			return fmt.Errorf("line %d: duplicate id", n)
		default:
			spare++
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, i := range slices.Sorted(maps.Keys(values)) {
		c.compareValues(i, c.rows[i], values[i])
	}
	for _, at := range slices.SortedFunc(maps.Values(left), func(a, b released) int { return cmp.Or(a.row-b.row, a.text-b.text) }) {
		c.Add("originals", "no original is the text of row %d of the release", at.row+1)
	}
	if spare > 0 {
		c.Add("originals", "%d texts are not in the release", spare)
	}
	return c.countElsewhere(ctx)
}

// places maps the id of each original to its place in the release.
func (c *jointChecker) places(sources []source) map[string]released {
	out := map[string]released{}
	for i, r := range c.rows {
		for x := range r.Texts {
			id := strconv.Itoa(sources[i].Source)
			if len(r.Texts) > 1 {
				id = fmt.Sprintf("%d/%d", sources[i].Source, x+1)
			}
			if _, twice := out[id]; twice {
				c.Add("mapping", "row %d has the same input row as another row", i+1)
			}
			out[id] = released{i, x}
		}
	}
	return out
}

// rank collects the ordinals by column.
func (c *jointChecker) rank(values []originalValue) {
	for i, v := range values[:min(len(c.values), len(values))] {
		if v.Rank == 0 {
			continue
		}
		if c.ranks[i] == nil {
			c.ranks[i] = map[string]int{}
		}
		c.ranks[i][v.Value] = v.Rank
	}
}

// countElsewhere counts the suppressed terms whose words stand outside any place in a
// text of the person.
func (c *jointChecker) countElsewhere(ctx context.Context) error {
	for number, terms := range c.went {
		if err := ctx.Err(); err != nil {
			return err
		}
		prose := c.proseOf(c.people[number])
		for _, some := range terms {
			if strings.Contains(prose, "\x00"+strings.Join(some, "\x00")+"\x00") {
				c.report.Elsewhere++
			}
		}
	}
	return nil
}

// compareValues checks that each released value of a row covers the original value, and
// that values that are not generalized are equal.
func (c *jointChecker) compareValues(i int, r row, was []originalValue) {
	if len(was) != len(r.Values) {
		c.Add("originals", "row %d has other columns than the release", i+1)
		return
	}
	for n, cell := range r.Values {
		c.report.Cells++
		if col := c.values[n]; cell != was[n].Value && (col.Role != "quasi" || !covers(col.Kind, cell, was[n], c.ranks[n])) {
			c.Add(rowsName, "row %d: the released value of column %d does not cover the original value", i+1, n+1)
		}
	}
}

type source struct {
	Row    int    `json:"row"`
	Source int    `json:"source"`
	Person int    `json:"person"`
	Key    string `json:"key"`
}

func (c *jointChecker) readMapping(r io.Reader) ([]source, error) {
	dec := json.NewDecoder(r)
	var head struct{ Schema string }
	if err := dec.Decode(&head); err != nil || head.Schema != jointMappingSchema {
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

// comparePeople checks that a released person is one original person and the reverse: a
// person with two numbers counts twice in a class.
func (c *jointChecker) comparePeople(sources []source) {
	key, number := map[int]string{}, map[string]int{}
	for i, s := range sources {
		p := c.rows[i].Person
		if known, seen := key[p]; p != s.Person || seen && known != s.Key {
			c.Add("mapping", "row %d belongs to a different person than in the release", i+1)
		}
		if known, seen := number[s.Key]; seen && known != p {
			c.Add("mapping", "one person has two numbers: see row %d", i+1)
		}
		key[p], number[s.Key] = s.Key, p
	}
}

// eachOriginal calls do for each line with its number from 1, and checks ctx before each.
func eachOriginal(ctx context.Context, r io.Reader, do func(n int, o original) error) error {
	err := eachLine(r, true, func(n int, line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var o original
		if json.Unmarshal(line, &o) != nil || twins(line) != nil {
			return fmt.Errorf("line %d: not an object of id, text and spans", n)
		}
		return do(n, o)
	})
	if err != nil {
		return fmt.Errorf("originals, %w", err)
	}
	return nil
}

// compareText compares original and released text in parallel: between sensitive terms
// they must be equal, and each term must have its place.
func (c *jointChecker) compareText(i, x int, t text, o original) {
	was, is := []rune(o.Text), []rune(t.Text)
	a, b := 0, 0
	if len(o.Spans) != len(t.Places) {
		c.report.Leaks += max(0, len(o.Spans)-len(t.Places))
		c.Add(rowsName, "row %d, text %d: %d sensitive terms have %d places", i+1, x+1, len(o.Spans), len(t.Places))
		return
	}
	for n, span := range o.Spans {
		at := t.Places[n]
		if span.Start < a || span.End <= span.Start || span.End > len(was) || at.Start < b || at.End > len(is) {
			c.Add("originals", "row %d, text %d: term %d is not in its text", i+1, x+1, n+1)
			return
		}
		if string(was[a:span.Start]) != string(is[b:at.Start]) {
			c.Add(rowsName, "row %d, text %d: differs from the original before term %d", i+1, x+1, n+1)
			return
		}
		c.compareTerm(i, x, n, string(was[span.Start:span.End]), string(is[at.Start:at.End]), span.Label, at)
		a, b = span.End, at.End
	}
	if string(was[a:]) != string(is[b:]) {
		c.Add(rowsName, "row %d, text %d: differs from the original after the last term", i+1, x+1)
	}
}

func (c *jointChecker) compareTerm(i, x, n int, was, is, label string, at place) {
	c.report.Compared++
	if at.Type != label {
		c.Add(rowsName, "row %d, text %d: term %d has another type than the original", i+1, x+1, n+1)
	}
	if at.How == "kept" {
		if same, known := alike(was, is); known && !same {
			c.report.Leaks++
			c.Add(rowsName, "row %d, text %d: term %d is kept as another term", i+1, x+1, n+1)
		}
		return
	}
	if strings.Contains(is, was) && at.How == "suppressed" && is != "["+at.Type+"]" {
		c.report.Leaks++
		c.Add(rowsName, "row %d, text %d: term %d is still in its place", i+1, x+1, n+1)
	}
	if some := words(was); at.How == "suppressed" && len(some) > 0 {
		number := c.rows[i].Person
		c.went[number] = append(c.went[number], some)
	}
}

// proseOf returns the words of all texts of a person outside of places, each between
// NULs, with an extra NUL at each end of a place or text.
func (c *jointChecker) proseOf(p *person) string {
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
