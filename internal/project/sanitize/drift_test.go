// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/drift"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/testsize"
)

// measured runs over a project of finished notes beside others that are not. What
// is compared are the notes, so that the quickest learner does.
func (b *bench) measured(finished, open []annotate.Annotated) *sanitize.Run {
	b.T.Helper()
	testsize.Slow(b.T)
	id := b.FinishedProject(finished)
	if len(open) > 0 {
		b.MustImport(id, projecttest.Strip(open), false)
	}
	number, err := b.StartSanitize(b.T.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{10}, Folds: 2, First: sanitize.NoFirst, Learners: []string{"bayes"}})
	if err != nil {
		b.T.Fatal(err)
	}
	return b.FinishedRun(id, number)
}

func TestARunOnOneInstitutionWarnsOfAnother(t *testing.T) {
	here, there := projecttest.Institution("a", 16), projecttest.Institution("b", 14)
	b := newBench(t)
	r := b.measured(here, there)
	if r.Drift == nil || !r.Drift.Warns() {
		t.Fatalf("drift %+v", r.Drift)
	}
	words := strings.Join(r.Warnings(), "\n")
	for _, want := range []string{"The notes to be published differ from the measured notes", "Annotate 10 to 30 of them", "Hardly any note is annotated from 1 institution with notes"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in %q", want, words)
		}
	}
	if v := r.Validity(10); v.Hold || !v.Drift || v.Measured != len(here) || v.Applied == nil || v.Applied.Documents != len(there) || v.Applied.Redacted == 0 || v.Applied.Redacted >= v.Applied.Words {
		t.Errorf("validity %+v, counted %+v", v, v.Applied)
	}
	local := slices.Sorted(slices.Values(r.Local))
	if len(local) != len(there) || int(local[0]) != len(here)+1 {
		t.Errorf("to annotate first: %v; want the %d notes of the other institution, which come after %d", r.Local, len(there), len(here))
	}
	t.Run("institutions are named to those alone who read notes", func(t *testing.T) { b.namesInstitutions(t, r) })
}

// namesInstitutions fails unless the names of institutions in the figures of a run are for
// those alone who read notes.
func (b *bench) namesInstitutions(t *testing.T, r *sanitize.Run) {
	names := func(by account.User) (named, sides int) {
		run, err := b.Run(t.Context(), by, project.ID("p1"), r.Number)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range run.Drift.Sources {
			sides++
			if s.Source != "" {
				named++
			}
		}
		return named, sides
	}
	named, sides := names(projecttest.Broker)
	hidden, also := names(projecttest.Reviewer)
	if named == 0 || hidden != 0 || also != sides {
		t.Errorf("of %d institutions a broker is told %d, of %d a reviewer %d", sides, named, also, hidden)
	}
	runs, err := b.Runs(t.Context(), projecttest.Reviewer, project.ID("p1"))
	if err != nil || len(runs) != 1 || len(runs[0].Drift.Sources) != sides {
		t.Fatalf("%d runs are listed, %v", len(runs), err)
	}
	for _, side := range runs[0].Drift.Sources {
		if side.Source != "" || side.Target == 0 {
			t.Errorf("the list of runs tells a reviewer a name or no count: %d notes", side.Target)
		}
	}
}

func TestARunOnOneInstitutionIsSilentAboutItself(t *testing.T) {
	notes := projecttest.Institution("a", 30)
	r := newBench(t).measured(notes[:16], notes[16:])
	if v := r.Validity(10); v.Drift || v.Applied != nil || v.Known() != nil || !strings.Contains(v.Unknown(), "is unknown: the annotated notes are not a random sample.") {
		t.Errorf("validity %+v", v)
	}
	if r.Drift == nil || !r.Drift.Known() || r.Drift.Warns() || r.Local != nil || r.Foretold != nil {
		t.Fatalf("drift %+v, to annotate first %v, foretold %v", r.Drift, r.Local, r.Foretold)
	}
}

func TestARunWithNothingElseToPublishComparesNothing(t *testing.T) {
	if r := newBench(t).measured(projecttest.Notes(8), nil); r.Drift != nil {
		t.Errorf("drift %+v", r.Drift)
	}
}

// Three notes cannot be compared with anything: publishing them takes a certificate or a
// reason, and reading them takes that away.
func TestTooFewNotesToCompareTakeACertificateUnlessAllAreRead(t *testing.T) {
	b := newBench(t)
	r := b.measured(projecttest.Notes(11)[:8], projecttest.Notes(11)[8:])
	if r.Drift == nil || r.Drift.Known() || !strings.Contains(r.ForecastDoubt(), "too few notes to compare") {
		t.Fatalf("drift %+v, a certificate is needed because %q", r.Drift, r.ForecastDoubt())
	}
	id := project.ID("p1")
	bundle, err := b.Choose(t.Context(), projecttest.Broker, id, r.Number, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.StartPublish(t.Context(), projecttest.Broker, id, release.Publish, bundle.Number, release.Despite{}); project.KindOf(err) != project.Invalid || !strings.Contains(err.Error(), "too few notes to compare") {
		t.Errorf("published without a certificate: %v", err)
	}
	if words := b.MustWarnings(id, bundle.Number); !strings.Contains(words, "Nobody has read a sample") {
		t.Errorf("warnings: %s", words)
	}
	for doc := range 3 {
		b.Finish(projecttest.Broker, id, annotate.DocumentID(9+doc))
	}
	if words := b.MustWarnings(id, bundle.Number); strings.Contains(words, "Nobody has read a sample") {
		t.Errorf("all notes are read, and still: %s", words)
	}
	if err := b.StartPublish(t.Context(), projecttest.Broker, id, release.Publish, bundle.Number, release.Despite{}); err != nil {
		t.Errorf("all notes are read: %v", err)
	}
	b.Wait("publishing", func() bool { s, _ := b.Publishing(t.Context(), projecttest.Broker, id); return !s.Running })
}

// Where nothing annotated is sensitive no model can be learnt to compare with: that is not
// the same as nothing to compare.
func TestNotesWithNothingSensitiveLeaveItUnknownWhetherOthersAreLikeThem(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(16)[:8])
	b.MustImport(id, projecttest.Strip(projecttest.Notes(16)[8:]), false)
	ws := b.MustWorkspace(id)
	c, err := ws.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := b.CompareDocuments(t.Context(), ws, c, func(annotate.Label) bool { return false }, 1)
	if err != nil || r == nil || r.Known() {
		t.Fatalf("drift %+v, %v", r, err)
	}
}

// The report of a run under way is one for all who ask.
func TestNamesAreTakenFromACopyOfTheReport(t *testing.T) {
	r := &drift.Report{Sources: []drift.Side{{Source: "a", Target: 2}}}
	if out := sanitize.WithoutNames(r); out.Sources[0].Source != "" || out.Sources[0].Target != 2 || r.Sources[0].Source != "a" {
		t.Errorf("a copy of %+v is %+v", r, out)
	}
	if sanitize.WithoutNames(nil) != nil {
		t.Error("a report of nothing")
	}
}

func TestProgressOfARunNeverFalls(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(13)[:8])
	b.MustImport(id, projecttest.Strip(projecttest.Notes(13)[8:]), false)
	events, err := b.Watch(t.Context(), projecttest.Broker, id)
	if err != nil {
		t.Fatal(err)
	}
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{1, 10}, Folds: 2, First: "bayes", Learners: []string{"bayes"}})
	if err != nil {
		t.Fatal(err)
	}
	share, seen := 0.0, 0
	for range events {
		r, err := b.Run(t.Context(), projecttest.Broker, id, number)
		if err != nil {
			t.Fatal(err)
		}
		if r.State != sanitize.Running {
			break
		}
		if seen++; r.Progress.Share < share || r.Progress.Share >= 1 {
			t.Errorf("%s: %g after %g", r.Progress.Doing, r.Progress.Share, share)
		}
		share = r.Progress.Share
	}
	if seen < 2 {
		t.Errorf("%d looks while it ran", seen)
	}
}
