// SPDX-License-Identifier: Apache-2.0

package evaluate_test

import (
	"flag"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/score"
	"hide/internal/greedy/learners"
	"hide/internal/lab/evaluate"
)

// A learner without labels is scored by what it marks: the figures are those of counting
// its marks by hand, in the folds of the taggers with labels.
func TestLearnersWithoutLabelsAreScoredByTheirMarks(t *testing.T) {
	all := notes()
	all = append(all, annotate.Annotated{Document: annotate.Document{Name: "empty"}})
	found, err := evaluate.Sources{Notes: all, Folds: 3, Seed: 1, Learner: "svm"}.Predict(t.Context(), crf.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := found.Evaluate(evaluate.Options{Learner: "svm", Errors: true})
	docs := annotate.NewNotes(all)
	groups := make([]string, len(docs))
	for i, d := range docs {
		groups[i] = d.Group
	}
	fold, err := crf.Folds(groups, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	l, err := learners.New("svm", learners.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	marks, err := learners.Marks(t.Context(), l, docs, fold, 3)
	if err != nil {
		t.Fatal(err)
	}
	var tp, fp, fn, whole int
	for i, d := range docs {
		for x, marked := range marks[i] {
			switch {
			case marked && d.Sensitive[x]:
				tp++
			case marked:
				fp++
			case d.Sensitive[x]:
				fn++
			}
		}
		for _, s := range d.Spans {
			from, to := annotate.Covered(d.Tokens, s)
			if !slices.Contains(marks[i][from:to], false) {
				whole++
			}
		}
	}
	if b := got.Binary; b.TP != tp || b.FP != fp || b.FN != fn || tp == 0 || fn == 0 {
		t.Errorf("tokens %+v, want %d, %d, %d", b, tp, fp, fn)
	}
	if got.Masking.Spans.Covered.Count != whole || !got.Unlabelled || got.ModelSHA256 == "" {
		t.Errorf("%d spans are wholly masked, want %d", got.Masking.Spans.Covered.Count, whole)
	}
	var out strings.Builder
	got.Write(&out)
	for _, want := range []string{"svm marks PHI and predicts no labels", "wholly masked", "overall accuracy", "what was wrong"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q", want)
		}
	}
}

// The detector is trained anew without each fold: a note changes nothing in its own fold.
func TestMarksOfAFoldComeFromTheOthers(t *testing.T) {
	all := notes()[:12]
	marked := func(notes []annotate.Annotated) evaluate.Evaluation {
		found, err := evaluate.Sources{Notes: notes[9:], Train: notes[:9], Learner: "trees", Seed: 1}.Predict(t.Context(), crf.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return found.Evaluate(evaluate.Options{})
	}
	before := marked(all)
	bare := slices.Clone(all)
	for i := 9; i < 12; i++ {
		bare[i].Spans = nil
	}
	after := marked(bare)
	if before.ModelSHA256 != after.ModelSHA256 || before.Binary.TP+before.Binary.FP != after.Binary.FP {
		t.Errorf("the annotation of notes to score changes what is marked: %+v, then %+v", before.Binary, after.Binary)
	}
}

// A threshold adds tokens to the runs of a learner without labels, and joins them.
func TestAThresholdOnMarks(t *testing.T) {
	all := notes()
	marked := -1
	for _, p := range []float64{.9, .3, 1e-12} {
		found, err := evaluate.Sources{Notes: all, Folds: 2, Seed: 1, Learner: "svm", Threshold: p}.Predict(t.Context(), crf.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := found.Evaluate(evaluate.Options{})
		if n := v.Binary.TP + v.Binary.FP; n < marked {
			t.Errorf("threshold %g marks %d tokens, a higher one %d", p, n, marked)
		} else {
			marked = n
		}
		if v.Entity.Micro != v.Masking.Runs {
			t.Errorf("threshold %g: neighbouring marks are not one run", p)
		}
	}
}

func TestComparisonsAreThoseOfScores(t *testing.T) {
	all := notes()
	variant := func(name string, learner string, o crf.Options) evaluate.Variant {
		return evaluate.Variant{Name: name, Predict: func() (*evaluate.Predictions, error) {
			return evaluate.Sources{Notes: all, Folds: 2, Seed: 1, Learner: learner}.Predict(t.Context(), o, nil)
		}}
	}
	bayes := crf.Options{Learner: crf.Bayes, Features: crf.HIDE}
	c, err := evaluate.Compare([]evaluate.Variant{
		variant("reference", "", bayes), variant("the same", "", bayes), variant("more", "", crf.Options{Learner: crf.Bayes}), variant("svm", "svm", crf.Options{}),
	}, score.Options{Resamples: 30, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rows) != 4 || c.Rows[0].Against != nil || c.Rows[3].Against.Entity != nil || !c.Rows[3].Unlabelled {
		t.Fatalf("%+v", c.Rows)
	}
	for i, row := range c.Rows[1:] {
		d := row.Against
		if want := row.Binary.F1 - c.Rows[0].Binary.F1; math.Abs(d.Binary.F1-want) > 1e-12 {
			t.Errorf("row %d: %g more, want %g", 1+i, d.Binary.F1, want)
		}
		if d.Holm.Binary < d.Binary.P || d.Holm.Runs < d.Runs.P {
			t.Errorf("row %d: Holm makes p smaller", 1+i)
		}
	}
	if same := c.Rows[1].Against; same.Entity.F1 != 0 || same.Entity.P != 1 || *same.Holm.Entity != 1 {
		t.Errorf("%+v", same.Entity)
	}
	var out strings.Builder
	c.Write(&out)
	if n := strings.Count(out.String(), "reference"); n != 3 {
		t.Errorf("%d tables, want 3: %s", n, out.String())
	}
	const means = "if it was trained on notes that are scored here, its figures mean nothing"
	if strings.Contains(out.String(), means) {
		t.Error("what is trained here is said to be trained elsewhere")
	}
	c.Rows[1].Name, c.Rows[2].Name = "model=stored", "learner=outside:tagger c2=1"
	c.Write(&out)
	if n := strings.Count(out.String(), means); n != 2 {
		t.Errorf("%d warnings of taggers that are trained elsewhere, want 2: %s", n, out.String())
	}
}

func given(t *testing.T, args ...string) evaluate.Variations {
	t.Helper()
	v := evaluate.Variations{Table: slices.Concat(evaluate.FeatureOptions(true), evaluate.AnyLearnerOptions(), evaluate.SamplingOption(), evaluate.SolverOptions()), Given: flag.NewFlagSet("", flag.ContinueOnError)}
	v.Given.SetOutput(io.Discard)
	v.Table.Bind(v.Given, &v.First)
	if err := v.Given.Parse(args); err != nil {
		t.Fatal(err)
	}
	return v
}

// What was given for the first way to train holds for the others, where it has an effect.
func TestVariationsKeepWhatWasGiven(t *testing.T) {
	v := given(t, "--preset", "thorough", "--c2", "2", "--max-iterations", "7")
	type options struct {
		preset     string
		c2         float64
		iterations int
	}
	for change, want := range map[string]options{
		"preset=hide":                       {"hide", 2, 7},
		"learner=svm":                       {"default", 0, 0},
		"learner=bayes":                     {"thorough", 0, 0},
		"features=term c2=1":                {"default", 1, 7},
		"learner=detector max-iterations=3": {"thorough", 2, 3},
	} {
		got, err := v.Training(change)
		if err != nil {
			t.Errorf("%s: %v", change, err)
			continue
		}
		if (options{got.Preset, got.C2, got.Iterations}) != want {
			t.Errorf("%s: %s, %g, %d; want %+v", change, got.Preset, got.C2, got.Iterations, want)
		}
	}
	for change, want := range map[string]string{
		"": "enter what to change", "hide": "not name=value", "size=3": "unknown option", "preset=best": "preset: ", "learner=svm c2=1": "--c2: has no effect", "c2=-1": "c2: ",
	} {
		if _, err := v.Training(change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", change, err, want)
		}
	}
}
