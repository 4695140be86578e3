// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/sanitize"
	"hide/internal/store"
)

// keptTrainings is how many trainings the audit trail says that a run kept, and how
// many are in the store now.
func (b *bench) keptTrainings(id project.ID, run int) (all, now int) {
	b.T.Helper()
	rows, err := b.Audit(b.T.Context(), projecttest.Broker, id, 0, 10_000)
	if err != nil {
		b.T.Fatal(err)
	}
	for _, r := range rows {
		if r.Action == "keep trainings" && r.Object == id.Object("runs", run) {
			n, err := strconv.Atoi(r.Detail)
			if err != nil {
				b.T.Fatal(err)
			}
			all += n
		}
	}
	err = b.View(id, func(tx *store.Tx) (err error) {
		now, err = tx.Count(sanitize.BucketTrainings)
		return err
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return all, now
}

// cutShort starts a run and cuts it short when it has finished its first L/C. On a busy
// machine a run can end before that; then it starts another.
func (b *bench) cutShort(id project.ID, p sanitize.Params, cut func()) *sanitize.Run {
	b.T.Helper()
	for range 5 {
		number, err := b.StartSanitize(b.T.Context(), projecttest.Broker, id, p)
		if err != nil {
			b.T.Fatal(err)
		}
		b.Wait("an L/C", func() bool {
			r, err := b.Run(b.T.Context(), projecttest.Broker, id, number)
			return err != nil || len(r.Choices) > 0 && r.Choices[0].Done || r.State != sanitize.Running
		})
		cut()
		r := b.FinishedRun(id, number)
		if r.CutShort() {
			return r
		}
		if r.State != sanitize.Finished {
			b.T.Fatalf("run is %s: %s; want one cut short", r.State, r.Error)
		}
	}
	b.T.Fatal("five runs ended before they were cut short")
	return nil
}

func TestARunThatWasCutShortGoesOnToTheSameEnd(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(24))
	p := sanitize.Params{LC: []float64{0.3, 2, 10, 50}, Folds: 2}
	whole, err := b.StartSanitize(t.Context(), projecttest.Broker, id, p)
	if err != nil {
		t.Fatal(err)
	}
	want := b.FinishedRun(id, whole)
	if _, left := b.keptTrainings(id, whole); want.State != sanitize.Finished || left != 0 {
		t.Fatalf("run %s: %s, with %d trainings left; want it finished, and none", want.State, want.Error, left)
	}
	trained, _ := b.keptTrainings(id, whole)
	for name, cut := range map[string]func(){
		"cancelled":   func() { b.CancelSanitize(t.Context(), projecttest.Broker, id) },
		"interrupted": b.Reopen,
	} {
		run := b.cutShort(id, p, cut)
		if _, left := b.keptTrainings(id, run.Number); left == 0 {
			t.Errorf("%s: no training was kept", name)
		}
		if err := b.ResumeSanitize(t.Context(), projecttest.Broker, id, run.Number); err != nil {
			t.Fatal(err)
		}
		got := b.FinishedRun(id, run.Number)
		if got.State != sanitize.Finished || !reflect.DeepEqual(got.Choices, want.Choices) {
			t.Errorf("%s: run is %s: %s; or it found something else than in one go", name, got.State, got.Error)
		}
		if all, left := b.keptTrainings(id, run.Number); all != trained || left != 0 {
			t.Errorf("%s: %d trainings, %d left; want the %d of one go, and none left", name, all, left, trained)
		}
		if _, err := b.Choose(t.Context(), projecttest.Broker, id, run.Number, 10); err != nil {
			t.Errorf("%s: its classifiers: %v", name, err)
		}
	}
}

// TestWhatARunKeptBeforeItWasCutShortCounts: the bound is of the run, however often
// it goes on.
func TestWhatARunKeptBeforeItWasCutShortCounts(t *testing.T) {
	b := newBench(t)
	ws, err := b.Workspace(b.FinishedProject(projecttest.Notes(3)))
	if err != nil {
		t.Fatal(err)
	}
	for resumed := range 3 {
		before, err := b.KeepTraining(ws, 7, [32]byte{byte(resumed)}, make([]byte, 1000))
		if err != nil || before != 1000*resumed {
			t.Fatalf("resumed %d times: %d bytes count, %v; want %d", resumed, before, err, 1000*resumed)
		}
	}
	if before, err := b.KeepTraining(ws, 8, [32]byte{}, nil); err != nil || before != 0 {
		t.Errorf("%d bytes of another run count, %v", before, err)
	}
}

func TestARunDoesNotGoOnWhereItCannot(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(40)) // enough work to interrupt it
	run := b.cutShort(id, sanitize.Params{LC: []float64{0.3, 2, 10, 50}, Folds: 2}, func() { b.CancelSanitize(t.Context(), projecttest.Broker, id) })
	projecttest.WantKind(t, b.ResumeSanitize(t.Context(), projecttest.Annotator, id, run.Number), project.Forbidden)
	saysNext := func(asked int, want string) {
		t.Helper()
		if said := project.ErrorWords(b.ResumeSanitize(t.Context(), projecttest.Broker, id, asked)); !strings.HasSuffix(said, "; "+want) {
			t.Errorf("run %d: %q, want %q", asked, said, want)
		}
	}
	projecttest.WantKind(t, b.ResumeSanitize(t.Context(), projecttest.Broker, id, 99), project.NotFound)
	saysNext(99, fmt.Sprintf("runs that can be resumed: %d", run.Number))
	n := b.MustNote(projecttest.Broker, id, 1)
	b.MustEdit(projecttest.Broker, id, 1, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbReopen})
	projecttest.WantKind(t, b.ResumeSanitize(t.Context(), projecttest.Broker, id, run.Number), project.Stale)
	saysNext(run.Number, "no run can be resumed: start a new one")
	other, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{10}, Folds: 2, First: "none", Learners: []string{"bayes"}})
	if err != nil {
		t.Fatal(err)
	}
	b.FinishedRun(id, other)
	projecttest.WantKind(t, b.ResumeSanitize(t.Context(), projecttest.Broker, id, other), project.Stale)
	if _, left := b.keptTrainings(id, run.Number); left != 0 {
		t.Errorf("%d trainings of a run that nobody can go on with are left", left)
	}
}
