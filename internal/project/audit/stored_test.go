// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/greedy/drift"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/projecttest"
	"hide/internal/project/sanitize"
)

// A stored audit counts while the notes are as they were; one that was never read to its end
// has no result.
func TestAStoredAuditReplacesTheWarningThatNobodyHasRead(t *testing.T) {
	const nobody = "Nobody has read a sample of them, so the residual PHI is unknown"
	b := newBench(t)
	id, bundle := b.OpenNotes()
	ofBundle := func(a audit.Audit) bool { return a.Bundle == bundle }
	if words := b.MustWarnings(id, bundle); !strings.Contains(words, nobody) {
		t.Errorf("without an audit: %q", words)
	}
	a := b.StoreAudit(id, bundle, nil)
	if done, n, err := b.Audited(b.MustWorkspace(id), ofBundle); n != 1 || a.Documents != 6 || a.Read != 0 || a.Result != nil || a.Changed || done != nil || err != nil {
		t.Fatalf("%+v; %+v, %v", a, done, err)
	}
	b.StoreAudit(id, bundle, projecttest.Visible(0, 1, 3))
	b.Reopen()
	a = b.NewestAudit(id)
	if a.Read != 4 || a.Result == nil || a.Result.Found != 2 || a.Result.Random != 3 || a.Result.Selected != 1 || a.Result.Remaining.AtMost < 2 {
		t.Fatalf("%+v, %+v", a, a.Result)
	}
	if words := b.MustWarnings(id, bundle); !strings.Contains(words, "Audit: in 3 random notes and the 1 most doubtful of 6") || strings.Contains(words, nobody) {
		t.Errorf("with an audit: %q", words)
	}
	if done, _, err := b.Audited(b.MustWorkspace(id), ofBundle); err != nil || done == nil || *done != *a.Result {
		t.Errorf("the result is %+v, %v; want %+v", done, err, a.Result)
	}
	b.Finish(projecttest.Annotator, id, 16)
	if words := b.MustWarnings(id, bundle); !b.NewestAudit(id).Changed || !strings.Contains(words, nobody) {
		t.Errorf("after a note was finished: %q", words)
	}
	_, err := b.SampleAudits(t.Context(), account.User{ID: "x", Role: account.Annotator}, id)
	projecttest.WantKind(t, err, project.NotFound)
}

func TestAForecastIsDoubtedWhenFiguresDoNotCarryOver(t *testing.T) {
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
		if got := c.run.ForecastDoubt(); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.run, got, c.want)
		}
	}
}

func TestNotesThatCameAfterARunPutItsForecastInDoubt(t *testing.T) {
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
