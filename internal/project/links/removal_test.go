// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/internal/project/projecttest"
	"hide/internal/store"
)

// moved is a town whose first person has a note under a second key.
func moved(b *projecttest.Bench, t *testing.T, name string) project.ID {
	t.Helper()
	return b.NewNamed(name, append(town(), note("other", "k99", people[0], "Seen elsewhere.")))
}

// held counts the values of the linkage's buckets, and of the links, that contain a text.
func held(t *testing.T, b *projecttest.Bench, id project.ID, text string) (n int) {
	t.Helper()
	err := b.View(id, func(tx *store.Tx) error {
		for _, bucket := range []string{"linkage", "linkage-records", "linkage-pairs", "linkage-bars", "linkage-decisions", "project"} {
			err := tx.Scan(bucket, nil, func(_, raw []byte) error {
				if strings.Contains(string(raw), text) {
					n++
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestARemovedPatientTakesAllKeys removes a patient of two keys for good.
func TestARemovedPatientTakesAllKeys(t *testing.T) {
	b := projecttest.New(t)
	id := moved(b, t, "Removal")
	linked(t, b, id, links.Options{})
	ctx := t.Context()
	if err := b.DecideLink(ctx, projecttest.Broker, id, links.PairID{A: 1, B: 2}, false, false); err != nil {
		t.Fatal(err)
	}
	if held(t, b, id, people[0].last) == 0 || held(t, b, id, "k99") == 0 {
		t.Fatal("the linkage holds nothing of the patient before: the test shows nothing")
	}
	p, err := b.Patient(ctx, projecttest.Broker, id, "k00")
	if err != nil || p.Notes != 3 || fmt.Sprint(p.Linked) != "[k99]" {
		t.Fatalf("the removal would take %d notes and %q: %v", p.Notes, p.Linked, err)
	}
	if r, err := b.RemovePatient(ctx, projecttest.Broker, id, "k00", "k00"); err != nil || r.Notes != 3 {
		t.Fatalf("%d notes removed: %v", r.Notes, err)
	}
	for range 2 {
		for _, text := range []string{people[0].last, "k00", "k99", people[0].born} {
			if n := held(t, b, id, text); n > 0 {
				t.Errorf("%d values hold %q", n, text)
			}
		}
		if all, err := b.LinkDecisions(ctx, projecttest.Broker, id); err != nil || len(all) > 0 {
			t.Errorf("%d decisions are left: %v", len(all), err)
		}
		if of := b.MustWorkspace(id).Links().Of; len(of) > 0 {
			t.Errorf("%d records are linked", len(of))
		}
		b.Reopen()
	}
}

// TestAnotherNoteOfTheNameIsAnotherRecord decides that two notes without a key are of one person,
// deletes one, and imports a note of somebody else under its name.
func TestAnotherNoteOfTheNameIsAnotherRecord(t *testing.T) {
	b := projecttest.New(t)
	first, second := note("first", "", people[0], "Seen."), note("second", "", people[0], "Seen again.")
	id := b.NewNamed("Names", append(town()[2:], first, second))
	linked(t, b, id, links.Options{})
	ctx, ws := t.Context(), b.MustWorkspace(id)
	number := map[string]uint64{}
	learn := func() {
		t.Helper()
		v, err := b.LinkedPatients(ctx, projecttest.Broker, id, 0, 100, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range v.Rows {
			for _, r := range row.Records {
				number[r.Key] = r.Number
			}
		}
	}
	learn()
	was := number["second"]
	decide := func(a, b2 string, same bool) {
		t.Helper()
		if err := b.DecideLink(ctx, projecttest.Broker, id, links.PairID{A: number[a], B: number[b2]}, same, false); err != nil {
			t.Fatal(err)
		}
	}
	decide("first", "second", true)
	if len(ws.Links().Of) != 2 {
		t.Fatalf("%d records are linked: the test shows nothing", len(ws.Links().Of))
	}
	if err := b.DeleteNote(ctx, projecttest.Broker, id, 16, "second"); err != nil {
		t.Fatal(err)
	}
	b.MustImport(id, []annotate.Annotated{note("second", "", people[5], "Somebody else.")}, true)
	alone := func(when string) {
		t.Helper()
		if of := ws.Links().Of; len(of) > 0 {
			t.Errorf("%s: %d records are linked", when, len(of))
		}
		for n, err := range ws.Documents(ctx, ws.All()) {
			if err != nil || n.Name == "second" && (n.Linked != "" || len(n.Also) > 0) {
				t.Errorf("%s: the note counts as %q, %v", when, n.Group(), err)
			}
		}
	}
	alone("after the import")
	decide("first", "k03", false)
	alone("after a decision")
	linked(t, b, id, links.Options{})
	learn()
	all, err := b.LinkDecisions(ctx, projecttest.Broker, id)
	if number["second"] == was || err != nil || len(all) != 2 || !all[1].Gone || ws.Links().Of[first.Record()] != "" {
		t.Errorf("after another run: record %d, before %d; decisions %+v, %v", number["second"], was, all, err)
	}
}

// TestFiguresFollowTheRemovalOfAPatientWhoWasAlone removes a patient of one record.
func TestFiguresFollowTheRemovalOfAPatientWhoWasAlone(t *testing.T) {
	b := projecttest.New(t)
	id := moved(b, t, "Alone")
	if f := linked(t, b, id, links.Options{}).Figures; f.Records != 9 || f.Patients != 8 {
		t.Fatalf("%d records are %d patients before", f.Records, f.Patients)
	}
	if _, err := b.RemovePatient(t.Context(), projecttest.Broker, id, "k04", "k04"); err != nil {
		t.Fatal(err)
	}
	st, err := b.LinkState(t.Context(), projecttest.Broker, id)
	stored, err2 := links.FiguresOf(b.MustWorkspace(id))
	if err != nil || err2 != nil || st.Figures.Records != 8 || st.Figures.Patients != 7 || stored.Records != 8 || stored.Patients != 7 {
		t.Errorf("after the removal %+v, stored %+v, %v %v", st.Figures, stored, err, err2)
	}
}

// TestAnErasedNoteTakesItsValues erases one of two notes of a record: the link and what the other
// note says stay.
func TestAnErasedNoteTakesItsValues(t *testing.T) {
	b := projecttest.New(t)
	docs := append(town(), note("other", "k99", people[0], "Seen elsewhere."))
	docs[0].Attributes["phone"] = "312-555-0142"
	id := b.NewNamed("Erasure", docs)
	linked(t, b, id, links.Options{})
	if held(t, b, id, "555-0142") == 0 {
		t.Fatal("the linkage does not have the number")
	}
	ctx := t.Context()
	for _, err := range []error{b.DeleteNote(ctx, projecttest.Broker, id, 1, docs[0].Name), b.EraseNote(ctx, projecttest.Broker, id, 1, docs[0].Name)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := held(t, b, id, "555-0142"); n > 0 {
		t.Errorf("%d values hold the number", n)
	}
	ws := b.MustWorkspace(id)
	if l := ws.Links(); len(l.Of) != 2 || len(l.About) != 1 {
		t.Errorf("%d records are linked, something is known of %d patients", len(l.Of), len(l.About))
	}
	v, err := b.LinkedPatients(ctx, projecttest.Broker, id, 0, 10, "OSTRANDER")
	if err != nil || len(v.Rows) != 1 || v.Rows[0].Notes != 2 || len(v.Rows[0].Records) != 2 {
		t.Errorf("the view has %+v, %v", v.Rows, err)
	}
}

// TestACancelledRunChangesNothing cancels the second run.
func TestACancelledRunChangesNothing(t *testing.T) {
	b := projecttest.New(t)
	id := moved(b, t, "Cancelled")
	before := linked(t, b, id, links.Options{})
	links0 := b.MustWorkspace(id).Links()
	b.MustImport(id, []annotate.Annotated{note("late", "k98", people[1], "Seen later.")}, true)
	if err := b.StartLinking(t.Context(), projecttest.Broker, id, links.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := b.CancelLinking(t.Context(), projecttest.Broker, id); err != nil {
		t.Fatal(err)
	}
	wait(t, b, id)
	if p, err := b.Linking(t.Context(), projecttest.Broker, id); err != nil || !strings.Contains(p.Error, "cancelled") {
		t.Fatalf("it ended with %q, %v", p.Error, err)
	}
	st, err := b.LinkState(t.Context(), projecttest.Broker, id)
	if err != nil || st.Figures.At != before.Figures.At || st.ImportedSince != 1 || b.MustWorkspace(id).Links() != links0 {
		t.Errorf("the state is %+v, %v", st.Figures, err)
	}
	after := linked(t, b, id, links.Options{})
	if after.ImportedSince != 0 || after.Figures.Patients != before.Figures.Patients || after.Figures.Records != before.Figures.Records+1 {
		t.Errorf("after another run: %+v", after.Figures)
	}
}

// TestEachDecisionHasItsRow wants one audit row for each change, with numbers only.
func TestEachDecisionHasItsRow(t *testing.T) {
	b := projecttest.New(t)
	id := moved(b, t, "Rows")
	linked(t, b, id, links.Options{})
	ctx, pair := t.Context(), links.PairID{A: 2, B: 1}
	for _, err := range []error{
		b.DecideLink(ctx, projecttest.Broker, id, pair, true, false),
		b.DecideLink(ctx, projecttest.Broker, id, pair, true, false), // the same again
		b.DecideLink(ctx, projecttest.Broker, id, pair, false, true),
		b.UndoLinkDecision(ctx, projecttest.Broker, id, 2),
		b.SetLinkThresholds(ctx, projecttest.Broker, id, .9, .1),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	projecttest.WantKind(t, b.SetLinkThresholds(ctx, projecttest.Broker, id, .1, .9), project.Invalid)
	projecttest.WantKind(t, b.DecideLink(ctx, projecttest.Broker, id, links.PairID{A: 1, B: 77}, true, false), project.NotFound)
	projecttest.WantKind(t, b.DecideLink(ctx, projecttest.Broker, id, links.PairID{A: 1, B: 1}, true, false), project.Invalid)
	rows, err := b.Audit(ctx, projecttest.Broker, id, 0, 9)
	if err != nil {
		t.Fatal(err)
	}
	rows = slices.DeleteFunc(rows, func(r project.AuditRow) bool { return !strings.Contains(r.Action, "link") }) // of the training beside
	var got []string
	for _, r := range rows[:4] {
		got = append(got, r.Action+" "+strings.TrimPrefix(r.Object, string(id))+": "+r.Detail)
	}
	want := []string{
		"set link thresholds /links: links from 0.9, review from 0.1",
		"undo link decision /links/decisions/2: records 1 and 2",
		"decide link /links/decisions/2: records 1 and 2: different people, replaces decision 1",
		"decide link /links/decisions/1: records 1 and 2: the same person",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the rows are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFiguresAreReadByReleases reads the figures as the release packages do.
func TestFiguresAreReadByReleases(t *testing.T) {
	b := projecttest.New(t)
	id := moved(b, t, "Figures")
	ws := b.MustWorkspace(id)
	if f, err := links.FiguresOf(ws); f != nil || err != nil {
		t.Errorf("before any linkage: %v, %v", f, err)
	}
	linked(t, b, id, links.Options{})
	f, err := links.FiguresOf(ws)
	if err != nil || f.Records != 9 || f.Patients != 8 || f.Links != 1 || f.Version != ws.Links().Version || f.ImportedSince(ws) != 0 || time.Since(f.At) > time.Hour {
		t.Errorf("%+v, %v", f, err)
	}
	if f.Precision < .9 || f.Precision > 1 || f.Recall < .5 || f.Recall > 1 || f.False < 0 || f.Missed < 0 {
		t.Errorf("precision %v, recall %v, %v false, %v missed", f.Precision, f.Recall, f.False, f.Missed)
	}
	b.Reopen()
	again, err := links.FiguresOf(b.MustWorkspace(id))
	if err != nil || fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", f) {
		t.Errorf("after reopening %+v, %v", again, err)
	}
}

// TestARestoredNoteCameSince links while a note is in the bin, and restores it. A note that was
// compared before it went into the bin did not come since.
func TestARestoredNoteCameSince(t *testing.T) {
	b := projecttest.New(t)
	born := map[string]string{"birth_date": "1961-05-14", "sex": "F", "zip": "30307"}
	docs := sidesOf(side{fields: born, name: "Marta Egger"}, side{fields: born, name: "Nora Brandt"}, side{name: "Ida Castro"})
	id, ctx := b.FinishedProject(docs), t.Context()
	move := func(doc annotate.DocumentID, back bool) {
		t.Helper()
		var err error
		if back {
			err = b.RestoreNote(ctx, projecttest.Broker, id, doc)
		} else {
			err = b.DeleteNote(ctx, projecttest.Broker, id, doc, docs[doc-1].Name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, since, agreeing int) {
		t.Helper()
		st, err := b.LinkState(ctx, projecttest.Broker, id)
		a, err2 := links.Agreeing(ctx, b.MustWorkspace(id))
		if err != nil || err2 != nil || st.ImportedSince != since || a.Records != agreeing {
			t.Errorf("%s: %d notes came since, %d records agree, %v, %v", when, st.ImportedSince, a.Records, err, err2)
		}
	}
	move(2, false)
	linked(t, b, id, links.Options{})
	want("with a note in the bin", 0, 0)
	move(2, true)
	want("restored", 1, 2)
	b.Reopen()
	want("opened again", 1, 2)
	linked(t, b, id, links.Options{})
	want("linked again", 0, 0)
	move(2, false)
	move(2, true)
	want("compared before it was deleted", 0, 0)
}
