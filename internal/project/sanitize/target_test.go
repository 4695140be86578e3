// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy/target"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/verify"
	"hide/internal/testsize"
)

// targeted asks for a target of the quickest learner.
func targeted(share, sure float64, labels ...annotate.Label) sanitize.Params {
	return sanitize.Params{LC: []float64{10}, Folds: 2, First: sanitize.NoFirst, Learners: []string{"bayes"}, TargetShare: share, TargetSure: sure, TargetLabels: labels}
}

// sampled is a project with finished notes of a random sample, and others that nobody has read.
func (b *bench) sampled(finished, open []annotate.Annotated) project.ID {
	b.T.Helper()
	id := b.NewProject(nil, false)
	if _, err := b.Import(b.T.Context(), projecttest.Broker, id, projecttest.JSONL(finished), project.ImportOptions{Finished: true, Random: true}); err != nil {
		b.T.Fatal(err)
	}
	if err := b.CancelTraining(b.T.Context(), projecttest.Annotator, id); err != nil {
		b.T.Fatal(err)
	}
	if len(open) > 0 {
		b.MustImport(id, projecttest.Strip(open), false)
	}
	return id
}

func TestATargetIsChosenOnNotesSetAside(t *testing.T) {
	b := newBench(t)
	id := b.sampled(projecttest.Notes(60), nil)
	r := b.Ran(id, targeted(0.2, 0.8))
	got := r.Target
	if !got.Done() || r.Documents+got.Notes != 60 || got.Plan.Aside != 30 || got.Choice.Units != 30 {
		t.Fatalf("%d notes to train on, target %+v", r.Documents, got)
	}
	if c := got.Choice; c.Allowed != target.Allowed(30, 0.2, 0.2) || c.Leaking > c.Allowed {
		t.Errorf("%+v", c)
	}
	if o := got.Result.Outcome; o.Documents != got.Notes || o.Tokens == 0 || int(o.DocumentsWithLeak.Value) != got.Choice.Leaking {
		t.Errorf("outcome of %d documents, %g leak; the choice says %d", o.Documents, o.DocumentsWithLeak.Value, got.Choice.Leaking)
	}
	bundle, err := b.ChooseTarget(t.Context(), projecttest.Broker, id, r.Number)
	if err != nil {
		t.Fatal(err)
	}
	model, info, err := b.OpenBundle(id, bundle.Number)
	if err != nil || info.Target == nil || model.Provenance.Target.Threshold != info.Target.Threshold {
		t.Fatalf("%+v, %v", info, err)
	}
	if e := model.Ensemble; len(e) != 1 || !e[0].Whole || e[0].Threshold != got.Choice.Threshold {
		t.Errorf("%d classifiers, want one with the threshold %g", len(e), got.Choice.Threshold)
	}
	if again := b.Ran(id, targeted(0.2, 0.8)); again.Target.Earlier != 1 || again.Target.Choice.Threshold != got.Choice.Threshold {
		t.Errorf("second run: %+v, want the same threshold and one earlier run", again.Target)
	}
	b.releaseSaysTarget(t, id, bundle.Number, "")
}

// releaseSaysTarget publishes with the bundle and lets the verifier read what the release says
// of its target.
func (b *bench) releaseSaysTarget(t *testing.T, id project.ID, bundle int, void string) {
	t.Helper()
	if err := b.StartPublish(t.Context(), projecttest.Broker, id, release.Publish, bundle, release.Despite{Uncertified: "a test"}); err != nil {
		t.Fatal(err)
	}
	made, st := b.Published(id)
	if st.Error != "" {
		t.Fatal(st.Error)
	}
	found, err := verify.Release(os.DirFS(b.Dir(id, made.Name)))
	if err != nil || !found.Common().OK {
		t.Fatalf("%v, %+v", err, found)
	}
	says := strings.Join(found.(*verify.Text).Target, "\n")
	if !strings.Contains(says, "an identifier remains in at most 20 % of the patients, 80 % sure") || strings.Contains(says, "void") != (void != "") || !strings.Contains(says, void) {
		t.Errorf("the release says %q", says)
	}
	if warned := strings.Contains(strings.Join(made.Warnings, "\n"), "The target is void"); warned != (void != "") {
		t.Errorf("warnings %q", made.Warnings)
	}
}

// TestNothingIsTrainedOnPatientsSetAside, chosen at random or not.
func TestNothingIsTrainedOnPatientsSetAside(t *testing.T) {
	b := newBench(t)
	docs := projecttest.Cohort(60) // two notes of each patient
	id := b.sampled(docs[:69], docs[80:])
	b.MustImport(id, docs[69:80], true)
	ws := b.MustWorkspace(id)
	all, err := ws.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	train, aside, err := b.Divide(t.Context(), ws, targeted(0.2, 0.8))
	if err != nil {
		t.Fatal(err)
	}
	patients := map[string]bool{}
	for _, d := range aside {
		patients[d.Person()] = true
	}
	for _, d := range train {
		if patients[d.Person()] {
			t.Errorf("note %d is trained on, and its patient is set aside", d.ID)
		}
	}
	// A finished note that happens to be the first in the drawn order is in the sample, too.
	sample, notes := map[string]bool{}, 0
	for i, d := range all.Docs {
		if all.Random[i] {
			sample[d.Person()] = true
			if patients[d.Person()] {
				notes++
			}
		}
	}
	if len(sample) < 35 || len(patients) != (len(sample)+1)/2 || len(aside) != notes {
		t.Errorf("%d notes of %d patients are set aside, want %d of half of %d patients in the random sample", len(aside), len(patients), notes, len(sample))
	}
}

// TestATargetSaysWhetherPatientsHaveOtherNotes: a patient can leak in notes outside the sample.
func TestATargetSaysWhetherPatientsHaveOtherNotes(t *testing.T) {
	var first, second []annotate.Annotated // note of each patient
	for i, d := range projecttest.Cohort(40) {
		if i%2 == 0 {
			first = append(first, d)
		} else {
			second = append(second, d)
		}
	}
	for _, c := range []struct {
		finished, open []annotate.Annotated
		partial        bool
	}{{slices.Concat(first, second), nil, false}, {first, second, true}} {
		b := newBench(t)
		r := b.Ran(b.sampled(c.finished, c.open), targeted(0.2, 0.8))
		if !r.Target.Done() || r.Target.Choice.Partial != c.partial || strings.Contains(r.Target.Choice.Words(), "have other notes") != c.partial {
			t.Errorf("%d notes finished and %d open: %+v", len(c.finished), len(c.open), r.Target)
		}
	}
}

// TestATargetIsVoidForOtherNotes: the drift test withdraws it before it is frozen, and in the
// release after.
func TestATargetIsVoidForOtherNotes(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id := b.sampled(projecttest.Institution("a", 18), nil)
	r := b.Ran(id, targeted(0.2, 0.8))
	bundle, err := b.ChooseTarget(t.Context(), projecttest.Broker, id, r.Number)
	if err != nil {
		t.Fatal(err)
	}
	b.MustImport(id, projecttest.Strip(projecttest.Institution("b", 8)), false)
	b.releaseSaysTarget(t, id, bundle.Number, "imported after the run")
	if _, err := b.ChooseTarget(t.Context(), projecttest.Broker, id, r.Number); project.KindOf(err) != project.Invalid {
		t.Errorf("chosen for notes that nobody has compared: %v", err)
	}
	r = b.Ran(id, targeted(0.2, 0.8))
	_, err = b.ChooseTarget(t.Context(), projecttest.Broker, id, r.Number)
	if project.KindOf(err) != project.Invalid || !strings.Contains(err.Error(), "void: the notes to be published differ from the annotated notes") {
		t.Errorf("chosen under drift: %v", err)
	}
	if says := r.TargetWords(); !strings.HasPrefix(says, "The target is void: ") {
		t.Errorf("the run says %q", says)
	}
}

func TestTargetsThatCannotBeShownAreRefused(t *testing.T) {
	b := newBench(t)
	id := b.sampled(projecttest.Notes(30), nil)
	for _, c := range []struct {
		p     sanitize.Params
		wants string
	}{
		{targeted(0.05, 0.95), "59 patients without a leak are needed for a target of 5 % at 95 %; of the 30 in the random sample 20 can be set aside"},
		{targeted(0.2, 0.8, "NOBODY"), `no label "NOBODY"`},
		{targeted(0, 0, "PATIENT"), "has no effect unless"},
		{targeted(0.2, 0.3), "from 0.5"},
	} {
		_, err := b.StartSanitize(t.Context(), projecttest.Broker, id, c.p)
		if project.KindOf(err) != project.Invalid || !strings.Contains(err.Error(), c.wants) {
			t.Errorf("%v: %v, want %q", c.p.Target(), err, c.wants)
		}
	}
	plan, err := b.TargetPlan(t.Context(), projecttest.Broker, id, target.Target{Share: 0.2, Sure: 0.8})
	if err != nil || plan.Aside != 15 || plan.Need != 8 {
		t.Errorf("%+v, %v", plan, err)
	}
	r := b.Ran(id, sanitize.Params{LC: []float64{10}, Folds: 2, First: sanitize.NoFirst, Learners: []string{"bayes"}})
	if _, err := b.ChooseTarget(t.Context(), projecttest.Broker, id, r.Number); project.KindOf(err) != project.Invalid || r.Target != nil {
		t.Errorf("a run without a target has one: %v", err)
	}
}
