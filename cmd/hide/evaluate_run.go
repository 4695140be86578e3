// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/score"
)

// evaluated is what models said of notes that they had not seen.
type evaluated struct {
	docs   []score.Prediction
	notes  []annotate.Annotated
	fold   []int              // of each, with cross-validation
	learnt []score.Prediction // what the model learnt from, without; nil when not known
	train  evaluationTrain
	tag    evaluationTag
	sha256 string
}

// evaluationTrain adds up all trainings when there are folds.
type evaluationTrain struct {
	Seconds    float64 `json:"seconds"`
	Objective  float64 `json:"objective"`
	Iterations int     `json:"iterations"`
}

func (t *evaluationTrain) add(s crf.Stats) {
	t.Seconds += s.Seconds
	t.Objective += s.Objective
	t.Iterations += s.Number
}

type evaluationTag struct {
	TokensPerSecond float64 `json:"tokens_per_second"`
}

func newEvaluationTag(tokens int, took time.Duration) evaluationTag {
	return evaluationTag{float64(tokens) / max(took.Seconds(), 1e-9)}
}

func (e *env) trainAndTag(ctx context.Context, learn, test []annotate.Annotated, o crf.Options) (*evaluated, error) {
	m, stats, err := e.train(ctx, learn, o)
	if err != nil {
		return nil, err
	}
	said, err := tagAll(ctx, m, test)
	if err != nil {
		return nil, err
	}
	said.train.add(stats)
	said.learnt = make([]score.Prediction, len(learn))
	for i, n := range learn {
		said.learnt[i] = score.Prediction{Note: new(annotate.NewNote(n))}
	}
	return said, nil
}

// tagAll lets a model tag notes, and times the tagging alone.
func tagAll(ctx context.Context, m *crf.Model, notes []annotate.Annotated) (*evaluated, error) {
	docs, tags := annotate.Views(annotate.NewNotes(notes)), make([][]annotate.Suggestion, len(notes))
	tokens := 0
	for _, d := range docs {
		tokens += len(d.Words)
	}
	began := time.Now()
	for i, d := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tags[i] = m.Tag(d)
	}
	said := &evaluated{notes: notes, tag: newEvaluationTag(tokens, time.Since(began)), docs: make([]score.Prediction, len(notes))}
	for i, d := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		said.docs[i] = score.Prediction{Note: d.Note, Predicted: tags[i], Probability: m.Sensitive(d)}
	}
	said.sha256 = hashModels(m)
	return said, nil
}

func (e *env) crossValidate(ctx context.Context, notes []annotate.Annotated, v evaluateFlags, o crf.Options) (*evaluated, error) {
	docs, groups, tokens := annotate.Views(annotate.NewNotes(notes)), make([]string, len(notes)), 0
	for i, d := range docs {
		groups[i] = d.Group
		tokens += len(d.Words)
	}
	p, passed := e.progress("training the folds, iteration"), 0
	o.Progress = func(i crf.Iteration) {
		passed++
		p.step(passed, 0, fmt.Sprintf("objective %.1f", i.Objective))
	}
	c, err := crf.CrossValidate(ctx, docs, groups, v.folds, v.seed, o)
	p.end()
	if err != nil {
		return nil, err
	}
	said := &evaluated{notes: notes, fold: c.Fold, tag: newEvaluationTag(tokens, c.Tagging), docs: make([]score.Prediction, len(notes))}
	for i, d := range docs {
		said.docs[i] = score.Prediction{Note: d.Note, Predicted: c.Tags[i], Probability: c.Sensitive[i]}
	}
	for _, s := range c.Training {
		said.train.add(s)
	}
	said.sha256 = hashModels(c.Models...)
	return said, nil
}

// hashModels is a model's hash, or, of several, the SHA-256 of their hashes in order.
func hashModels(models ...*crf.Model) string {
	all := sha256.New()
	for _, m := range models {
		hash := m.Hash()
		if len(models) == 1 {
			return hex.EncodeToString(hash[:])
		}
		all.Write(hash[:])
	}
	return hex.EncodeToString(all.Sum(nil))
}

// errors lists what is wrong, with reasons as far as is known what models learnt from.
func (said *evaluated) errors() []score.Error {
	if said.fold != nil {
		return score.Errors(said.docs, said.fold)
	}
	return score.ErrorsAfter(said.docs, said.learnt)
}
