// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"strings"
	"testing"

	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/sanitize"
)

func TestARunSaysThatWhatItLearntIsForgotten(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	p := sanitize.Params{LC: []float64{10}, Folds: 2, Learners: []string{"bayes"}, First: sanitize.NoFirst}
	for range sanitize.RunsKept {
		b.Ran(id, p)
	}
	if r, err := b.Run(t.Context(), projecttest.Broker, id, 1); err != nil || r.Forgotten || r.ForgottenWords() != "" {
		t.Fatalf("forgotten %t, %v, among the newest %d", r.Forgotten, err, sanitize.RunsKept)
	}
	b.Ran(id, p)
	r, err := b.Run(t.Context(), projecttest.Broker, id, 1)
	if err != nil || !r.Forgotten {
		t.Fatalf("forgotten %t, %v", r.Forgotten, err)
	}
	_, err = b.Choose(t.Context(), projecttest.Broker, id, 1, 10)
	projecttest.WantKind(t, err, project.Invalid)
	if err == nil || !strings.Contains(err.Error(), r.ForgottenWords()) {
		t.Errorf("refused with %v, and the run says %q", err, r.ForgottenWords())
	}
	runs, err := b.Runs(t.Context(), projecttest.Reviewer, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if r.Forgotten != (r.Number == 1) {
			t.Errorf("run %d: forgotten %t", r.Number, r.Forgotten)
		}
	}
	if _, err := b.Choose(t.Context(), projecttest.Broker, id, 2, 10); err != nil {
		t.Error(err)
	}
}
