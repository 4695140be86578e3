// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hide/internal/account"
	"hide/internal/crf"
	"hide/internal/parallel"
	"hide/internal/store"
)

// trainFrom is how many finished documents the first model needs.
const trainFrom = 3

func trainKey(id ID) string { return "train/" + string(id) }

// Training says what the model is doing.
func (s *Service) Training(ctx context.Context, by account.User, id ID) (Training, error) {
	ws, err := s.EnterAny(by, id, account.ReadNotes, account.SeeFigures)
	if err != nil {
		return Training{}, err
	}
	done := len(ws.Finished())
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return s.training(ws, done), nil
}

// training is what the model is doing, with so many finished documents. The caller
// holds ws.mu.
func (s *Service) training(ws *Workspace, done int) Training {
	m := &ws.model
	busy, queued := s.jobs.State(trainKey(ws.ID))
	queued = queued || busy && !m.running // about to begin
	t := Training{
		Model: m.number(), Documents: m.info.Documents, Finished: m.info.Finished, Took: m.info.Took, Scores: m.info.Scores,
		Running: m.running, Queued: queued, Iteration: m.iteration, Objective: m.objective, Phase: m.phase, Learning: m.learning,
		Error: m.failure, NeedMore: max(0, trainFrom-done), Offer: ws.offer(),
	}
	if m.running {
		t.Elapsed = sinceStart(m.started, s.opts.Now())
	}
	return t
}

// Train asks for a model of the finished documents as they are now. At most one
// training runs and one waits.
func (s *Service) Train(ctx context.Context, by account.User, id ID) error {
	ws, err := s.Enter(by, account.Annotate, id)
	if err != nil {
		return err
	}
	if missing := trainFrom - len(ws.Finished()); missing > 0 {
		return Invalidf("finish more notes first", "the first model needs %d finished notes, %d more than there are", trainFrom, missing)
	}
	s.retrain(ws)
	return nil
}

// CancelTraining ends the running training and drops the waiting one. The model
// in use stays.
func (s *Service) CancelTraining(ctx context.Context, by account.User, id ID) error {
	if _, err := s.Enter(by, account.Annotate, id); err != nil {
		return err
	}
	s.jobs.Cancel(trainKey(id))
	return nil
}

// retrain queues a training when there is enough to learn from.
func (s *Service) retrain(ws *Workspace) {
	if len(ws.Finished()) < trainFrom {
		return
	}
	j := s.jobs.Submit(trainKey(ws.ID), func(ctx context.Context) error { return s.runTraining(ctx, ws) })
	s.Tell(ws.ID, TopicTraining)
	go func() {
		<-j.Done() // only then is the project idle
		s.Tell(ws.ID, TopicTraining)
	}()
}

// runTraining is the training job: learn, swap in, look around, check.
func (s *Service) runTraining(ctx context.Context, ws *Workspace) error {
	err := parallel.Guard(func() error { return s.trainingSteps(ctx, ws) })
	ws.mu.Lock()
	ws.model.running, ws.model.phase, ws.model.failure = false, "", trainingFailure(err)
	ws.mu.Unlock()
	return err
}

func trainingFailure(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "the last training was cancelled; the model before it is in use"
	}
	return "the last training failed; the model before it is in use (" + err.Error() + ")"
}

func (s *Service) trainingSteps(ctx context.Context, ws *Workspace) error {
	c, err := ws.Snapshot(ctx)
	if err != nil {
		return err
	}
	ws.mu.RLock()
	known, warm := ws.model.info, ws.model.model
	ws.mu.RUnlock()
	docs := make([]crf.Doc, len(c.Docs))
	for i, d := range c.Docs {
		docs[i] = crf.NewDoc(d.Annotated)
	}
	model := warm
	if err := s.measureRules(ctx, ws, c); err != nil {
		return err
	}
	opts, err := s.trainOptions(ws)
	if err != nil {
		return err
	}
	if known.Revisions != c.Revisions || known.Options != opts.fingerprint() {
		if model, err = s.learn(ctx, ws, c, docs, warm, opts); err != nil {
			return err
		}
	}
	s.phase(ws, "suggesting", len(docs))
	if err := s.lookAround(ctx, ws, model); err != nil {
		return err
	}
	s.Tell(ws.ID, TopicQueue)
	if _, waiting := s.jobs.State(trainKey(ws.ID)); waiting {
		return nil // the next training will check
	}
	return s.check(ctx, ws, c, docs, opts)
}

// learn trains a model of the documents and makes it the newest.
func (s *Service) learn(ctx context.Context, ws *Workspace, c Corpus, docs []crf.Doc, warm *crf.Model, opts trainOptions) (*crf.Model, error) {
	s.phase(ws, "training", len(docs))
	start := s.opts.Now()
	opts.Warm, opts.Progress = warm, func(it crf.Iteration) { s.iteration(ws, it) }
	trainer, err := s.trainers.of(ws.ID, opts)
	if err != nil {
		return nil, err
	}
	model, _, err := trainer.Train(ctx, docs)
	if err != nil {
		return nil, fmt.Errorf("train on %d documents: %w", len(docs), err)
	}
	info := ws.next(opts)
	info.Documents, info.Revisions = len(docs), c.Revisions
	info.Finished = s.opts.Now().UTC()
	info.Took = sinceStart(start, s.opts.Now())
	if model, err = s.described(model, info, c); err != nil {
		return nil, err
	}
	if err := s.storeModel(ws, info, model); err != nil {
		return nil, err
	}
	ws.swap(info, model)
	s.Tell(ws.ID, TopicTraining)
	s.TellDocument(ws.ID, 0)
	return model, nil
}

// described is a model whose card says what the project knows of it; its scores
// come with the check.
func (s *Service) described(m *crf.Model, info modelInfo, c Corpus) (*crf.Model, error) {
	card := m.Card()
	card.Program, card.Date = s.opts.Version, info.Finished.Format(time.DateOnly)
	patients := map[string]bool{}
	for _, d := range c.Docs {
		if d.Patient != "" {
			patients[d.Patient] = true
		}
	}
	card.Data.Patients = len(patients)
	return m.WithCard(card)
}

func (s *Service) storeModel(ws *Workspace, info modelInfo, model *crf.Model) error {
	raw, err := encodeModel(model)
	if err != nil {
		return err
	}
	ev := store.Event{Actor: "system", Action: "train", Object: ws.ID.Object("models", info.Number), Detail: fmt.Sprintf("%d documents", info.Documents)}
	return s.Update(ws.ID, ev, func(tx *store.Tx) error {
		return errors.Join(tx.Put(bucketModels, modelKey, raw), store.PutJSON(tx, bucketModels, modelInfoKey, info))
	})
}

func (s *Service) phase(ws *Workspace, phase string, learning int) {
	ws.mu.Lock()
	if !ws.model.running {
		ws.model.started, ws.model.failure = s.opts.Now(), ""
	}
	ws.model.running, ws.model.phase, ws.model.learning, ws.model.iteration = true, phase, learning, 0
	ws.mu.Unlock()
	s.Tell(ws.ID, TopicTraining)
}

func (s *Service) iteration(ws *Workspace, it crf.Iteration) {
	ws.mu.Lock()
	ws.model.iteration, ws.model.objective = it.Number, it.Objective
	ws.mu.Unlock()
	s.Tell(ws.ID, TopicTraining)
}

// differ counts the different strings.
func differentGroups(groups []string) int {
	seen := map[string]bool{}
	for _, g := range groups {
		seen[g] = true
	}
	return len(seen)
}

// sinceStart rounds a duration to what people read.
func sinceStart(start, now time.Time) time.Duration { return now.Sub(start).Round(time.Millisecond) }
