// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// Statement is the statement of each release of text.
const Statement = "Evidence for an expert's determination under 45 CFR 164.514(b)(1), not the determination. " +
	"Figures are estimates on annotated notes, with 95 % intervals. The text may still hold identifiers that nobody marked."

// Names of the files of a release of text.
const (
	notesFile = "notes.jsonl"
	notesDir  = "notes"
)

// Claims are what a release of text claims.
type Claims struct {
	Placeholder string           `json:"placeholder"` // format, with LABEL for the label
	Labels      []annotate.Label `json:"labels"`      // possible labels of redactions
	Counts      ReleaseCounts    `json:"counts"`
	Parameters  Parameters       `json:"parameters"`
	Figures     greedy.Outcome   `json:"figures"`
	Provenance  Origin           `json:"provenance"`
}

// ReleaseCounts can all be recomputed from the release, and Known from the originals.
type ReleaseCounts struct {
	Documents  int                    `json:"notes"`
	Tokens     int                    `json:"tokens"`     // published tokens, without placeholders
	Redactions map[annotate.Label]int `json:"redactions"` // placeholders by label
	Known      KnownCounts            `json:"known_identifiers,omitzero"`
}

// Parameters say how the bundle was chosen.
type Parameters struct {
	Mode  greedy.Mode `json:"mode"`
	LC    float64     `json:"lc"`
	At    float64     `json:"effective_lc,omitzero"` // the larger L/C that the ceiling required; 0 if none
	Steps []Step      `json:"steps"`
}

// Step is one classifier of the ensemble.
type Step struct {
	Learner   string        `json:"learner"`
	Threshold float64       `json:"threshold"`        // it redacts from this P(sensitive) on
	Hard      bool          `json:"hard"`             // it redacts by hard labels instead
	Whole     bool          `json:"whole"`            // it reads the original document, not the result of the steps before it
	Prices    greedy.Prices `json:"prices,omitempty"` // the odds of P(sensitive) are first divided by these, by kind of word
}

// Origin is the provenance of a release.
type Origin struct {
	Bundle            string `json:"bundle_sha256"`
	Run               int    `json:"run"`
	TrainingDocuments int    `json:"training_notes"`
	AtRandom          int    `json:"training_notes_sampled_at_random"`
	Finished          int    `json:"finished_notes"` // released notes that people had finished
	Corpus            string `json:"corpus"`         // keyed fingerprint of the training documents and spans, comparable within one project only
	// Attuned is the factor by which a prior-shift correction raised the odds after the
	// figures were measured, 0 or 1 for none: more is redacted than they say.
	Attuned float64 `json:"prior_shift_factor,omitzero"`
}

// released is one line of notes.jsonl.
type released struct {
	ID         string            `json:"id"`
	Text       string            `json:"text"`
	Redactions []releasedReplace `json:"redactions"`
}

// releasedReplace is the place of a placeholder, in code points of the released text.
type releasedReplace struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
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
	ID         string              `json:"id"`       // in the release
	Document   annotate.DocumentID `json:"document"` // in the project
	Name       string              `json:"name"`     // outside
	Redactions []mappedReplace     `json:"redactions"`
}

type mappedReplace struct {
	Start annotate.RuneOff `json:"start"` // in the original
	End   annotate.RuneOff `json:"end"`
	At    annotate.RuneOff `json:"at"` // in the released text
	AtEnd annotate.RuneOff `json:"at_end"`
	Label annotate.Label   `json:"label"`
}

// mapped converts redactions of text into rows of a mapping.
func mapped(text string, redactions []Redaction) []mappedReplace {
	offsets := annotate.NewOffsets(text)
	rows := make([]mappedReplace, len(redactions))
	for i, r := range redactions {
		start, end := offsets.Range(annotate.Span{Start: r.Start, End: r.End})
		rows[i] = mappedReplace{start, end, r.At, r.AtEnd, r.Label}
	}
	return rows
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
