// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/annotate/rules"
	"hide/internal/publish/table"
)

// Row brings the fields of a CSV file, whose order [Config.Arrange] gave, into the order of
// the configuration.
func (c Config) Row(order []int, fields []string) Row {
	row := Row{Values: make([]string, len(c.Attributes))}
	for i, field := range fields {
		row.Values[order[i]] = field
	}
	for i, a := range c.Attributes {
		if a.Role == table.Text {
			row.Texts = append(row.Texts, Text{Text: row.Values[i]})
			row.Values[i] = ""
		}
	}
	return row
}

// AnnotatedRows makes rows of annotated notes: the patient is the attribute that
// distinguishes persons, and there is one text. given says whether the notes have spans.
func AnnotatedRows(docs []annotate.Annotated, c Config) (rows []Row, given bool, err error) {
	if len(c.TextAttributes()) != 1 {
		return nil, false, fmt.Errorf("JSONL has one text a note, the configuration %d", len(c.TextAttributes()))
	}
	key := slices.IndexFunc(c.Attributes, func(a Attribute) bool { return a.Role == table.Direct })
	for n, d := range docs {
		row := Row{Values: make([]string, len(c.Attributes)), Texts: []Text{{Text: d.Text, Terms: d.Spans}}}
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

// SetTerms puts the spans of annotated notes into the rows as their sensitive terms. Each
// text of a row must be a note, with the name that [originalID] gives it, byte for byte.
func SetTerms(rows []Row, notes []annotate.Annotated) error {
	named := make(map[string]annotate.Annotated, len(notes))
	for _, n := range notes {
		named[n.Name] = n
	}
	for i := range rows {
		for x := range rows[i].Texts {
			t := &rows[i].Texts[x]
			n, known := named[originalID(i, x, len(rows[i].Texts))]
			if !known && t.Text == "" {
				continue
			}
			if !known || n.Text != t.Text {
				return fmt.Errorf("no record is text %d of row %d", x+1, i+1)
			}
			t.Terms = n.Spans
		}
	}
	return nil
}

// FindTerms finds the sensitive terms of rows: with the configuration's patterns, and
// beside them with tag. progress is told the number of rows that are done.
func (c Config) FindTerms(ctx context.Context, rows []Row, tag func(text string) []annotate.Span, progress func(done int)) error {
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		for x := range rows[i].Texts {
			t := &rows[i].Texts[x]
			t.Terms = addDisjoint(patternSpans(c.Custom, t.Text), tag(t.Text))
		}
		progress(i + 1)
	}
	return nil
}

// RuleSpans is what rules find in a text, under the types of the configuration that they
// know by name.
func (c Config) RuleSpans(text string) []annotate.Span {
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
func patternSpans(patterns []Pattern, text string) []annotate.Span {
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
		spans = addDisjoint(spans, found)
	}
	return spans
}
