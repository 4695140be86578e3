// SPDX-License-Identifier: Apache-2.0

package takeback_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/project/search"
	"hide/internal/project/takeback"
	"hide/internal/project/training"
	"hide/internal/publish/ledger"
	"hide/internal/store"
)

// canary is a word of one patient only. Plain text of it must be nowhere after a removal.
const canary = "Quillfeather"

var admin = account.User{ID: "u-admin", Name: "Adam", Role: account.Admin}

// withCanary are notes in which patient p3 has the canary.
func withCanary(n int) []annotate.Annotated {
	docs := projecttest.Notes(n)
	var b projecttest.Markup
	b.Text("Patient: ").Span(canary, "PATIENT").Text("\nSeen by ").Span("Dr. "+canary+"son", "DOCTOR").Text(" for cough.\n")
	docs[3].Text, docs[3].Spans = b.String(), b.Spans
	docs[3].Name = "note of " + canary
	return docs
}

// buckets are those of a project's space.
var buckets = []string{
	"project", "documents", "names", "status", "statuses", "layers", "imports", "releases", "bin", "bin-notes", "removals", "models", "runs", "ensembles",
	"classifiers", "trainings", "bundles", "bundle-files", "audits", "audit-texts", "audit-reads", "audit-places", "mappings", "label-mappings", "originals",
	"search", "search-pages", "search-directories",
}

// holding lists the buckets with a value that holds the canary.
func holding(t *testing.T, b *projecttest.Bench, id project.ID) (found []string) {
	t.Helper()
	err := b.Store().View(string(id), func(tx *store.Tx) (err error) {
		for _, bucket := range buckets {
			hit := false
			err = errors.Join(err, tx.Scan(bucket, nil, func(_, value []byte) error {
				hit = hit || bytes.Contains(bytes.ToLower(value), []byte(strings.ToLower(canary)))
				return nil
			}))
			if hit {
				found = append(found, bucket)
			}
		}
		return err
	})
	must(t, err)
	return found
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestRemovedPatientIsNowhere: after a model, a run, a redaction model, an audit and a
// release were made with the patient's notes.
func TestRemovedPatientIsNowhere(t *testing.T) {
	b := projecttest.New(t)
	ctx := t.Context()
	id := b.NewProject(withCanary(14), true)
	b.Wait("a model", func() bool {
		st, err := b.Training(ctx, projecttest.Broker, id)
		must(t, err)
		return st.Model > 0 && !st.Running && !st.Queued
	})
	number, err := b.StartSanitize(ctx, projecttest.Broker, id, sanitize.Params{LC: []float64{10}, Folds: 2})
	must(t, err)
	projecttest.WantKind(t, removePatient(b, id, "p3"), project.Stale) // a run is in progress
	b.FinishedRun(id, number)
	bundle, err := b.Choose(ctx, projecttest.Broker, id, number, 10)
	must(t, err)
	b.StoreAudit(id, bundle.Number, nil)
	must(t, b.StartPublish(ctx, projecttest.Broker, id, release.Publish, bundle.Number, release.Despite{Uncertified: "it is a test of removals"}))
	b.Wait("a release", func() bool {
		st, err := b.Publishing(ctx, projecttest.Broker, id)
		must(t, err)
		if st.Error != "" {
			t.Fatal(st.Error)
		}
		return !st.Running
	})
	must(t, b.Export(ctx, projecttest.Broker, id, project.ExportOptions{Format: "jsonl"}, new(bytes.Buffer)))
	must(t, b.WriteBundle(ctx, projecttest.Broker, id, bundle.Number, new(bytes.Buffer)))
	must(t, b.Backup(ctx, admin, new(bytes.Buffer)))
	_, err = b.Store().ExportSecrets(new(bytes.Buffer), store.Event{Actor: "u-admin", Action: "export secrets", Object: store.System})
	must(t, err)
	_, err = b.SearchNotes(ctx, projecttest.Broker, id, search.Query{Words: canary})
	must(t, err)
	if got := holding(t, b, id); !strings.Contains(fmt.Sprint(got), "documents statuses runs mappings search-pages") {
		t.Fatalf("before: the canary is only in %q", got)
	}

	r, err := b.RemovePatient(ctx, projecttest.Broker, id, "p3", "p3")
	must(t, err)
	if r.Notes != 1 || r.Models == 0 || r.Runs != 1 || r.Bundles != 1 || r.Audits != 1 || fmt.Sprint(r.Releases) != "[1]" {
		t.Errorf("removed: %+v", r)
	}
	for range 2 { // now, and after a new start
		if got := holding(t, b, id); len(got) > 0 {
			t.Errorf("the canary is still in %q", got)
		}
		if _, err := b.StoredBundle(id, bundle.Number); project.KindOf(err) != project.NotFound || !strings.Contains(err.Error(), "was deleted") {
			t.Errorf("the redaction model: %v", err)
		}
		run, err := b.Run(ctx, projecttest.Broker, id, number)
		if err != nil || run.Removed.IsZero() || run.ForgottenWords() == "" || len(run.Choices) != 1 {
			t.Errorf("the run: %+v, %v", run, err)
		}
		rel, err := b.Release(ctx, projecttest.Broker, id, 1)
		if err != nil || rel.Removed == nil || rel.Removed.Notes != 1 {
			t.Errorf("the release: %+v, %v", rel.Removed, err)
		}
		must(t, b.WriteRelease(ctx, projecttest.Broker, id, 1, new(bytes.Buffer)))
		b.Wait("a model without the patient", func() bool {
			st, err := b.Training(ctx, projecttest.Broker, id)
			must(t, err)
			return st.Model > 1 && st.Documents == 13 && !st.Running && !st.Queued
		})
		b.Reopen()
	}
	rows, err := b.Audit(ctx, projecttest.Broker, id, 0, 1000)
	must(t, err)
	if text := fmt.Sprint(rows); strings.Contains(text, canary) || strings.Contains(text, "p3") || !strings.Contains(text, "remove patient") {
		t.Error("the audit trail names the patient, or nothing")
	}
	state, err := b.State(ctx, projecttest.Broker, id)
	must(t, err)
	out, err := b.Outside(ctx, projecttest.Broker, id, state.Removed[0].Since)
	if err != nil || len(out.Releases) != 1 || len(out.Taken) != 2 || len(out.Backups) != 1 || len(out.Secrets) != 1 {
		t.Errorf("out of reach: %+v, %v", out, err)
	}
	if _, err := b.Choose(ctx, projecttest.Broker, id, number, 10); project.KindOf(err) != project.Invalid || !strings.Contains(err.Error(), "were removed") {
		t.Errorf("choosing an L/C of the old run: %v", err)
	}
}

// TestRemovalEndsATraining: the training that reads the notes is stopped, and the next one
// reads the others.
func TestRemovalEndsATraining(t *testing.T) {
	b := projecttest.New(t)
	ctx := t.Context()
	id := b.NewProject(withCanary(14), true)
	now := func() training.Status {
		st, err := b.Training(ctx, projecttest.Broker, id)
		must(t, err)
		return st
	}
	b.Wait("a training", func() bool { st := now(); return st.Running || st.Model > 0 })
	must(t, removePatient(b, id, "p3"))
	b.Wait("a model", func() bool { st := now(); return st.Model > 0 && !st.Running && !st.Queued })
	if st := now(); st.Documents != 13 || st.Error != "" {
		t.Errorf("trained on %d notes, %q; want 13", st.Documents, st.Error)
	}
	if got := holding(t, b, id); len(got) > 0 {
		t.Errorf("the canary is in %q", got)
	}
}

func removePatient(b *projecttest.Bench, id project.ID, key string) error {
	_, err := b.RemovePatient(b.T.Context(), projecttest.Broker, id, key, key)
	return err
}

// TestDeletedNoteComesBackOrIsErased goes through the bin by an injected clock.
func TestDeletedNoteComesBackOrIsErased(t *testing.T) {
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	b := projecttest.NewAt(t, func() time.Time { return now })
	ctx := t.Context()
	id := b.NewProject(withCanary(5)[3:], false)
	b.MustEdit(projecttest.Annotator, id, 1, 0, projecttest.Tag(0, 7, "DATE"))
	spans := len(b.MustNote(projecttest.Broker, id, 1).Layer.Annotations)
	name := "note of " + canary

	projecttest.WantKind(t, b.DeleteNote(ctx, projecttest.Broker, id, 1, "another name"), project.Invalid)
	projecttest.WantKind(t, b.DeleteNote(ctx, projecttest.Annotator, id, 1, name), project.Forbidden)
	must(t, b.DeleteNote(ctx, projecttest.Broker, id, 1, name))
	if got := fmt.Sprint(holding(t, b, id)); got != "[bin bin-notes]" {
		t.Errorf("the note is in %s", got)
	}
	_, err := b.Edit(ctx, projecttest.Annotator, id, 1, 1, projecttest.Tag(0, 7, "DATE"))
	projecttest.WantKind(t, err, project.NotFound)
	must(t, b.RestoreNote(ctx, projecttest.Broker, id, 1))
	if got := len(b.MustNote(projecttest.Broker, id, 1).Layer.Annotations); got != spans {
		t.Errorf("%d spans came back of %d", got, spans)
	}
	must(t, b.DeleteNote(ctx, projecttest.Broker, id, 1, name))
	b.MustImport(id, withCanary(4)[3:], false) // the same name again
	projecttest.WantKind(t, b.RestoreNote(ctx, projecttest.Broker, id, 1), project.Invalid)
	must(t, b.DeleteNote(ctx, projecttest.Broker, id, 3, name))
	now = now.AddDate(0, 0, project.BinDays-1)
	must(t, b.Sweep(ctx))
	if got := fmt.Sprint(holding(t, b, id)); got != "[bin bin-notes]" {
		t.Errorf("after 29 days: %s", got)
	}
	now = now.AddDate(0, 0, 1)
	must(t, b.Sweep(ctx))
	projecttest.WantKind(t, b.RestoreNote(ctx, projecttest.Broker, id, 1), project.NotFound)
	if got := holding(t, b, id); len(got) > 0 {
		t.Errorf("after 30 days: %s", got)
	}
}

// TestUndoneImportComesBackAsAWhole: more notes than one portion, and none of them while one
// of their names is taken.
func TestUndoneImportComesBackAsAWhole(t *testing.T) {
	b := projecttest.New(t)
	ctx := t.Context()
	docs := projecttest.Notes(210)
	id := b.NewProject(docs, false)
	b.MustImport(id, withCanary(4)[3:], false)
	must(t, b.DeleteNote(ctx, projecttest.Broker, id, 211, "note of "+canary))
	must(t, b.UndoImport(ctx, projecttest.Broker, id, 1, "Import 1"))
	projecttest.WantKind(t, b.RestoreImport(ctx, projecttest.Annotator, id, 1), project.Forbidden)
	for _, number := range []uint64{0, 2} { // the note that was deleted alone stays in the bin
		projecttest.WantKind(t, b.RestoreImport(ctx, projecttest.Broker, id, number), project.NotFound)
		projecttest.WantKind(t, b.EraseImport(ctx, projecttest.Broker, id, number, takeback.ImportWords(number)), project.NotFound)
	}
	b.MustImport(id, docs[209:], false) // the last name again
	projecttest.WantKind(t, b.RestoreImport(ctx, projecttest.Broker, id, 1), project.Invalid)
	if bin, err := b.Bin(id); err != nil || len(bin) != 211 {
		t.Errorf("%d notes in the bin, %v; want all", len(bin), err)
	}
	must(t, b.UndoImport(ctx, projecttest.Broker, id, 3, "import 3"))
	must(t, b.RestoreImport(ctx, projecttest.Broker, id, 1))
	for range 2 { // now, and after a new start
		if o, err := b.Project(ctx, projecttest.Broker, id); err != nil || o.Documents != 210 {
			t.Errorf("%d notes came back, %v", o.Documents, err)
		}
		b.Reopen()
	}
	must(t, b.UndoImport(ctx, projecttest.Broker, id, 1, "import 1"))
	projecttest.WantKind(t, b.EraseImport(ctx, projecttest.Broker, id, 1, "import 3"), project.Invalid)
	projecttest.WantKind(t, b.EraseImport(ctx, projecttest.Annotator, id, 1, "import 1"), project.Forbidden)
	must(t, b.EraseImport(ctx, projecttest.Broker, id, 1, "import 1"))
	if bin, err := b.Bin(id); err != nil || len(bin) != 2 {
		t.Errorf("%d notes in the bin, %v; want the other two", len(bin), err)
	}
	rows, err := b.Audit(ctx, projecttest.Broker, id, 0, 1000)
	must(t, err)
	said := map[string]int{}
	for _, r := range rows {
		said[r.Action+" "+r.Detail]++
	}
	for _, want := range []string{"restore import 200 notes", "restore import 10 notes", "erase import 210 notes of the bin"} {
		if said[want] != 1 {
			t.Errorf("the audit trail has %d rows %q", said[want], want)
		}
	}
}

// TestErasedNoteLeavesNoOlderModel: with two notes left there is no other model, and the one
// that knows the note is dropped with it.
func TestErasedNoteLeavesNoOlderModel(t *testing.T) {
	b := projecttest.New(t)
	ctx := t.Context()
	id := b.NewProject(withCanary(4)[1:], true)
	now := func() training.Status {
		st, err := b.Training(ctx, projecttest.Broker, id)
		must(t, err)
		return st
	}
	b.Wait("a model", func() bool { st := now(); return st.Model > 0 && !st.Running && !st.Queued })
	must(t, b.DeleteNote(ctx, projecttest.Broker, id, 3, "note of "+canary))
	if now().Model != 1 {
		t.Errorf("model %d while the note can be restored", now().Model)
	}
	must(t, b.EraseNote(ctx, projecttest.Broker, id, 3, "note of "+canary))
	for range 2 { // now, and after a new start
		if now().Model != 0 {
			t.Errorf("model %d after the note is erased", now().Model)
		}
		b.Reopen()
	}
}

// TestRemovalThatWasKilledIsFinishedAtTheNextStart: only its record is on disk.
func TestRemovalThatWasKilledIsFinishedAtTheNextStart(t *testing.T) {
	for kind, want := range map[takeback.Kind]string{takeback.KindImport: "[bin bin-notes]", takeback.KindPatient: "[]"} {
		b := projecttest.New(t)
		id := b.NewProject(withCanary(5), false)
		ws, err := b.Workspace(id)
		must(t, err)
		must(t, b.Remover.Begin(ws, kind, ws.All()))
		b.Reopen()
		if got := fmt.Sprint(holding(t, b, id)); got != want {
			t.Errorf("%s: the canary is in %s, want %s", kind, got, want)
		}
		o, err := b.Project(t.Context(), projecttest.Broker, id)
		if err != nil || o.Documents != 0 {
			t.Errorf("%s: %d notes left, %v", kind, o.Documents, err)
		}
	}
}

// TestDestroyedProjectStaysDestroyed: also in a backup made before, and its number is not
// used again.
func TestDestroyedProjectStaysDestroyed(t *testing.T) {
	b := projecttest.New(t)
	ctx := t.Context()
	id := b.NewProject(withCanary(5), false)
	kept, err := b.Create(ctx, projecttest.Broker, "Kept", nil)
	must(t, err)
	b.MustImport(kept.ID, projecttest.Notes(2), false)
	var backup bytes.Buffer
	must(t, b.Backup(ctx, admin, &backup))
	projecttest.WantKind(t, b.DestroyProject(ctx, projecttest.Broker, kept.ID, "Ward 7"), project.Invalid)
	must(t, b.DestroyProject(ctx, projecttest.Broker, kept.ID, "Kept"))
	open := b.MustWorkspace(id) // somebody works on it
	must(t, b.DestroyProject(ctx, projecttest.Broker, id, "Ward 7"))
	_, _, err = open.Fetch(1)
	projecttest.WantKind(t, err, project.NotFound)
	_, err = b.Project(ctx, projecttest.Broker, id)
	projecttest.WantKind(t, err, project.NotFound)
	if p, err := b.Create(ctx, projecttest.Broker, "Ward 7", nil); err != nil || p.ID != "p3" {
		t.Errorf("the next project: %v, %v", p.ID, err)
	}
	opts := store.Options{Dir: b.Folder + "-restored", KeyFile: b.Folder + ".key"}
	must(t, store.Restore(&backup, opts))
	st, err := store.Open(opts)
	must(t, err)
	defer st.Close()
	if len(st.Sealed()) != 2 {
		t.Errorf("%v can be opened from the old backup", st.Sealed())
	}
}

// TestSpentBudgetSurvivesRemoval: removing a patient and importing the notes again refunds
// nothing, in this project and in a new one.
func TestSpentBudgetSurvivesRemoval(t *testing.T) {
	b := projecttest.New(t)
	ctx := t.Context()
	id := b.Counted(ledger.One)
	must(t, b.StartPublishCube(ctx, projecttest.Broker, id, release.Publish, projecttest.BySex(400_000)))
	b.Wait("counts", func() bool {
		st, err := b.Publishing(ctx, projecttest.Broker, id)
		must(t, err)
		return !st.Running
	})
	spent := b.MustBudget(id).Spent
	if spent != 400_000 {
		t.Fatalf("spent %v", spent)
	}
	var again []annotate.Annotated
	for _, d := range projecttest.Cohort(24) {
		if d.Patient == "p5" {
			again = append(again, d)
		}
	}
	must(t, removePatient(b, id, "p5"))
	b.MustImport(id, again, true)
	if got := b.MustBudget(id).Spent; got != spent {
		t.Errorf("after removal and import: spent %v, was %v", got, spent)
	}
	must(t, b.DestroyProject(ctx, projecttest.Broker, id, "Ward 7"))
	next := b.NewProject(again, true)
	err := b.OpenBudget(ctx, projecttest.Broker, next, dp.BudgetOpening{Limit: ledger.One})
	projecttest.WantKind(t, err, project.Invalid)
	if err == nil || !strings.Contains(err.Error(), "100 %") && !strings.Contains(err.Error(), string(id)) {
		t.Errorf("a new project of the same patient: %v", err)
	}
}

// TestErasedNoteIsInNoOriginals: of releases of notes with fields, those that hold the note
// lose their originals; a release that was made while it lay in the bin keeps them.
func TestErasedNoteIsInNoOriginals(t *testing.T) {
	b := projecttest.New(t)
	ctx := t.Context()
	docs := projecttest.Cohort(8)
	docs[3].Text += "Referred by " + canary + ".\n"
	id := b.FinishedProject(docs)
	publish := func(notes int) {
		t.Helper()
		must(t, b.StartPublishJoint(ctx, projecttest.Broker, id, release.Publish, release.JointChoice{K: 2, Lambda: .5, Found: 1, Threshold: .5}, notes, 0))
		if _, st := b.Published(id); st.Error != "" {
			t.Fatal(st.Error)
		}
	}
	publish(16)
	if got := holding(t, b, id); !slices.Contains(got, "originals") {
		t.Fatalf("before: the canary is only in %q", got)
	}
	must(t, b.DeleteNote(ctx, projecttest.Broker, id, 4, docs[3].Name))
	publish(15)
	must(t, b.EraseNote(ctx, projecttest.Broker, id, 4, docs[3].Name))
	if got := holding(t, b, id); len(got) > 0 {
		t.Errorf("the canary is still in %q", got)
	}
	projecttest.WantKind(t, b.WriteOriginals(ctx, projecttest.Broker, id, 1, new(bytes.Buffer)), project.NotFound)
	must(t, b.WriteOriginals(ctx, projecttest.Broker, id, 2, new(bytes.Buffer)))
}

// whileStopping calls a function when somebody first waits under the context: a removal does
// when it stops the work on the notes, before it begins.
type whileStopping struct {
	context.Context
	call func()
}

func (c *whileStopping) Done() <-chan struct{} {
	c.call()
	return c.Context.Done()
}

func (c *whileStopping) Err() error {
	c.call()
	return c.Context.Err()
}

// TestRemovalChoosesItsNotesWhenNothingCanComeBetween: what is restored, imported or
// finished before a removal begins is in it or not, but never half.
func TestRemovalChoosesItsNotesWhenNothingCanComeBetween(t *testing.T) {
	b := projecttest.New(t)
	ctx := t.Context()
	id := b.NewProject(withCanary(5), false)
	name := "note of " + canary

	must(t, b.DeleteNote(ctx, projecttest.Broker, id, 4, name))
	restore := &whileStopping{ctx, sync.OnceFunc(func() { must(t, b.RestoreNote(ctx, projecttest.Broker, id, 4)) })}
	projecttest.WantKind(t, b.EraseNote(restore, projecttest.Broker, id, 4, name), project.NotFound)
	b.MustNote(projecttest.Broker, id, 4)

	must(t, b.DeleteNote(ctx, projecttest.Broker, id, 4, name))
	must(t, b.Remover.Begin(b.MustWorkspace(id), takeback.KindErased, nil))
	projecttest.WantKind(t, b.RestoreNote(ctx, projecttest.Broker, id, 4), project.NotFound)
	b.Reopen()
	if got := holding(t, b, id); len(got) > 0 {
		t.Errorf("erased, and still in %q", got)
	}

	b.MustImport(id, []annotate.Annotated{{Document: annotate.Document{Name: "earlier", Patient: "p3", Text: "Well."}}}, false)
	another := &whileStopping{ctx, sync.OnceFunc(func() { b.MustImport(id, withCanary(4)[3:], true) })}
	r, err := b.RemovePatient(another, projecttest.Broker, id, "p3", "p3")
	if err != nil || r.Notes != 2 || !r.Trained {
		t.Errorf("removed %+v, %v; want both notes, one of them finished", r, err)
	}
	if got := holding(t, b, id); len(got) > 0 {
		t.Errorf("the patient is removed, and still in %q", got)
	}
}

// TestStuckRemovalRefusesItsProjectOnly: what a removal has to read is unreadable. The other
// projects open, the sweep reports it, and finishes it once it can.
func TestStuckRemovalRefusesItsProjectOnly(t *testing.T) {
	b := projecttest.New(t)
	ctx := t.Context()
	id := b.NewProject(withCanary(5), false)
	other, err := b.Create(ctx, projecttest.Broker, "Other", nil)
	must(t, err)
	put := func(value string) {
		t.Helper()
		must(t, b.Store().Update(string(id), func(tx *store.Tx) error {
			ev := store.Event{Actor: "u", Action: "test"}
			if value == "" {
				return errors.Join(tx.Delete("releases", store.Key(9)), tx.Audit(ev))
			}
			return errors.Join(tx.Put("releases", store.Key(9), []byte(value)), tx.Audit(ev))
		}))
	}
	put("{")
	must(t, b.Remover.Begin(b.MustWorkspace(id), takeback.KindPatient, b.MustWorkspace(id).All()))
	b.Reopen()
	if _, err := b.Project(ctx, projecttest.Broker, id); project.KindOf(err) != project.NotFound || !strings.Contains(err.Error(), "half removed") {
		t.Errorf("the project: %v", err)
	}
	if all, err := b.Projects(ctx, projecttest.Broker); err != nil || len(all) != 1 || all[0].ID != other.ID {
		t.Errorf("the other projects: %v, %v", all, err)
	}
	if err := b.Sweep(ctx); err == nil || !strings.Contains(err.Error(), "project "+string(id)) {
		t.Errorf("the sweep: %v", err)
	}
	put("")
	must(t, b.Sweep(ctx))
	if o, err := b.Project(ctx, projecttest.Broker, id); err != nil || o.Documents != 0 {
		t.Errorf("finished: %+v, %v", o, err)
	}
}

// TestProjectWithoutItsSecretIsDestroyed: by its id, and at the start if that was recorded
// before the secret was lost.
func TestProjectWithoutItsSecretIsDestroyed(t *testing.T) {
	b := projecttest.New(t)
	ctx := t.Context()
	var ids []project.ID
	for _, name := range []string{"One", "Two"} {
		p, err := b.Create(ctx, projecttest.Broker, name, nil)
		must(t, err)
		ids = append(ids, p.ID)
	}
	must(t, b.Store().Update(store.System, func(tx *store.Tx) error {
		return errors.Join(store.PutJSON(tx, "destroyed", []byte(ids[1]), project.Destroyed{ID: ids[1]}), tx.Audit(store.Event{Actor: "u", Action: "test"}))
	}))
	must(t, os.RemoveAll(b.Folder+".secrets"))
	b.Reopen()
	if got := b.Store().SealedSpaces(); fmt.Sprint(got) != fmt.Sprint(ids[:1]) {
		t.Errorf("without their secrets: %v; the destruction of %s was recorded", got, ids[1])
	}
	// Nobody can read who its members are.
	projecttest.WantKind(t, b.DestroyProject(ctx, projecttest.Broker, ids[0], string(ids[0])), project.NotFound)
	projecttest.WantKind(t, b.DestroyProject(ctx, account.Operator(), ids[0], "One"), project.Invalid)
	must(t, b.DestroyProject(ctx, account.Operator(), ids[0], string(ids[0])))
	if got := b.Store().SealedSpaces(); len(got) > 0 {
		t.Errorf("left: %v", got)
	}
}
