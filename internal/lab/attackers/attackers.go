// SPDX-License-Identifier: Apache-2.0

// Package attackers measures attackers who go for the patient, on several publications of
// the same notes.
//
//	result, err := attackers.Retrieval(ctx, notes, nil, options, nil)
//	result.Write(os.Stdout)
//
// [Retrieval] measures how many published notes are linked to their patients, and [Leaks]
// how many leaks an attacker tells from surrogates. Results hold counts, and no text of
// notes.
package attackers

import (
	"context"
	"strings"

	"hide/internal/annotate"
)

// Edit is a stretch of a note and what stands in its place.
type Edit struct {
	annotate.Span
	Text        string
	Placeholder bool // readers see that something was replaced
}

// Publisher replaces identifiers.
type Publisher struct {
	Name string
	// Edits gives, for each note, what replaces its spans, in order and without overlap.
	Edits func(ctx context.Context, notes []annotate.Annotated) ([][]Edit, error)
}

// Original replaces nothing: what attackers would link without any redaction.
var Original = Publisher{"original", func(_ context.Context, notes []annotate.Annotated) ([][]Edit, error) {
	return make([][]Edit, len(notes)), nil
}}

// Placeholders replaces every identifier by its label.
var Placeholders = Publisher{"placeholders", func(_ context.Context, notes []annotate.Annotated) ([][]Edit, error) {
	out := make([][]Edit, len(notes))
	for i, n := range notes {
		for _, s := range n.Spans {
			out[i] = append(out[i], Edit{s, "[" + string(s.Label) + "]", true})
		}
	}
	return out, nil
}}

// replaced is a note with the edits made.
type replaced struct {
	text  strings.Builder
	read  annotate.ByteOff // of the original
	spans []annotate.Span  // of the replacements in the text
}

// replace makes the edits of a text for which make is true, and returns the places of all
// edits, made or not, in the new text.
func replace(text string, edits []Edit, made func(Edit) bool) (string, []annotate.Span) {
	var r replaced
	for _, e := range edits {
		r.text.WriteString(text[r.read:e.Start])
		start := annotate.ByteOff(r.text.Len())
		if made(e) {
			r.text.WriteString(e.Text)
		} else {
			r.text.WriteString(text[e.Start:e.End])
		}
		r.spans = append(r.spans, annotate.Span{Start: start, End: annotate.ByteOff(r.text.Len()), Label: e.Label})
		r.read = e.End
	}
	r.text.WriteString(text[r.read:])
	return r.text.String(), r.spans
}
