// SPDX-License-Identifier: Apache-2.0

package project

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/store"
)

// keptTrainings is how many trainings the audit trail says that a run kept, and how
// many are in the store now.
func (b *bench) keptTrainings(id ID, run int) (all, now int) {
	b.t.Helper()
	rows, err := b.Audit(b.t.Context(), broker, id, 0, 10_000)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, r := range rows {
		if r.Action == "keep trainings" && r.Object == id.Object("runs", run) {
			n, err := strconv.Atoi(r.Detail)
			if err != nil {
				b.t.Fatal(err)
			}
			all += n
		}
	}
	err = b.View(id, func(tx *store.Tx) (err error) {
		now, err = tx.Count(bucketTrainings)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return all, now
}

// cutShort starts a run and cuts it short when it has finished its first L/C.
func (b *bench) cutShort(id ID, p SanitizeParams, cut func()) *Run {
	b.t.Helper()
	number, err := b.StartSanitize(b.t.Context(), broker, id, p)
	if err != nil {
		b.t.Fatal(err)
	}
	b.wait("an L/C", func() bool {
		r, err := b.Run(b.t.Context(), broker, id, number)
		return err != nil || len(r.Choices) > 0 && r.Choices[0].Done || r.State != RunRunning
	})
	cut()
	r := b.finishedRun(id, number)
	if !r.CutShort() {
		b.t.Fatalf("run is %s: %s; want one cut short", r.State, r.Error)
	}
	return r
}

func TestARunThatWasCutShortGoesOnToTheSameEnd(t *testing.T) {
	b := newBench(t)
	id := b.finished(notes(24))
	p := SanitizeParams{LC: []float64{0.3, 2, 10, 50}, Folds: 2}
	whole, err := b.StartSanitize(t.Context(), broker, id, p)
	if err != nil {
		t.Fatal(err)
	}
	want := b.finishedRun(id, whole)
	if _, left := b.keptTrainings(id, whole); want.State != RunFinished || left != 0 {
		t.Fatalf("run %s: %s, with %d trainings left; want it finished, and none", want.State, want.Error, left)
	}
	trained, _ := b.keptTrainings(id, whole)
	for name, cut := range map[string]func(){
		"cancelled":   func() { b.CancelSanitize(t.Context(), broker, id) },
		"interrupted": b.reopen,
	} {
		run := b.cutShort(id, p, cut)
		if _, left := b.keptTrainings(id, run.Number); left == 0 {
			t.Errorf("%s: no training was kept", name)
		}
		if err := b.ResumeSanitize(t.Context(), broker, id, run.Number); err != nil {
			t.Fatal(err)
		}
		got := b.finishedRun(id, run.Number)
		if got.State != RunFinished || !reflect.DeepEqual(got.Choices, want.Choices) {
			t.Errorf("%s: run is %s: %s; or it found something else than in one go", name, got.State, got.Error)
		}
		if all, left := b.keptTrainings(id, run.Number); all != trained || left != 0 {
			t.Errorf("%s: %d trainings, %d left; want the %d of one go, and none left", name, all, left, trained)
		}
		if _, err := b.Choose(t.Context(), broker, id, run.Number, 10); err != nil {
			t.Errorf("%s: its classifiers: %v", name, err)
		}
	}
}

// TestWhatARunKeptBeforeItWasCutShortCounts: the bound is of the run, however often
// it goes on.
func TestWhatARunKeptBeforeItWasCutShortCounts(t *testing.T) {
	b := newBench(t)
	ws, err := b.Workspace(b.finished(notes(3)))
	if err != nil {
		t.Fatal(err)
	}
	ws.running = &Run{Number: 7}
	for resumed := range 3 {
		kept, err := b.newTrainings(ws, SanitizeParams{}, "")
		if err != nil || kept.kept != 1000*resumed {
			t.Fatalf("resumed %d times: %d bytes count, %v; want %d", resumed, kept.kept, err, 1000*resumed)
		}
		kept.Save([32]byte{byte(resumed)}, make([]byte, 1000))
		kept.flush()
	}
	ws.running = &Run{Number: 8}
	if kept, err := b.newTrainings(ws, SanitizeParams{}, ""); err != nil || kept.kept != 0 {
		t.Errorf("%d bytes of another run count, %v", kept.kept, err)
	}
	ws.running = nil
}

func TestARunDoesNotGoOnWhereItCannot(t *testing.T) {
	b := newBench(t)
	id := b.finished(notes(40)) // so that there is time to cut it short
	run := b.cutShort(id, SanitizeParams{LC: []float64{0.3, 2, 10, 50}, Folds: 2}, func() { b.CancelSanitize(t.Context(), broker, id) })
	wantKind(t, b.ResumeSanitize(t.Context(), annotator, id, run.Number), Forbidden)
	saysNext := func(asked int, want string) {
		t.Helper()
		if said := ErrorWords(b.ResumeSanitize(t.Context(), broker, id, asked)); !strings.HasSuffix(said, "; "+want) {
			t.Errorf("run %d: %q, want %q", asked, said, want)
		}
	}
	wantKind(t, b.ResumeSanitize(t.Context(), broker, id, 99), NotFound)
	saysNext(99, fmt.Sprintf("the runs that can go on: %d", run.Number))
	n := b.mustNote(broker, id, 1)
	b.mustEdit(broker, id, 1, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbReopen})
	wantKind(t, b.ResumeSanitize(t.Context(), broker, id, run.Number), Stale)
	saysNext(run.Number, "no run can go on: start another")
	other, err := b.StartSanitize(t.Context(), broker, id, SanitizeParams{LC: []float64{10}, Folds: 2, First: "none", Learners: []string{"bayes"}})
	if err != nil {
		t.Fatal(err)
	}
	b.finishedRun(id, other)
	wantKind(t, b.ResumeSanitize(t.Context(), broker, id, other), Stale)
	if _, left := b.keptTrainings(id, run.Number); left != 0 {
		t.Errorf("%d trainings of a run that nobody can go on with are left", left)
	}
}
