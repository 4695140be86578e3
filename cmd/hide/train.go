// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"hide/internal/annotate/dictionary"
	"hide/internal/annotate/labels"
	"hide/internal/corpus"
	"hide/internal/crf"
	"hide/internal/crf/classes"
	"hide/internal/lab/evaluate"
	"hide/internal/option"
	"hide/internal/outfile"
)

func runTrain(ctx context.Context, e *env, args []string) error {
	var training trainingFlags
	var o evaluate.Described
	f := e.flags()
	in := f.String("in", "", "annotated `FILE` to train on: JSONL, brat folder, CoNLL or a zip of these")
	out := f.String("out", "", "`FILE` to write the model to, replacing an existing one; it contains words of the notes")
	f.IntVar(&o.Folds, "folds", 0, "first cross-validate with `K` folds, and put the scores on the model's card")
	f.Uint64Var(&o.Seed, "seed", 1, "with --folds, `SEED` that deals the folds; a patient is never split")
	contrast := f.String("contrast", "", contrastUsage)
	counted := f.String("labels", "", labelsUsage)
	training.declare(f, evaluate.FeatureOptions(false), evaluate.LearnerOptions(false), evaluate.SamplingOption(), evaluate.SolverOptions())
	f.StringVar(&o.Facts.Note, "note", "", "`TEXT` for the model's card: source of the notes, permitted users; nothing that identifies a patient")
	f.StringVar(&o.Facts.Date, "date", "", "`DAY` of the training for the card, as 2026-01-31; \"\" means today")
	f.StringVar(&o.Facts.Dates, "dates", "", "`FIRST..LAST` day of the notes for the card, as 2020-01-01..2021-12-31")
	if _, err := e.parse(f, args, 0, 0, "in", "out"); err != nil {
		return err
	}
	if o.Folds == 1 || o.Folds < 0 {
		return e.usage("--folds must be at least 2, or 0 for none")
	}
	o.Facts.Program, o.Facts.Date = toolVersion(), cmp.Or(o.Facts.Date, time.Now().Format(time.DateOnly))
	if err := o.Facts.Check(); err != nil {
		return e.usage("%v", err)
	}
	var err error
	if o.Options, err = training.options(e, f); err != nil {
		return err
	}
	if err := outfile.CheckWritable(*out); err != nil {
		return err
	}
	notes, spans, err := evaluate.ReadTraining(ctx, *in, *contrast, labels.Parse(*counted))
	if err != nil {
		return err
	}
	m, stats, err := evaluate.TrainDescribed(ctx, notes, o, e.bars())
	if err != nil {
		return e.refused(err)
	}
	r := evaluate.Trained{Preset: training.Name(), Documents: len(notes), Spans: spans, Stats: stats}
	if err := r.Save(m, *out); err != nil {
		return err
	}
	return e.result(r, r.Write)
}

const dictionariesUsage = "`FOLDER` of dictionaries: every file in it, one term a line, census lists of names, or columns with a header"

const labelsUsage = "comma-separated `LABELS` that count; spans with other labels count as plain text"

const classesUsage = "comma-separated `TABLES` of word classes: builtin, or auto for builtin where the notes are English; files that hide classes learn wrote, or text with a word, a tab and a code on each line; without it auto"

const contrastUsage = "entities `FILE` of the notes to train on: learn its NO_MASK mentions under labels of their own, which mask nothing"

// trainingFlags say how a tagger is trained.
type trainingFlags struct {
	evaluate.Training
	table        option.Table[evaluate.Training]
	dictionaries string
	classes      string
}

func (v *trainingFlags) declare(f *flag.FlagSet, tables ...option.Table[evaluate.Training]) {
	v.table = slices.Concat(tables...)
	v.table.Bind(f, &v.Training)
	f.StringVar(&v.dictionaries, "dictionaries", "", dictionariesUsage)
	f.StringVar(&v.classes, "classes", "", classesUsage)
}

// options are the training options of the flags, with the dictionaries read.
func (v *trainingFlags) options(e *env, f *flag.FlagSet) (o crf.Options, err error) {
	if unused := v.table.Unused(f, &v.Training); unused != nil {
		return o, e.refused(unused)
	}
	if v.Learner == "svm" {
		if err := e.refuseUnused(f, "with --learner svm", "dictionaries", "classes"); err != nil {
			return o, err
		}
	}
	if v.dictionaries != "" {
		v.Dictionaries = []dictionary.List{} // checked before the dictionaries are read
	}
	if v.classes != "" {
		v.Classes = []*classes.Table{}
	}
	if _, err := v.Training.Options(); err != nil {
		return o, e.refused(err)
	}
	if v.Dictionaries, err = corpus.Dictionaries(v.dictionaries); err != nil {
		return o, err
	}
	if v.Classes, err = corpus.Classes(v.classes); err != nil {
		return o, err
	}
	return v.Training.Options()
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
