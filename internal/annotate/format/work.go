// SPDX-License-Identifier: Apache-2.0

package format

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/strictjson"
)

// WithWork is the name of the format that holds the work of people.
const WithWork = "jsonl-work"

// workKind is hide's own format with everything that people did. The reader of hide JSONL
// reads it.
func workKind() kind {
	all := jsonlKind().Format
	all.Name, all.Title = WithWork, "hide JSONL with the work of people"
	all.Files = "hide JSONL, and beside it authors, times, states, history, rejected and open suggestions"
	all.Remark = "Suggestions that nobody has decided about are written apart and are not read back."
	return kind{Format: all, read: (*reader).jsonl, write: writeWork}
}

// writeWork writes documents as [WriteJSONL] does, each with its work.
func writeWork(w io.Writer, docs documents) error {
	return writeLines(w, docs, func(d annotate.Annotated) (jsonDocument, error) {
		out, err := toJSON(d)
		if err == nil && d.Work != nil {
			out.jsonWork, err = toWork(d)
		}
		return out, err
	})
}

// jsonWork are the fields of a line about the work of people.
type jsonWork struct {
	Work        jsonLayer        `json:"work"`
	Suggestions []jsonSuggestion `json:"suggestions"`
}

type jsonLayer struct {
	State       annotate.State   `json:"state"`
	Revision    int              `json:"revision"`
	Annotations []jsonAnnotation `json:"annotations"`
	Rejected    []jsonSpan       `json:"rejected,omitempty"`
	History     []jsonChange     `json:"history,omitempty"`
}

type jsonAnnotation struct {
	jsonSpan
	ID     uint64          `json:"id"`
	Source annotate.Source `json:"source"`
	By     string          `json:"by"`
	At     time.Time       `json:"at"`
	Model  int             `json:"model,omitempty"`
	Score  float64         `json:"score,omitempty"`
}

type jsonChange struct {
	By       string           `json:"by"`
	At       time.Time        `json:"at"`
	Verb     annotate.Verb    `json:"verb"`
	Removed  []jsonAnnotation `json:"removed,omitempty"`
	Added    []jsonAnnotation `json:"added,omitempty"`
	Rejected []jsonSpan       `json:"rejected,omitempty"`
	From     annotate.State   `json:"from"`
	To       annotate.State   `json:"to"`
	Undone   bool             `json:"undone,omitempty"`
	Revision int              `json:"revision,omitempty"`
}

type jsonSuggestion struct {
	jsonSpan
	Score float64 `json:"score"`
	Model int     `json:"model"`
}

// workMap converts positions between bytes and code points. It keeps the first error.
type workMap struct {
	offsets *annotate.Offsets
	err     error
}

func (m *workMap) keep(err error) {
	if m.err == nil {
		m.err = err
	}
}

func toWork(d annotate.Annotated) (*jsonWork, error) {
	m := &workMap{offsets: annotate.NewOffsets(d.Text)}
	l := d.Work.Layer
	out := &jsonWork{Work: jsonLayer{State: l.State, Revision: l.Revision, Annotations: m.annotations(l.Annotations), Rejected: m.spans(l.Rejected)}}
	for _, c := range l.History {
		out.Work.History = append(out.Work.History, jsonChange{
			c.By, c.At, c.Verb, m.annotations(c.Removed), m.annotations(c.Added), m.spans(c.Rejected), c.From, c.To, c.Undone, c.Revision,
		})
	}
	for _, s := range d.Work.Suggestions {
		out.Suggestions = append(out.Suggestions, jsonSuggestion{m.span(s.Span), s.Score, s.Model})
	}
	return out, m.err
}

func (m *workMap) span(s annotate.Span) jsonSpan {
	start, err := m.offsets.Rune(s.Start)
	m.keep(err)
	end, err := m.offsets.Rune(s.End)
	m.keep(err)
	return jsonSpan{start, end, s.Label}
}

func (m *workMap) spans(all []annotate.Span) (out []jsonSpan) {
	for _, s := range all {
		out = append(out, m.span(s))
	}
	return out
}

func (m *workMap) annotations(all []annotate.Annotation) (out []jsonAnnotation) {
	for _, a := range all {
		out = append(out, jsonAnnotation{m.span(a.Span), a.ID, a.Source, a.By, a.At, a.Model, a.Score})
	}
	return out
}

// parseWork reads the work of a document. Its annotations must be the spans of the document.
func parseWork(d annotate.Annotated, raw json.RawMessage) (*annotate.Work, *Problem) {
	if raw == nil || raw[0] == 'n' {
		return nil, nil
	}
	var w jsonLayer
	if err := strictjson.Decode(raw, &w); err != nil {
		return nil, badWork("field \"work\" is not the work of people as hide writes it")
	}
	m := &workMap{offsets: annotate.NewOffsets(d.Text)}
	l := &annotate.Layer{State: w.State, Revision: w.Revision, Annotations: m.fromAnnotations(w.Annotations), Rejected: m.fromSpans(w.Rejected)}
	for _, c := range w.History {
		l.History = append(l.History, annotate.Change{
			By: c.By, At: c.At, Verb: c.Verb, Removed: m.fromAnnotations(c.Removed), Added: m.fromAnnotations(c.Added), Rejected: m.fromSpans(c.Rejected),
			From: c.From, To: c.To, Undone: c.Undone, Revision: c.Revision,
		})
	}
	if m.err != nil {
		return nil, badWork("a span in \"work\" is out of range or has no valid label")
	}
	if p := checkWork(l, d.Spans); p != nil {
		return nil, p
	}
	return &annotate.Work{Layer: l}, nil
}

// checkWork refuses work that no editing could have led to. It sets the last id.
func checkWork(l *annotate.Layer, spans []annotate.Span) *Problem {
	seen := map[uint64]bool{}
	for _, a := range l.Annotations {
		if a.ID == 0 || seen[a.ID] {
			return badWork("an annotation in \"work\" has no id of its own")
		}
		seen[a.ID] = true
	}
	all := slices.Clone(l.Annotations)
	for _, c := range l.History {
		if !knownState(c.From) || !knownState(c.To) {
			return badWork("a change in \"work\" has an unknown state")
		}
		if !isShort(c.By) || !isShort(string(c.Verb)) {
			return badWork("a change in \"work\" has no valid author or verb")
		}
		all = append(append(all, c.Added...), c.Removed...)
	}
	for _, a := range all {
		if a.ID > maxID || !knownSource(a.Source) || !isShort(a.By) {
			return badWork("an annotation in \"work\" has no valid id, source or author")
		}
		l.LastID = max(l.LastID, a.ID)
	}
	switch {
	case !knownState(l.State):
		return badWork("\"work\" has an unknown state")
	case l.Revision < 0:
		return badWork("\"work\" has a negative revision")
	case !slices.Equal(l.Spans(), spans):
		return badWork("the annotations in \"work\" are not the spans of the document")
	}
	return nil
}

func knownState(s annotate.State) bool {
	return s == annotate.New || s == annotate.InProgress || s == annotate.Done
}

// maxID leaves room for the ids of edits to come.
const maxID = 1 << 53

func knownSource(s annotate.Source) bool {
	return s == annotate.Manual || s == annotate.Accepted || s == annotate.Propagated || s == annotate.Imported
}

// isShort reports whether a page and a line of a log can show s.
func isShort(s string) bool { return len(s) <= maxName && checkText(s) == nil }

func badWork(reason string) *Problem {
	return &Problem{Code: "work", Reason: reason, Hint: "leave the field out to import the spans alone"}
}

func (m *workMap) fromSpan(s jsonSpan) annotate.Span {
	out, err := m.offsets.Span(s.Start, s.End, s.Label)
	m.keep(err)
	if err := annotate.CheckLabel(s.Label); err != nil {
		m.keep(fmt.Errorf("label: %w", err))
	}
	return out
}

func (m *workMap) fromSpans(all []jsonSpan) (out []annotate.Span) {
	for _, s := range all {
		out = append(out, m.fromSpan(s))
	}
	return out
}

func (m *workMap) fromAnnotations(all []jsonAnnotation) (out []annotate.Annotation) {
	for _, a := range all {
		out = append(out, annotate.Annotation{ID: a.ID, Span: m.fromSpan(a.jsonSpan), Source: a.Source, By: a.By, At: a.At, Model: a.Model, Score: a.Score})
	}
	return out
}
