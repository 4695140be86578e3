// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/store"
	"hide/internal/testsize"
)

func (b *bench) findings(id project.ID) audit.Findings {
	b.T.Helper()
	f, err := b.SampleAuditFindings(b.T.Context(), projecttest.Broker, id, 0)
	if err != nil {
		b.T.Fatal(err)
	}
	return f
}

// chosen are all findings under one label.
func chosen(f audit.Findings, l annotate.Label) []audit.LabelledFinding {
	var out []audit.LabelledFinding
	for _, finding := range f.All {
		out = append(out, audit.LabelledFinding{finding.Index, finding.From, l})
	}
	return out
}

func TestWhatAnAuditFoundBecomesSpansAndTheAuditHolds(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id, bundle := b.OpenNotes()
	ctx := t.Context()
	a := b.StoreAudit(id, bundle, projecttest.Visible(0, 1, 5))
	doc := a.Notes[0].Document
	f := b.findings(id)
	if len(f.All) != 2 || f.Lost != 0 || f.Open() != 2 || f.All[0].Index != 1 {
		t.Fatalf("found %+v, want two identifiers of the first note", f)
	}
	before := b.MustNote(projecttest.Annotator, id, doc)
	for _, finding := range f.All {
		if text := []rune(before.Document.Text)[finding.Start:finding.End]; string(text) != finding.Text || finding.Document != doc || finding.Text == "" {
			t.Errorf("%+v stands for %q in its note", finding, string(text))
		}
		if !slices.Contains(f.Labels, finding.Label) {
			t.Errorf("%q is no label of the project", finding.Label)
		}
	}
	if n, err := b.AddAuditFindings(ctx, projecttest.Annotator, id, 0, chosen(f, "HOSPITAL")); err != nil || n != 2 {
		t.Fatalf("added %d, %v", n, err)
	}
	after := b.MustNote(projecttest.Annotator, id, doc)
	if got, want := len(after.Layer.Spans()), len(before.Layer.Spans())+2; got != want || after.Layer.State != annotate.InProgress {
		t.Errorf("the note has %d spans, want %d; it is %s", got, want, after.Layer.State)
	}
	if f := b.findings(id); f.Open() != 0 {
		t.Errorf("%d are offered again", f.Open())
	}
	if n, err := b.AddAuditFindings(ctx, projecttest.Annotator, id, 0, chosen(f, "HOSPITAL")); err != nil || n != 0 {
		t.Errorf("added %d again, %v", n, err)
	}
	b.Reopen()
	if a := b.NewestAudit(id); a.Changed || a.Result.Found != 2 {
		t.Errorf("the audit does not hold: %+v", a)
	}
	b.releases(id, bundle, f.All[0].Text+" ")
	if _, err := b.Undo(ctx, projecttest.Annotator, id, doc, after.Layer.Revision); err != nil {
		t.Fatal(err)
	}
	if f := b.findings(id); f.Open() != 2 || !b.NewestAudit(id).Changed {
		t.Errorf("after undo %d are offered, changed %v", f.Open(), b.NewestAudit(id).Changed)
	}
}

// releases publishes, and wants no note to begin with the text.
func (b *bench) releases(id project.ID, bundle int, start string) {
	b.T.Helper()
	before := 0
	for d, err := range b.MustWorkspace(id).Documents(b.T.Context(), b.MustWorkspace(id).All()) {
		if err != nil {
			b.T.Fatal(err)
		}
		if strings.HasPrefix(d.Text, start) {
			before++
		}
	}
	if err := b.StartPublish(b.T.Context(), projecttest.Broker, id, release.Publish, bundle, release.Despite{}); err != nil {
		b.T.Fatal(err)
	}
	b.Wait("publishing", func() bool { s, _ := b.Publishing(b.T.Context(), projecttest.Broker, id); return !s.Running })
	released, err := b.ReleaseSample(b.T.Context(), projecttest.Broker, id, 1, 16)
	if err != nil {
		b.T.Fatal(err)
	}
	left := 0
	for _, r := range released {
		if strings.HasPrefix(r.Text, start) {
			left++
		}
	}
	if left != before-1 {
		b.T.Errorf("%d of %d notes are released with %q, want one fewer", left, before, start)
	}
}

func TestANoteThatWasDoneStaysDoneWhenFindingsCome(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(10))
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{10}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	b.FinishedRun(id, number)
	bundle, err := b.Choose(t.Context(), projecttest.Broker, id, number, 10)
	if err != nil {
		t.Fatal(err)
	}
	a := b.StoreAudit(id, bundle.Number, projecttest.Visible(0))
	if n, err := b.AddAuditFindings(t.Context(), projecttest.Annotator, id, a.Number, chosen(b.findings(id), "HOSPITAL")); err != nil || n != 1 {
		t.Fatalf("added %d, %v", n, err)
	}
	if n := b.MustNote(projecttest.Annotator, id, a.Notes[0].Document); n.Layer.State != annotate.Done {
		t.Errorf("the note is %s", n.Layer.State)
	}
	if b.NewestAudit(id).Changed {
		t.Error("the audit does not hold")
	}
}

func TestAnotherEditStillEndsAnAudit(t *testing.T) {
	b := newBench(t)
	id, bundle := b.OpenNotes()
	a := b.StoreAudit(id, bundle, projecttest.Visible(0))
	other := a.Notes[1].Document
	b.MustEdit(projecttest.Annotator, id, other, 0, annotate.Edit{Verb: annotate.VerbTag, Spans: []annotate.Span{{Start: 0, End: 7, Label: "PATIENT"}}})
	if _, err := b.AddAuditFindings(t.Context(), projecttest.Annotator, id, 0, chosen(b.findings(id), "HOSPITAL")); err != nil {
		t.Fatal(err)
	}
	if !b.NewestAudit(id).Changed {
		t.Error("the audit holds though another note was edited before")
	}
}

func TestFindingsRefuseWhatCannotBe(t *testing.T) {
	b := newBench(t)
	id, bundle := b.OpenNotes()
	b.StoreAudit(id, bundle, projecttest.Visible(2))
	ctx := t.Context()
	f := b.findings(id)
	_, err := b.SampleAuditFindings(ctx, projecttest.Reviewer, id, 0)
	projecttest.WantKind(t, err, project.Forbidden)
	_, err = b.AddAuditFindings(ctx, projecttest.Reviewer, id, 0, nil)
	projecttest.WantKind(t, err, project.Forbidden)
	_, err = b.AddAuditFindings(ctx, projecttest.Annotator, id, 9, nil)
	projecttest.WantKind(t, err, project.NotFound)
	for _, wrong := range []audit.LabelledFinding{{0, 0, "PATIENT"}, {99, 0, "PATIENT"}, {1, 1 << 20, "PATIENT"}, {2, f.All[0].From, "PATIENT"}} {
		_, err = b.AddAuditFindings(ctx, projecttest.Annotator, id, 0, []audit.LabelledFinding{wrong})
		projecttest.WantKind(t, err, project.NotFound)
	}
	_, err = b.AddAuditFindings(ctx, projecttest.Annotator, id, 0, chosen(f, "NOBODY"))
	projecttest.WantKind(t, err, project.Invalid)
	if f := b.findings(id); f.Open() != 1 {
		t.Errorf("%d are open after refusals", f.Open())
	}
}

// An audit drawn before places were kept has none to offer, and says so.
func TestFindingsOfAnOldAuditAreCountedAsLost(t *testing.T) {
	b := newBench(t)
	id, bundle := b.OpenNotes()
	b.StoreAudit(id, bundle, projecttest.Visible(0, 2))
	err := b.Update(id, project.EventBy(projecttest.Broker, "test", id.Object()), func(tx *store.Tx) error {
		return tx.Delete(audit.BucketPlaces, audit.TextKey(1, 1))
	})
	if err != nil {
		t.Fatal(err)
	}
	if f := b.findings(id); len(f.All) != 0 || f.Lost != 2 {
		t.Errorf("found %+v, want two lost", f)
	}
}
