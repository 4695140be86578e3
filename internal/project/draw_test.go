// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"fmt"
	"slices"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/project"
	"hide/internal/project/projecttest"
)

func TestAskingWhatIsNextChangesNothing(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Notes(6), false)
	first, err := b.Next(t.Context(), projecttest.Annotator, id, 0)
	if err != nil || !first.Random || first.Reason == "" {
		t.Fatalf("choice %+v, %v; want a random one with a reason", first, err)
	}
	rows, err := b.Audit(t.Context(), projecttest.Broker, "", 0, 500)
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []account.User{projecttest.Annotator, projecttest.Second, projecttest.Annotator} {
		if again, err := b.Next(t.Context(), by, id, 0); err != nil || again != first {
			t.Errorf("asked again: %+v, %v; want %+v", again, err, first)
		}
	}
	if after, _ := b.Audit(t.Context(), projecttest.Broker, "", 0, 500); len(after) != len(rows) {
		t.Errorf("%d audit rows before asking, %d after", len(rows), len(after))
	}
	b.Reopen()
	if again, err := b.Next(t.Context(), projecttest.Annotator, id, 0); err != nil || again != first {
		t.Errorf("after reopening: %+v, %v; want %+v", again, err, first)
	}
}

func TestTwoPeopleAreSentToDifferentNotes(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("one", "two"), false)
	first, err1 := b.Next(t.Context(), projecttest.Annotator, id, 0)
	b.MustNote(projecttest.Annotator, id, first.Document)
	other, err2 := b.Next(t.Context(), projecttest.Second, id, 0)
	if err1 != nil || err2 != nil || first.Document == other.Document {
		t.Errorf("both are sent to %d and %d (%v, %v)", first.Document, other.Document, err1, err2)
	}
}

// TestWhatOthersReadNowCountsAsAboutToBeLearnt is about notes that the model has
// looked at: those done since, and those in the hands of others.
func TestWhatOthersReadNowCountsAsAboutToBeLearnt(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("one", "two", "three", "four"), false)
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	looks := map[annotate.DocumentID]bootstrap.Look{1: {Doubt: 1}, 2: {Doubt: 2}, 3: {Doubt: 3}}
	b.Finish(projecttest.Annotator, id, 1)
	b.MustNote(projecttest.Annotator, id, 2)
	b.MustNote(projecttest.Second, id, 3)
	doubts := func(by account.User) (all []float64) {
		for _, l := range project.Since(ws, by.ID, looks) {
			all = append(all, l.Doubt)
		}
		slices.Sort(all)
		return all
	}
	if got, want := doubts(projecttest.Annotator), []float64{1, 3}; !slices.Equal(got, want) {
		t.Errorf("for who has note 2 in hand: %v, want %v", got, want)
	}
	if got, want := doubts(projecttest.Broker), []float64{1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("for somebody else: %v, want %v", got, want)
	}
}

// sampled lists the documents of the random sample.
func (b *bench) sampled(id project.ID) []annotate.DocumentID {
	b.T.Helper()
	ws, err := b.Workspace(id)
	if err != nil {
		b.T.Fatal(err)
	}
	return ws.RandomSample().Slice()
}

func TestOnlyTheFrontOfTheDrawnOrderIsARandomSample(t *testing.T) {
	b := newBench(t)
	texts := make([]string, 30)
	for i := range texts {
		texts[i] = fmt.Sprintf("note %d", i)
	}
	id := b.NewProject(projecttest.Plain(texts...), false)
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	drawn := project.Drawn(ws)
	if slices.IsSorted(drawn) {
		t.Error("the drawn order of 30 documents is that of import")
	}
	b.Finish(projecttest.Annotator, id, drawn[0])
	b.Finish(projecttest.Annotator, id, drawn[2]) // picked out of turn
	b.MustNote(projecttest.Annotator, id, drawn[9])
	if got, want := b.sampled(id), drawn[:1]; !slices.Equal(got, want) {
		t.Errorf("sample %v, want %v: what was picked out of turn is not random", got, want)
	}
	b.MustNote(projecttest.Second, id, drawn[1])
	if got := b.sampled(id); len(got) != 2 {
		t.Errorf("sample %v while a colleague has the gap in hand, want two", got)
	}
	b.Finish(projecttest.Second, id, drawn[1])
	if got, want := b.sampled(id), slices.Sorted(slices.Values(drawn[:3])); !slices.Equal(got, want) {
		t.Errorf("sample %v once the gap is done, want %v", got, want)
	}
}

func TestImportedSamplesAreRandomWhenSaidSo(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("left to do"), false)
	for i, random := range []bool{false, true} {
		docs := []annotate.Annotated{{Document: annotate.Document{Name: fmt.Sprint("done-", i), Text: "text"}}}
		if _, err := b.Import(t.Context(), projecttest.Broker, id, projecttest.JSONL(docs), project.ImportOptions{Finished: true, Random: random}); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.sampled(id); !slices.Contains(got, 3) {
		t.Errorf("sample %v lacks the document that came as a random one", got)
	}
}
