// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/annotate/format"
	"hide/internal/corpus"
	"hide/internal/crf"
	"hide/internal/lab/evaluate"
	"hide/internal/option"
	"hide/internal/outfile"
)

// trainResult is the output of hide train.
type trainResult struct {
	Model     string           `json:"model"`
	Bytes     int64            `json:"bytes"`
	SHA256    string           `json:"sha256"`       // of the file
	Hash      string           `json:"model_sha256"` // of the model without its card
	Preset    string           `json:"preset"`       // "custom" for any other choice of families
	Documents int              `json:"documents"`
	Spans     int              `json:"spans"`
	Labels    []annotate.Label `json:"labels"`
	Stats     crf.Stats        `json:"train"`
	Card      crf.Card         `json:"card"`
}

// trainFlags are the flags of hide train as typed.
type trainFlags struct {
	in, out, contrast string
	folds             int
	seed              uint64
	training          trainingFlags
	card              *cardFlags
}

func runTrain(ctx context.Context, e *env, args []string) error {
	var v trainFlags
	f := e.flags()
	f.StringVar(&v.in, "in", "", "annotated `FILE` to train on: JSONL, brat folder, CoNLL or a zip of these")
	f.StringVar(&v.out, "out", "", "`FILE` to write the model to, replacing an existing one; it contains words of the notes")
	f.IntVar(&v.folds, "folds", 0, "first cross-validate with `K` folds, and put the scores on the model's card")
	f.Uint64Var(&v.seed, "seed", 1, "with --folds, `SEED` that deals the folds; a patient is never split")
	f.StringVar(&v.contrast, "contrast", "", contrastUsage)
	v.training.declare(f, evaluate.FeatureOptions(false), evaluate.LearnerOptions(false), evaluate.SamplingOption(), evaluate.SolverOptions())
	v.card = declareCard(f)
	if _, err := e.parse(f, args, 0, 0, "in", "out"); err != nil {
		return err
	}
	o, err := e.trainOptions(f, &v)
	if err != nil {
		return err
	}
	if err := outfile.CheckWritable(v.out); err != nil {
		return err
	}
	notes, spans, err := v.read(ctx)
	if err != nil {
		return err
	}
	if n := len(annotate.Labels(notes)); n > crf.MaxLabels {
		return withHint(fmt.Errorf("train on %s: it has %d labels; at most %d are supported", v.in, n, crf.MaxLabels), "merge labels")
	}
	r := trainResult{Preset: v.training.Name(), Documents: len(notes), Spans: spans}
	m, err := e.trainDescribed(ctx, v, notes, o, &r)
	if err != nil {
		return e.refused(err)
	}
	return e.saveModel(m, v.out, r)
}

// read reads the notes to train on, and counts their spans.
func (v *trainFlags) read(ctx context.Context) (notes []annotate.Annotated, spans int, err error) {
	notes, report, err := corpus.Notes(ctx, v.in)
	if err != nil {
		return nil, 0, err
	}
	if report.Spans == 0 {
		return nil, 0, fmt.Errorf("train on %s: none of its %d documents has a span to train on", v.in, len(notes))
	}
	if v.contrast != "" {
		documents, err := format.ReadEntitiesFile(v.contrast)
		if err != nil {
			return nil, 0, err
		}
		if notes, err = evaluate.Contrast(notes, documents); err != nil {
			return nil, 0, err
		}
	}
	return notes, report.Spans, nil
}

// trainOptions checks the flags.
func (e *env) trainOptions(f *flag.FlagSet, v *trainFlags) (crf.Options, error) {
	if v.folds == 1 || v.folds < 0 {
		return crf.Options{}, e.usage("--folds must be at least 2, or 0 for none")
	}
	if err := v.card.check(e); err != nil {
		return crf.Options{}, err
	}
	return v.training.options(e, f)
}

// trainDescribed trains a model and writes its card.
func (e *env) trainDescribed(ctx context.Context, v trainFlags, notes []annotate.Annotated, o crf.Options, r *trainResult) (*crf.Model, error) {
	var scores []crf.CardScore
	if v.folds > 0 {
		found, err := evaluate.CrossValidate(ctx, notes, v.folds, v.seed, o, e.bars())
		if err != nil {
			return nil, err
		}
		scores = append(scores, found.CardScore(fmt.Sprintf("%d-fold cross-validation by patient, seed %d", v.folds, v.seed)))
	}
	m, stats, err := evaluate.Train(ctx, notes, o, e.bars())
	if err != nil {
		return nil, err
	}
	r.Stats, r.Labels = stats, m.Labels()
	return m.WithCard(v.card.fill(m.Card(), notes, scores))
}

func (e *env) saveModel(m *crf.Model, name string, r trainResult) error {
	sum, hash := sha256.New(), m.Hash()
	size, err := outfile.Write(name, func(w io.Writer) error { return m.Encode(io.MultiWriter(w, sum)) })
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	r.Model, r.Bytes, r.SHA256, r.Hash, r.Card = name, size, hex.EncodeToString(sum.Sum(nil)), hex.EncodeToString(hash[:]), m.Card()
	return e.result(r, func(w io.Writer) {
		fmt.Fprintf(w, "%s: trained %d labels on %d documents with %d spans, %d iterations (%s), %.1f s\n",
			name, len(r.Labels), r.Documents, r.Spans, r.Stats.Number, r.Stats.Status, r.Stats.Seconds)
	})
}

const dictionariesUsage = "`FOLDER` of dictionaries: every file in it, one term a line, census lists of names, or columns with a header"

const contrastUsage = "entities `FILE` of the notes to train on: learn its NO_MASK mentions under labels of their own, which mask nothing"

// trainingFlags say how a tagger is trained.
type trainingFlags struct {
	evaluate.Training
	table        option.Table[evaluate.Training]
	dictionaries string
}

func (v *trainingFlags) declare(f *flag.FlagSet, tables ...option.Table[evaluate.Training]) {
	v.table = slices.Concat(tables...)
	v.table.Bind(f, &v.Training)
	f.StringVar(&v.dictionaries, "dictionaries", "", dictionariesUsage)
}

// options are the training options of the flags, with the dictionaries read.
func (v *trainingFlags) options(e *env, f *flag.FlagSet) (o crf.Options, err error) {
	if unused := v.table.Unused(f, &v.Training); unused != nil {
		return o, e.refused(unused)
	}
	if v.Learner == "svm" {
		if err := e.refuseUnused(f, "with --learner svm", "dictionaries"); err != nil {
			return o, err
		}
	}
	if v.dictionaries != "" {
		v.Dictionaries = []dictionary.List{} // checked before the dictionaries are read
	}
	if _, err := v.Training.Options(); err != nil {
		return o, e.refused(err)
	}
	if v.Dictionaries, err = corpus.Dictionaries(v.dictionaries); err != nil {
		return o, err
	}
	return v.Training.Options()
}

// cardFlags are facts about a model that training cannot know.
type cardFlags struct {
	note, date, dates string
}

func declareCard(f *flag.FlagSet) *cardFlags {
	c := &cardFlags{}
	f.StringVar(&c.note, "note", "", "`TEXT` for the model's card: source of the notes, permitted users; nothing that identifies a patient")
	f.StringVar(&c.date, "date", "", "`DAY` of the training for the card, as 2026-01-31; \"\" means today")
	f.StringVar(&c.dates, "dates", "", "`FIRST..LAST` day of the notes for the card, as 2020-01-01..2021-12-31")
	return c
}

// check refuses invalid facts for a card.
func (c *cardFlags) check(e *env) error {
	if len(c.note) > crf.MaxNote || !utf8.ValidString(c.note) {
		return e.usage("--note is UTF-8 of at most %d bytes", crf.MaxNote)
	}
	if c.date == "" {
		c.date = time.Now().Format(time.DateOnly)
	}
	if !isDay(c.date) {
		return e.usage("--date is a day as 2026-01-31")
	}
	first, last, both := strings.Cut(c.dates, "..")
	if c.dates != "" && !(both && isDay(first) && isDay(last) && first <= last) {
		return e.usage("--dates are two days as 2020-01-01..2021-12-31")
	}
	return nil
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// fill completes the card of a model trained on these notes.
func (c *cardFlags) fill(card crf.Card, notes []annotate.Annotated, scores []crf.CardScore) crf.Card {
	card.Program, card.Date, card.Note, card.Scores = toolVersion(), c.date, c.note, scores
	card.Data.First, card.Data.Last, _ = strings.Cut(c.dates, "..")
	patients := map[string]bool{}
	for _, n := range notes {
		if n.Patient != "" {
			patients[n.Patient] = true
		}
	}
	card.Data.Patients = len(patients)
	return card
}

func runModel(_ context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags(), args, 1, 1)
	if err != nil {
		return err
	}
	m, err := corpus.Model(rest[0])
	if err != nil {
		return err
	}
	file, err := os.Stat(rest[0])
	if err != nil {
		return fmt.Errorf("read model: %w", err)
	}
	info := evaluate.NewModelInfo(rest[0], file.Size(), m)
	return e.result(info, info.Write)
}
