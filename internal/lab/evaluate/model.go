// SPDX-License-Identifier: Apache-2.0

// Package evaluate scores taggers on annotated notes: trained on other notes, read from a
// model file, or cross-validated. It also writes the results of the commands about taggers:
// evaluations, ablations, sampling curves and replays of annotation.
//
//	found, err := evaluate.CrossValidate(ctx, notes, 5, 1, crf.Options{}, nil)
//	evaluation := found.Evaluate(evaluate.Options{Resamples: 1000, Seed: 1})
//	evaluation.Write(os.Stdout)
package evaluate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/annotate/entities"
	"hide/internal/crf"
	"hide/internal/crf/score"
	"hide/internal/lab"
	"hide/internal/words"
)

// ModelInfo describes a model file.
type ModelInfo struct {
	Model  string           `json:"model"`
	Bytes  int64            `json:"bytes"`
	Hash   string           `json:"model_sha256"` // of the model without its card
	Labels []annotate.Label `json:"labels"`
	Card   crf.Card         `json:"card"`
}

// NewModelInfo describes a model whose file has this size.
func NewModelInfo(file string, size int64, m *crf.Model) ModelInfo {
	hash := m.Hash()
	return ModelInfo{file, size, hex.EncodeToString(hash[:]), m.Labels(), m.Card()}
}

// Write prints the card of a model and the properties of its file.
func (info ModelInfo) Write(w io.Writer) {
	c, t := info.Card, tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, plain(fmt.Sprintf(format, args...)))
	}
	row("model", "%s, %d bytes", info.Model, info.Bytes)
	row("identity", "%s", info.Hash)
	row("learner", "%s, %s", c.Learner, count(len(info.Labels), "label"))
	row("trained", "%s by hide %s", cmp.Or(c.Date, "on an unknown day"), cmp.Or(c.Program, "of an unknown version"))
	if c.Note != "" {
		row("note", "%s", c.Note)
	}
	row("data", "%s", c.Data)
	row("spans", "%s", spansLine(c.Data))
	row("features", "%s", strings.Join(c.Features.Families, ", "))
	if c.Features.NotEnglish {
		row("word classes", "those of the program are left out: the notes are not English")
	}
	for _, d := range c.Features.Dictionaries {
		row("dictionary", "%s, %s", d.Name, count(d.Phrases, "phrase"))
	}
	row("options", "%s", c.OptionsText())
	row("training", "%s", c.Training)
	for _, s := range c.Scores {
		row("scores", "%s: spans P %.4f R %.4f F1 %.4f, words P %.4f R %.4f F1 %.4f, %d of %d documents leak", s.How,
			s.Entity.Precision, s.Entity.Recall, s.Entity.F1, s.Token.Precision, s.Token.Recall, s.Token.F1, s.DocumentsWithLeak, s.Documents)
	}
	_ = t.Flush() // a write error shows in the next write
}

// plain replaces unprintable characters, so that a file cannot steer a terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

func count(n int, what string) string { return words.Count(n, what, what+"s") }

// spansLine lists labels, the most frequent first.
func spansLine(d crf.CardData) string {
	var parts []string
	for _, l := range d.Labels() {
		parts = append(parts, fmt.Sprintf("%s %d", l, d.Spans[l]))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// Predictions are the output of models on notes they were not trained on.
type Predictions struct {
	docs      []score.Prediction
	likely    [][]annotate.Label // of each token, the most probable label
	entities  []entities.Entity  // of the notes; nil when not known
	fold      []int              // of each note, with cross-validation
	trainedOn []score.Prediction // without cross-validation; nil when not known
	train     training
	tag       tagging
	sha256    string
}

func newPredictions(notes int, t tagging) *Predictions {
	return &Predictions{docs: make([]score.Prediction, notes), likely: make([][]annotate.Label, notes), tag: t}
}

// training sums up the trainings of all folds.
type training struct {
	Seconds    float64 `json:"seconds"`
	Objective  float64 `json:"objective"`
	Iterations int     `json:"iterations"`
}

func (t *training) add(s crf.Stats) {
	t.Seconds += s.Seconds
	t.Objective += s.Objective
	t.Iterations += s.Number
}

type tagging struct {
	TokensPerSecond float64 `json:"tokens_per_second"`
}

func newTagging(tokens int, took time.Duration) tagging {
	return tagging{float64(tokens) / max(took.Seconds(), 1e-9)}
}

// Train trains a model. An error that is an [option.Problem] is about its options.
func Train(ctx context.Context, notes []annotate.Annotated, o crf.Options, progress lab.Progress) (*crf.Model, crf.Stats, error) {
	if err := CheckCosts(notes, o.Sampling); err != nil {
		return nil, crf.Stats{}, err
	}
	bar := progress.Start("training, iteration")
	defer bar.End()
	o.Progress = func(i crf.Iteration) { bar.Step(i.Number, 0, fmt.Sprintf("objective %.1f", i.Objective)) }
	return crf.Train(ctx, annotate.Views(annotate.NewNotes(notes)), o)
}

// TrainAndTag trains a model and tags other notes with it.
func TrainAndTag(ctx context.Context, train, test []annotate.Annotated, o crf.Options, progress lab.Progress) (*Predictions, error) {
	m, stats, err := Train(ctx, train, o, progress)
	if err != nil {
		return nil, err
	}
	found, err := Tag(ctx, m, test)
	if err != nil {
		return nil, err
	}
	found.train.add(stats)
	found.explain(train)
	return found, nil
}

// explain says which notes the model was trained on, for the reasons of its errors.
func (found *Predictions) explain(train []annotate.Annotated) {
	found.trainedOn = make([]score.Prediction, len(train))
	for i, n := range train {
		note := annotate.NewNote(n)
		found.trainedOn[i] = score.Prediction{Note: new(note.Only(masks))}
	}
}

// Tag tags notes with a model. Only the tagging is timed.
func Tag(ctx context.Context, m *crf.Model, notes []annotate.Annotated) (*Predictions, error) {
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
	found := newPredictions(len(notes), newTagging(tokens, time.Since(began)))
	for i, d := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found.docs[i], found.likely[i] = judged(m, d, tags[i])
	}
	found.sha256 = hashModels(m)
	return found, nil
}

// CrossValidate tags each fold of notes with a model trained on the other folds. All notes
// of a patient are in one fold.
func CrossValidate(ctx context.Context, notes []annotate.Annotated, folds int, seed uint64, o crf.Options, progress lab.Progress) (*Predictions, error) {
	if err := CheckCosts(notes, o.Sampling); err != nil {
		return nil, err
	}
	docs, groups, tokens := annotate.Views(annotate.NewNotes(notes)), make([]string, len(notes)), 0
	for i, d := range docs {
		groups[i] = d.Group
		tokens += len(d.Words)
	}
	bar, passed := progress.Start("training the folds, iteration"), 0
	o.Progress = func(i crf.Iteration) {
		passed++
		bar.Step(passed, 0, fmt.Sprintf("objective %.1f", i.Objective))
	}
	c, err := crf.CrossValidate(ctx, docs, groups, folds, seed, o)
	bar.End()
	if err != nil {
		return nil, err
	}
	found := newPredictions(len(notes), newTagging(tokens, c.Tagging))
	found.fold = c.Fold
	for i, d := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found.docs[i], found.likely[i] = judged(c.Models[c.Fold[i]], d, c.Tags[i])
	}
	for _, s := range c.Training {
		found.train.add(s)
	}
	found.sha256 = hashModels(c.Models...)
	return found, nil
}

// hashModels is the hash of one model, or the SHA-256 of several models' hashes in order.
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

// errors lists the errors, with reasons where the training notes of the models are known.
func (found *Predictions) errors() []score.Error {
	switch {
	case found.fold != nil:
		return score.Errors(found.docs, found.fold)
	case found.trainedOn != nil:
		return score.ErrorsAfter(found.docs, found.trainedOn)
	}
	return score.ErrorsAlone(found.docs)
}

// Only keeps the spans of the given labels and counts them.
func Only(notes []annotate.Annotated, labels []annotate.Label) int {
	n := 0
	for i := range notes {
		notes[i].Spans = slices.DeleteFunc(notes[i].Spans, func(s annotate.Span) bool { return !slices.Contains(labels, s.Label) })
		n += len(notes[i].Spans)
	}
	return n
}
