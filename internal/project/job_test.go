// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	envelope "hide/internal/publish/release"
	"hide/internal/publish/verify"
	"hide/internal/testsize"
)

func TestATrainingThatHasNotBegunToLearnCountsAsWaiting(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Notes(1), true)
	hold := make(chan struct{})
	j := b.Submit("train/"+string(id), func(context.Context) error { <-hold; return nil })
	tr, err := b.Training(t.Context(), projecttest.Annotator, id)
	if err != nil || !tr.Queued || tr.Running {
		t.Errorf("training %+v, %v, between two trainings; want one that waits", tr, err)
	}
	close(hold)
	<-j.Done()
	if tr, err = b.Training(t.Context(), projecttest.Annotator, id); err != nil || tr.Queued || tr.Running {
		t.Errorf("training %+v, %v, after them; want none", tr, err)
	}
}

func TestFinishingNotesTrainsAModelThatSuggests(t *testing.T) {
	b := newBench(t)
	docs := projecttest.Notes(9)
	id := b.NewProject(docs[:6], true)
	b.Set(id, func(s *project.Settings) { s.Blind = 0 })
	tr := b.Trained(id)
	if tr.Documents != 6 || tr.Error != "" || tr.Scores.Folds == 0 {
		t.Fatalf("training %+v; want one over 6 documents, checked", tr)
	}
	if r := tr.Scores.Recall; !(r.Low <= r.Value && r.Value <= r.High && r.High <= 1) {
		t.Errorf("recall %+v is no estimate", r)
	}
	bare := docs[6]
	bare.Spans = nil
	b.MustImport(id, []annotate.Annotated{bare}, false)
	n := b.MustNote(projecttest.Annotator, id, 7)
	if len(n.Suggestions) == 0 {
		t.Fatal("the model suggests nothing in a new note")
	}
	for _, s := range n.Suggestions {
		if s.Model != tr.Model || s.Score <= 0 || s.Score > 1 {
			t.Errorf("suggestion by model %d with score %g", s.Model, s.Score)
		}
	}
	first := n.Suggestions[0]
	n = b.MustEdit(projecttest.Annotator, id, 7, 0, annotate.Edit{Verb: annotate.VerbReject, Suggestions: []annotate.Suggestion{first}})
	for _, s := range n.Suggestions {
		if s.Span == first.Span {
			t.Error("a rejected suggestion came back")
		}
	}
	b.Reopen()
	if again := b.MustNote(projecttest.Annotator, id, 7); len(again.Suggestions) != len(n.Suggestions) {
		t.Errorf("%d suggestions after reopening, %d before", len(again.Suggestions), len(n.Suggestions))
	}
}

func TestTheWholeJobEndsInAVerifiedRelease(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	docs := projecttest.Notes(14)
	id := b.NewProject(docs[:10], true)
	open := docs[10:]
	b.MustImport(id, projecttest.Strip(open), false)
	b.Trained(id)
	ctx := t.Context()
	number, err := b.StartSanitize(ctx, projecttest.Broker, id, sanitize.Params{LC: []float64{1, 10}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.StartSanitize(ctx, projecttest.Broker, id, sanitize.Params{LC: []float64{1}})
	projecttest.WantKind(t, err, project.Stale)
	run := b.FinishedRun(id, number)
	checkRun(t, run)
	bundle, err := b.Choose(ctx, projecttest.Broker, id, number, 10)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Choose(ctx, projecttest.Broker, id, number, 3)
	projecttest.WantKind(t, err, project.Invalid)
	projecttest.WantKind(t, b.StartPublish(ctx, projecttest.Broker, id, release.Publish, bundle.Number, release.Despite{Uncertified: " \n"}), project.Invalid) // the notes were not drawn at random
	projecttest.WantKind(t, b.StartPublish(ctx, projecttest.Broker, id, release.Publish, bundle.Number, release.Despite{Uncertified: strings.Repeat("w", 301)}), project.Invalid)
	if err := b.StartPublish(ctx, projecttest.Broker, id, release.Publish, bundle.Number, release.Despite{Uncertified: "only a test"}); err != nil {
		t.Fatal(err)
	}
	rows, err := b.Audit(ctx, projecttest.Broker, id, 0, 1000)
	if err != nil || !slices.ContainsFunc(rows, func(r project.AuditRow) bool { return r.Action == "publish uncertified" && r.Detail == "only a test" }) {
		t.Errorf("the reason is not in the audit trail (%v)", err)
	}
	b.Wait("publishing", func() bool { s, _ := b.Publishing(ctx, projecttest.Broker, id); return !s.Running })
	rel, err := b.Release(ctx, projecttest.Broker, id, 1)
	if err != nil || !rel.Verified || rel.Documents != 14 {
		st, _ := b.Publishing(ctx, projecttest.Broker, id)
		t.Fatalf("release %+v, %v, %+v; want 14 verified documents", rel, err, st)
	}
	b.checkRelease(id, docs[:10])
	b.Reopen()
	b.checkRelease(id, docs[:10])
}

func TestADamagedReleaseIsNotHandedOut(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	ctx := t.Context()
	number, err := b.StartSanitize(ctx, projecttest.Broker, id, sanitize.Params{LC: []float64{10}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	b.FinishedRun(id, number)
	if _, err := b.Choose(ctx, projecttest.Broker, id, number, 10); err != nil {
		t.Fatal(err)
	}
	if err := b.StartPublish(ctx, projecttest.Broker, id, release.Publish, 1, release.Despite{}); err != nil {
		t.Fatal(err)
	}
	b.Wait("publishing", func() bool { s, _ := b.Publishing(ctx, projecttest.Broker, id); return !s.Running })
	if err := b.WriteRelease(ctx, projecttest.Broker, id, 1, io.Discard); err != nil {
		t.Fatal(err)
	}
	dir := b.Dir(id, fmt.Sprintf("release-%d", 1))
	texts, err := filepath.Glob(filepath.Join(dir, "notes", "*.txt"))
	if err != nil || len(texts) == 0 {
		t.Fatal(err)
	}
	text, err := os.ReadFile(texts[0])
	if err != nil {
		t.Fatal(err)
	}
	text[0] ^= 1
	if err := os.WriteFile(texts[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	projecttest.WantKind(t, b.WriteRelease(ctx, projecttest.Broker, id, 1, &out), project.Invalid)
	if out.Len() > 0 {
		t.Errorf("%d bytes of it were handed out", out.Len())
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if all, err := b.Releases(ctx, projecttest.Broker, id); err != nil || !all[0].Gone {
		t.Errorf("%+v, %v: want it said that its files are gone", all, err)
	}
}

func TestABundleOlderThanALabelIsNotPublishedWith(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	ctx := t.Context()
	number, err := b.StartSanitize(ctx, projecttest.Broker, id, sanitize.Params{LC: []float64{10}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	b.FinishedRun(id, number)
	old, err := b.Choose(ctx, projecttest.Broker, id, number, 10)
	if err != nil {
		t.Fatal(err)
	}
	var m projecttest.Markup
	m.Text("The ship ").Span("Esperance", "SHIP").Text(" came in.\n")
	late := annotate.Annotated{Document: annotate.Document{Name: "late", Text: m.String()}, Spans: m.Spans}
	b.MustImport(id, []annotate.Annotated{late}, false)
	projecttest.WantKind(t, b.StartPublish(ctx, projecttest.Broker, id, release.Publish, old.Number, release.Despite{Uncertified: "only a test"}), project.Invalid)
	fresh, err := b.Choose(ctx, projecttest.Broker, id, number, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.StartPublish(ctx, projecttest.Broker, id, release.Publish, fresh.Number, release.Despite{Uncertified: "only a test"}); err != nil {
		t.Fatal(err)
	}
	b.Wait("publishing", func() bool { s, _ := b.Publishing(ctx, projecttest.Broker, id); return !s.Running })
	var buf bytes.Buffer
	if err := b.WriteRelease(ctx, projecttest.Broker, id, 1, &buf); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if all := projecttest.ReadAll(t, z); strings.Contains(all, "Esperance") || !strings.Contains(all, "[SHIP]") {
		t.Error("what was marked with a label that came late is not redacted")
	}
}

func TestWhatARunLeavesOutIsNamedInItsBundle(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{10}, Folds: 2, Labels: []annotate.Label{"PATIENT"}})
	if err != nil {
		t.Fatal(err)
	}
	run := b.FinishedRun(id, number)
	if warnings := strings.Join(run.Warnings(), "\n"); run.Uncounted == 0 || !strings.Contains(warnings, fmt.Sprintf("counts only PATIENT, and its figures cover nothing else: %d marked passages", run.Uncounted)) {
		t.Errorf("%d are not counted; warnings %q", run.Uncounted, warnings)
	}
	info, err := b.Choose(t.Context(), projecttest.Broker, id, number, 10)
	if err != nil || !slices.Contains(info.Excluded, "DOCTOR") || slices.Contains(info.Excluded, "PATIENT") {
		t.Errorf("excluded %v, %v; want all but PATIENT", info.Excluded, err)
	}
}

func TestWhatAKilledProcessLeftOfAReleaseIsSweptAway(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(nil, false)
	left := b.Dir(id, "release-1"+envelope.Unfinished+"ABCDEFGH")
	kept := b.Dir(id, "release-1")
	for _, dir := range []string{left, kept} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.Reopen()
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the unfinished folder: %v, want it gone", err)
	}
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := b.Begin(ws, projecttest.Broker, release.KindText, release.Publish); err != nil || r.Number != 2 {
		t.Errorf("the next release is number %d, %v; want 2, since a folder of the name release-1 is there", r.Number, err)
	}
}

func TestAServerThatStopsSaysThatItsRunWasInterrupted(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(12))
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{1, 2, 5, 10}})
	if err != nil {
		t.Fatal(err)
	}
	b.Reopen()
	if run := b.FinishedRun(id, number); run.State != sanitize.Interrupted {
		t.Errorf("run is %s, want interrupted", run.State)
	}
}

func checkRun(t *testing.T, run *sanitize.Run) {
	t.Helper()
	if run.State != sanitize.Finished || len(run.Choices) != 2 || run.Changed {
		t.Fatalf("run %s %s with %d choices, changed %t", run.State, run.Error, len(run.Choices), run.Changed)
	}
	for _, c := range run.Choices {
		if !c.Done || c.Outcome.Sensitive == 0 || c.Outcome.Tokens == 0 || len(c.Rounds) == 0 {
			t.Errorf("L/C %g is empty: %+v", c.LC, c.Outcome)
		}
	}
	if run.Choices[0].Outcome.Residual.Value < run.Choices[1].Outcome.Residual.Value {
		t.Errorf("more is left at L/C 10 (%g) than at 1 (%g)", run.Choices[1].Outcome.Residual.Value, run.Choices[0].Outcome.Residual.Value)
	}
}

// checkRelease downloads release 1, verifies it, and looks for what people
// marked in the documents known.
func (b *bench) checkRelease(id project.ID, known []annotate.Annotated) {
	b.T.Helper()
	var buf bytes.Buffer
	if err := b.WriteRelease(b.T.Context(), projecttest.Reviewer, id, 1, &buf); err != nil {
		b.T.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		b.T.Fatal(err)
	}
	folder, err := fs.Sub(z, "release-1")
	if err != nil {
		b.T.Fatal(err)
	}
	found, err := verify.Release(folder)
	if report := found.Common(); err != nil || !report.OK {
		b.T.Fatalf("verify: %v, %v", report.Problems, err)
	}
	all := projecttest.ReadAll(b.T, z)
	for _, d := range known {
		for _, s := range d.Spans {
			if surface := s.Surface(d.Text); s.Label == "MEDICALRECORD" && strings.Contains(all, surface) {
				b.T.Errorf("a marked %s is in the release", s.Label)
			}
		}
		if strings.Contains(all, d.Name) {
			b.T.Error("the release names a document as it is named outside")
		}
	}
}

func TestReviewersSeeFiguresWithoutText(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	docs := projecttest.Notes(8)
	var m projecttest.Markup // with a word that no model of the other notes can find
	m.Text(docs[0].Text).Text("The ").Span("owl", "OTHER").Text(" was quiet.\n")
	docs[0].Text, docs[0].Spans = m.String(), append(docs[0].Spans, m.Spans...)
	id := b.FinishedProject(docs)
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{Mode: greedy.Paper, LC: []float64{0.1}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	whole := b.FinishedRun(id, number)
	if whole.State != sanitize.Finished {
		t.Fatalf("run %s: %s", whole.State, whole.Error)
	}
	seen, err := b.Run(t.Context(), projecttest.Reviewer, id, number)
	if err != nil {
		t.Fatal(err)
	}
	texts := 0
	for i, c := range whole.Choices {
		for j, l := range append(c.Leaks, c.Lost...) {
			if l.Text != "" {
				texts++
			}
			if r := append(seen.Choices[i].Leaks, seen.Choices[i].Lost...)[j]; r.Text+r.Before+r.After != "" {
				t.Errorf("a reviewer is shown text at choice %d, %d", i, j)
			}
		}
	}
	if texts == 0 {
		t.Error("not even a broker is shown text: the test shows nothing")
	}
}

func TestACancelledRunSaysSoAndAnotherCanStart(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(12))
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{1, 2, 5, 10}})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.CancelSanitize(t.Context(), projecttest.Broker, id); err != nil {
		t.Fatal(err)
	}
	if run := b.FinishedRun(id, number); run.State != sanitize.Cancelled {
		t.Errorf("run is %s: %s, want cancelled", run.State, run.Error)
	}
	if _, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{1}}); err != nil {
		t.Errorf("a second run: %v", err)
	}
	b.Shut()
	b.Open()
	runs, err := b.Runs(t.Context(), projecttest.Broker, id)
	if err != nil || len(runs) != 2 || runs[0].State == sanitize.Running {
		t.Errorf("after the server stopped: %+v, %v; want no run that claims to run", runs, err)
	}
}

// TestARunMeasuresTheRandomSampleAlone: of 22 finished notes 10 came as a random
// sample, and all others were picked.
func TestARunMeasuresTheRandomSampleAlone(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	docs := projecttest.Notes(23)
	id := b.FinishedProject(docs[:12])
	b.MustImport(id, projecttest.Strip(docs[22:]), false)
	opts := project.ImportOptions{Finished: true, Random: true}
	if _, err := b.Import(t.Context(), projecttest.Broker, id, projecttest.JSONL(docs[12:22]), opts); err != nil {
		t.Fatal(err)
	}
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	for key := uint64(1); project.Drawn(ws)[0] != 13; key++ { // the open note first: no other is of the drawn sample
		project.Redraw(ws, key)
	}
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{10}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	r := b.FinishedRun(id, number)
	if r.Documents != 22 || r.Random != 10 || r.Measured != 10 || r.Choices[0].Outcome.Documents != 10 {
		t.Errorf("%d notes, %d random, %d measured, figures of %d; want 22, 10, 10, 10", r.Documents, r.Random, r.Measured, r.Choices[0].Outcome.Documents)
	}
	if warnings := strings.Join(r.Warnings(), "\n"); !strings.Contains(warnings, "the figures come from these alone") {
		t.Errorf("warnings %q", warnings)
	}
}
