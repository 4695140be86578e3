// SPDX-License-Identifier: Apache-2.0

package training

import (
	"context"
	"errors"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/annotate/rules"
	"hide/internal/project"
	"hide/internal/store"
)

// RetrainWithout drops everything that was trained on a project's notes, and then trains a
// new model on the finished notes that there still are. The caller has removed or reopened
// docs. After it returns, neither the store nor memory holds a model, a detector, a check
// or suggestions made with them, and nothing suggests until the new model is complete.
// Dictionaries stay: they come from files, never from notes.
func (s *Service) RetrainWithout(ctx context.Context, p *project.Workspace, docs []annotate.DocumentID) error {
	ws := of(p)
	if err := ws.stopAll(ctx); err != nil {
		return fmt.Errorf("drop the model of %s: %w", ws.ID, err)
	}
	ws.storing.Lock()
	defer ws.storing.Unlock()
	ws.mu.RLock()
	number := ws.model.info.Number
	ws.mu.RUnlock()
	ev := project.SystemEvent("drop model", ws.ID.Object("models", number), fmt.Sprintf("without %d documents", len(docs)))
	if err := s.projects.Update(ws.ID, ev, func(tx *store.Tx) error { return dropModel(tx, number) }); err != nil {
		return err
	}
	ws.forget(number)
	s.trainers.drop(ws.ID)
	s.projects.Tell(ws.ID, project.TopicTraining)
	s.projects.Tell(ws.ID, project.TopicQueue)
	s.projects.TellDocument(ws.ID, 0)
	ws.retrain()
	return nil
}

// stopAll cancels all work on models and waits for its end.
func (ws *workspace) stopAll(ctx context.Context) error {
	ws.cancelAll()
	ws.measure.Cancel()
	return errors.Join(ws.train.Wait(ctx), ws.check.Wait(ctx), ws.retag.Wait(ctx), ws.measure.Wait(ctx))
}

// dropModel deletes what was trained. The number stays, so that no other model gets it.
func dropModel(tx *store.Tx, number int) error {
	var errs []error
	for _, key := range [][]byte{modelKey, modelCheckKey, modelRulesKey, detectorKey, detectorRunKey} {
		errs = append(errs, tx.Delete(bucketModels, key))
	}
	return errors.Join(append(errs, store.PutJSON(tx, bucketModels, modelInfoKey, modelInfo{Number: number}))...)
}

// forget drops what memory holds of the model and the notes.
func (ws *workspace) forget(number int) {
	ws.choosing.Lock()
	ws.sample = sampleState{}
	ws.choosing.Unlock()
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.model = modelState{info: modelInfo{Number: number}, tagger: ws.model.tagger + 1}
	ws.rules, ws.findings = rulesState{}, map[annotate.DocumentID][]rules.Finding{}
}
