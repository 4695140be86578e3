// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/drift"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
)

func TestAnAuditReplacesTheWarningThatThereIsNone(t *testing.T) {
	b := newBench(t)
	id, bundle := b.DrawnAudit()
	if words := b.MustWarnings(id, bundle); !strings.Contains(words, "No audit has been done") || !strings.Contains(words, "the residual PHI is unknown") {
		t.Errorf("before the audit: %q", words)
	}
	a := b.NewestAudit(id)
	if a.Documents != 6 || len(a.Notes) != 4 || a.Read != 0 || a.Result != nil || a.Changed {
		t.Fatalf("%+v", a)
	}
	if n, err := b.SampleAuditWaiting(t.Context(), projecttest.Annotator, id); err != nil || n != 4 {
		t.Errorf("%d notes wait, %v, want 4", n, err)
	}
	_, err := b.SampleAuditWaiting(t.Context(), projecttest.Reviewer, id)
	projecttest.WantKind(t, err, project.Forbidden)
	for k := 1; k <= 4; k++ {
		next, err := b.SampleAuditNote(t.Context(), projecttest.Annotator, id, 0, 0)
		if err != nil || next.Index != k || next.Read != k-1 || next.Notes != 4 || next.Seen {
			t.Fatalf("the next note is %+v, %v; want number %d", next, err, k)
		}
		marks := []int{1, 0, 3, 3} // two identifiers: the first two tokens, and the fourth
		if k > 1 {
			marks = nil
		}
		if err := b.MarkSampleAudit(t.Context(), projecttest.Annotator, id, next.Audit, k, audit.Answer{Marks: projecttest.Visible(next.Text, marks), Glanced: k == 2}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := b.SampleAuditWaiting(t.Context(), projecttest.Annotator, id); err != nil || n != 0 {
		t.Errorf("%d notes wait when all are read, %v", n, err)
	}
	b.Reopen()
	a = b.NewestAudit(id)
	if a.Read != 4 || a.Result == nil || a.Result.Found != 2 || a.Result.Random != 3 || a.Result.Selected != 1 || a.Result.Glanced != 1 || a.Result.Remaining.AtMost < 2 {
		t.Fatalf("%+v, %+v", a, a.Result)
	}
	if words := b.MustWarnings(id, bundle); !strings.Contains(words, "Audit: in 3 random notes and the 1 most doubtful of 6") || !strings.Contains(words, "Trust this less: 1 of these notes was answered before") || strings.Contains(words, "No audit") {
		t.Errorf("after the audit: %q", words)
	}
	b.Finish(projecttest.Annotator, id, 16)
	if words := b.MustWarnings(id, bundle); !b.NewestAudit(id).Changed || !strings.Contains(words, "No audit has been done") {
		t.Errorf("after a note was finished: %q", words)
	}
}

func TestAnAuditIsNeededWhenFiguresDoNotCarryOver(t *testing.T) {
	rings := &drift.Report{All: drift.Side{Tests: []drift.Test{{Name: drift.Words, P: 0.001}}}}
	silent := &drift.Report{All: drift.Side{Tests: []drift.Test{{Name: drift.Words, P: 0.4}}}, Sources: []drift.Side{{Source: "a", Annotated: true, Target: 40}}}
	foreign := &drift.Report{All: silent.All, Sources: append([]drift.Side{{Source: "b", Target: 2}}, silent.Sources...)}
	for _, c := range []struct {
		run  sanitize.Run
		want string
	}{
		{sanitize.Run{Documents: 60, Random: 60, Measured: 60}, ""},
		{sanitize.Run{Documents: 60, Random: 30, Measured: 30}, ""},
		{sanitize.Run{Documents: 60, Random: 3, Measured: 60}, "not a random sample"},
		{sanitize.Run{Documents: 60, Random: 60, Measured: 60, Drift: &drift.Report{}}, "too few notes to compare"},
		{sanitize.Run{Documents: 60, Random: 60, Measured: 60, Drift: silent}, ""},
		{sanitize.Run{Documents: 60, Random: 3, Measured: 60, Drift: rings, Later: 4, AllFinished: true}, ""},
		{sanitize.Run{Documents: 60, Random: 60, Measured: 60, Drift: foreign}, "from an institution with hardly any annotated notes"},
		{sanitize.Run{Documents: 60, Random: 60, Measured: 60, Drift: rings}, "differ from the annotated notes"},
		{sanitize.Run{Documents: 60, Random: 60, Measured: 60, Drift: &drift.Report{}, Later: 30}, "30 notes were imported after the run"},
	} {
		if got := c.run.AuditNeeded(); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.run, got, c.want)
		}
	}
}

// TestAuditedNotesReadAsTheyWouldBePublished compares them with a release.
func TestAuditedNotesReadAsTheyWouldBePublished(t *testing.T) {
	b := newBench(t)
	id, bundle := b.DrawnAudit()
	if err := b.StartPublish(t.Context(), projecttest.Broker, id, release.Publish, bundle, release.Despite{Unaudited: "to compare"}); err != nil {
		t.Fatal(err)
	}
	b.Wait("publishing", func() bool { s, _ := b.Publishing(t.Context(), projecttest.Broker, id); return !s.Running })
	released, err := b.ReleaseSample(t.Context(), projecttest.Broker, id, 1, 16)
	if err != nil || len(released) != 16 {
		t.Fatalf("%d released, %v", len(released), err)
	}
	for k := 1; k <= 4; k++ {
		n, err := b.SampleAuditNote(t.Context(), projecttest.Annotator, id, 1, k)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(released, func(r audit.ReleasedText) bool {
			return r.Text == n.Text.Text && slices.Equal(r.Redactions, n.Text.Redactions)
		}) {
			t.Errorf("note %d is not among those released", k)
		}
	}
}

func TestAuditsRefuseWhatCannotBe(t *testing.T) {
	b := newBench(t)
	id, bundle := b.DrawnAudit()
	ctx := t.Context()
	projecttest.WantKind(t, b.StartSampleAudit(ctx, projecttest.Broker, id, bundle, 0, 5), project.Invalid)
	projecttest.WantKind(t, b.StartSampleAudit(ctx, projecttest.Broker, id, bundle, 5, 100_000), project.Invalid)
	projecttest.WantKind(t, b.StartSampleAudit(ctx, projecttest.Broker, id, 99, 5, 5), project.NotFound)
	projecttest.WantKind(t, b.StartSampleAudit(ctx, projecttest.Annotator, id, bundle, 5, 5), project.Forbidden)
	_, err := b.SampleAuditNote(ctx, projecttest.Reviewer, id, 0, 0)
	projecttest.WantKind(t, err, project.Forbidden)
	_, err = b.SampleAuditNote(ctx, projecttest.Annotator, id, 7, 1)
	projecttest.WantKind(t, err, project.NotFound)
	_, err = b.SampleAuditNote(ctx, projecttest.Annotator, id, 1, 5)
	projecttest.WantKind(t, err, project.NotFound)
	n, err := b.SampleAuditNote(ctx, projecttest.Annotator, id, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	projecttest.WantKind(t, b.MarkSampleAudit(ctx, projecttest.Annotator, id, 1, 1, audit.Answer{Marks: []int{-1}}), project.Invalid)
	projecttest.WantKind(t, b.MarkSampleAudit(ctx, projecttest.Annotator, id, 1, 1, audit.Answer{Marks: []int{100_000}}), project.Invalid)
	for i := range annotate.Tokenize(n.Text.Text) {
		if audit.CheckMarks(n.Text, []int{i}) != nil {
			projecttest.WantKind(t, b.MarkSampleAudit(ctx, projecttest.Annotator, id, 1, 1, audit.Answer{Marks: []int{i}}), project.Invalid)
		}
	}
	_, _, err = b.SampleAudits(ctx, account.User{ID: "x", Role: account.Annotator}, id)
	projecttest.WantKind(t, err, project.NotFound)
	if a := b.NewestAudit(id); a.Read != 0 {
		t.Errorf("%d notes count as read", a.Read)
	}
}

// Two people who read the same note at once do not lose what the first has found.
func TestAnAnswerReplacesOnlyWhatItWasShown(t *testing.T) {
	b := newBench(t)
	id, _ := b.DrawnAudit()
	ctx := t.Context()
	note, err := b.SampleAuditNote(ctx, projecttest.Annotator, id, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	found := audit.Answer{Marks: projecttest.Visible(note.Text, []int{0})}
	if err := b.MarkSampleAudit(ctx, projecttest.Annotator, id, 1, 1, found); err != nil {
		t.Fatal(err)
	}
	projecttest.WantKind(t, b.MarkSampleAudit(ctx, projecttest.Broker, id, 1, 1, audit.Answer{Over: note.Reading}), project.Stale)
	if err := b.MarkSampleAudit(ctx, projecttest.Broker, id, 1, 1, found); err != nil {
		t.Errorf("the same answer of both: %v", err)
	}
	now, err := b.SampleAuditNote(ctx, projecttest.Broker, id, 1, 1)
	if err != nil || len(now.Marks) != 1 || now.Reading == note.Reading {
		t.Fatalf("%+v, %v", now, err)
	}
	if err := b.MarkSampleAudit(ctx, projecttest.Annotator, id, 1, 1, audit.Answer{Over: now.Reading}); err != nil {
		t.Errorf("an answer over what it was shown: %v", err)
	}
	if now, err = b.SampleAuditNote(ctx, projecttest.Broker, id, 1, 1); err != nil || len(now.Marks) != 0 {
		t.Errorf("%+v, %v", now, err)
	}
}

// A result draws thousands of samples: who reads, or is led to a note, does not wait for
// those of all audits there are.
func TestOnlyWhoShowsAResultHasItComputed(t *testing.T) {
	b := newBench(t)
	id, bundle := b.DrawnAudit()
	ws := b.MustWorkspace(id)
	if done, err := b.Audited(ws, bundle); done != nil || b.NewestAudit(id).Result != nil {
		t.Fatalf("a result before all is read: %+v, %v", done, err)
	}
	b.ReadAudit(id, 0)
	all, err := b.ListAudits(ws)
	if err != nil || len(all) != 1 || all[0].Read != 4 || all[0].Changed || all[0].Result != nil {
		t.Errorf("looked at, without a result to show: %+v, %v", all, err)
	}
	if a, err := b.AuditNumbered(ws, 1); err != nil || a.Result != nil {
		t.Errorf("read in, without a result to show: %+v, %v", a, err)
	}
	shown := b.NewestAudit(id).Result
	if done, err := b.Audited(ws, bundle); err != nil || shown == nil || done == nil || *shown != *done || shown.Found != 1 {
		t.Errorf("shown are %+v and %+v, %v", shown, done, err)
	}
}

func TestReadingAnAuditIsInTheAuditTrail(t *testing.T) {
	b := newBench(t)
	id, _ := b.DrawnAudit()
	if _, err := b.SampleAuditNote(t.Context(), projecttest.Annotator, id, 1, 2); err != nil {
		t.Fatal(err)
	}
	if err := b.MarkSampleAudit(t.Context(), projecttest.Annotator, id, 1, 2, audit.Answer{}); err != nil {
		t.Fatal(err)
	}
	rows, err := b.Audit(t.Context(), projecttest.Broker, "", 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	object := id.Object("audits", 1, "notes", 2)
	for i, want := range []string{"audit note", "read"} {
		if len(rows) < 2 || rows[i].Action != want || rows[i].Object != object {
			t.Errorf("row %d is %+v, want %q of %s", i, rows[i], want, object)
		}
	}
}

func TestNotesThatCameAfterARunAskForAnAudit(t *testing.T) {
	b := newBench(t)
	docs := projecttest.Notes(15)
	id := b.FinishedProject(docs[:10])
	b.MustImport(id, projecttest.Strip(docs[10:14]), false)
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{1}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	if run := b.FinishedRun(id, number); run.Later != 0 {
		t.Errorf("%d notes are later", run.Later)
	}
	b.MustImport(id, projecttest.Strip(docs[14:]), false)
	b.Reopen()
	if run := b.FinishedRun(id, number); run.Later != 1 {
		t.Errorf("%d notes are later, want the one", run.Later)
	}
}
