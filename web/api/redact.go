// SPDX-License-Identifier: Apache-2.0

package api

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"hide/internal/annotate"
	"hide/internal/hint"
	"hide/internal/project/sanitize"
	"hide/internal/publish/stream"
	"hide/web/ui"
)

// model is a redaction model.
type model struct {
	ID       string           `json:"id"`
	Run      string           `json:"run"`
	LC       float64          `json:"lc"`
	Chosen   string           `json:"chosen"` // in words: "L/C 10", or the target
	Created  time.Time        `json:"created"`
	SHA256   string           `json:"sha256"`
	Bytes    int              `json:"bytes"`
	Readable []annotate.Label `json:"readable"` // labels that it does not redact
}

func modelOf(b sanitize.Bundle) model {
	return model{
		ID: strconv.Itoa(b.Number), Run: strconv.Itoa(b.Run), LC: b.LC, Chosen: b.ChosenWords(), Created: b.Created.UTC(),
		SHA256: b.SHA256, Bytes: b.Bytes, Readable: append([]annotate.Label{}, b.Excluded...),
	}
}

// listModels lists the redaction models, newest first.
func (h *Handlers) listModels(c ui.Context) error {
	all, err := h.runs.Bundles(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	if err != nil {
		return err
	}
	out := []model{}
	for _, b := range all {
		out = append(out, modelOf(b))
	}
	return c.JSON(http.StatusOK, map[string]any{"models": out})
}

// redacted is the answer to one note.
type redacted struct {
	ID         string                 `json:"id"`
	Text       string                 `json:"text"`
	Redactions []redaction            `json:"redactions"`
	Counts     map[annotate.Label]int `json:"counts"`
	Model      string                 `json:"model"`
	Warnings   []string               `json:"warnings"`
}

// redaction is a replaced stretch: start and end in the redacted text, as in files, and
// where it was in the note of the request.
type redaction struct {
	place
	NoteStart annotate.RuneOff `json:"note_start"`
	NoteEnd   annotate.RuneOff `json:"note_end"`
}

// redact redacts one note, or a stream of notes, by the type of the body. Nothing of them is
// stored.
func (h *Handlers) redact(c ui.Context) error {
	m, err := number(c, "model")
	if err != nil {
		return err
	}
	warnings, err := h.runs.RedactionWarnings(c.Request().Context(), ui.User(c), ui.ProjectID(c), m)
	if err != nil {
		return err
	}
	warnings = append([]string{}, warnings...)
	if kindOf(c) == "application/json" {
		return h.redactNote(c, m, warnings)
	}
	return h.redactStream(c, m, warnings)
}

func (h *Handlers) redactNote(c ui.Context, m int, warnings []string) error {
	if err := checkQuery(c); err != nil {
		return err
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), c.Request().Body, ui.MaxBody))
	if err != nil {
		return err
	}
	n, err := h.runs.RedactNote(c.Request().Context(), ui.User(c), ui.ProjectID(c), sanitize.Redaction{Bundle: m, Token: tokenOf(c).ID}, body)
	if err != nil {
		return err
	}
	out := redacted{ID: n.ID, Text: n.Text, Redactions: []redaction{}, Counts: map[annotate.Label]int{}, Model: strconv.Itoa(m), Warnings: warnings}
	for _, r := range n.Redactions {
		out.Redactions = append(out.Redactions, redaction{place{r.At, r.AtEnd, r.Label}, r.Start, r.End})
		out.Counts[r.Label]++
	}
	return c.JSON(http.StatusOK, out)
}

// streamed are the types of a stream, with the format of its notes.
var streamed = map[string]string{
	"application/x-ndjson":    stream.JSONL,
	"application/hl7-v2":      stream.HL7,
	"application/cda+xml":     stream.CCDA,
	"application/fhir+json":   stream.FHIR,
	"application/fhir+ndjson": stream.FHIR,
}

// mostRefused is how many records that were left out the end of a stream lists.
const mostRefused = 1000

// redactStream answers as the notes come. It holds no more of them than its workers have in
// hand. When the client goes away, it ends.
func (h *Handlers) redactStream(c ui.Context, m int, warnings []string) error {
	kind := kindOf(c)
	form, known := streamed[kind]
	if !known {
		return unsupported("application/json", "application/x-ndjson", "application/hl7-v2", "application/cda+xml", "application/fhir+json", "application/fhir+ndjson")
	}
	if err := checkQuery(c, "skip_bad"); err != nil {
		return err
	}
	o := stream.Options{Format: form}
	var err error
	if o.Skip, err = readSwitch(c, "skip_bad"); err != nil {
		return err
	}
	if o.Skip && form != stream.JSONL {
		return badRequest("skip_bad: it goes with application/x-ndjson only.", "The other formats have no place for what was left out.")
	}
	done, err := h.streams.take()
	if err != nil {
		return err
	}
	defer done()
	var left []stream.Refusal
	o.LeftOut = func(r stream.Refusal) {
		if len(left) < mostRefused {
			left = append(left, r)
		}
	}
	// Without this, HTTP/1.1 would read the whole request before the first answer.
	_ = http.NewResponseController(c.Response().Writer).EnableFullDuplex()
	w := &late{c: c, flush: true, header: http.Header{"Content-Type": {kind}, "Hide-Warnings": {asciiJSON(warnings)}}}
	_, err = h.runs.RedactStream(c.Request().Context(), ui.User(c), ui.ProjectID(c), sanitize.Redaction{Bundle: m, Token: tokenOf(c).ID}, c.Request().Body, w, o)
	if err != nil {
		if bad, ok := errors.AsType[*stream.Refusal](err); ok && w.started && form == stream.JSONL {
			_ = writeRefusals(w, []stream.Refusal{*bad}) // the cut says that the answer is not complete
		}
		return badRecord(err)
	}
	w.start() // no notes are an empty answer
	return writeRefusals(w, left)
}

// writeRefusals ends a stream with a line for each record that was refused.
func writeRefusals(w io.Writer, left []stream.Refusal) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, r := range left {
		if err := enc.Encode(map[string]any{"refused": refusalOf(r)}); err != nil {
			return err
		}
	}
	return nil
}

// refusal is a record of a stream that cannot be read. It never quotes content.
type refusal struct {
	Record string `json:"record"`
	Offset int64  `json:"offset"`
	Code   string `json:"code"`
	Reason string `json:"reason"`
	Hint   string `json:"hint"`
}

func refusalOf(r stream.Refusal) refusal {
	return refusal{r.Record, r.Offset, r.Code, r.Reason, r.Hint}
}

// badRecord says which record of a stream was refused. If answers have left already, the shell
// cuts the connection instead.
func badRecord(err error) error {
	var r *stream.Refusal
	if !errors.As(err, &r) {
		return err
	}
	where := refusalOf(*r)
	return refused(http.StatusUnprocessableEntity, "A record cannot be read", ui.Sentence(r.Record+": "+r.Reason), ui.Sentence(hint.Of(err)),
		map[string]any{"kind": "record", "code": where.Code, "record": where.Record, "offset": where.Offset})
}
