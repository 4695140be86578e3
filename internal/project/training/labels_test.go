// SPDX-License-Identifier: Apache-2.0

package training_test

import (
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
)

// A model trained before a rename suggests the new name at once, and a new training follows.
// A retired label is not suggested.
func TestModelsSuggestPresentLabels(t *testing.T) {
	b, docs := newBench(t), projecttest.Notes(6)
	id := b.NewProject(docs[:5], true)
	b.MustImport(id, projecttest.Strip(docs[5:]), false)
	b.Set(id, func(s *project.Settings) { s.MinRecall, s.Blind = 0, 0 })
	before := b.Trained(id)
	suggested := func() []annotate.Label {
		t.Helper()
		return annotate.Labels([]annotate.Annotated{{Spans: spansOf(b.MustNote(projecttest.Annotator, id, 6).Suggestions)}})
	}
	if got := suggested(); !slices.Contains(got, "PATIENT") || !slices.Contains(got, "DATE") {
		t.Fatalf("before: %v", got)
	}
	change := func(do func(version int) error) {
		t.Helper()
		table, err := b.LabelTable(t.Context(), projecttest.Broker, id)
		if err == nil {
			err = do(table.Version)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	change(func(v int) error {
		return b.RenameLabel(t.Context(), projecttest.Broker, id, v, "PATIENT", "PERSON")
	})
	change(func(v int) error { return b.RetireLabel(t.Context(), projecttest.Broker, id, v, "DATE") })
	for _, when := range []string{"at once", "after the training"} {
		if got := suggested(); !slices.Contains(got, "PERSON") || slices.Contains(got, "PATIENT") || slices.Contains(got, "DATE") {
			t.Errorf("%s: %v", when, got)
		}
		if when == "at once" {
			b.Wait("the next model", func() bool { return b.Trained(id).Model > before.Model })
		}
	}
	card, err := b.ModelCard(t.Context(), projecttest.Broker, id)
	if err != nil || !slices.Contains(card.Labels, "PERSON") || slices.Contains(card.Labels, "PATIENT") {
		t.Errorf("the new model predicts %v, %v", card.Labels, err)
	}
}

func spansOf(all []annotate.Suggestion) []annotate.Span {
	spans := make([]annotate.Span, len(all))
	for i, s := range all {
		spans[i] = s.Span
	}
	return spans
}
