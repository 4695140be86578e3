// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"fmt"

	"hide/internal/crf"
	"hide/internal/crf/score"
	"hide/internal/greedy"
	"hide/internal/store"
)

// How a model is measured. Fewer iterations than a model in use gets are enough
// to tell how good it is, and err on the low side.
const (
	checkFolds      = 3
	checkIterations = 60
	checkSeed       = 1
	checkResamples  = 1000
	minRandom       = 10 // randomly chosen documents needed to score on them alone
)

// check measures what models of these documents find in others of them, and puts
// the scores, and where they were wrong, beside the newest model.
func (s *Service) check(ctx context.Context, ws *workspace, c corpus, docs []crf.Doc) error {
	if differ(c.groups()) < checkFolds {
		return nil
	}
	s.phase(ws, "checking", len(docs))
	checked, err := crossValidate(ctx, c, docs, ws.trainOptions())
	if err != nil {
		return err
	}
	checked.At = s.opts.Now().UTC()
	ws.mu.Lock()
	checked.Model = ws.model.info.Number
	ws.model.info.Scores = checked.scores()
	shown := ws.model.info.Shown
	ws.model.info.Shown = ws.model.info.passes(ws.settings.MinRecall)
	info := ws.model.info
	ws.mu.Unlock()
	if info.Shown != shown {
		s.tellDocument(ws.id, 0)
		s.tell(ws.id, TopicQueue)
	}
	ev := store.Event{Actor: "system", Action: "check", Object: ws.id.object("models", info.Number)}
	return s.update(ws.id, ev, func(tx *store.Tx) error {
		return errors.Join(put(tx, bucketModels, modelInfoKey, info), put(tx, bucketModels, modelCheckKey, checked))
	})
}

// crossValidate tags each document by a model that saw no document of its
// patient, and scores what it finds. With enough randomly chosen documents it
// scores those alone, since what uncertainty chose is harder than the rest; what
// is wrong is listed of all.
func crossValidate(ctx context.Context, c corpus, docs []crf.Doc, o trainOptions) (checkRecord, error) {
	o.MaxIterations = checkIterations
	seen, err := crf.CrossValidate(ctx, docs, c.groups(), checkFolds, checkSeed, o.Options)
	if err != nil {
		return checkRecord{}, fmt.Errorf("check the model: %w", err)
	}
	r := checkRecord{Folds: checkFolds, Random: c.randomly() >= minRandom, Documents: len(docs)}
	all, scored := make([]score.Document, len(docs)), []score.Document(nil)
	for i, d := range c.docs {
		all[i] = score.NewDocument(d.Annotated, seen.Tags[i], seen.Sensitive[i])
		if c.random[i] || !r.Random {
			scored = append(scored, all[i])
		}
	}
	r.Report = score.Of(scored, score.Options{Resamples: checkResamples, Seed: checkSeed})
	r.Bias = biasOf(c, all)
	r.keep(c, score.Errors(all, seen.Fold))
	return r, nil
}

// scores are what the strip beside a note says.
func (r checkRecord) scores() Scores {
	b := r.Report.Binary
	precision, recall := greedy.Estimate{Value: b.Precision, High: 1}, greedy.Estimate{Value: b.Recall, High: 1}
	if i := b.Interval; i != nil {
		precision.Low, precision.High = i.Precision.Low, i.Precision.High
		recall.Low, recall.High = i.Recall.Low, i.Recall.High
	}
	return Scores{Precision: precision, Recall: recall, Folds: r.Folds, Documents: r.Report.Documents, Model: r.Model, Random: r.Random, At: r.At}
}
