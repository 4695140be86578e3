// SPDX-License-Identifier: Apache-2.0

package training

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/project"
	"hide/internal/store"
)

// more is the last of n trainable notes.
func more(n int) string {
	lines := strings.SplitAfter(trainable(n), "\n")
	return lines[n-1]
}

// newer waits for a model with a higher number.
func (b *bench) newer(id project.ID, than int) Status {
	b.t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if tr, err := b.Training(b.t.Context(), broker, id); err != nil || tr.Model > than {
			return tr
		}
	}
	b.t.Fatalf("no model after number %d", than)
	return Status{}
}

func TestATrainingDoesNotWaitForACheck(t *testing.T) {
	b, ws, _, _ := trained(t)
	began, release := make(chan struct{}), make(chan struct{})
	ws.check.Enqueue(func(context.Context) error { close(began); <-release; return nil }, func(*progress, error) {})
	<-began
	before := ws.known().Number
	b.add(ws.ID, more(7))
	b.newer(ws.ID, before) // while the check is held
	close(release)
	if tr := b.trained(ws.ID); tr.Scores.Finished != 7 {
		t.Errorf("the check that waited is of %d notes, want 7", tr.Scores.Finished)
	}
}

func TestACheckPausesWhileATrainingRuns(t *testing.T) {
	_, ws, _, _ := trained(t)
	began, release := make(chan struct{}), make(chan struct{})
	ws.train.Enqueue(func(context.Context) error { close(began); <-release; return nil }, func(*progress, error) {})
	<-began
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := ws.giveWay(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("beside a training a check goes on: %v", err)
	}
	close(release)
	if err := ws.giveWay(t.Context()); err != nil {
		t.Errorf("after the training a check does not go on: %v", err)
	}
}

func TestACheckRunsWhenItCanChangeADecision(t *testing.T) {
	b, ws, _, _ := trainedOn(t, trainable(12))
	b.add(ws.ID, more(13))
	b.newer(ws.ID, ws.known().Number-1)
	if tr := b.trained(ws.ID); tr.Documents != 13 || tr.Scores.Finished != 12 {
		t.Fatalf("a model of %d notes, checked at %d; want 13 and 12", tr.Documents, tr.Scores.Finished)
	}
	if err := b.CheckNow(t.Context(), broker, ws.ID); err != nil {
		t.Fatal(err)
	}
	if tr := b.trained(ws.ID); tr.Scores.Finished != 13 || tr.Scores.Model != tr.Model {
		t.Errorf("checked at %d notes with model %d of %d, when asked", tr.Scores.Finished, tr.Scores.Model, tr.Model)
	}
	b.add(ws.ID, more(14)+more(15))
	if tr := b.trained(ws.ID); tr.Documents != 15 || tr.Scores.Finished != 15 {
		t.Errorf("a model of %d notes, checked at %d; want 15 and 15", tr.Documents, tr.Scores.Finished)
	}
}

func TestAModelTrainsOnASampleUnlessAllAreRequested(t *testing.T) {
	b, ws, _, _ := trained(t)
	b.bound = bootstrap.Bound{Notes: 40, Tokens: 1 << 20}
	notes := strings.SplitAfter(trainable(60), "\n")
	rare := strings.NewReplacer(`"label":"PATIENT"`, `"label":"FAX"`).Replace(notes[50])
	b.add(ws.ID, strings.Join(notes[6:50], "")+rare)
	tr := b.trained(ws.ID)
	if tr.Documents != 40 || tr.Of != 51 {
		t.Fatalf("trained on %d of %d notes, want 40 of 51", tr.Documents, tr.Of)
	}
	card, err := b.ModelCard(t.Context(), broker, ws.ID)
	if err != nil || card.Card.Data.Spans["FAX"] == 0 {
		t.Errorf("the label of one note is not in the sample: %v, %v", card.Card.Data.Spans, err)
	}
	b.add(ws.ID, notes[51])
	if tr = b.trained(ws.ID); tr.Documents != 41 {
		t.Errorf("trained on %d notes after one more, want the sample and that note", tr.Documents)
	}
	if err := b.TrainOnAll(t.Context(), broker, ws.ID); err != nil {
		t.Fatal(err)
	}
	if tr = b.trained(ws.ID); tr.Documents != 52 {
		t.Errorf("trained on %d notes, when all 52 were requested", tr.Documents)
	}
}

func TestRetrainingWithoutNotesDropsWhatHeldThem(t *testing.T) {
	b, ws, _, _ := trainedOn(t, trainable(3))
	id, number := ws.ID, ws.known().Number
	n, err := b.projects.Note(t.Context(), broker, id, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.projects.Edit(t.Context(), broker, id, 1, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbReopen}); err != nil {
		t.Fatal(err)
	}
	resume, err := b.Hold(t.Context(), ws.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	ws.retrain() // a note is finished meanwhile
	ws.checkWhenDue()
	for _, task := range []*project.Task[progress]{ws.train, ws.check, ws.retag} {
		if busy, waiting := task.Pending(); busy || waiting {
			t.Error("work starts while notes are removed")
		}
	}
	err = b.projects.Update(id, store.Event{Actor: "u", Action: "test"}, func(tx *store.Tx) error {
		_, err := b.Purge(tx, project.Removal{Trained: true})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	resume(true)
	if tr, err := b.Training(t.Context(), broker, id); err != nil || tr.Model != 0 || tr.Running || len(b.trainers.kept) > 0 {
		t.Errorf("model %d, running: %v, %d trainers are kept; %v", tr.Model, tr.Running, len(b.trainers.kept), err)
	}
	if got := ws.suggest(1, n.Document); len(got) > 0 {
		t.Errorf("%d suggestions of a dropped model", len(got))
	}
	err = b.projects.View(id, func(tx *store.Tx) error {
		for _, key := range [][]byte{modelKey, modelCheckKey, modelRulesKey, detectorKey} {
			if _, err := tx.Get(bucketModels, key); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s is still stored: %v", key, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	b.close()
	b.open()
	b.add(id, more(4))
	if tr := b.trained(id); tr.Documents != 3 || tr.Model <= number {
		t.Errorf("model %d of %d notes, after number %d; want a newer one of 3", tr.Model, tr.Documents, number)
	}
}
