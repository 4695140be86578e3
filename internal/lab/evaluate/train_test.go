// SPDX-License-Identifier: Apache-2.0

package evaluate_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/corpus"
	"hide/internal/crf"
	"hide/internal/hint"
	"hide/internal/lab/evaluate"
)

func TestFactsOfACardAreChecked(t *testing.T) {
	for _, c := range []struct{ want, note, date, dates string }{
		{"", "of one ward", "2026-01-31", ""},
		{"", "", "2026-01-31", "2020-01-01..2021-12-31"},
		{"", "", "2026-01-31", "2020-01-01..2020-01-01"},
		{"--note is UTF-8", "\xff", "2026-01-31", ""},
		{"--note is UTF-8", strings.Repeat("x", crf.MaxNote+1), "2026-01-31", ""},
		{"--date is a day", "", "", ""},
		{"--date is a day", "", "31.1.2026", ""},
		{"--date is a day", "", "2026-02-30", ""},
		{"--dates are two days", "", "2026-01-31", "2020-01-01"},
		{"--dates are two days", "", "2026-01-31", "2021-01-01..2020-01-01"},
		{"--dates are two days", "", "2026-01-31", "2020-01-01..yesterday"},
	} {
		err := evaluate.CardFacts{Note: c.note, Date: c.date, Dates: c.dates}.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q of %q: %v, want %q", c.date, c.dates, err, c.want)
		}
	}
}

// TestTrainedModelsAreReadAgain trains with a card and reads the file.
func TestTrainedModelsAreReadAgain(t *testing.T) {
	notes, _ := judgments(12)
	for i := range notes {
		notes[i].Patient = string(rune('a' + i/2))
	}
	o := evaluate.Described{Options: crf.Options{MaxIterations: 5}, Folds: 3, Seed: 1}
	o.Facts = evaluate.CardFacts{Program: "test", Date: "2026-01-31", Dates: "2020-01-01..2021-12-31", Note: "of one court"}
	m, stats, err := evaluate.TrainDescribed(t.Context(), notes, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "names.model")
	r := evaluate.Trained{Documents: len(notes), Spans: 24, Stats: stats}
	if err := r.Save(m, name); err != nil {
		t.Fatal(err)
	}
	read, err := corpus.Model(name)
	if err != nil || read.Hash() != m.Hash() {
		t.Fatalf("another model, or %v", err)
	}
	c := read.Card()
	if c.Program != "test" || c.Date != "2026-01-31" || c.Note != "of one court" || c.Data.First != "2020-01-01" || c.Data.Last != "2021-12-31" || c.Data.Patients != 6 || len(c.Scores) != 1 || c.Scores[0].Documents != 12 {
		t.Errorf("card %+v", c)
	}
	if info, err := os.Stat(name); err != nil || info.Size() != r.Bytes || len(r.SHA256) != 64 || len(r.Labels) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	var out strings.Builder
	if r.Write(&out); !strings.HasPrefix(out.String(), name+": trained 1 labels on 12 documents with 24 spans, ") {
		t.Error(out.String())
	}
}

func TestNotesAreReadWithCountedLabels(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, notes []annotate.Annotated) string {
		var b bytes.Buffer
		err := format.WriteJSONL(&b, func(yield func(annotate.Annotated, error) bool) {
			for _, n := range notes {
				if !yield(n, nil) {
					return
				}
			}
		})
		path := filepath.Join(dir, name)
		if err == nil {
			err = os.WriteFile(path, b.Bytes(), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	some, _ := judgments(3)
	none, _ := judgments(2)
	for i := range none {
		none[i].Spans = nil
	}
	annotated, plain := file("some.jsonl", some), file("none.jsonl", none)
	var s evaluate.Sources
	if err := (evaluate.Files{Notes: annotated, Train: annotated, Labels: []annotate.Label{"PERSON"}}).Read(t.Context(), &s); err != nil || len(s.Notes) != 3 || len(s.Train) != 3 || len(s.Notes[0].Spans) != 2 || s.Model != nil {
		t.Errorf("%d notes, %d to train on, %v", len(s.Notes), len(s.Train), err)
	}
	if notes, spans, err := evaluate.ReadTraining(t.Context(), annotated, "", nil); err != nil || len(notes) != 3 || spans != 6 {
		t.Errorf("%d notes, %d spans, %v", len(notes), spans, err)
	}
	if notes, spans, err := evaluate.ReadTraining(t.Context(), annotated, "", []annotate.Label{"PERSON"}); err != nil || len(notes) != 3 || spans != 6 {
		t.Errorf("%d notes, %d spans, %v", len(notes), spans, err)
	}
	if _, _, err := evaluate.ReadTraining(t.Context(), annotated, "", []annotate.Label{"DATE"}); err == nil || !strings.Contains(err.Error(), "none of its 6 spans") {
		t.Error(err)
	}
	if _, _, err := evaluate.ReadTraining(t.Context(), annotated, "", []annotate.Label{"PERSON", "PERSN"}); err == nil || !strings.Contains(err.Error(), "no span has the label PERSN") {
		t.Errorf("a misspelt label beside another: %v", err)
	}
	var read evaluate.Sources
	if err := (evaluate.Files{Notes: annotated, Labels: []annotate.Label{"PERSON", "PERSN"}}).Read(t.Context(), &read); err == nil || !strings.Contains(err.Error(), "no span has the label PERSN") {
		t.Errorf("a misspelt label to evaluate: %v", err)
	}
	if _, _, err := evaluate.ReadTraining(t.Context(), plain, "", nil); err == nil || !strings.Contains(err.Error(), "none of its 2 documents has a span") {
		t.Error(err)
	}
	if _, err := evaluate.ReadNotes(t.Context(), plain, nil, nil); err == nil || !strings.Contains(err.Error(), "none of its 2 documents has a span") {
		t.Error(err)
	}
	if _, err := evaluate.ReadNotes(t.Context(), annotated, []annotate.Label{"DATE"}, nil); err == nil || !strings.Contains(err.Error(), "none of its 6 spans") || hint.Of(err) == "" {
		t.Error(err)
	}
	replay := evaluate.Replay{Holdout: .3}
	if pool, test, err := replay.Read(t.Context(), annotated, "", nil); err != nil || len(pool)+len(test) != 3 || len(test) == 0 {
		t.Errorf("%d and %d notes, %v", len(pool), len(test), err)
	}
	if pool, test, err := replay.Read(t.Context(), annotated, annotated, nil); err != nil || len(pool) != 3 || len(test) != 3 {
		t.Errorf("%d and %d notes, %v", len(pool), len(test), err)
	}
}
