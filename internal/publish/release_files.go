// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
)

// Statement is the statement of each release of text.
const Statement = "Evidence for an expert's determination under 45 CFR 164.514(b)(1), not the determination. " +
	"Figures are estimates on annotated notes, with 95 % intervals. The text may still hold identifiers that nobody marked."

// Names of the files of a release of text.
const (
	notesFile  = "notes.jsonl"
	notesDir   = "notes"
	policyFile = "policy.json" // of a release by a policy
)

// released is one line of notes.jsonl.
type released struct {
	ID         string            `json:"id"`
	Text       string            `json:"text"`
	Redactions []releasedReplace `json:"redactions"`
}

// releasedReplace is the place of a visible replacement, in code points of the released text.
type releasedReplace struct {
	Start  annotate.RuneOff `json:"start"`
	End    annotate.RuneOff `json:"end"`
	Label  annotate.Label   `json:"label"`
	Action policy.Action    `json:"action,omitempty"` // "" for a plain placeholder
}

// placeholders are the visible replacements that tell no more than the label.
func (d released) placeholders() ([]annotate.Span, error) {
	var out []annotate.Span
	offsets := annotate.NewOffsets(d.Text)
	for _, r := range d.Redactions {
		if r.Action != "" && !r.Action.Blank() {
			continue
		}
		s, err := offsets.Span(r.Start, r.End, r.Label)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// written is how files name an action.
func written(a policy.Action) policy.Action {
	if a == policy.Placeholder {
		return ""
	}
	return a
}

// MappingSchema is the first line's "schema" of a mapping.
const MappingSchema = "hide mapping 1"

// mappingHead is the first line of a mapping.
type mappingHead struct {
	Schema    string `json:"schema"`
	Manifest  string `json:"manifest_sha256"` // of the release it belongs to
	Documents int    `json:"documents"`
}

// mappingRow links a released document to its original. All places are in code points.
type mappingRow struct {
	ID         string              `json:"id"`                // in the release
	Document   annotate.DocumentID `json:"document"`          // in the project
	Name       string              `json:"name"`              // outside
	Patient    int                 `json:"patient,omitempty"` // notes of one patient have the same number; 0 if the patient is not known
	Redactions []mappedReplace     `json:"redactions"`
	// Kept are identifiers of the original that stay readable because the policy or a person
	// decided so.
	Kept []keptPlace `json:"kept,omitempty"`
}

type mappedReplace struct {
	Start  annotate.RuneOff `json:"start"` // in the original
	End    annotate.RuneOff `json:"end"`
	At     annotate.RuneOff `json:"at"` // in the released text
	AtEnd  annotate.RuneOff `json:"at_end"`
	Label  annotate.Label   `json:"label"`
	Action policy.Action    `json:"action,omitempty"` // "" for a plain placeholder
}

type keptPlace struct {
	Start annotate.RuneOff `json:"start"` // in the original
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}

// mapped converts redactions of text into rows of a mapping.
func mapped(text string, redactions []Redaction) []mappedReplace {
	offsets := annotate.NewOffsets(text)
	rows := make([]mappedReplace, len(redactions))
	for i, r := range redactions {
		start, end := offsets.Range(annotate.Span{Start: r.Start, End: r.End})
		rows[i] = mappedReplace{start, end, r.At, r.AtEnd, r.Label, written(r.Action)}
	}
	return rows
}

// mappedKept converts kept stretches of text into places of a mapping.
func mappedKept(text string, kept []annotate.Span) []keptPlace {
	if len(kept) == 0 {
		return nil
	}
	offsets := annotate.NewOffsets(text)
	out := make([]keptPlace, len(kept))
	for i, s := range kept {
		start, end := offsets.Range(s)
		out[i] = keptPlace{start, end, s.Label}
	}
	return out
}

// encodeMapping writes JSONL: the head, then one row per document by id.
func encodeMapping(manifest string, rows []mappingRow) ([]byte, error) {
	var b bytes.Buffer
	enc := newEncoder(&b)
	if err := enc.Encode(mappingHead{MappingSchema, manifest, len(rows)}); err != nil {
		return nil, err
	}
	for _, row := range rows {
		if err := enc.Encode(row); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// spool keeps redacted documents on disk in the order of arrival, until all are there and
// the random order can be drawn. It contains only text that will be published.
type spool struct {
	file  *os.File // nil before the first document and after close
	ends  []int64  // ends[i] is the end of document i, which starts at the end of the one before
	bytes int64
}

func (s *spool) add(d released) error {
	line, err := json.Marshal(d)
	if err != nil {
		return err
	}
	n, err := s.file.Write(line)
	s.bytes += int64(n)
	s.ends = append(s.ends, s.bytes)
	return err
}

// close may be called again.
func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	return file.Close()
}

func (s *spool) get(i int) (released, error) {
	start := int64(0)
	if i > 0 {
		start = s.ends[i-1]
	}
	line := make([]byte, s.ends[i]-start)
	var d released
	if _, err := s.file.ReadAt(line, start); err != nil && err != io.EOF {
		return d, err
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	if err := dec.Decode(&d); err != nil {
		return d, fmt.Errorf("read note %d back: %w", i, err)
	}
	return d, nil
}
