// SPDX-License-Identifier: Apache-2.0

package training_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/project/training"
)

// spotter holds the words that it lists for sensitive.
type spotter []string

func (s spotter) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for x, w := range v.Words {
		if slices.Contains(s, w) {
			out[x] = 0.75
		}
	}
	return out
}

func (s spotter) Hard(v annotate.View) []bool { return make([]bool, len(v.Words)) }

func TestDetectorAddsWhatTheModelMissed(t *testing.T) {
	var docs []annotate.View
	for _, name := range []string{"Ana", "Bea", "Eva", "Ada", "Ida"} {
		text := "Dr. " + name + " saw her in spring"
		docs = append(docs, new(annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: text},
			Spans: []annotate.Span{{Start: 4, End: 7, Label: "NAME"}}})).View())
	}
	model, _, err := crf.Train(context.Background(), docs, crf.Options{MinCount: 1})
	if err != nil {
		t.Fatal(err)
	}
	d := annotate.Document{Text: "Dr. Ana saw her in spring with Max Mustermann there"}
	tags := model.Tag(new(annotate.NewNote(annotate.Annotated{Document: d})).View())
	said := func(tags []annotate.Suggestion) string {
		var words []string
		for _, s := range tags {
			words = append(words, d.Text[s.Span.Start:s.Span.End])
		}
		return strings.Join(words, "; ")
	}
	if said(tags) != "Ana" {
		t.Fatalf("the model finds %q", said(tags))
	}
	got := training.Detected(spotter{"Ana", "Max", "Mustermann", "spring"}, model, d, tags)
	if said(got) != "Ana; spring; Max Mustermann" {
		t.Errorf("suggested: %q", said(got))
	}
	if got[0] != tags[0] || got[2].Span.Label != "NAME" || got[2].Score != 0.75 {
		t.Errorf("suggestions are %+v", got)
	}
	if got := training.Detected(spotter{"Ana"}, model, d, tags); !slices.Equal(got, tags) {
		t.Errorf("without anything new: %+v", got)
	}
}
