// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/annotate/rules"
	"hide/internal/crf"
	"hide/internal/publish/joint"
	tables "hide/internal/publish/table"
)

// readJoint reads configuration, rows and sensitive terms.
func (e *env) readJoint(ctx context.Context, v jointFlags) (*joint.View, error) {
	c, err := readJointConfig(v.config)
	if err != nil {
		return nil, err
	}
	c.OwnValues = v.own || c.OwnValues && !v.given["own-values"]
	rows, given, err := readJointRows(v.in, c)
	if err != nil {
		return nil, err
	}
	if v.spans != "" {
		err = giveTerms(v.spans, rows)
	} else if !given || v.model != "" {
		err = e.findTerms(ctx, v.model, c, rows)
	}
	if err != nil {
		return nil, err
	}
	if v.known {
		if _, err := joint.FindKnown(ctx, c, rows); err != nil {
			return nil, err
		}
	}
	view, err := joint.NewView(ctx, c, rows)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, withHint(fmt.Errorf("%s: %w", v.in, err), viewHint(err, v.config))
	}
	return view, nil
}

// viewHint is what to do about rows that do not fit a configuration.
func viewHint(err error, config string) string {
	if value := (*tables.ValueError)(nil); errors.As(err, &value) && strings.Contains(value.Reason, "hierarchy") {
		return fmt.Sprintf("add the value to the hierarchy of attribute %q in %s, or mend the row", value.Column, config)
	}
	return "mend the row, or say in " + config + " what the column is"
}

// openFile opens a file that is no folder. what is said of one that cannot be opened.
func openFile(name, what string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close() // nothing was read
		return nil, withHint(fmt.Errorf("%s: %s is a folder", what, name), "give a file")
	}
	return f, nil
}

func readJointConfig(name string) (joint.Config, error) {
	f, err := openFile(name, "read the configuration")
	if err != nil {
		return joint.Config{}, err
	}
	defer f.Close() // only read
	c, err := joint.ReadConfig(f)
	if err != nil {
		return c, withHint(fmt.Errorf("read the configuration %s: %w", name, err), "docs/joint.md says what a configuration holds")
	}
	return c, nil
}

// readJointRows reads the notes with their attributes; given says whether they
// came with sensitive terms.
func readJointRows(name string, c joint.Config) (rows []joint.Row, given bool, err error) {
	f, err := openFile(name, "read the notes")
	if err != nil {
		return nil, false, err
	}
	defer f.Close() // only read
	if ext := strings.ToLower(filepath.Ext(name)); ext == ".jsonl" || ext == ".ndjson" {
		docs, err := format.LoadJSONL(f, name)
		if err != nil {
			return nil, false, err
		}
		return jointRowsOf(docs, c)
	}
	var order []int
	err = format.Rows(f, name, func(header []string) error {
		order, err = c.Arrange(header)
		return err
	}, func(_ int, fields []string) error {
		rows = append(rows, jointRow(c, order, fields))
		return nil
	})
	return rows, false, err
}

// jointRow brings the fields of a CSV file into the order of the configuration.
func jointRow(c joint.Config, order []int, fields []string) joint.Row {
	row := joint.Row{Values: make([]string, len(c.Attributes))}
	for i, field := range fields {
		row.Values[order[i]] = field
	}
	for i, a := range c.Attributes {
		if a.Role == tables.Text {
			row.Texts = append(row.Texts, joint.Text{Text: row.Values[i]})
			row.Values[i] = ""
		}
	}
	return row
}

// jointRowsOf makes rows of annotated notes: the patient is the attribute that
// tells persons apart, the text the only one.
func jointRowsOf(docs []annotate.Annotated, c joint.Config) ([]joint.Row, bool, error) {
	if len(c.TextAttributes()) != 1 {
		return nil, false, fmt.Errorf("JSONL has one text a note, the configuration %d", len(c.TextAttributes()))
	}
	key := slices.IndexFunc(c.Attributes, func(a joint.Attribute) bool { return a.Role == tables.Direct })
	given := false
	var rows []joint.Row
	for n, d := range docs {
		row := joint.Row{Values: make([]string, len(c.Attributes)), Texts: []joint.Text{{Text: d.Text, Terms: d.Spans}}}
		given = given || len(d.Spans) > 0
		known := 0
		for i, a := range c.Attributes {
			value, there := d.Attributes[a.Name]
			if i == key {
				value = d.Patient
			}
			if row.Values[i] = value; there {
				known++
			}
		}
		if known < len(d.Attributes) {
			return nil, false, fmt.Errorf("note %d has attributes that the configuration does not have", n+1)
		}
		rows = append(rows, row)
	}
	return rows, given, nil
}

// giveTerms puts the terms of an annotated file into the rows. Each text must be
// there, as it is.
func giveTerms(name string, rows []joint.Row) error {
	f, err := openFile(name, "read the sensitive terms")
	if err != nil {
		return err
	}
	defer f.Close() // only read
	docs, err := format.LoadJSONL(f, name)
	if err != nil {
		return err
	}
	spans := make(map[string]annotate.Annotated, len(docs))
	for _, d := range docs {
		spans[d.Name] = d
	}
	for i := range rows {
		for x := range rows[i].Texts {
			t := &rows[i].Texts[x]
			d, known := spans[joint.OriginalID(i, x, len(rows[i].Texts))]
			if !known && t.Text == "" {
				continue
			}
			if !known || d.Text != t.Text {
				return withHint(fmt.Errorf("%s: no record is text %d of row %d", name, x+1, i+1), "a record's id is the row, from 1, and its text that of the row, byte for byte")
			}
			t.Terms = d.Spans
		}
	}
	return nil
}

// findTerms tags the texts: with a model and the configuration's patterns, or
// without one, with patterns and rules.
func (e *env) findTerms(ctx context.Context, model string, c joint.Config, rows []joint.Row) error {
	tag := func(text string) []annotate.Span { return ruleSpans(c, text) }
	if model != "" {
		m, err := readModel(model)
		if err != nil {
			return err
		}
		tag = func(text string) []annotate.Span { return modelSpans(m, text) }
	}
	line := e.progress("looking for sensitive terms, notes")
	defer line.end()
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		for x := range rows[i].Texts {
			t := &rows[i].Texts[x]
			t.Terms = joint.AddApart(patternSpans(c.Custom, t.Text), tag(t.Text))
		}
		line.step(i+1, len(rows), "")
	}
	return nil
}

func modelSpans(m *crf.Model, text string) []annotate.Span {
	var spans []annotate.Span
	for _, s := range m.Tag(new(annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: text}})).View()) {
		spans = append(spans, s.Span)
	}
	return spans
}

// ruleSpans is what rules find, under those types of the configuration that they
// know by name.
func ruleSpans(c joint.Config, text string) []annotate.Span {
	labels := annotate.LabelSet(nil).With(c.Types...)
	if len(c.Sensitive()) == 0 {
		labels = annotate.I2B2()
	}
	var spans []annotate.Span
	for _, s := range (rules.Guide{}).Suggest(labels, rules.Find(text)) {
		spans = append(spans, s.Span)
	}
	return spans
}

// patternSpans is what the configuration's own patterns find, widened to whole
// tokens; of two that overlap the one configured first counts.
func patternSpans(patterns []joint.Pattern, text string) []annotate.Span {
	if len(patterns) == 0 {
		return nil
	}
	tokens := annotate.Tokenize(text)
	var spans []annotate.Span
	for _, p := range patterns {
		var found []annotate.Span
		for _, at := range p.Pattern.FindAllStringIndex(text, -1) {
			from, to := annotate.Covered(tokens, annotate.Span{Start: annotate.ByteOff(at[0]), End: annotate.ByteOff(at[1])})
			if from < to {
				found = append(found, annotate.Span{Start: tokens[from].Start, End: tokens[to-1].End, Label: p.Type})
			}
		}
		spans = joint.AddApart(spans, found)
	}
	return spans
}
