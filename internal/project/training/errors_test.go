// SPDX-License-Identifier: Apache-2.0

package training_test

import (
	"strings"
	"testing"
	"unsafe"

	"hide/internal/annotate"
	"hide/internal/crf/score"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/training"
	"hide/internal/store"
)

// hardNotes are notes that a model learns, and some with what it cannot find: a
// word marked that stands plain beside the same words in the same note, and a date
// of a form of its own.
func hardNotes() []annotate.Annotated {
	docs := projecttest.Notes(12)
	for i := range 3 {
		var b projecttest.Markup
		rash := []string{"rash", "RASH", "rash"}[i]
		plain := strings.Repeat("Lungs clear, no "+rash+". ", 4)
		b.Text("Ödem for cough and fever. "+plain+"Lungs clear, no ").Span(rash, "DOCTOR").Text(". " + plain + "Dr. ")
		b.Span([]string{"Egger", "the 3rd of June", "Farkas"}[i], []annotate.Label{"DOCTOR", "DATE", "DOCTOR"}[i]).Text(" advised rest.\n")
		docs[3*i].Text, docs[3*i].Spans = b.String(), b.Spans
	}
	return docs
}

func (b *bench) mustErrors(id project.ID, f training.ErrorFilter) training.ErrorsPage {
	b.T.Helper()
	p, err := b.Errors(b.T.Context(), projecttest.Annotator, id, f)
	if err != nil {
		b.T.Fatal(err)
	}
	return p
}

func TestErrorsOfTheLastCheckArePlacesInNotes(t *testing.T) {
	b := newBench(t)
	docs := hardNotes()
	id := b.NewProject(docs, true)
	tr := b.Trained(id)
	page := b.mustErrors(id, training.ErrorFilter{})
	if page.At.IsZero() || page.Documents != 12 || page.Folds != training.CheckFolds || page.Report == nil || page.Omitted != 0 {
		t.Fatalf("page %+v; want a check of 12 notes", page)
	}
	if m := page.Report.Entity.Micro; page.Wrong != m.FN+m.FP || page.Matching != page.Wrong || m.FN == 0 {
		t.Errorf("%d errors, %d match, the score has %+v", page.Wrong, page.Matching, m)
	}
	if r := page.Report.Binary; tr.Scores.Recall.Value != r.Recall || tr.Scores.Recall.Low != r.Interval.Recall.Low || tr.Scores.Model != tr.Model {
		t.Errorf("the strip says %+v, the page %+v", tr.Scores, r)
	}
	for _, g := range page.Groups {
		for _, at := range g.Places {
			d := docs[at.Document-1]
			letters := []rune(d.Text)
			if got := string(letters[at.Start:at.End]); got != at.Text || strings.ToLower(got) != g.Text || at.Name != d.Name || at.Changed {
				t.Errorf("place %+v of %q is %q in its note", at, g.Text, got)
			}
			if !strings.Contains(d.Text, at.Before+at.Text+at.After) {
				t.Errorf("place %+v does not stand in its note so", at)
			}
		}
	}
	left := 0
	for i, n := range page.Leaking {
		left += n.Words
		letters := []rune(docs[n.Document-1].Text)
		if n.Words == 0 || i > 0 && n.Words > page.Leaking[i-1].Words || n.Name != docs[n.Document-1].Name || strings.TrimSpace(string(letters[n.Start:n.End])) == "" {
			t.Errorf("leaking note %+v", n)
		}
	}
	if want := page.Report.Leaks; left != want.Tokens.Count || len(page.Leaking) != want.Documents.Count || left == 0 {
		t.Errorf("%d words left in %d notes, the score has %+v", left, len(page.Leaking), want)
	}
	b.Reopen()
	if again := b.mustErrors(id, training.ErrorFilter{}); again.Wrong != page.Wrong || len(again.Groups) != len(page.Groups) || !again.At.Equal(page.At) {
		t.Errorf("after opening again: %d errors in %d groups, checked %v", again.Wrong, len(again.Groups), again.At)
	}
}

func TestErrorsAreFilteredSortedAndPaged(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(hardNotes(), true)
	b.Trained(id)
	all := b.mustErrors(id, training.ErrorFilter{})
	matching := 0
	for _, kind := range []training.ErrorKind{training.Miss, training.Alarm} {
		matching += b.mustErrors(id, training.ErrorFilter{Kind: kind}).Matching
	}
	if matching != all.Matching {
		t.Errorf("%d misses and alarms of %d", matching, all.Matching)
	}
	missed := b.mustErrors(id, training.ErrorFilter{Kind: training.Miss, Label: "DOCTOR"})
	found := false
	for _, g := range missed.Groups {
		if g.Kind != training.Miss || g.Label != "DOCTOR" {
			t.Errorf("group %+v passes the filter", g)
		}
		found = found || g.Text == "rash" && g.Count == 3 && g.Documents == 3
	}
	if !found {
		t.Errorf("missed doctors %+v; want rash of three notes in any case of letters", missed.Groups)
	}
	for _, r := range all.Reasons {
		if r.Kind != training.Miss {
			continue
		}
		n := 0
		for _, g := range b.mustErrors(id, training.ErrorFilter{Kind: training.Miss, Reason: r.Reason}).Groups {
			n += g.Count
			if len(g.Reasons) != 1 || g.Reasons[0].Reason != r.Reason {
				t.Errorf("reasons %+v pass the filter %s", g.Reasons, r.Reason)
			}
		}
		if n != r.Count {
			t.Errorf("%d errors by %s, want %d", n, r.Reason, r.Count)
		}
	}
	byText := b.mustErrors(id, training.ErrorFilter{Sort: training.ByText}).Groups
	for i := range byText[1:] {
		if byText[i].Text > byText[i+1].Text {
			t.Error("texts are not in order")
		}
	}
	second := b.mustErrors(id, training.ErrorFilter{Sort: training.ByText, Offset: 1, Limit: 1})
	if len(second.Groups) != 1 || second.Groups[0].Text != byText[1].Text || second.Texts != len(byText) {
		t.Errorf("second group %+v of %d", second.Groups, second.Texts)
	}
	if beyond := b.mustErrors(id, training.ErrorFilter{Offset: 1000}); len(beyond.Groups) != 0 {
		t.Error("there are groups beyond the end")
	}
}

func TestErrorOfANoteChangedSinceIsMarked(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(hardNotes(), true)
	b.Trained(id)
	first := b.mustErrors(id, training.ErrorFilter{})
	doc := first.Groups[0].Places[0].Document
	hold := make(chan struct{})
	ended := training.Occupy(b.MustWorkspace(id), hold) // no check comes between
	defer func() { close(hold); <-ended }()
	n := b.MustNote(projecttest.Annotator, id, doc)
	b.MustEdit(projecttest.Annotator, id, doc, n.Layer.Revision, projecttest.Tag(0, 5, "OTHER"))
	after := b.mustErrors(id, training.ErrorFilter{})
	if !after.At.Equal(first.At) {
		t.Fatal("there was another check")
	}
	marked := 0
	for _, g := range after.Groups {
		for _, at := range g.Places {
			if at.Changed != (at.Document == doc) {
				t.Errorf("note %d is said to be changed: %t", at.Document, at.Changed)
			}
			marked++
		}
	}
	if marked == 0 {
		t.Error("the errors are gone")
	}
}

func TestErrorsNeedThePermissionToReadNotesAndAreAudited(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(hardNotes(), true)
	b.Trained(id)
	_, err := b.Errors(t.Context(), projecttest.Reviewer, id, training.ErrorFilter{})
	projecttest.WantKind(t, err, project.Forbidden)
	_, err = b.Errors(t.Context(), projecttest.Annotator, "p9", training.ErrorFilter{})
	projecttest.WantKind(t, err, project.NotFound)
	b.mustErrors(id, training.ErrorFilter{})
	rows, err := b.Audit(t.Context(), projecttest.Broker, id, 0, 5)
	if err != nil {
		t.Fatal(err)
	}
	if rows[0].Action != "read" || rows[0].Object != string(id)+"/errors" || rows[0].Who != projecttest.Annotator.ID {
		t.Errorf("newest audit row %+v", rows[0])
	}
}

func TestACheckStoresPlacesAndNoText(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(hardNotes(), true)
	b.Trained(id)
	err := b.View(id, func(tx *store.Tx) error {
		raw, err := tx.Get(training.BucketModels, training.ModelCheckKey)
		if err == nil && (len(raw) == 0 || strings.Contains(strings.ToLower(string(raw)), "rash")) {
			t.Error("the check holds text of notes")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestBeforeTheFirstCheckErrorsSayWhatIsMissing(t *testing.T) {
	b := newBench(t)
	docs := projecttest.Notes(4)
	for i := range docs {
		docs[i].Patient = "one"
	}
	id := b.NewProject(docs[:2], true)
	if p := b.mustErrors(id, training.ErrorFilter{}); p.NeedMore != 1 || p.Patients != 2 || !p.At.IsZero() || p.Report != nil {
		t.Errorf("two notes of one patient: %+v", p)
	}
	b.MustImport(id, docs[2:], true)
	b.Trained(id)
	if p := b.mustErrors(id, training.ErrorFilter{}); p.NeedMore != 0 || p.Patients != 2 || p.Report != nil {
		t.Errorf("four notes of one patient: %+v", p)
	}
}

func TestPlacesOfErrorsDoNotHoldTheirNote(t *testing.T) {
	text := strings.Repeat("Zoë ", 100) + "Castro" + strings.Repeat(" rest", 100)
	from := annotate.ByteOff(strings.Index(text, "Castro"))
	e := score.Error{Kind: training.Miss, Span: annotate.Span{Start: from, End: from + 6, Label: "DOCTOR"}}
	places := map[score.Error]training.ErrorPlace{}
	training.PlaceErrors(places, project.StoredNote{Annotated: annotate.Annotated{Document: annotate.Document{Text: text}}}, 0, []score.Error{e})
	at := places[e]
	if at.Text != "Castro" || at.Start != 400 || at.Before != strings.Repeat("Zoë ", 10) || at.After != strings.Repeat(" rest", 8) {
		t.Errorf("place %+v", at)
	}
	address := func(s string) uintptr { return uintptr(unsafe.Pointer(unsafe.StringData(s))) }
	for _, part := range []string{at.Text, at.Before, at.After} {
		if offset := address(part) - address(text); offset < uintptr(len(text)) {
			t.Errorf("%q is a part of the note's text and keeps all of it", part)
		}
	}
}

func TestOfTooManyErrorsThoseThatLeakMostStay(t *testing.T) {
	wrong := make([]score.Error, training.ErrorsKept+10)
	c := project.Corpus{Docs: []project.StoredNote{{ID: 7, Revision: 3}, {ID: 9}}}
	for i := range wrong {
		wrong[i] = score.Error{Document: 1, Leaks: i % 2, Span: annotate.Span{Start: annotate.ByteOff(i)}}
	}
	var r training.CheckRecord
	training.KeepErrors(&r, c, wrong)
	leaks := 0
	for i, e := range r.Errors {
		leaks += e.Leaks
		if i > 0 && e.Start <= r.Errors[i-1].Start {
			t.Fatal("errors are out of order")
		}
	}
	if r.Wrong != training.ErrorsKept+10 || len(r.Errors) != training.ErrorsKept || leaks != training.ErrorsKept/2+5 {
		t.Errorf("%d of %d kept, %d leak", len(r.Errors), r.Wrong, leaks)
	}
	if len(r.Read) != 1 || r.Read[0] != (training.CheckedDocument{9, 0}) {
		t.Errorf("read %+v", r.Read)
	}
}
