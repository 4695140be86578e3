// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"slices"

	"hide/internal/annotate"
)

// ownColumns are those of a table that [writeCSVSpans] writes. Spans, attributes and
// identities are JSON, as in hide JSONL.
var ownColumns = []string{"id", "patient", "text", "spans", "attributes", "identities"}

// structured are the columns that hold JSON; -1 for none.
type structured struct{ spans, attributes, identities int }

// structuredColumns finds the column of spans, unless the caller wants it as an attribute.
// Attributes and identities are only columns of JSON in a table that hide wrote.
func structuredColumns(header, want []string) structured {
	if slices.Equal(header, ownColumns) && want == nil {
		return structured{3, 4, 5}
	}
	s := structured{-1, -1, -1}
	if !slices.Contains(want, "spans") {
		s.spans = slices.Index(header, "spans")
	}
	return s
}

func (s structured) has(i int) bool { return i == s.spans || i == s.attributes || i == s.identities }

// read adds what the JSON columns of a row hold to its document.
func (s structured) read(r *reader, row []string, d *annotate.Annotated) *Problem {
	for _, c := range []struct {
		column int
		parse  func(json.RawMessage) *Problem
	}{
		{s.spans, func(raw json.RawMessage) (p *Problem) { d.Spans, p = r.parseSpans(d.Text, raw); return p }},
		{s.attributes, func(raw json.RawMessage) (p *Problem) { d.Attributes, p = parseAttributes(raw); return p }},
		{s.identities, func(raw json.RawMessage) (p *Problem) { d.Identities, p = parseIdentities(raw); return p }},
	} {
		if c.column < 0 || row[c.column] == "" {
			continue
		}
		raw := bytes.TrimSpace([]byte(row[c.column]))
		p := checkText(d.Text)
		if p == nil {
			p = checkEncoding(raw)
		}
		if p == nil {
			p = checkJSON(raw)
		}
		if p == nil {
			p = c.parse(raw)
		}
		if p != nil {
			p.located = false // the offset counts in the field
			if p.Code == "json" {
				p.Hint = `spans are written as [{"start":0,"end":4,"label":"NAME"}]; to keep the column as an attribute, name it as one`
			}
			return p
		}
	}
	return nil
}

// writeCSVSpans writes a table with [ownColumns].
var writeCSVSpans = oneFile("\"id\",\"patient\",\"text\",\"spans\",\"attributes\",\"identities\"\r\n", func(out *bufio.Writer, _ int, d annotate.Annotated) error {
	line, err := toJSON(d)
	if err != nil {
		return err
	}
	row := []string{d.Name, d.Patient, d.Text, "", "", ""}
	for i, value := range []any{line.Spans, d.Attributes, d.Identities} {
		switch {
		case i == 0 && len(d.Spans) == 0, i == 1 && len(d.Attributes) == 0, i == 2 && len(d.Identities) == 0:
			continue
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(value); err != nil {
			return err
		}
		row[3+i] = string(bytes.TrimSpace(b.Bytes()))
	}
	return writeRow(out, row)
}, "")
