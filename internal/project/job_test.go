// SPDX-License-Identifier: Apache-2.0

package project

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
	"hide/internal/publish/release"
	"hide/internal/publish/verify"
)

// trained waits until no training runs or waits and returns its state.
func (b *bench) trained(id ID) Training {
	b.t.Helper()
	var tr Training
	b.wait("training", func() bool {
		var err error
		if tr, err = b.Training(b.t.Context(), annotator, id); err != nil {
			b.t.Fatal(err)
		}
		return tr.Model > 0 && !tr.Running && !tr.Queued
	})
	return tr
}

func TestATrainingThatHasNotBegunToLearnCountsAsWaiting(t *testing.T) {
	b := newBench(t)
	id := b.project(notes(1), true)
	hold := make(chan struct{})
	j := b.jobs.Submit(trainKey(id), func(context.Context) error { <-hold; return nil })
	tr, err := b.Training(t.Context(), annotator, id)
	if err != nil || !tr.Queued || tr.Running {
		t.Errorf("training %+v, %v, between two trainings; want one that waits", tr, err)
	}
	close(hold)
	<-j.Done()
	if tr, err = b.Training(t.Context(), annotator, id); err != nil || tr.Queued || tr.Running {
		t.Errorf("training %+v, %v, after them; want none", tr, err)
	}
}

func TestFinishingNotesTrainsAModelThatSuggests(t *testing.T) {
	b := newBench(t)
	docs := notes(9)
	id := b.project(docs[:6], true)
	b.set(id, func(s *Settings) { s.Blind = 0 })
	tr := b.trained(id)
	if tr.Documents != 6 || tr.Error != "" || tr.Scores.Folds == 0 {
		t.Fatalf("training %+v; want one over 6 documents, checked", tr)
	}
	if r := tr.Scores.Recall; !(r.Low <= r.Value && r.Value <= r.High && r.High <= 1) {
		t.Errorf("recall %+v is no estimate", r)
	}
	bare := docs[6]
	bare.Spans = nil
	b.mustImport(id, []annotate.Annotated{bare}, false)
	n := b.mustNote(annotator, id, 7)
	if len(n.Suggestions) == 0 {
		t.Fatal("the model suggests nothing in a new note")
	}
	for _, s := range n.Suggestions {
		if s.Model != tr.Model || s.Score <= 0 || s.Score > 1 {
			t.Errorf("suggestion by model %d with score %g", s.Model, s.Score)
		}
	}
	first := n.Suggestions[0]
	n = b.mustEdit(annotator, id, 7, 0, annotate.Edit{Verb: annotate.VerbReject, Suggestions: []annotate.Suggestion{first}})
	for _, s := range n.Suggestions {
		if s.Span == first.Span {
			t.Error("a rejected suggestion came back")
		}
	}
	b.reopen()
	if again := b.mustNote(annotator, id, 7); len(again.Suggestions) != len(n.Suggestions) {
		t.Errorf("%d suggestions after reopening, %d before", len(again.Suggestions), len(n.Suggestions))
	}
}

func TestTheWholeJobEndsInAVerifiedRelease(t *testing.T) {
	b := newBench(t)
	docs := notes(14)
	id := b.project(docs[:10], true)
	open := docs[10:]
	b.mustImport(id, strip(open), false)
	b.trained(id)
	ctx := t.Context()
	number, err := b.StartSanitize(ctx, broker, id, SanitizeParams{LC: []float64{1, 10}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.StartSanitize(ctx, broker, id, SanitizeParams{LC: []float64{1}})
	wantKind(t, err, Stale)
	run := b.finishedRun(id, number)
	checkRun(t, run)
	bundle, err := b.Choose(ctx, broker, id, number, 10)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Choose(ctx, broker, id, number, 3)
	wantKind(t, err, Invalid)
	wantKind(t, b.StartPublish(ctx, broker, id, bundle.Number, Despite{Unaudited: " \n"}), Invalid) // the notes were not drawn at random
	wantKind(t, b.StartPublish(ctx, broker, id, bundle.Number, Despite{Unaudited: strings.Repeat("w", 301)}), Invalid)
	if err := b.StartPublish(ctx, broker, id, bundle.Number, Despite{Unaudited: "only a test"}); err != nil {
		t.Fatal(err)
	}
	rows, err := b.Audit(ctx, broker, id, 0, 1000)
	if err != nil || !slices.ContainsFunc(rows, func(r AuditRow) bool { return r.Action == "publish unaudited" && r.Detail == "only a test" }) {
		t.Errorf("the reason is not in the audit trail (%v)", err)
	}
	b.wait("publishing", func() bool { s, _ := b.Publishing(ctx, broker, id); return !s.Running })
	rel, err := b.Release(ctx, broker, id, 1)
	if err != nil || !rel.Verified || rel.Documents != 14 {
		st, _ := b.Publishing(ctx, broker, id)
		t.Fatalf("release %+v, %v, %+v; want 14 verified documents", rel, err, st)
	}
	b.checkRelease(id, docs[:10])
	b.reopen()
	b.checkRelease(id, docs[:10])
}

func TestADamagedReleaseIsNotHandedOut(t *testing.T) {
	b := newBench(t)
	id := b.finished(notes(8))
	ctx := t.Context()
	number, err := b.StartSanitize(ctx, broker, id, SanitizeParams{LC: []float64{10}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	b.finishedRun(id, number)
	if _, err := b.Choose(ctx, broker, id, number, 10); err != nil {
		t.Fatal(err)
	}
	if err := b.StartPublish(ctx, broker, id, 1, Despite{}); err != nil {
		t.Fatal(err)
	}
	b.wait("publishing", func() bool { s, _ := b.Publishing(ctx, broker, id); return !s.Running })
	if err := b.WriteRelease(ctx, broker, id, 1, io.Discard); err != nil {
		t.Fatal(err)
	}
	dir := b.releaseDir(id, releaseName(1))
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
	wantKind(t, b.WriteRelease(ctx, broker, id, 1, &out), Invalid)
	if out.Len() > 0 {
		t.Errorf("%d bytes of it were handed out", out.Len())
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if all, err := b.Releases(ctx, broker, id); err != nil || !all[0].Gone {
		t.Errorf("%+v, %v: want it said that its files are gone", all, err)
	}
}

func TestABundleOlderThanALabelIsNotPublishedWith(t *testing.T) {
	b := newBench(t)
	id := b.finished(notes(8))
	ctx := t.Context()
	number, err := b.StartSanitize(ctx, broker, id, SanitizeParams{LC: []float64{10}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	b.finishedRun(id, number)
	old, err := b.Choose(ctx, broker, id, number, 10)
	if err != nil {
		t.Fatal(err)
	}
	var m markup
	m.text("The ship ").span("Esperance", "SHIP").text(" came in.\n")
	late := annotate.Annotated{Document: annotate.Document{Name: "late", Text: m.String()}, Spans: m.spans}
	b.mustImport(id, []annotate.Annotated{late}, false)
	wantKind(t, b.StartPublish(ctx, broker, id, old.Number, Despite{Unaudited: "only a test"}), Invalid)
	fresh, err := b.Choose(ctx, broker, id, number, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.StartPublish(ctx, broker, id, fresh.Number, Despite{Unaudited: "only a test"}); err != nil {
		t.Fatal(err)
	}
	b.wait("publishing", func() bool { s, _ := b.Publishing(ctx, broker, id); return !s.Running })
	var buf bytes.Buffer
	if err := b.WriteRelease(ctx, broker, id, 1, &buf); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if all := readAll(t, z); strings.Contains(all, "Esperance") || !strings.Contains(all, "[SHIP]") {
		t.Error("what was marked with a label that came late is not redacted")
	}
}

func TestWhatARunLeavesOutIsNamedInItsBundle(t *testing.T) {
	b := newBench(t)
	id := b.finished(notes(8))
	number, err := b.StartSanitize(t.Context(), broker, id, SanitizeParams{LC: []float64{10}, Folds: 2, Labels: []annotate.Label{"PATIENT"}})
	if err != nil {
		t.Fatal(err)
	}
	run := b.finishedRun(id, number)
	if warnings := strings.Join(run.Warnings(), "\n"); run.Uncounted == 0 || !strings.Contains(warnings, fmt.Sprintf("count only PATIENT, and no figure is of anything else: %d marked passages", run.Uncounted)) {
		t.Errorf("%d are not counted; warnings %q", run.Uncounted, warnings)
	}
	info, err := b.Choose(t.Context(), broker, id, number, 10)
	if err != nil || !slices.Contains(info.Excluded, "DOCTOR") || slices.Contains(info.Excluded, "PATIENT") {
		t.Errorf("excluded %v, %v; want all but PATIENT", info.Excluded, err)
	}
}

func TestWhatAKilledProcessLeftOfAReleaseIsSweptAway(t *testing.T) {
	b := newBench(t)
	id := b.project(nil, false)
	left := b.releaseDir(id, "release-1"+release.Unfinished+"ABCDEFGH")
	kept := b.releaseDir(id, "release-1")
	for _, dir := range []string{left, kept} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.reopen()
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the unfinished folder: %v, want it gone", err)
	}
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := b.reserveRelease(ws, broker); err != nil || n != 2 {
		t.Errorf("the next release is number %d, %v; want 2, since a folder of the name release-1 is there", n, err)
	}
}

func TestAServerThatStopsSaysThatItsRunWasInterrupted(t *testing.T) {
	b := newBench(t)
	id := b.finished(notes(12))
	number, err := b.StartSanitize(t.Context(), broker, id, SanitizeParams{LC: []float64{1, 2, 5, 10}})
	if err != nil {
		t.Fatal(err)
	}
	b.reopen()
	if run := b.finishedRun(id, number); run.State != RunInterrupted {
		t.Errorf("run is %s, want interrupted", run.State)
	}
}

func strip(docs []annotate.Annotated) []annotate.Annotated {
	out := make([]annotate.Annotated, len(docs))
	for i, d := range docs {
		out[i] = annotate.Annotated{Document: d.Document}
	}
	return out
}

func (b *bench) finishedRun(id ID, number int) *Run {
	b.t.Helper()
	var run *Run
	b.wait("sanitizing", func() bool {
		var err error
		if run, err = b.Run(b.t.Context(), broker, id, number); err != nil {
			b.t.Fatal(err)
		}
		return run.State != RunRunning
	})
	return run
}

func checkRun(t *testing.T, run *Run) {
	t.Helper()
	if run.State != RunFinished || len(run.Choices) != 2 || run.Changed {
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
func (b *bench) checkRelease(id ID, known []annotate.Annotated) {
	b.t.Helper()
	var buf bytes.Buffer
	if err := b.WriteRelease(b.t.Context(), reviewer, id, 1, &buf); err != nil {
		b.t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		b.t.Fatal(err)
	}
	folder, err := fs.Sub(z, "release-1")
	if err != nil {
		b.t.Fatal(err)
	}
	found, err := verify.Release(folder)
	if report := found.Common(); err != nil || !report.OK {
		b.t.Fatalf("verify: %v, %v", report.Problems, err)
	}
	all := readAll(b.t, z)
	for _, d := range known {
		for _, s := range d.Spans {
			if surface := s.Surface(d.Text); s.Label == "MEDICALRECORD" && strings.Contains(all, surface) {
				b.t.Errorf("a marked %s is in the release", s.Label)
			}
		}
		if strings.Contains(all, d.Name) {
			b.t.Error("the release names a document as it is named outside")
		}
	}
}

func readAll(t *testing.T, z *zip.Reader) string {
	t.Helper()
	var all strings.Builder
	err := fs.WalkDir(z, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		f, err := z.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(&all, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestReviewersSeeFiguresWithoutText(t *testing.T) {
	b := newBench(t)
	docs := notes(8)
	var m markup // with a word that no model of the other notes can find
	m.text(docs[0].Text).text("The ").span("owl", "OTHER").text(" was quiet.\n")
	docs[0].Text, docs[0].Spans = m.String(), append(docs[0].Spans, m.spans...)
	id := b.finished(docs)
	number, err := b.StartSanitize(t.Context(), broker, id, SanitizeParams{Mode: greedy.Paper, LC: []float64{0.1}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	whole := b.finishedRun(id, number)
	if whole.State != RunFinished {
		t.Fatalf("run %s: %s", whole.State, whole.Error)
	}
	seen, err := b.Run(t.Context(), reviewer, id, number)
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
	id := b.finished(notes(12))
	number, err := b.StartSanitize(t.Context(), broker, id, SanitizeParams{LC: []float64{1, 2, 5, 10}})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.CancelSanitize(t.Context(), broker, id); err != nil {
		t.Fatal(err)
	}
	if run := b.finishedRun(id, number); run.State != RunCancelled {
		t.Errorf("run is %s: %s, want cancelled", run.State, run.Error)
	}
	if _, err := b.StartSanitize(t.Context(), broker, id, SanitizeParams{LC: []float64{1}}); err != nil {
		t.Errorf("a second run: %v", err)
	}
	b.close()
	b.open()
	runs, err := b.Runs(t.Context(), broker, id)
	if err != nil || len(runs) != 2 || runs[0].State == RunRunning {
		t.Errorf("after the server stopped: %+v, %v; want no run that claims to run", runs, err)
	}
}

// TestARunMeasuresTheRandomSampleAlone: of 22 finished notes 10 came as a random
// sample, and all others were picked.
func TestARunMeasuresTheRandomSampleAlone(t *testing.T) {
	b := newBench(t)
	docs := notes(23)
	id := b.finished(docs[:12])
	b.mustImport(id, strip(docs[22:]), false)
	opts := ImportOptions{Finished: true, Random: true}
	if _, err := b.Import(t.Context(), broker, id, jsonl(docs[12:22]), opts); err != nil {
		t.Fatal(err)
	}
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	for key := uint64(1); ws.drawn[0] != 13; key++ { // the open note first: no other is of the drawn sample
		b.draw(id, key)
	}
	number, err := b.StartSanitize(t.Context(), broker, id, SanitizeParams{LC: []float64{10}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	r := b.finishedRun(id, number)
	if r.Documents != 22 || r.Random != 10 || r.Measured != 10 || r.Choices[0].Outcome.Documents != 10 {
		t.Errorf("%d notes, %d random, %d measured, figures of %d; want 22, 10, 10, 10", r.Documents, r.Random, r.Measured, r.Choices[0].Outcome.Documents)
	}
	if warnings := strings.Join(r.Warnings(), "\n"); !strings.Contains(warnings, "the figures are of these alone") {
		t.Errorf("warnings %q", warnings)
	}
}
