// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"math"

	"hide/internal/annotate"
	"hide/internal/corpus"
	"hide/internal/crf"
	"hide/internal/lab/evaluate"
	"hide/internal/ndjson"
)

// taggedLine is one answer of hide tag.
type taggedLine struct {
	ID    string       `json:"id"`
	Text  string       `json:"text"`
	Spans []taggedSpan `json:"spans"`
}

// taggedSpan is a found span, in code points.
type taggedSpan struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
	Score float64          `json:"score"` // mean marginal probability of the label, four digits
}

func runTag(ctx context.Context, e *env, args []string) error {
	f := e.filterFlags()
	name := f.String("model", "", "`FILE` of the model, as hide train writes it")
	if _, err := e.parse(f, args, 0, 0, "model"); err != nil {
		return err
	}
	m, err := corpus.Model(*name)
	if err != nil {
		return err
	}
	return ndjson.Filter(ctx, e.stdin, e.stdout, ndjson.Options{}, func(in ndjson.Doc) any {
		return taggedLine{*in.ID, *in.Text, tagText(m, in)}
	})
}

func tagText(m *crf.Model, in ndjson.Doc) []taggedSpan {
	text := *in.Text
	d := annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: text}})
	d.Known, d.Identities = in.AllKnown(), in.Identities
	found := evaluate.Found(m, d.View())
	offsets := annotate.NewOffsets(text)
	spans := make([]taggedSpan, len(found))
	for i, s := range found {
		start, end := offsets.Range(s.Span)
		spans[i] = taggedSpan{start, end, s.Span.Label, math.Round(s.Score*1e4) / 1e4}
	}
	return spans
}
