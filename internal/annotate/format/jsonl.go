// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
)

// maxLine is the longest line of JSON: a text of MaxDocument bytes with every character
// escaped, and its spans.
const maxLine = 4 * MaxDocument

// jsonlKind is hide's own format.
func jsonlKind() kind {
	return kind{
		Format: Format{
			Name: "jsonl", Title: "hide JSONL", Files: "one note per line: id, text, spans, patient, attributes, identities", Endings: []string{".jsonl", ".ndjson"}, Ending: ".jsonl",
			Holds: Holds{Name: true, Text: true, Spans: true, Patient: true, Attributes: true, Identities: true},
		},
		claims: claimsJSONL,
		read:   (*reader).jsonl,
		write:  WriteJSONL,
	}
}

// claimsJSONL takes records with a text that no other format marks as its own, and what
// the name says when the first record tells nothing.
func claimsJSONL(p *probe) bool {
	if p.record == nil {
		return p.named(".jsonl", ".ndjson")
	}
	if s := p.record; !s.list && s.has("text") && (s.types["text"] == "string" || !s.whole) {
		return !s.hasAny(foreignFields...)
	}
	return p.named(".jsonl", ".ndjson") && !p.record.hasAny(foreignFields...) && !p.record.list && !p.record.tuple
}

// foreignFields mark records of other formats.
var foreignFields = []string{"label", "labels", "entities", "tokens", "answer", "_input_hash", "_task_hash", "data", "annotations", "completions", "predictions", "ner_tags", "resourceType", "%FEATURE_STRUCTURES"}

// jsonl reads {"id","text","spans":[{"start","end","label"}],"patient","attributes",
// "identities":[{"of","label","value","from"}]}, one document a line. If a span has "text",
// it must equal the text covered. Other fields are ignored with a remark.
func (r *reader) jsonl(in input) error {
	r.used("jsonl", "")
	file, err := in.open()
	if err != nil {
		return r.refuse(unreadable(err, place{file: in.show, offset: -1}))
	}
	defer file.Close()
	return r.jsonLines(in, file)
}

func (r *reader) jsonLines(in input, file io.Reader) error {
	l, bom, err := newLines(file, maxLine)
	if err != nil {
		return r.refuse(unreadable(err, place{file: in.show, offset: -1}))
	}
	l.guard = func() func([]byte) *Problem { return new(attributeGuard).feed }
	r.marked(bom)
	for records := 0; ; {
		line, ended, err := l.read()
		if err == io.EOF {
			return r.noneIn(in, records)
		}
		w := place{in.show, "line " + strconv.Itoa(l.number), l.start}
		if err == nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		records++
		if err := r.jsonRecord(in, line, ended, w, err); err != nil {
			return err
		}
		if l.broken {
			return nil
		}
	}
}

// noneIn refuses a file without records.
func (r *reader) noneIn(in input, records int) error {
	if records > 0 {
		return nil
	}
	return r.refuse(&Problem{File: in.show, Code: "empty-file", Reason: "the file contains no document", Offset: -1, Hint: "leave it out"})
}

func (r *reader) jsonRecord(in input, line []byte, ended bool, w place, err error) error {
	if err != nil {
		return r.refuse(unreadable(err, w))
	}
	d, p := r.parseRecord(line)
	if p != nil {
		if !ended && p.Code == "json" && !json.Valid(line) {
			p.Code, p.Hint = "truncated", "the last line is incomplete: copy the file again"
		}
		if p.located {
			p = p.inFile(w.offset)
		}
		return r.refuse(p.at(w))
	}
	if d.Name == "" {
		d.Name = strings.TrimSuffix(in.name, path.Ext(in.name)) + "-" + w.record[len("line "):]
		r.remarks.add(1, "document", "without an id, named after its line")
	}
	return r.deliver(d, w)
}

// record has the raw fields of one line.
type record struct {
	id, text, patient string
	spans, attributes json.RawMessage
	identities, work  json.RawMessage
	hasText           bool
	extra             map[string]string // attributes of formats that have no field for them
}

// parseRecord reads one line. The offsets of its problems count from the line's start.
func (r *reader) parseRecord(line []byte) (annotate.Annotated, *Problem) {
	if p := checkEncoding(line); p != nil {
		return annotate.Annotated{}, p
	}
	if p := checkJSON(line); p != nil {
		return annotate.Annotated{}, p
	}
	var rec record
	p := walkObject(line, func(key string, value json.RawMessage) *Problem { return r.field(&rec, key, value) })
	if p != nil {
		return annotate.Annotated{}, p
	}
	d, p := rec.document()
	if p != nil {
		return d, p
	}
	if d.Spans, p = r.parseSpans(rec.text, rec.spans); p != nil {
		return d, p
	}
	d.Work, p = parseWork(d, rec.work)
	return d, p
}

// document is everything of a record but its spans and the work on them.
func (rec *record) document() (d annotate.Annotated, p *Problem) {
	if !rec.hasText {
		return d, &Problem{Code: "json", Reason: `no field "text"`, Hint: "each line is an object with id, text and spans"}
	}
	if len(rec.text) > MaxDocument {
		return d, tooLarge()
	}
	d.Document = annotate.Document{Name: rec.id, Text: rec.text, Patient: rec.patient}
	if d.Attributes, p = parseAttributes(rec.attributes); p != nil {
		return d, p
	}
	d.Identities, p = parseIdentities(rec.identities)
	return d, p
}

func (r *reader) field(rec *record, key string, value json.RawMessage) (p *Problem) {
	switch key {
	case "id":
		rec.id, p = scalar(key, value)
	case "patient":
		rec.patient, p = scalar(key, value)
	case "text":
		rec.hasText = true
		if json.Unmarshal(value, &rec.text) != nil || value[0] != '"' {
			p = notA("text", "string")
		}
	case "spans":
		rec.spans = value
	case "attributes":
		rec.attributes = value
	case "work":
		rec.work = value
	case "suggestions":
		r.remarks.add(1, "document", "with suggestions that nobody has decided about; they are left out")
	case "identities":
		rec.identities = value
	default:
		if known := SameName(key); slices.Contains([]string{"id", "patient", "text", "spans", "attributes", "identities", "work", "suggestions"}, known) {
			return &Problem{Code: "json", Reason: fmt.Sprintf("field %q is not in lower case", known), Hint: "write the names of fields in lower case"}
		}
		r.remarks.add(1, "unknown field", "ignored")
	}
	return p
}

// scalar is a string, or a number, true or false as written; null gives "".
func scalar(name string, value json.RawMessage) (string, *Problem) {
	switch value[0] {
	case '{', '[':
		return "", notA(name, "string")
	case '"':
		var s string
		if json.Unmarshal(value, &s) != nil {
			return "", notA(name, "string")
		}
		return s, nil
	case 'n':
		return "", nil
	}
	return string(value), nil
}

func notA(name, kind string) *Problem {
	return &Problem{Code: "json", Reason: fmt.Sprintf("field %q is not a %s", name, kind)}
}

func parseAttributes(raw json.RawMessage) (map[string]string, *Problem) {
	if raw == nil || raw[0] == 'n' {
		return nil, nil
	}
	attributes, size := map[string]string{}, 0
	p := walkObject(raw, func(key string, value json.RawMessage) *Problem {
		if len(attributes) == maxAttributes {
			return tooManyAttributes()
		}
		if value[0] == 'n' {
			return nil
		}
		if len(value) > 6*maxAttribute+2 { // every byte as \u0000, and the quotes
			return attributeTooLong()
		}
		s, p := scalar("attributes", value)
		if p != nil {
			return &Problem{Code: "attributes", Reason: "an attribute must be a string, a number, true or false"}
		}
		if size += len(key) + len(s); size > maxAttributesSize {
			return attributesTooLarge()
		}
		attributes[key] = s
		return nil
	})
	if p != nil {
		p.located = false // the offset counts from the start of the attributes
	}
	return attributes, p
}

func (r *reader) parseSpans(text string, raw json.RawMessage) ([]annotate.Span, *Problem) {
	if raw == nil || raw[0] == 'n' {
		return nil, nil
	}
	list := newSpanList(text)
	n := 0
	p := walkArray(raw, func(value json.RawMessage) *Problem {
		n++
		if p := r.parseSpan(list, value); p != nil {
			p.Reason = fmt.Sprintf("span %d: %s", n, p.Reason)
			p.located = false
			return p
		}
		return nil
	})
	if p != nil {
		return nil, p
	}
	spans, dropped, p := list.finish()
	r.remarks.add(dropped, "span", droppedSpans)
	return spans, p
}

// wireSpan is one span as written.
type wireSpan struct {
	start, end, label json.RawMessage
	surface           *string
}

func (r *reader) parseSpan(list *spanList, raw json.RawMessage) *Problem {
	var s wireSpan
	p := walkObject(raw, func(key string, value json.RawMessage) *Problem {
		switch key {
		case "start":
			s.start = value
		case "end":
			s.end = value
		case "label":
			s.label = value
		case "text":
			if value[0] != '"' || json.Unmarshal(value, &s.surface) != nil {
				return notA("text", "string")
			}
		default:
			r.remarks.add(1, "unknown field", "ignored")
		}
		return nil
	})
	if p != nil {
		return p
	}
	return s.addTo(list)
}

func (s wireSpan) addTo(list *spanList) *Problem {
	start, fine := position(s.start)
	end, fineToo := position(s.end)
	if !fine || !fineToo {
		return spanRange("a position that is not a whole number", list.offsets.Runes())
	}
	var label string
	if len(s.label) == 0 || s.label[0] != '"' || json.Unmarshal(s.label, &label) != nil {
		return notA("label", "string")
	}
	span, p := list.add(start, end, annotate.Label(label))
	if p == nil && s.surface != nil && *s.surface != span.Surface(list.text) {
		return surfaceDiffers(*s.surface, span)
	}
	return p
}

func surfaceDiffers(surface string, span annotate.Span) *Problem {
	return &Problem{
		Code:   "span-text",
		Reason: fmt.Sprintf("the span covers %d bytes of text, which differ from the %d bytes in the record", span.Len(), len(surface)),
		Hint:   "positions must count Unicode characters, not bytes or UTF-16 units",
	}
}

// wholeNumber is a position in any JSON notation. No text needs more than nine digits.
var wholeNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,8})$`)

func position(raw json.RawMessage) (annotate.RuneOff, bool) {
	if !wholeNumber.Match(raw) {
		return 0, false
	}
	n, err := strconv.Atoi(string(raw))
	return annotate.RuneOff(n), err == nil
}

// checkEncoding refuses invalid UTF-8 and escaped surrogate halves, which encoding/json
// silently replaces.
func checkEncoding(line []byte) *Problem {
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == '\\':
			size := escape(line[i:])
			if size == 0 {
				return &Problem{Code: "encoding", Offset: int64(i), located: true, Reason: "half a surrogate pair is escaped", Hint: "the program that wrote the file cut a character in two"}
			}
			i += size
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRune(line[i:])
			if r == utf8.RuneError && size == 1 {
				return &Problem{Code: "encoding", Offset: int64(i), located: true, Reason: "invalid UTF-8", Hint: "convert the file to UTF-8; it may be Latin-1 or Windows-1252"}
			}
			i += size
		}
	}
	return nil
}

// escape is the size of the escape sequence at b[0], 0 for a lone surrogate.
func escape(b []byte) int {
	unit, found := hexUnit(b)
	switch {
	case !found:
		return min(2, len(b))
	case unit < 0xd800 || unit > 0xdfff:
		return 6
	case unit > 0xdbff:
		return 0
	}
	low, found := hexUnit(b[6:])
	if !found || low < 0xdc00 || low > 0xdfff {
		return 0
	}
	return 12
}

// hexUnit is the value of the \uXXXX at b[0].
func hexUnit(b []byte) (uint64, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return unit, err == nil
}

// LoadJSONL reads all documents of a file in hide's JSON lines. It stops at the first bad
// record with a *Problem that calls the file name.
func LoadJSONL(in io.Reader, name string) ([]annotate.Annotated, error) {
	var docs []annotate.Annotated
	r := &reader{ctx: context.Background(), names: names{}, remarks: tally{}}
	r.sink = func(d annotate.Annotated) error {
		docs = append(docs, d)
		return nil
	}
	err := r.jsonLines(input{name: name, show: name}, in)
	return docs, err
}

// jsonDocument is a document as a line of JSON.
type jsonDocument struct {
	ID         string              `json:"id"`
	Text       string              `json:"text"`
	Spans      []jsonSpan          `json:"spans"`
	Patient    string              `json:"patient,omitempty"`
	Attributes map[string]string   `json:"attributes,omitempty"`
	Identities []annotate.Identity `json:"identities,omitempty"`
	*jsonWork                      // nil unless the work is written too
}

type jsonSpan struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}

// WriteJSONL writes each document as one line, from which [Read] restores it exactly. It
// stops at the first error of the sequence.
func WriteJSONL(w io.Writer, docs iter.Seq2[annotate.Annotated, error]) error {
	return writeLines(w, docs, toJSON)
}

func writeLines(w io.Writer, docs documents, line func(annotate.Annotated) (jsonDocument, error)) error {
	buffered := bufio.NewWriter(w)
	enc := json.NewEncoder(buffered)
	enc.SetEscapeHTML(false)
	n := 0
	for d, err := range docs {
		n++
		if err != nil {
			return fmt.Errorf("document %d: %w", n, err)
		}
		one, err := line(d)
		if err != nil {
			return fmt.Errorf("document %d: %w", n, err)
		}
		if err := enc.Encode(one); err != nil {
			return fmt.Errorf("write document %d: %w", n, err)
		}
	}
	return buffered.Flush()
}

func toJSON(d annotate.Annotated) (jsonDocument, error) {
	out := jsonDocument{ID: d.Name, Text: d.Text, Patient: d.Patient, Attributes: d.Attributes, Identities: d.Identities, Spans: []jsonSpan{}}
	offsets := annotate.NewOffsets(d.Text)
	for _, s := range d.Spans {
		start, err := offsets.Rune(s.Start)
		if err != nil {
			return out, err
		}
		end, err := offsets.Rune(s.End)
		if err != nil {
			return out, err
		}
		out.Spans = append(out.Spans, jsonSpan{start, end, s.Label})
	}
	return out, nil
}
