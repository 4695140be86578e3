// SPDX-License-Identifier: Apache-2.0

package training_test

import (
	"bytes"
	"testing"

	"hide/internal/crf"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/training"
	"hide/internal/store"
)

// newestModel is the model as it is stored.
func (b *bench) newestModel(id project.ID) *crf.Model {
	b.T.Helper()
	var m *crf.Model
	err := b.View(id, func(tx *store.Tx) error {
		raw, err := tx.Get(training.BucketModels, training.ModelKey)
		if err != nil {
			return err
		}
		m, err = crf.Decode(bytes.NewReader(raw))
		return err
	})
	if err != nil {
		b.T.Fatal(err)
	}
	return m
}

func TestModelCarriesACardWithItsScores(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Notes(6), true)
	tr := b.Trained(id)
	c := b.newestModel(id).Card()
	if c.Program != "test" || c.Date != tr.Finished.Format("2006-01-02") || c.Data.Documents != 6 || c.Data.Patients == 0 || len(c.Data.Spans) == 0 {
		t.Errorf("card %+v", c)
	}
	if len(c.Scores) != 1 || c.Scores[0].How == "" || c.Scores[0].Documents != tr.Scores.Documents || c.Scores[0].Token.Recall == 0 {
		t.Errorf("scores %+v", c.Scores)
	}
}

// TestModelOfAnEarlierFormatIsTrainedAnew has a data folder from before the format
// of models changed.
func TestModelOfAnEarlierFormatIsTrainedAnew(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Notes(6), true)
	b.Trained(id)
	ev := store.Event{Actor: "test", Action: "age", Object: id.Object("models", 1)}
	err := b.Update(id, ev, func(tx *store.Tx) error {
		return tx.Put(training.BucketModels, training.ModelKey, []byte("HIDECRF\n\x01"))
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Reopen()
	if tr, err := b.Training(t.Context(), projecttest.Annotator, id); err != nil || tr.Model != 0 {
		t.Fatalf("training %+v, %v; want a project without a model", tr, err)
	}
	if err := b.Train(t.Context(), projecttest.Annotator, id); err != nil {
		t.Fatal(err)
	}
	if tr := b.Trained(id); tr.Documents != 6 || tr.Error != "" {
		t.Errorf("training %+v", tr)
	}
	b.newestModel(id)
}
