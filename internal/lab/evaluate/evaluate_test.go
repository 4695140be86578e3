// SPDX-License-Identifier: Apache-2.0

package evaluate_test

import (
	"errors"
	"flag"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/score"
	"hide/internal/hospital"
	"hide/internal/lab/evaluate"
	"hide/internal/option"
)

var allOptions = slices.Concat(evaluate.FeatureOptions(true), evaluate.LearnerOptions(true), evaluate.SamplingOption(), evaluate.SolverOptions())

func typed(args ...string) (evaluate.Training, error) {
	var t evaluate.Training
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	allOptions.Bind(f, &t)
	if err := f.Parse(args); err != nil {
		return t, err
	}
	if unused := allOptions.Unused(f, &t); unused != nil {
		return t, unused
	}
	_, err := t.Options()
	return t, err
}

func TestEveryOptionHasHelpAndADefaultThatItTakes(t *testing.T) {
	var all evaluate.Training
	allOptions.Reset(&all)
	if problems := allOptions.Check(&all); len(problems) > 0 {
		t.Errorf("defaults are refused: %v", problems)
	}
	var replay evaluate.Replay
	evaluate.ReplayOptions.Reset(&replay)
	if problems := evaluate.ReplayOptions.Check(&replay); len(problems) > 0 {
		t.Errorf("defaults are refused: %v", problems)
	}
	for _, o := range allOptions {
		if o.Help == "" {
			t.Errorf("%s has no help", o.Name)
		}
	}
}

func TestOptionsOfTrainingAreRefusedWhereTheyChangeNothing(t *testing.T) {
	for args, want := range map[string]string{
		"":                                             "",
		"--learner bayes --alpha 0.1":                  "",
		"--alpha 0.1":                                  "--alpha: has no effect",
		"--learner bayes --c2 1":                       "--c2: has no effect",
		"--learner svm --preset hide":                  "--preset: has no effect",
		"--learner detector":                           "",
		"--learner detector --c2 1":                    "",
		"--learner svm --min-count 3":                  "--min-count: has no effect",
		"--learner trees --sampling o=.5":              "",
		"--learner bayes --sampling times=2+cost=O:.5": "",
		"--learner trees --sampling times=2":           "only crf and bayes draw with replacement",
		"--features term --preset hide":                "--preset: has no effect",
		"--features term --without term":               "leaves no feature family",
		"--features term --without affix":              "--features has no affix",
		"--without consistency":                        "the preset default has no consistency",
		"--c1 NaN":                                     "enter a number",
	} {
		_, err := typed(strings.Fields(args)...)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) && !strings.Contains(want, "enter") {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
}

func notes() []annotate.Annotated {
	return slices.Collect(hospital.Generate(hospital.Options{Patients: 6, Seed: 1}))
}

func TestCrossValidationTagsEveryNoteByAModelThatDidNotSeeIt(t *testing.T) {
	all := notes()
	found, err := evaluate.CrossValidate(t.Context(), all, 3, 1, crf.Options{Learner: crf.Bayes}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := found.Evaluate(evaluate.Options{Resamples: 10, Seed: 1, Errors: true})
	if e.Documents != len(all) || e.Errors == nil || e.ModelSHA256 == "" || e.Bootstrap.Resamples != 10 {
		t.Errorf("%d documents of %d, errors %v", e.Documents, len(all), e.Errors)
	}
	for _, g := range e.Errors.Groups {
		if g.Text != "" {
			t.Error("a text is shown that nobody asked for")
		}
	}
	var out strings.Builder
	e.Write(&out)
	for _, want := range []string{"spans", "PHI tokens were missed", "what was wrong", "95 % intervals"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q", want)
		}
	}
	trained, err := evaluate.TrainAndTag(t.Context(), all, all, crf.Options{Learner: crf.Bayes}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if own := trained.Evaluate(evaluate.Options{}); own.Entity.Micro.F1 < e.Entity.Micro.F1 {
		t.Errorf("notes that were trained on are tagged worse than others: %v and %v", own.Entity.Micro.F1, e.Entity.Micro.F1)
	}
}

func TestAblationComparesWithAllFamilies(t *testing.T) {
	all := notes()
	families, err := crf.ParseFamilies("term,affix,shape")
	if err != nil {
		t.Fatal(err)
	}
	a, err := evaluate.Ablate(crf.Options{Learner: crf.Bayes, Features: families}, "custom", score.Options{Resamples: 20, Seed: 1}, func(o crf.Options) (*evaluate.Predictions, error) {
		return evaluate.TrainAndTag(t.Context(), all, all, o, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range a.Rows {
		if (row.Against == nil) != (i == 0) || (row.Holm == nil) != (i == 0) || i > 0 && (*row.Holm < row.Against.P || math.Abs(row.Against.F1+row.F1Less) > 1e-9) {
			t.Errorf("row %d: %+v", i, row)
		}
	}
	if len(a.Rows) != 4 || len(a.Rows[0].Without) != 0 || a.Rows[0].F1Less != 0 || len(a.Rows[1].Without) != 1 {
		t.Errorf("%+v", a.Rows)
	}
}

func TestOnlyKeepsSomeLabels(t *testing.T) {
	all := notes()
	labels := annotate.Labels(all)[:1]
	if n := evaluate.Only(all, labels); n == 0 || len(annotate.Labels(all)) != 1 {
		t.Errorf("%d spans, labels %v", n, annotate.Labels(all))
	}
	var problem *option.Problem
	if err := evaluate.CheckCosts(all, crf.Sampling{Cost: map[annotate.Label]float64{"NOBODY": 2}}); !errors.As(err, &problem) || problem.Name != "sampling" {
		t.Errorf("a cost of a label that no note has: %v", err)
	}
}
