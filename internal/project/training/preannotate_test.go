// SPDX-License-Identifier: Apache-2.0

package training_test

import (
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/training"
)

func TestSuggestionsPassAtTheirLevel(t *testing.T) {
	recall := func(value float64, shown bool) training.ModelInfo {
		return training.ModelInfo{Scores: training.Scores{Documents: 5, Recall: greedy.Estimate{Value: value}}, Shown: shown}
	}
	for _, c := range []struct {
		name  string
		model training.ModelInfo
		level float64
		want  bool
	}{
		{"not measured", training.ModelInfo{}, 0.8, false},
		{"not measured, and no level", training.ModelInfo{}, 0, true},
		{"below", recall(0.79, false), 0.8, false},
		{"at it", recall(0.8, false), 0.8, true},
		{"a little below, and shown until now", recall(0.76, true), 0.8, true},
		{"far below, and shown until now", recall(0.74, true), 0.8, false},
	} {
		if got := training.Passes(c.model, c.level); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// sources lists which labels are suggested in a note, and by which model.
func (b *bench) sources(id project.ID, doc annotate.DocumentID) map[annotate.Label]int {
	b.T.Helper()
	found := map[annotate.Label]int{}
	for _, s := range b.MustNote(projecttest.Annotator, id, doc).Suggestions {
		found[s.Span.Label] = s.Model
	}
	return found
}

func TestSuggestionsWaitForTheirRecall(t *testing.T) {
	b := newBench(t)
	docs := projecttest.MarkedAtRandom(9)
	id := b.NewProject(docs[:8], true)
	b.Set(id, func(s *project.Settings) { s.Blind, s.Rules = 0, false })
	b.MustImport(id, projecttest.Strip(docs[8:]), false)
	tr := b.Trained(id)
	recall := tr.Scores.Recall.Value
	if !(recall > 0.2 && recall < 0.8) || tr.Offer.Model || tr.Offer.Level != 0.8 {
		t.Fatalf("recall %.2f, offer %+v; want one below the level", recall, tr.Offer)
	}
	if got := b.sources(id, 9); len(got) > 0 {
		t.Errorf("suggestions %v below the level", got)
	}
	page, err := b.Queue(t.Context(), projecttest.Annotator, id, project.QueueFilter{})
	if err != nil || page.Items[8].Suggestions != 0 {
		t.Errorf("the queue counts %d suggestions that wait, %v", page.Items[8].Suggestions, err)
	}
	b.Set(id, func(s *project.Settings) { s.MinRecall = recall - 0.01 })
	if got := b.sources(id, 9); got["PATIENT"]+got["DATE"] == 0 {
		t.Errorf("suggestions %v at a level that the model reaches", got)
	}
	b.Set(id, func(s *project.Settings) { s.MinRecall = recall + 0.01 })
	if got := b.sources(id, 9); len(got) > 0 {
		t.Errorf("suggestions %v at a level just above the model's recall", got)
	}
	b.Reopen()
	if got := b.sources(id, 9); len(got) > 0 {
		t.Errorf("suggestions %v after reopening", got)
	}
}

func TestRulesSuggestWhatTheyFindWhileTheModelWaits(t *testing.T) {
	b := newBench(t)
	docs := projecttest.MarkedAtRandom(9)
	id := b.NewProject(docs[:8], true)
	b.Set(id, func(s *project.Settings) { s.Blind = 0 })
	b.MustImport(id, projecttest.Strip(docs[8:]), false)
	tr := b.Trained(id)
	if len(tr.Offer.ByRules) != 1 || tr.Offer.ByRules[0].Label != "DATE" || !tr.Offer.ByRules[0].Shown || tr.Offer.ByRules[0].Documents != 8 {
		t.Fatalf("offer %+v; want dates by rules", tr.Offer)
	}
	n := b.MustNote(projecttest.Annotator, id, 9)
	if len(n.Suggestions) != 1 || n.Suggestions[0].Span.Surface(n.Document.Text) != "3/4/2019" || n.Suggestions[0].Model != 0 || n.Suggestions[0].Score < 0.9 {
		t.Fatalf("%d suggestions %+v, want the date, by no model", len(n.Suggestions), n.Suggestions)
	}
	n = b.MustEdit(projecttest.Annotator, id, 9, 0, annotate.Edit{Verb: annotate.VerbAccept, Suggestions: n.Suggestions})
	if a := n.Layer.Annotations[0]; a.Source != annotate.Accepted || a.Model != 0 {
		t.Errorf("accepted as %+v", a)
	}
	b.Reopen()
	if got := b.sources(id, 9); len(got) > 0 {
		t.Errorf("suggestions %v of what is accepted", got)
	}
	b.Set(id, func(s *project.Settings) { s.Rules = false })
	if tr, _ := b.Training(t.Context(), projecttest.Annotator, id); tr.Offer.ByRules != nil {
		t.Errorf("offer %+v without rules", tr.Offer)
	}
}

func TestRulesWaitUntilTheyAreMeasured(t *testing.T) {
	b := newBench(t)
	docs := projecttest.Notes(4)
	id := b.FinishedProject(docs[:2])
	b.Set(id, func(s *project.Settings) { s.Blind = 0 })
	b.MustImport(id, projecttest.Strip(docs[2:]), false)
	if got := b.sources(id, 3); len(got) > 0 {
		t.Errorf("suggestions %v of rules that nobody has measured", got)
	}
	b.Set(id, func(s *project.Settings) { s.MinRecall = 0 })
	if got := b.sources(id, 3); len(got) == 0 || got["DATE"] != 0 {
		t.Errorf("suggestions %v without a level, want dates among them", got)
	}
}
