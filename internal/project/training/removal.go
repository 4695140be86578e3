// SPDX-License-Identifier: Apache-2.0

package training

import (
	"context"
	"errors"
	"slices"

	"hide/internal/project"
	"hide/internal/store"
)

// Hold stops the training and the curves of a project and lets none start, while notes
// are removed. resume drops the model from memory if drop is set, and trains again.
func (s *Service) Hold(ctx context.Context, p *project.Workspace) (resume func(drop bool), err error) {
	ws := of(p)
	ws.held.Store(true)
	resume = func(drop bool) {
		if drop {
			ws.drop()
		}
		ws.held.Store(false)
		ws.retrain()
		s.projects.Tell(ws.ID, project.TopicTraining)
		s.projects.TellDocument(ws.ID, 0)
	}
	if err := errors.Join(ws.train.Stop(ctx), ws.measure.Stop(ctx)); err != nil {
		resume(false)
		return nil, err
	}
	return resume, nil
}

// drop removes everything that was learned from notes from memory. The next model has the
// next number.
func (ws *workspace) drop() {
	ws.service.trainers.drop(ws.ID)
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.model = modelState{info: modelInfo{Number: ws.model.info.Number}, tagger: ws.model.tagger + 1}
	ws.rules, ws.findings = rulesState{}, nil
}

// drop forgets the trainer of a project.
func (t *trainers) drop(id project.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = slices.DeleteFunc(t.kept, func(k keptTrainer) bool { return k.id == id })
}

// Purge deletes the model, the detector and everything else that was learned from notes,
// if one of the removed notes may be among them. It returns how many models it deleted.
func (s *Service) Purge(tx *store.Tx, r project.Removal) (models int, err error) {
	if !r.Trained {
		return 0, nil
	}
	info, err := store.GetJSON[modelInfo](tx, bucketModels, modelInfoKey)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	for _, key := range [][]byte{modelKey, detectorKey} {
		if _, err := tx.Get(bucketModels, key); err == nil {
			models++
		}
	}
	err = nil
	for _, key := range [][]byte{modelKey, modelInfoKey, modelCheckKey, modelRulesKey, detectorKey, detectorRunKey, curveRecordKey, curveEarlierKey} {
		err = errors.Join(err, tx.Delete(bucketModels, key))
	}
	return models, errors.Join(err, store.PutJSON(tx, bucketModels, modelInfoKey, modelInfo{Number: info.Number}))
}

// ForgetProject drops what is in memory of a destroyed project.
func (s *Service) ForgetProject(p *project.Workspace) { of(p).drop() }
