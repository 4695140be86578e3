// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/score"
	"hide/internal/greedy"
	"hide/internal/greedy/learners"
	"hide/internal/lab"
)

// marking trains a learner that marks PHI without labels, and marks notes with it.
type marking struct {
	learner greedy.Learner
	found   *Predictions
	views   []annotate.View // of the notes to score
	hashes  [][]byte        // of the classifiers, in order
	took    time.Duration   // of marking
	tokens  int
}

// mark trains as the sources say and marks their notes. Notes that are held out together
// are marked together, as notes that are published together are.
func (s Sources) mark(ctx context.Context, o crf.Options, progress lab.Progress) (*Predictions, error) {
	if err := CheckCosts(learningNotes(s.Train, s.Notes), o.Sampling); err != nil {
		return nil, err
	}
	l, err := lab.Learner(s.Learner, learners.Options{CRF: o, Seed: s.Seed})
	if err != nil {
		return nil, refuse("learner", "%v", err)
	}
	var programs []*lab.Outside
	if program, is := l.(*lab.Outside); is {
		programs = append(programs, program)
	}
	within, stop := lab.Within(ctx, programs)
	defer stop()
	m := &marking{learner: l, views: annotate.Views(annotate.NewNotes(s.Notes)), found: newPredictions(len(s.Notes), tagging{})}
	if s.Train != nil {
		err = m.split(within, s.Train)
	} else {
		err = m.folds(within, s.Folds, s.Seed, progress)
	}
	if cause := context.Cause(within); cause != nil {
		err = cause
	}
	if err != nil {
		return nil, err
	}
	return m.found, nil
}

// learningNotes are the notes to train on: those for training, or those that are dealt to folds.
func learningNotes(train, notes []annotate.Annotated) []annotate.Annotated {
	if train != nil {
		return train
	}
	return notes
}

// split trains on some notes and marks all others.
func (m *marking) split(ctx context.Context, train []annotate.Annotated) error {
	learnt, held := annotate.Views(annotate.NewNotes(train)), make([]int, len(m.views))
	for i := range held {
		held[i] = i
	}
	m.found.explain(train)
	if err := m.part(ctx, learnt, held); err != nil {
		return err
	}
	m.finish()
	return nil
}

// folds marks each fold after training on the others. The folds are those of
// [CrossValidate], so that learners compare on the same ones.
func (m *marking) folds(ctx context.Context, folds int, seed uint64, progress lab.Progress) error {
	groups := make([]string, len(m.views))
	for i, v := range m.views {
		groups[i] = v.Group
	}
	fold, err := crf.Folds(groups, folds, seed)
	if err != nil {
		return fmt.Errorf("cross-validate: %w", err)
	}
	m.found.fold = fold
	bar := progress.Start("training " + m.learner.Name() + ", fold")
	defer bar.End()
	for f := range folds {
		bar.Step(f+1, folds, "")
		var rest []annotate.View
		var held []int
		for i, v := range m.views {
			if fold[i] == f {
				held = append(held, i)
			} else {
				rest = append(rest, v)
			}
		}
		if err := m.part(ctx, rest, held); err != nil {
			return fmt.Errorf("cross-validate: fold %d of %d: %w", f+1, folds, err)
		}
	}
	m.finish()
	return nil
}

// part trains on some views, and marks the notes at some places.
func (m *marking) part(ctx context.Context, train []annotate.View, at []int) error {
	began := time.Now()
	h, err := greedy.Fit(ctx, m.learner, train)
	if err != nil {
		return err
	}
	m.found.train.Seconds += time.Since(began).Seconds()
	held := make([]annotate.View, len(at))
	for k, i := range at {
		held[k] = m.views[i]
		m.tokens += len(held[k].Words)
	}
	began = time.Now()
	marks := greedy.HardAll(h, held)
	m.took += time.Since(began)
	scores := greedy.ScoreAll(h, held)
	for k, i := range at {
		m.found.docs[i] = marked(held[k].Note, marks[k], scores[k])
		m.found.likely[i] = slices.Repeat([]annotate.Label{score.RunLabel}, len(marks[k]))
	}
	// Not every classifier can be written to a file, an outside program for one.
	if raw, err := learners.Encode(h); err == nil {
		sum := sha256.Sum256(raw)
		m.hashes = append(m.hashes, sum[:])
	}
	return ctx.Err()
}

// finish fills in what all parts together say.
func (m *marking) finish() {
	m.found.tag = newTagging(m.tokens, m.took)
	switch len(m.hashes) {
	case 0:
	case 1:
		m.found.sha256 = hex.EncodeToString(m.hashes[0])
	default:
		sum := sha256.Sum256(slices.Concat(m.hashes...))
		m.found.sha256 = hex.EncodeToString(sum[:])
	}
}

// marked are the runs of marked tokens of a note.
func marked(n *annotate.Note, marks []bool, scores []float64) score.Prediction {
	d := score.Prediction{Note: n, Probability: scores, Unlabelled: true}
	labels := make([]annotate.Label, len(marks))
	for t, is := range marks {
		if is {
			labels[t] = score.RunLabel
		}
	}
	d.Predicted = runsOf(d, labels)
	return d
}

// runsOf are the runs of labelled tokens. The score of a run is the mean of its tokens.
func runsOf(d score.Prediction, labels []annotate.Label) []annotate.Suggestion {
	out := []annotate.Suggestion{}
	for _, s := range annotate.SpansOf(d.Tokens, labels, make([]bool, len(labels))) {
		out = append(out, annotate.Suggestion{Span: s, Score: mean(d, s)})
	}
	return out
}

// joinRuns joins what was added to the predictions with neighbouring runs.
func (found *Predictions) joinRuns() {
	for i := range found.docs {
		d := &found.docs[i]
		if !d.Unlabelled {
			continue
		}
		labels, _ := annotate.TokenLabels(d.Tokens, crf.SpansOf(d.Predicted))
		for t, l := range labels {
			if l != "" {
				labels[t] = score.RunLabel
			}
		}
		d.Predicted = runsOf(*d, labels)
	}
}
