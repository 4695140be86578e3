// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"encoding/json"
	"maps"

	"hide/internal/annotate"
)

// doccanoKind is one object per line with spans as lists or objects.
func doccanoKind() kind {
	return kind{
		Format: Format{
			Name: "doccano", Title: "doccano JSONL", Files: "one note per line: id, text, label with [start, end, label]", Endings: []string{".jsonl", ".json"}, Ending: ".jsonl",
			Holds:  everything,
			Remark: "The fields label, labels and entities are read, as lists or as objects with start_offset and end_offset. Relations and comments are left out and counted.",
		},
		claims: func(p *probe) bool {
			return p.record.has("text") && !p.record.tuple && p.record.hasAny("label", "labels", "entities") && !p.record.hasAny("data", "tokens", "resourceType") && !isProdigy(p.record)
		},
		read: jsonReader("doccano", parseDoccano),
		write: oneFile("", func(out *bufio.Writer, _ int, d annotate.Annotated) error {
			return encode(out, struct {
				ID    string   `json:"id"`
				Text  string   `json:"text"`
				Label []triple `json:"label"`
				beside
			}{d.Name, d.Text, triples(d), besideOf(d)})
		}, ""),
	}
}

// everything is what the formats hold that let a writer add fields.
var everything = Holds{Name: true, Text: true, Spans: true, Patient: true, Attributes: true, Identities: true}

// triple is [start, end, label].
type triple [3]any

func triples(d annotate.Annotated) []triple {
	all, offsets := []triple{}, annotate.NewOffsets(d.Text)
	for _, s := range d.Spans {
		start, end := offsets.Range(s)
		all = append(all, triple{start, end, s.Label})
	}
	return all
}

// beside are the fields that formats without their own carry along.
type beside struct {
	Patient    string              `json:"patient,omitempty"`
	Attributes map[string]string   `json:"attributes,omitempty"`
	Identities []annotate.Identity `json:"identities,omitempty"`
}

func besideOf(d annotate.Annotated) beside { return beside{d.Patient, d.Attributes, d.Identities} }

// encode writes a value and a line feed.
func encode(out *bufio.Writer, value any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

func parseDoccano(r *reader, raw json.RawMessage) (d annotate.Annotated, skip bool, p *Problem) {
	var rec record
	var spans jsonSpans
	p = walkObject(raw, func(key string, value json.RawMessage) *Problem {
		switch key {
		case "label", "labels", "entities", "spans":
			return spans.list(value)
		case "relations", "Comments", "comments":
			return r.leftOut(value, "doccano "+key)
		}
		return r.field(&rec, key, value)
	})
	if p != nil {
		return d, false, p
	}
	return rec.with(r, spans.all, codePoints)
}

// leftOut counts what is in a list that hide does not use.
func (r *reader) leftOut(list json.RawMessage, what string) *Problem {
	if list[0] != '[' {
		return nil
	}
	return walkArray(list, func(json.RawMessage) *Problem {
		r.remarks.add(1, what, "ignored")
		return nil
	})
}

// with is the document of a record with its spans.
func (rec *record) with(r *reader, spans []given, units ...unit) (d annotate.Annotated, skip bool, p *Problem) {
	if d, p = rec.document(); p != nil {
		return d, false, p
	}
	if p = checkText(d.Text); p != nil {
		return d, false, p.inText()
	}
	if len(rec.extra) > 0 {
		maps.Copy(rec.extra, d.Attributes)
		d.Attributes = rec.extra
	}
	d.Spans, p = r.spansIn(d.Text, spans, units...)
	return d, false, p
}

// aside reads a field of an object that holds what belongs to a note: its id, what hide
// writes, and other values, which become attributes.
func (r *reader) aside(rec *record, key string, value json.RawMessage) *Problem {
	switch key {
	case "id", "patient", "attributes", "identities":
		return r.field(rec, key, value)
	}
	if value[0] == '{' || value[0] == '[' {
		r.remarks.add(1, "unknown field", "ignored")
		return nil
	}
	if len(value) > 6*maxAttribute+2 {
		return attributeTooLong()
	}
	if len(rec.extra) == maxAttributes {
		return tooManyAttributes()
	}
	if rec.extra == nil {
		rec.extra = map[string]string{}
	}
	var p *Problem
	rec.extra[key], p = scalar(key, value)
	return p
}

// spacyKind is the training data of spaCy.
func spacyKind() kind {
	return kind{
		Format: Format{
			Name: "spacy", Title: "spaCy JSON", Files: `a list of ["text", {"entities": [[start, end, label]]}], or one of these per line`, Endings: []string{".json", ".jsonl"}, Ending: ".json",
			Holds:  Holds{Text: true, Spans: true},
			Remark: "For a .spacy file, add the texts to a DocBin; spaCy drops spans that do not fit its tokens.",
		},
		claims: func(p *probe) bool {
			return p.record != nil && p.record.tuple && len(p.record.items) > 1 && p.record.items[0] == "string" && p.record.items[1] != "string"
		},
		read: jsonReader("spacy", parseSpacy),
		write: oneFile("[", func(out *bufio.Writer, n int, d annotate.Annotated) error {
			out.WriteString(comma(n))
			return encode(out, []any{d.Text, map[string]any{"entities": triples(d)}})
		}, "]\n"),
	}
}

// comma separates the n-th record of a list from the one before it.
func comma(n int) string {
	if n == 1 {
		return "\n"
	}
	return ","
}

func parseSpacy(r *reader, raw json.RawMessage) (d annotate.Annotated, skip bool, p *Problem) {
	var rec record
	var spans jsonSpans
	n := 0
	p = walkArray(raw, func(value json.RawMessage) *Problem {
		n++
		switch {
		case n == 1:
			return r.field(&rec, "text", value)
		case n > 2 || value[0] != '{':
			return &Problem{Code: "json", Reason: "not a text and an object with its entities", Hint: `each record is ["text", {"entities": [[0, 4, "NAME"]]}]`}
		}
		return walkObject(value, func(key string, value json.RawMessage) *Problem {
			if key == "entities" {
				return spans.list(value)
			}
			r.remarks.add(1, "unknown field", "ignored")
			return nil
		})
	})
	if p != nil {
		return d, false, p
	}
	return rec.with(r, spans.all, codePoints)
}
