// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

// Release is a recoded dataset D' in the order in which it leaves. Persons are
// numbered from 1 at random, and a person's rows are in random order: neither
// number nor order tells whose they are.
type Release struct {
	recoding *Recoding
	numbers  []int // [released number - 1] person
	order    []int // [released row - 1] row
	of       []int // [released row - 1] released number
}

// Release draws numbers and order from rng, which must be one that nobody can
// foresee.
func (r *Recoding) Release(rng *rand.Rand) *Release {
	out := &Release{recoding: r, numbers: rng.Perm(len(r.view.people))}
	for number, who := range out.numbers {
		rows := r.view.people[who].rows
		for _, i := range rng.Perm(len(rows)) {
			out.order, out.of = append(out.order, rows[i]), append(out.of, number+1)
		}
	}
	return out
}

// releasedRow is one line of rows.jsonl.
type releasedRow struct {
	Row    int            `json:"row"`
	Person int            `json:"person"`
	Values []string       `json:"values"` // as the columns that are no texts
	Texts  []releasedText `json:"texts"`
}

type releasedText struct {
	Text   string          `json:"text"`
	Places []releasedPlace `json:"places"`
}

// releasedPlace is a [Place] in code points.
type releasedPlace struct {
	Start     annotate.RuneOff `json:"start"`
	End       annotate.RuneOff `json:"end"`
	Type      annotate.Label   `json:"type"`
	How       How              `json:"how"`
	Attribute string           `json:"attribute,omitempty"`
}

// row makes the i-th released row. It is made again for each file: to keep all would
// be to have all notes twice.
func (r *Release) row(i int) releasedRow {
	v, row := r.recoding.view, r.order[i]
	class := r.recoding.of[r.numbers[r.of[i]-1]]
	out := releasedRow{Row: i + 1, Person: r.of[i], Values: []string{}, Texts: []releasedText{}}
	quasi := 0
	for _, c := range v.released {
		if c.Role != table.Quasi {
			out.Values = append(out.Values, c.Domain[c.Codes[row]])
			continue
		}
		out.Values = append(out.Values, r.recoding.Cells[class][quasi].Text)
		quasi++
	}
	for x := range v.rows[row].Texts {
		text, places := r.recoding.Rewrite(row, x, class)
		out.Texts = append(out.Texts, releasedText{text, inCodePoints(text, places)})
	}
	return out
}

func inCodePoints(text string, places []Place) []releasedPlace {
	offsets, out := annotate.NewOffsets(text), make([]releasedPlace, len(places))
	for i, p := range places {
		start, end := offsets.Range(annotate.Span{Start: p.Start, End: p.End})
		out[i] = releasedPlace{start, end, p.Type, p.How, p.Attribute}
	}
	return out
}

// WriteRows writes rows.jsonl: one object a row, with the places of what was a
// sensitive term.
func (r *Release) WriteRows(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range r.order {
		if err := enc.Encode(r.row(i)); err != nil {
			return err
		}
	}
	return nil
}

// WriteCSV writes the same rows as a table: the person's number and the columns.
func (r *Release) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	header := []string{"person"}
	for _, c := range r.recoding.view.Columns() {
		header = append(header, c.Name)
	}
	_ = out.Write(header) // errors stay with out
	for i := range r.order {
		row := r.row(i)
		line := append([]string{strconv.Itoa(row.Person)}, row.Values...)
		for _, t := range row.Texts {
			line = append(line, t.Text)
		}
		_ = out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// MappingSchema is in the first line of a mapping.
const MappingSchema = "hide joint mapping 1"

// WriteMapping writes who is who: the broker's alone. Source is the row of the
// input, from 1.
func (r *Release) WriteMapping(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]string{"schema": MappingSchema}); err != nil {
		return err
	}
	for i, row := range r.order {
		line := struct {
			Row    int    `json:"row"`
			Source int    `json:"source"`
			Person int    `json:"person"`
			Key    string `json:"key"`
		}{i + 1, row + 1, r.of[i], r.recoding.view.people[r.numbers[r.of[i]-1]].key}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// WriteOriginals writes the texts as they came with the terms that count as
// sensitive, as annotated JSONL: what a release is verified against. A document's
// id is its row, from 1, and where there are several texts, a slash and the number
// of the text. With the first text of a row are the values of the row, see
// [originalValue].
func (v *View) WriteOriginals(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i, row := range v.rows {
		for x, t := range row.Texts {
			line := originalLine{ID: OriginalID(i, x, len(row.Texts)), Text: t.Text, Spans: []originalSpan{}}
			if x == 0 {
				line.Values = v.originalValues(i)
			}
			offsets := annotate.NewOffsets(t.Text)
			for _, m := range v.mentions[i][x] {
				if m.kind != unlisted {
					start, end := offsets.Range(m.span)
					line.Spans = append(line.Spans, originalSpan{start, end, m.label})
				}
			}
			if err := enc.Encode(line); err != nil {
				return err
			}
		}
	}
	return nil
}

type originalLine struct {
	ID     string          `json:"id"`
	Text   string          `json:"text"`
	Spans  []originalSpan  `json:"spans"`
	Values []originalValue `json:"values,omitempty"` // as the columns of the release that are no texts
}

type originalSpan struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}

// originalValue is a value of a row as it would be released if it stayed.
type originalValue struct {
	Value string   `json:"value"`
	Above []string `json:"above,omitempty"` // labels of its hierarchy, from fine to coarse
	Rank  int      `json:"rank,omitempty"`  // of an ordinal, from 1
}

func (v *View) originalValues(row int) []originalValue {
	var out []originalValue
	for _, c := range v.released {
		out = append(out, originalOf(c, row))
	}
	return out
}

func originalOf(c *table.Column, row int) originalValue {
	code := c.Codes[row]
	out := originalValue{Value: c.Domain[code]}
	switch {
	case c.Role != table.Quasi: // nothing stands for it
	case c.Tree != nil:
		for level, nodes := range c.Tree.Nodes[1:] {
			out.Above = append(out.Above, c.Tree.Labels[level+1][nodes[code]])
		}
	case c.Kind == table.Ordinal && !c.IsMissing(code):
		out.Rank = int(code) + 1
	}
	return out
}

// OriginalID names the text at index x, of n texts, of the row at index i.
func OriginalID(i, x, n int) string {
	if n == 1 {
		return strconv.Itoa(i + 1)
	}
	return fmt.Sprintf("%d/%d", i+1, x+1)
}
