// SPDX-License-Identifier: Apache-2.0

package training_test

import (
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/training"
	"hide/internal/store"
)

// learnt is a project with a model that is shown, and what it has learnt from.
func learnt(t *testing.T) (b *bench, ws *workspace, c project.Corpus, docs []annotate.View) {
	t.Helper()
	b = newBench(t)
	id := b.NewProject(projecttest.Notes(6), true)
	b.Trained(id)
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = ws.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, d := range c.Docs {
		docs = append(docs, new(annotate.NewNote(d.Annotated)).View())
	}
	if !ws.known().Shown {
		t.Fatalf("the first model is not shown: %+v", ws.known())
	}
	return b, ws, c, docs
}

// known is what is known of the newest model.
func (ws *project.Workspace) known() modelInfo {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.model.info
}

func TestAModelTrainedOtherwiseIsNotMeasuredYet(t *testing.T) {
	b, ws, c, docs := learnt(t)
	before := ws.known()
	if _, err := b.learn(t.Context(), ws, c, docs, nil, ws.trainOptions()); err != nil {
		t.Fatal(err)
	}
	if again := ws.known(); !again.Shown || again.Scores != before.Scores || again.Number != before.Number+1 {
		t.Errorf("trained alike: %+v, before it %+v", again, before)
	}
	other := ws.trainOptions()
	other.Features = crf.Term
	if _, err := b.learn(t.Context(), ws, c, docs, nil, other); err != nil {
		t.Fatal(err)
	}
	if got := ws.known(); got.Shown || got.Scores != (training.Scores{}) {
		t.Errorf("trained otherwise, it is shown: %v, with scores of %d notes", got.Shown, got.Scores.Documents)
	}
}

func TestALevelThatIsRaisedDuringATrainingHolds(t *testing.T) {
	b, ws, _, _ := learnt(t)
	info, model := ws.known(), ws.model.model
	info.Scores.Recall.Value = 0.9
	info.Number++
	b.Set(ws.ID, func(s *project.Settings) { s.MinRecall = 1 })
	ws.swap(info, model)
	if ws.known().Shown {
		t.Error("a model with a recall of 90 % is shown at a level of 100 %")
	}
}

func TestACheckThatIsNotStoredChangesNothing(t *testing.T) {
	b, ws, c, docs := learnt(t)
	nowhere := &project.Workspace{ID: "p99", settings: ws.Settings()}
	nowhere.model.model, nowhere.model.info = ws.model.model, modelInfo{Number: 7}
	if err := b.check(t.Context(), nowhere, c, docs, ws.trainOptions()); err == nil {
		t.Fatal("a check was stored in no project")
	}
	if got := nowhere.known(); got.Shown || got.Scores != (training.Scores{}) {
		t.Errorf("shown: %v, with scores of %d notes", got.Shown, got.Scores.Documents)
	}
}

func TestACheckMeasuresTheOptionsOfItsTraining(t *testing.T) {
	b, ws, c, docs := learnt(t)
	before := ws.known().Scores.Recall.Value
	weak := ws.trainOptions()
	weak.C2 = maxC2
	if err := b.check(t.Context(), ws, c, docs, weak); err != nil {
		t.Fatal(err)
	}
	if after := ws.known().Scores.Recall.Value; after >= before {
		t.Errorf("recall %.2f with hardly any weights, %.2f before", after, before)
	}
}

func TestAModelOfAnEarlierProgramLeavesItsNumber(t *testing.T) {
	b, ws, _, _ := learnt(t)
	id, number := ws.ID, ws.known().Number
	err := b.Update(id, project.EventBy(projecttest.Broker, "test", id.Object("models")), func(tx *store.Tx) error {
		raw, err := tx.Get(bucketModels, modelKey)
		if err != nil {
			return err
		}
		raw = slices.Clone(raw)
		raw[len("HIDECRF\n")] = 1 // the version
		return tx.Put(bucketModels, modelKey, raw)
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Reopen()
	if tr, err := b.Training(t.Context(), projecttest.Annotator, id); err != nil || tr.Model != 0 {
		t.Errorf("before it is trained anew: model %d, %v", tr.Model, err)
	}
	n := b.MustNote(projecttest.Annotator, id, 1)
	b.MustEdit(projecttest.Annotator, id, 1, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbReopen})
	b.MustEdit(projecttest.Annotator, id, 1, n.Layer.Revision+1, annotate.Edit{Verb: annotate.VerbFinish})
	if got := b.Trained(id).Model; got <= number {
		t.Errorf("the next model is number %d, after number %d", got, number)
	}
}
