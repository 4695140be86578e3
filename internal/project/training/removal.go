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

// Hold stops all work on the models of a project and lets none start, while notes are
// removed. resume drops the model from memory if drop is set, and trains again.
func (s *Service) Hold(ctx context.Context, p *project.Workspace) (resume func(drop bool), err error) {
	ws := of(p)
	ws.setHeld(true)
	resume = func(drop bool) {
		if drop {
			ws.forget()
		}
		ws.setHeld(false)
		ws.retrain()
		s.projects.Tell(ws.ID, project.TopicTraining)
		s.projects.Tell(ws.ID, project.TopicQueue)
		s.projects.TellDocument(ws.ID, 0)
	}
	if err := ws.stopAll(ctx); err != nil {
		resume(false)
		return nil, fmt.Errorf("stop the training of %s: %w", ws.ID, err)
	}
	return resume, nil
}

func (ws *workspace) setHeld(held bool) {
	ws.starting.Lock()
	defer ws.starting.Unlock()
	ws.held = held
}

// unlessHeld starts work on the notes, unless notes are being removed. Work that starts
// before a removal is stopped by it. It reports whether the work started.
func (ws *workspace) unlessHeld(start func()) bool {
	ws.starting.Lock()
	defer ws.starting.Unlock()
	if !ws.held {
		start()
	}
	return !ws.held
}

// startAlone starts work on the notes as the one task of its kind. It returns busy when
// the task runs already, and an error while notes are being removed.
func startAlone[T any](ws *workspace, task *project.Task[T], first T, work func(context.Context) error, end func(*T, error), busy *project.Error) error {
	claimed := false
	started := ws.unlessHeld(func() {
		if claimed = task.Claim(first); claimed {
			task.Start(work, end)
		}
	})
	switch {
	case !started:
		return &project.Error{Kind: project.Stale, Message: "notes are being removed", Hint: "try again in a moment"}
	case !claimed:
		return busy
	}
	return nil
}

// stopAll cancels all work on models and waits for its end.
func (ws *workspace) stopAll(ctx context.Context) error {
	ws.cancelAll()
	ws.measure.Cancel()
	ws.classes.Cancel()
	return errors.Join(ws.train.Wait(ctx), ws.check.Wait(ctx), ws.retag.Wait(ctx), ws.measure.Wait(ctx), ws.classes.Wait(ctx))
}

// Purge deletes the model and its check, if one of the removed notes may be among those that
// they come from, and then for a patient the detector and the curves too. It returns how many
// models it deleted. Word classes come from all notes, and so do models that use them. The number stays, so that no other model gets it. Dictionaries stay:
// they come from files, never from notes.
func (s *Service) Purge(tx *store.Tx, r project.Removal) (models int, err error) {
	info, err := store.GetJSON[modelInfo](tx, bucketModels, modelInfoKey)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	learnt, err := purgeClasses(tx)
	if err != nil {
		return 0, err
	}
	keys := [][]byte{modelKey, modelCheckKey, modelRulesKey}
	switch {
	case r.Trained || learnt:
		keys = append(keys, detectorKey, detectorRunKey, curveRecordKey, curveEarlierKey)
	case !info.Finished.Before(r.Binned): // the notes were in the bin before it was trained
		return 0, nil
	}
	for _, key := range keys {
		if _, there := tx.Get(bucketModels, key); there == nil && (string(key) == string(modelKey) || string(key) == string(detectorKey)) {
			models++
		}
		err = errors.Join(err, tx.Delete(bucketModels, key))
	}
	return models, errors.Join(err, store.PutJSON(tx, bucketModels, modelInfoKey, modelInfo{Number: info.Number}))
}

// forget drops from memory what was trained, and what is known of the notes for that. The
// next model has the next number.
func (ws *workspace) forget() {
	ws.service.trainers.drop(ws.ID)
	ws.choosing.Lock()
	ws.sample = sampleState{}
	ws.choosing.Unlock()
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.model = modelState{info: modelInfo{Number: ws.model.info.Number}, tagger: ws.model.tagger + 1}
	ws.rules, ws.findings = rulesState{}, map[annotate.DocumentID][]rules.Finding{}
	ws.identified, ws.occurrences = knownState{}, map[annotate.DocumentID][]rules.Finding{}
}

// ForgetProject drops what is in memory of a destroyed project.
func (s *Service) ForgetProject(p *project.Workspace) { of(p).forget() }
