// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"time"

	"hide/internal/annotate"
	"hide/internal/parallel"
	"hide/internal/publish/release"
	"hide/internal/publish/table"
	"hide/internal/publish/verify"
	"hide/internal/tabular"
)

// Release is a recoded dataset D' in released order. Persons are numbered from 1 at
// random, and a person's rows are in random order, so that neither number nor order
// identifies them.
type Release struct {
	recoding *Recoding
	numbers  []int // [released number - 1] person
	order    []int // [released row - 1] row
	of       []int // [released row - 1] released number
}

// Release draws numbers and order from rng, which must be unpredictable.
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
	Values []string       `json:"values"` // as the columns that are not texts
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

// row makes the i-th released row. Each file makes it again: keeping all rows would
// double the memory.
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

// Moved is where a sensitive term is in the original and in the released text, in code points.
type Moved struct {
	Start, End annotate.RuneOff // in the original
	At, AtEnd  annotate.RuneOff // in the released text
	Label      annotate.Label
	Kept       bool // everybody in the class has it
}

// Moved returns the row of the view that the i-th released row is made from, and the sensitive
// terms of its first text, in order.
func (r *Release) Moved(i int) (row int, terms []Moved) {
	v := r.recoding.view
	row = r.order[i]
	released, offsets := r.row(i).Texts[0].Places, annotate.NewOffsets(v.rows[row].Texts[0].Text)
	for _, m := range v.mentions[row][0] {
		if m.kind == unlisted {
			continue
		}
		start, end := offsets.Range(m.span)
		to := released[len(terms)]
		terms = append(terms, Moved{start, end, to.Start, to.End, m.label, to.How == Kept})
	}
	return row, terms
}

func inCodePoints(text string, places []Place) []releasedPlace {
	offsets, out := annotate.NewOffsets(text), make([]releasedPlace, len(places))
	for i, p := range places {
		start, end := offsets.Range(annotate.Span{Start: p.Start, End: p.End})
		out[i] = releasedPlace{start, end, p.Type, p.How, p.Attribute}
	}
	return out
}

// WriteRows writes rows.jsonl: one object per row, with the places of sensitive terms.
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

// WriteTable writes the same rows as a table: the person's number and the columns.
func (r *Release) WriteTable(out *tabular.Writer) error {
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
		if err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// MappingSchema is in the first line of a mapping.
const MappingSchema = "hide joint mapping 1"

// WriteMapping writes the re-identification map, which only the broker may have. Source is
// the row of the input, from 1.
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

// WriteOriginals writes the original texts with their sensitive terms as annotated JSONL,
// to verify a release against. The id of a record is its row, from 1; if there are
// several texts, a slash and the number of the text follow. The first text of a row has
// the row's values, see [originalValue].
func (v *View) WriteOriginals(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i, row := range v.rows {
		for x, t := range row.Texts {
			line := originalLine{ID: originalID(i, x, len(row.Texts)), Text: t.Text, Spans: []originalSpan{}}
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
	Values []originalValue `json:"values,omitempty"` // as the columns of the release that are not texts
}

type originalSpan struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}

// originalValue is a value of a row as it would be released unchanged.
type originalValue struct {
	Value string   `json:"value"`
	Above []string `json:"above,omitempty"` // labels of its hierarchy, from specific to general
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
	case c.Role != table.Quasi: // is not generalized
	case c.Tree != nil:
		for level, nodes := range c.Tree.Nodes[1:] {
			out.Above = append(out.Above, c.Tree.Labels[level+1][nodes[code]])
		}
	case c.Kind == table.Ordinal && !c.IsMissing(code):
		out.Rank = int(code) + 1
	}
	return out
}

// originalID names the text at index x, of n texts, of the row at index i.
func originalID(i, x, n int) string {
	if n == 1 {
		return strconv.Itoa(i + 1)
	}
	return fmt.Sprintf("%d/%d", i+1, x+1)
}

// Origin is the author, time and extra warnings of a release, such as other releases of
// the same people.
type Origin struct {
	Tool     string
	Created  time.Time
	Warnings []string
	Known    Known
	Attack   *release.Attacked // nil if no attacker was tried
}

// Written is a finished release. Mapping is its re-identification map, which leads back
// to the patients; the release was compared with [View.WriteOriginals].
type Written struct {
	SHA256   string        // of manifest.json
	Verified *verify.Joint // against the originals
	Mapping  []byte
}

// Write writes a release folder, which must not exist and appears whole or not at all:
// rows.jsonl, data.csv, report.json, report.txt, more, manifest.json and SHA256SUMS.
// Package verify must accept it against the originals before it appears.
func (r *Release) Write(ctx context.Context, dir string, o Origin, report Report, more ...release.Content) (Written, error) {
	view := r.recoding.view
	var out Written
	var mapping bytes.Buffer
	if err := r.WriteMapping(&mapping); err != nil {
		return out, err
	}
	out.Mapping = mapping.Bytes()
	files := append([]release.Content{
		{Name: "rows.jsonl", Write: r.WriteRows},
		{Name: "data.csv", Table: r.WriteTable},
		release.JSON("report.json", report),
		{Name: "report.txt", Write: func(w io.Writer) error { return report.writeFile(w, o.Warnings) }},
	}, more...)
	claims := view.Claims(report)
	claims.Known, claims.Attack = o.Known, o.Attack
	m := release.Manifest{
		Kind: release.Joint, Version: o.Tool, Created: o.Created, Statement: Statement, Warnings: append(report.Warnings(), o.Warnings...), Claims: claims,
	}
	var err error
	out.SHA256, err = release.Write(ctx, dir, m, files, func(fsys fs.FS) (err error) {
		out.Verified, err = view.compare(ctx, fsys, out.Mapping)
		if err == nil && !out.Verified.OK {
			err = fmt.Errorf("the release does not pass verification, at %d places: %s", out.Verified.Found, out.Verified.Problems[0])
		}
		return err
	})
	return out, err
}

// compare streams the originals to the verifier, to avoid a second copy of all notes in
// memory.
func (v *View) compare(ctx context.Context, fsys fs.FS, mapping []byte) (*verify.Joint, error) {
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() { // ends when r is closed
		defer close(done)
		w.CloseWithError(parallel.Guard(func() error { return v.WriteOriginals(w) })) //nolint:errcheck // never fails
	}()
	defer func() { r.Close(); <-done }() // nothing reads the view any more
	found, err := verify.Against(ctx, fsys, bytes.NewReader(mapping), r)
	report, _ := found.(*verify.Joint)
	return report, err
}

// writeFile is report.txt.
func (r Report) writeFile(w io.Writer, more []string) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s\n\n", Statement)
	r.WriteText(&text)
	for _, warning := range append(r.Warnings(), more...) {
		fmt.Fprintf(&text, "warning: %s\n", warning)
	}
	_, err := text.WriteTo(w)
	return err
}
