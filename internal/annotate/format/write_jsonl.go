// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"hide/internal/annotate"
)

// jsonDocument is a document as a line of JSON.
type jsonDocument struct {
	ID         string            `json:"id"`
	Text       string            `json:"text"`
	Spans      []jsonSpan        `json:"spans"`
	Patient    string            `json:"patient,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
}

type jsonSpan struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}

// WriteJSONL writes each document as one line, which [Read] gives back the same.
// It stops at the first error of the sequence.
func WriteJSONL(w io.Writer, docs iter.Seq2[annotate.Annotated, error]) error {
	buffered := bufio.NewWriter(w)
	enc := json.NewEncoder(buffered)
	enc.SetEscapeHTML(false)
	n := 0
	for d, err := range docs {
		n++
		if err != nil {
			return fmt.Errorf("document %d: %w", n, err)
		}
		line, err := toJSON(d)
		if err != nil {
			return fmt.Errorf("document %d: %w", n, err)
		}
		if err := enc.Encode(line); err != nil {
			return fmt.Errorf("write document %d: %w", n, err)
		}
	}
	return buffered.Flush()
}

func toJSON(d annotate.Annotated) (jsonDocument, error) {
	out := jsonDocument{ID: d.Name, Text: d.Text, Patient: d.Patient, Attributes: d.Attributes, Spans: []jsonSpan{}}
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
