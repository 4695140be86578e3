// SPDX-License-Identifier: Apache-2.0

package experiment_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/hospital"
	"hide/internal/lab"
	"hide/internal/lab/experiment"
)

// once cancels after the first result.
type once struct{ cancel func() }

func (b once) Step(done, _ int, _ string) {
	if done > 0 {
		b.cancel()
	}
}
func (once) End() {}

func TestAnExperimentThatIsInterruptedGoesOn(t *testing.T) {
	docs := lab.Sensitive(slices.Collect(hospital.Generate(hospital.Options{Patients: 4, Seed: 1})), nil)
	o := experiment.Table().Default()
	o.Folds, o.First, o.Learners, o.Modes, o.LC = 2, "none", []string{"bayes", "crf"}, []greedy.Mode{greedy.Cost}, []float64{1, 2, 5, 10}
	kept := filepath.Join(t.TempDir(), "kept.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	open := func(docs []annotate.Note, p lab.Progress) *experiment.Experiment {
		x, err := experiment.New(o, experiment.Input{Docs: docs}, kept, p)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := open(docs, func(string) lab.Bar { return once{cancel} })
	if err := x.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if n, all := x.Finished(); n == 0 || n == 8 || all != 8 {
		t.Fatalf("%d of %d results; want some of 8", n, all)
	}
	x = open(docs, nil)
	if err := x.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, all := x.Finished(); n != 8 || all != 8 {
		t.Errorf("%d of %d results; want 8", n, all)
	}
	var resume *experiment.ResumeError
	if _, err := experiment.New(o, experiment.Input{Docs: docs[1:]}, kept, nil); !errors.As(err, &resume) {
		t.Errorf("a run on other notes resumed from the file: %v", err)
	}
}
