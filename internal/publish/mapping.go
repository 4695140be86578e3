// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"encoding/json"
	"io"

	"hide/internal/annotate"
)

// MappingSchema is the first line's "schema" of a mapping.
const MappingSchema = "hide mapping 1"

// mappingHead is the first line of a mapping.
type mappingHead struct {
	Schema    string `json:"schema"`
	Manifest  string `json:"manifest_sha256"` // of the release it belongs to
	Documents int    `json:"documents"`
}

// mappingRow leads from a released document back to its original. All places
// are in code points.
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

// mapped turns redactions of text into rows of a mapping.
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
