// SPDX-License-Identifier: Apache-2.0

package training

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/crf"
	"hide/internal/crf/score"
	"hide/internal/greedy"
	"hide/internal/parallel"
	"hide/internal/project"
	"hide/internal/store"
)

// How a model is measured. Fewer iterations than in real training are enough, and
// underestimate the quality.
const (
	checkFolds      = 3
	checkIterations = 60
	checkSeed       = 1
	checkResamples  = 1000
	MinRandom       = 10 // random documents needed to measure on them alone
)

// checkWhenDue queues a check. It begins when no training runs, and only if it can change
// a decision then.
func (ws *workspace) checkWhenDue() {
	ws.unlessHeld(func() {
		ws.check.Enqueue(
			func(ctx context.Context) error {
				return parallel.Low(func() error { return ws.service.checkSteps(ctx, ws) })
			},
			func(p *progress, err error) {
				p.phase, p.failure = "", project.Failure(err, "", "the last check failed; the earlier figures are kept: ")
			},
		)
	})
}

// CheckNow requests a check of the newest model, whether or not one is due.
func (s *Service) CheckNow(ctx context.Context, by account.User, id project.ID) error {
	return s.ask(by, id, func(ws *workspace) {
		if _, patients, _ := ws.FinishedCounts(); patients >= checkFolds {
			ws.checkAsked.Store(true)
			ws.checkWhenDue()
		}
	})
}

// checkDue reports whether a check can change a decision: the model has no figures, the
// labels have changed, or the number of finished notes has changed by a tenth since the
// last check. Figures of other options are dropped when a model is trained.
func (ws *workspace) checkDue() bool {
	notes, patients, _ := ws.FinishedCounts()
	labels := project.Joined(ws.Labels().Labels())
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	last := ws.model.info.Scores
	return ws.model.model != nil && patients >= checkFolds &&
		(last.Documents == 0 || last.Labels != labels || bootstrap.CheckDue(last.Finished, notes))
}

func (s *Service) checkSteps(ctx context.Context, ws *workspace) error {
	if err := ws.giveWay(ctx); err != nil {
		return err
	}
	if asked := ws.checkAsked.Swap(false); !asked && !ws.checkDue() {
		return nil
	}
	s.phase(ws.check, "checking", 0)
	c, of, err := ws.corpus(ctx, false)
	if err != nil {
		return err
	}
	opts, err := s.trainOptions(ws)
	if err != nil {
		return err
	}
	opts.Workers = 1
	return s.checkOn(ctx, ws, c, of, opts)
}

// checkOn cross-validates models of these documents, of so many finished ones, and stores
// scores and errors with the newest model. It pauses while a training runs. Its figures
// are dropped if a model with other options has replaced the one that it began with. A
// check that is not stored is not shown.
func (s *Service) checkOn(ctx context.Context, ws *workspace, c project.Corpus, of int, opts trainOptions) error {
	if differentGroups(c.Groups()) < checkFolds {
		return nil
	}
	docs, labels := c.Views(), project.Joined(ws.Labels().Labels())
	s.phase(ws.check, "checking", len(docs))
	ws.mu.RLock()
	began := ws.model.info
	ws.mu.RUnlock()
	opts.Progress = func(crf.Iteration) { _ = ws.giveWay(ctx) } // the training itself notices that ctx has ended
	checked, err := crossValidate(ctx, c, docs, opts)
	if err != nil {
		return err
	}
	ws.storing.Lock()
	defer ws.storing.Unlock()
	ws.mu.RLock()
	info, model := ws.model.info, ws.model.model
	ws.mu.RUnlock()
	if model == nil || info.Options != began.Options {
		return nil
	}
	checked.At, checked.Model, checked.Finished, checked.Labels = s.projects.Now().UTC(), began.Number, of, labels
	info.Scores = checked.scores()
	raw, err := scoredModel(model, checked)
	if err != nil {
		return err
	}
	ev := project.SystemEvent("check", ws.ID.Object("models", info.Number), "")
	err = s.projects.Update(ws.ID, ev, func(tx *store.Tx) error {
		return errors.Join(tx.Put(bucketModels, modelKey, raw), store.PutJSON(tx, bucketModels, modelInfoKey, info), store.PutJSON(tx, bucketModels, modelCheckKey, checked))
	})
	if err == nil && ws.score(info.Scores) {
		s.projects.TellDocument(ws.ID, 0)
		s.projects.Tell(ws.ID, project.TopicQueue)
	}
	return err
}

// score publishes the scores of a check and reports whether that shows or hides the
// model's suggestions.
func (ws *workspace) score(scores Scores) (changed bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	info := &ws.model.info
	shown := info.Shown
	info.Scores = scores
	info.Shown = info.passes(ws.Settings().MinRecall)
	return info.Shown != shown
}

// scoredModel is the model's file with the scores on its card.
func scoredModel(m *crf.Model, r checkRecord) ([]byte, error) {
	ratios := func(t score.Tally) crf.CardRatios {
		return crf.CardRatios{Precision: t.Precision, Recall: t.Recall, F1: t.F1}
	}
	card := m.Card()
	how := fmt.Sprintf("%d-fold cross-validation by patient, seed %d, at most %d iterations", r.Folds, checkSeed, checkIterations)
	if r.Random {
		how += ", scored on a random sample"
	}
	card.Scores = []crf.CardScore{{
		How: how, Documents: r.Report.Documents, DocumentsWithLeak: r.Report.DocumentsWithLeak,
		Entity: ratios(r.Report.Entity.Micro), Token: ratios(r.Report.Token.Micro),
	}}
	described, err := m.WithCard(card)
	if err != nil {
		return nil, err
	}
	return encodeModel(described)
}

func encodeModel(m *crf.Model) ([]byte, error) {
	var raw bytes.Buffer
	if err := m.Encode(&raw); err != nil {
		return nil, fmt.Errorf("encode the model: %w", err)
	}
	return raw.Bytes(), nil
}

// crossValidate tags each document with a model that was not trained on any document of
// its patient, and scores the result. With enough random documents it scores only these,
// because the documents chosen by uncertainty are harder. It lists the errors of all.
func crossValidate(ctx context.Context, c project.Corpus, docs []annotate.View, o trainOptions) (checkRecord, error) {
	o.MaxIterations = checkIterations
	seen, err := crf.CrossValidate(ctx, docs, c.Groups(), checkFolds, checkSeed, o.Options)
	if err != nil {
		return checkRecord{}, fmt.Errorf("check the model: %w", err)
	}
	r := checkRecord{Folds: checkFolds, Random: c.RandomNotes() >= project.MinRandom, Documents: len(docs)}
	all, scored := make([]score.Prediction, len(docs)), []score.Prediction(nil)
	for i, d := range docs {
		all[i] = score.Prediction{Note: d.Note, Predicted: seen.Tags[i], Probability: seen.Sensitive[i]}
		if c.Random[i] || !r.Random {
			scored = append(scored, all[i])
		}
	}
	r.Report = score.Of(scored, score.Options{Resamples: checkResamples, Seed: checkSeed})
	r.Entities, r.Bias = protection(scored), biasOf(c, all)
	r.keep(c, score.Errors(all, seen.Fold))
	return r, nil
}

// scores are the figures of the strip next to a note.
func (r checkRecord) scores() Scores {
	b := r.Report.Binary
	precision, recall := greedy.Estimate{Value: b.Precision, High: 1}, greedy.Estimate{Value: b.Recall, High: 1}
	if i := b.Interval; i != nil {
		precision.Low, precision.High = i.Precision.Low, i.Precision.High
		recall.Low, recall.High = i.Recall.Low, i.Recall.High
	}
	return Scores{Precision: precision, Recall: recall, Folds: r.Folds, Documents: r.Report.Documents, Model: r.Model, Random: r.Random, At: r.At, Finished: r.Finished, Labels: r.Labels}
}

// biasOf compares the two kinds of notes among the documents of a check.
func biasOf(c project.Corpus, checked []score.Prediction) bootstrap.Bias {
	var reads []bootstrap.Read
	for i, d := range c.Docs {
		if c.Help[i] == project.HelpShown || c.Help[i] == project.HelpBlind {
			reads = append(reads, bootstrap.Read{Group: d.Group(), Assisted: c.Help[i] == project.HelpShown, Document: checked[i]})
		}
	}
	return bootstrap.BiasOf(reads, checkSeed)
}

// BlindNotes is what the last check of a model says about notes annotated with and
// without suggestions.
func (s *Service) BlindNotes(ctx context.Context, by account.User, id project.ID) (BlindNotes, error) {
	ws, err := s.enterAny(by, id, account.ManageWork, account.ReadNotes)
	if err != nil {
		return BlindNotes{}, err
	}
	last, err := s.lastCheck(id)
	if err != nil {
		return BlindNotes{}, err
	}
	b := BlindNotes{Share: ws.Settings().Blind}
	b.Done, b.Assisted = ws.HelpCounts()
	if last != nil {
		b.Bias, b.At = last.Bias, last.At
	}
	return b, nil
}
