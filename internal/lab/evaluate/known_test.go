// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf/score"
)

func TestKnownIdentifiersCountAsFound(t *testing.T) {
	note := annotate.NewNote(annotate.Annotated{
		Document: annotate.Document{Text: "Anna Weiss on May 14", Identities: []annotate.Identity{
			{Label: "PATIENT", Value: "Anna Weiss"}, {Label: "DATE", Value: "1961-05-14"}, {Label: "CITY", Value: "on"},
		}},
		Spans: []annotate.Span{{Start: 0, End: 10, Label: "PERSON"}, {Start: 14, End: 20, Label: "DATE"}},
	})
	p := &Predictions{docs: []score.Prediction{{Note: &note, Predicted: []annotate.Suggestion{{Span: annotate.Span{Start: 5, End: 10, Label: "DATE"}, Score: 0.5}}}}}
	p.AddKnown()
	var got []annotate.Span
	for _, s := range p.docs[0].Predicted {
		got = append(got, s.Span)
	}
	want := []annotate.Span{{Start: 0, End: 4, Label: "PERSON"}, {Start: 5, End: 10, Label: "DATE"}, {Start: 14, End: 20, Label: "DATE"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
