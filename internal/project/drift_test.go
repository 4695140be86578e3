// SPDX-License-Identifier: Apache-2.0

package project

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/hospital"
)

// institution is the first note of so many generated patients.
func institution(name string, patients int) []annotate.Annotated {
	return slices.Collect(hospital.Generate(hospital.Options{Patients: patients, MaxNotes: 1, Seed: 3, Institution: name}))
}

// measured runs over a project of finished notes beside others that are not. What
// is compared are the notes, so that the quickest learner does.
func (b *bench) measured(finished, open []annotate.Annotated) *Run {
	b.t.Helper()
	id := b.finished(finished)
	if len(open) > 0 {
		b.mustImport(id, strip(open), false)
	}
	number, err := b.StartSanitize(b.t.Context(), broker, id, SanitizeParams{LC: []float64{10}, Folds: 2, First: noFirst, Learners: []string{"bayes"}})
	if err != nil {
		b.t.Fatal(err)
	}
	return b.finishedRun(id, number)
}

func TestARunOnOneInstitutionWarnsOfAnother(t *testing.T) {
	here, there := institution("a", 16), institution("b", 14)
	r := newBench(t).measured(here, there)
	if r.Drift == nil || !r.Drift.Rings() {
		t.Fatalf("drift %+v", r.Drift)
	}
	words := strings.Join(r.Warnings(), "\n")
	for _, want := range []string{"The notes to be published are not like those", "Annotate 10 to 30 of them", "Hardly any annotated note is from 1 institution whose notes"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %q", want, words)
		}
	}
	local := slices.Sorted(slices.Values(r.Local))
	if len(local) != len(there) || int(local[0]) != len(here)+1 {
		t.Errorf("to annotate first: %v; want the %d notes of the other institution, which come after %d", r.Local, len(there), len(here))
	}
}

func TestARunOnOneInstitutionIsSilentAboutItself(t *testing.T) {
	notes := institution("a", 30)
	r := newBench(t).measured(notes[:16], notes[16:])
	if r.Drift == nil || !r.Drift.Known() || r.Drift.Rings() || r.Local != nil || r.Gains() != nil {
		t.Fatalf("drift %+v, to annotate first %v, gains %v", r.Drift, r.Local, r.Gains())
	}
}

func TestARunWithNothingElseToPublishComparesNothing(t *testing.T) {
	if r := newBench(t).measured(notes(8), nil); r.Drift != nil {
		t.Errorf("drift %+v", r.Drift)
	}
}
