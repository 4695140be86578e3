// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/crf"
	"hide/internal/lab/evaluate"
)

// trainResult is what hide train says.
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

// trainFlags are the flags of hide train as they were typed.
type trainFlags struct {
	in, out  string
	folds    int
	seed     uint64
	training trainingFlags
	card     *cardFlags
}

func runTrain(ctx context.Context, e *env, args []string) error {
	var v trainFlags
	f := e.flags()
	f.StringVar(&v.in, "in", "", "annotated `FILE` to train on: JSONL, brat folder, CoNLL or a zip of these")
	f.StringVar(&v.out, "out", "", "`FILE` to write the model to, in place of any that is there; it holds words of the notes")
	f.IntVar(&v.folds, "folds", 0, "cross-validate with `K` folds before, and put the scores on the model's card")
	f.Uint64Var(&v.seed, "seed", 1, "with --folds, `SEED` that deals the folds; a patient is never split")
	v.training.declare(f, evaluate.FeatureOptions(), evaluate.LearnerOptions(false), evaluate.SamplingOption(), evaluate.SolverOptions())
	v.card = declareCard(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := e.required(f, "in", "out"); err != nil {
		return err
	}
	o, err := e.trainOptions(f, &v)
	if err != nil {
		return err
	}
	if err := writable(v.out); err != nil {
		return err
	}
	notes, report, err := readNotes(ctx, v.in)
	if err != nil {
		return err
	}
	if report.Spans == 0 {
		return fmt.Errorf("train on %s: none of its %d documents has a span to learn from", v.in, len(notes))
	}
	if n := len(annotate.Labels(notes)); n > crf.MaxLabels {
		return withHint(fmt.Errorf("train on %s: it has %d labels, at most %d can be told apart", v.in, n, crf.MaxLabels), "merge labels: what kind of thing it is, and not which")
	}
	if err := evaluate.CheckCosts(notes, o.Sampling); err != nil {
		return e.refused(err)
	}
	r := trainResult{Preset: v.training.Name(), Documents: len(notes), Spans: report.Spans}
	m, err := e.trainDescribed(ctx, v, notes, o, &r)
	if err != nil {
		return err
	}
	return e.saveModel(m, v.out, r)
}

// trainOptions checks what was typed.
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
	size, err := writeFile(name, func(w io.Writer) error { return m.Encode(io.MultiWriter(w, sum)) })
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	r.Model, r.Bytes, r.SHA256, r.Hash, r.Card = name, size, hex.EncodeToString(sum.Sum(nil)), hex.EncodeToString(hash[:]), m.Card()
	return e.result(r, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d labels learnt from %d documents with %d spans, %d iterations (%s), %.1f s\n",
			name, len(r.Labels), r.Documents, r.Spans, r.Stats.Number, r.Stats.Status, r.Stats.Seconds)
	})
}

// readNotes reads an annotated corpus whole.
func readNotes(ctx context.Context, name string) ([]annotate.Annotated, format.Report, error) {
	files, done, err := format.FromPaths([]string{name})
	if err != nil {
		return nil, format.Report{}, fmt.Errorf("read %s: %w", name, cause(err))
	}
	defer done()
	var docs []annotate.Annotated
	report, err := format.Read(ctx, files, format.Options{}, func(d annotate.Annotated) error {
		docs = append(docs, d)
		return nil
	})
	if p := (*format.Problem)(nil); errors.As(err, &p) && p.Code == "column" {
		p.Hint = "a table holds no spans to measure: hide import --text-column takes it, and hide export writes what was annotated"
	}
	if err != nil {
		return nil, report, fmt.Errorf("read %s: %w", name, err)
	}
	return docs, report, nil
}
