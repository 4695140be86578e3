// SPDX-License-Identifier: Apache-2.0

package training

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"hide/internal/account"
	"hide/internal/crf"
	"hide/internal/job"
	"hide/internal/parallel"
	"hide/internal/project"
	"hide/internal/store"
)

// trainFrom is how many finished documents the first model needs.
const trainFrom = 3

// Training says what the model is doing.
func (s *Service) Training(ctx context.Context, by account.User, id project.ID) (Status, error) {
	ws, err := s.enterAny(by, id, account.ReadNotes, account.SeeFigures)
	if err != nil {
		return Status{}, err
	}
	done, _, _ := ws.FinishedCounts()
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return s.training(ws, done), nil
}

// training is the state of training with n finished documents. The caller holds ws.mu.
func (s *Service) training(ws *workspace, done int) Status {
	m := &ws.model
	t := Status{
		Model: m.number(), Documents: m.info.Documents, Of: max(m.info.Of, m.info.Documents), Finished: m.info.Finished, Took: m.info.Took, Scores: m.info.Scores,
		Done: done, NeedMore: max(0, trainFrom-done), Offer: ws.offer(),
	}
	for _, task := range []*project.Task[progress]{ws.retag, ws.check, ws.train} { // the last one that runs is shown
		p, running := task.State()
		running = running && p.phase != ""
		busy, waiting := task.Pending()
		t.Queued = t.Queued || waiting || busy && !running // about to begin
		if !running {
			continue
		}
		t.Running, t.Phase, t.Learning, t.Elapsed = true, p.phase, p.learning, sinceStart(p.started, s.projects.Now())
		t.Iteration, t.Objective = p.iteration, p.objective
	}
	p, _ := ws.train.State()
	c, _ := ws.check.State()
	t.Error, t.CheckError = p.failure, c.failure
	return t
}

// Train requests a model of the current finished documents. At most one training runs and
// one waits.
func (s *Service) Train(ctx context.Context, by account.User, id project.ID) error {
	return s.ask(by, id, func(ws *workspace) { ws.retrain() })
}

// TrainOnAll requests a model of all finished documents, however many there are. Later
// trainings use the sample again.
func (s *Service) TrainOnAll(ctx context.Context, by account.User, id project.ID) error {
	return s.ask(by, id, func(ws *workspace) {
		ws.trainOnAll.Store(true)
		ws.retrain()
	})
}

// ask runs do if there are enough finished documents for a model.
func (s *Service) ask(by account.User, id project.ID, do func(*workspace)) error {
	ws, err := s.enter(by, account.Annotate, id)
	if err != nil {
		return err
	}
	notes, _, _ := ws.FinishedCounts()
	if missing := trainFrom - notes; missing > 0 {
		return project.Invalidf("finish more notes first", "the first model needs %d finished notes, %d more than there are", trainFrom, missing)
	}
	do(ws)
	return nil
}

// CancelTraining cancels the running training and check, and drops the waiting ones. The
// current model and its figures stay.
func (s *Service) CancelTraining(ctx context.Context, by account.User, id project.ID) error {
	ws, err := s.enter(by, account.Annotate, id)
	if err != nil {
		return err
	}
	ws.cancelAll()
	return nil
}

func (ws *workspace) cancelAll() {
	for _, task := range []*project.Task[progress]{ws.train, ws.check, ws.retag} {
		task.Cancel()
	}
}

// retrain queues a training if there are enough finished documents. It never waits for a
// check or for suggestions: these wait for it, see [workspace.giveWay].
func (ws *workspace) retrain() {
	if notes, _, _ := ws.FinishedCounts(); notes < trainFrom {
		return
	}
	ws.unlessHeld(func() {
		ws.train.Enqueue(
			func(ctx context.Context) error {
				err := parallel.Low(func() error {
					return parallel.Guard(func() error { return ws.service.trainingSteps(ctx, ws) })
				})
				return errors.Join(err, ws.service.recordFailure(ctx, ws.ID, err))
			},
			func(p *progress, err error) { p.phase, p.failure = "", trainingFailure(err) },
		)
	})
}

// giveWay waits until no training runs or waits. A check calls it between iterations, and
// reading open notes between notes: a person waits for the training.
func (ws *workspace) giveWay(ctx context.Context) error { return ws.train.Wait(ctx) }

// recordFailure puts a training that failed on record. One that was cancelled has not failed.
func (s *Service) recordFailure(ctx context.Context, id project.ID, err error) error {
	err = job.Cause(ctx, err)
	if err == nil || errors.Is(err, context.Canceled) {
		return nil
	}
	return s.projects.Record(id, project.SystemEvent("fail training", id.Object("models"), ""))
}

func trainingFailure(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "the last training was cancelled; the previous model is in use"
	}
	return "the last training failed; the previous model is in use (" + err.Error() + ")"
}

func (s *Service) trainingSteps(ctx context.Context, ws *workspace) error {
	s.phase(ws.train, "training", 0)
	all := ws.trainOnAll.Swap(false)
	c, of, err := ws.corpus(ctx, all)
	if err != nil {
		return err
	}
	ws.mu.RLock()
	known, warm := ws.model.info, ws.model.model
	ws.mu.RUnlock()
	if err := s.measureRules(ctx, ws, c); err != nil {
		return err
	}
	if err := s.learnKnown(ctx, ws, c); err != nil {
		return err
	}
	opts, err := s.trainOptions(ws)
	if err != nil {
		return err
	}
	if known.Revisions != c.Revisions || known.Options != opts.fingerprint() {
		opts.Workers = parallel.Spare()
		if err := s.learn(ctx, ws, c, of, warm, opts); err != nil {
			return err
		}
	}
	ws.scoreOpen()
	ws.checkWhenDue()
	return nil
}

// learn trains a model of the documents, of so many finished ones, and makes it the
// newest.
func (s *Service) learn(ctx context.Context, ws *workspace, c project.Corpus, of int, warm *crf.Model, opts trainOptions) error {
	docs := c.Views()
	s.phase(ws.train, "training", len(docs))
	start := s.projects.Now()
	opts.Warm, opts.Progress = warm, func(it crf.Iteration) { s.iteration(ws.train, it) }
	trainer, err := s.trainers.of(ws.ID, opts)
	if err != nil {
		return err
	}
	model, _, err := trainer.Train(ctx, docs)
	if err != nil {
		return fmt.Errorf("train on %d documents: %w", len(docs), err)
	}
	ws.storing.Lock() // a check may end now
	defer ws.storing.Unlock()
	info := ws.next(opts)
	info.Documents, info.Of, info.Revisions = len(docs), of, c.Revisions
	info.Finished = s.projects.Now().UTC()
	info.Took = sinceStart(start, s.projects.Now())
	if model, err = s.described(model, info, c); err != nil {
		return err
	}
	if err := s.storeModel(ws, info, model); err != nil {
		return err
	}
	ws.swap(info, model)
	s.projects.Tell(ws.ID, project.TopicTraining)
	s.projects.TellDocument(ws.ID, 0)
	s.projects.Tell(ws.ID, project.TopicQueue)
	return nil
}

// described returns a model with the project's facts on its card; the check adds the
// scores.
func (s *Service) described(m *crf.Model, info modelInfo, c project.Corpus) (*crf.Model, error) {
	card := m.Card()
	card.Program, card.Date = s.projects.Version(), info.Finished.Format(time.DateOnly)
	patients := map[string]bool{}
	for _, d := range c.Docs {
		if key := d.Person(); key != "" {
			patients[key] = true
		}
	}
	card.Data.Patients = len(patients)
	return m.WithCard(card)
}

func (s *Service) storeModel(ws *workspace, info modelInfo, model *crf.Model) error {
	raw, err := encodeModel(model)
	if err != nil {
		return err
	}
	ev := project.SystemEvent("train", ws.ID.Object("models", info.Number), fmt.Sprintf("%d documents", info.Documents))
	return s.projects.Update(ws.ID, ev, func(tx *store.Tx) error {
		return errors.Join(tx.Put(bucketModels, modelKey, raw), store.PutJSON(tx, bucketModels, modelInfoKey, info))
	})
}

// progress is the progress of the current training or check, and how the last one ended.
type progress struct {
	phase     string // "" while none runs
	iteration int
	objective float64
	learning  int
	started   time.Time
	failure   string
}

func (s *Service) phase(task *project.Task[progress], phase string, learning int) {
	task.Change(func(p *progress) {
		if p.phase == "" {
			p.started, p.failure = s.projects.Now(), ""
		}
		p.phase, p.learning, p.iteration = phase, learning, 0
	})
}

func (s *Service) iteration(task *project.Task[progress], it crf.Iteration) {
	task.Change(func(p *progress) { p.iteration, p.objective = it.Number, it.Objective })
}

// differentGroups counts the different strings.
func differentGroups(groups []string) int {
	seen := map[string]bool{}
	for _, g := range groups {
		seen[g] = true
	}
	return len(seen)
}

// sinceStart rounds a duration for display.
func sinceStart(start, now time.Time) time.Duration {
	return max(0, now.Sub(start)).Round(time.Millisecond) // 0 if the clock was set back
}

// keptTrainers is how many projects keep the state of their last training, about 100
// bytes per token, so that the next training reads only new notes.
const keptTrainers = 2

// trainers holds the trainers of the most recently trained projects, the newest last.
type trainers struct {
	mu   sync.Mutex
	kept []keptTrainer
}

type keptTrainer struct {
	id      project.ID
	options trainOptions // without functions, model and phrases
	*crf.Trainer
}

// of returns the project's trainer, or a new one that starts from o.Warm if there is none
// or its options differ.
func (t *trainers) of(id project.ID, o trainOptions) (*crf.Trainer, error) {
	plain := o
	plain.Warm, plain.Progress, plain.Dictionaries, plain.Classes = nil, nil, nil, nil
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.kept, func(k keptTrainer) bool { return k.id == id })
	if i >= 0 {
		k := t.kept[i]
		t.kept = slices.Delete(t.kept, i, i+1)
		if reflect.DeepEqual(k.options, plain) {
			k.Progress = o.Progress
			t.kept = append(t.kept, k)
			return k.Trainer, nil
		}
	}
	made, err := crf.NewTrainer(o.Options)
	if err != nil {
		return nil, err
	}
	t.kept = append(t.kept, keptTrainer{id, plain, made})
	t.kept = t.kept[max(0, len(t.kept)-keptTrainers):]
	return made, nil
}

// drop forgets the state of a project's last training.
func (t *trainers) drop(id project.ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = slices.DeleteFunc(t.kept, func(k keptTrainer) bool { return k.id == id })
}

// optionsOf returns the training options of the settings, without dictionaries.
func optionsOf(s project.Settings) trainOptions {
	return trainOptions{Options: crf.Options{Features: s.Features(), C2: s.C2, Sampling: s.Sampling}}
}

// trainOptions are how a project's models are trained, and checked.
type trainOptions struct {
	crf.Options
	dictionaries string // identifies Options.Dictionaries; see dictionaryLists
	classes      string // identifies Options.Classes, "" for the program's own
}

// fingerprint changes whenever other options would give another model.
func (o trainOptions) fingerprint() string {
	mark := fmt.Sprintf("features=%x c2=%g sampling=%s", uint32(o.Features), o.C2, o.Sampling)
	if o.dictionaries != "" { // without dictionaries, models of older versions stay valid
		mark += " dictionaries=" + o.dictionaries
	}
	if o.classes != "" {
		mark += " classes=" + o.classes
	}
	return mark
}
