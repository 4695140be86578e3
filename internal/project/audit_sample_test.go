// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/drift"
)

// drawnAudit is a project of 10 finished and 6 open notes, a bundle, and an audit
// of 3 random and 1 doubtful note. The data folder is made once; each test has a copy.
func (b *bench) drawnAudit() (ID, int) {
	b.t.Helper()
	if drawnFolder == nil {
		b.drawAudit()
		b.reopen() // all is on disk
		drawnFolder = b.files()
		return "p1", 1
	}
	b.close()
	parent := filepath.Dir(b.dir)
	if err := errors.Join(os.RemoveAll(parent), os.CopyFS(parent, drawnFolder), os.Chmod(b.dir+".key", 0o600)); err != nil {
		b.t.Fatal(err)
	}
	b.open()
	return "p1", 1
}

var drawnFolder fstest.MapFS // tests run one after the other

// files are the data folder and, beside it, its key.
func (b *bench) files() fstest.MapFS {
	b.t.Helper()
	out, dir := fstest.MapFS{}, os.DirFS(filepath.Dir(b.dir))
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(dir, name)
		out[name] = &fstest.MapFile{Data: content, Mode: 0o600}
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func (b *bench) drawAudit() {
	b.t.Helper()
	id, bundle := b.openNotes()
	b.draws(id, bundle)
}

// openNotes are the notes and the bundle of [bench.drawnAudit]. Labels are those that the
// bundle redacts, all for none.
func (b *bench) openNotes(labels ...annotate.Label) (ID, int) {
	b.t.Helper()
	docs := notes(16)
	id := b.finished(docs[:10])
	b.mustImport(id, strip(docs[10:]), false)
	number, err := b.StartSanitize(b.t.Context(), broker, id, SanitizeParams{LC: []float64{10}, Folds: 2, Labels: labels})
	if err != nil {
		b.t.Fatal(err)
	}
	b.finishedRun(id, number)
	bundle, err := b.Choose(b.t.Context(), broker, id, number, 10)
	if err != nil || id != "p1" || bundle.Number != 1 {
		b.t.Fatalf("project %s, bundle %d, %v", id, bundle.Number, err)
	}
	return id, bundle.Number
}

func (b *bench) draws(id ID, bundle int) {
	b.t.Helper()
	if err := b.StartSampleAudit(b.t.Context(), broker, id, bundle, 3, 1); err != nil {
		b.t.Fatal(err)
	}
	b.wait("drawing a sample", func() bool {
		_, drawing, err := b.SampleAudits(b.t.Context(), broker, id)
		if err != nil || drawing.Error != "" {
			b.t.Fatal(err, drawing.Error)
		}
		return !drawing.Running
	})
}

func (b *bench) newestAudit(id ID) SampleAudit {
	b.t.Helper()
	all, _, err := b.SampleAudits(b.t.Context(), broker, id)
	if err != nil || len(all) == 0 {
		b.t.Fatalf("%d audits, %v", len(all), err)
	}
	return all[0]
}

func (b *bench) publishWarnings(id ID, bundle int) string {
	b.t.Helper()
	out, err := b.PublishWarnings(b.t.Context(), broker, id, bundle)
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Join(out, "\n")
}

func TestAnAuditReplacesTheWarningThatThereIsNone(t *testing.T) {
	b := newBench(t)
	id, bundle := b.drawnAudit()
	if words := b.publishWarnings(id, bundle); !strings.Contains(words, "No audit has been done") || !strings.Contains(words, "nobody knows what stays readable") {
		t.Errorf("before the audit: %q", words)
	}
	a := b.newestAudit(id)
	if a.Documents != 6 || len(a.Notes) != 4 || a.Read != 0 || a.Result != nil || a.Changed {
		t.Fatalf("%+v", a)
	}
	if n, err := b.SampleAuditWaiting(t.Context(), annotator, id); err != nil || n != 4 {
		t.Errorf("%d notes wait, %v, want 4", n, err)
	}
	_, err := b.SampleAuditWaiting(t.Context(), reviewer, id)
	wantKind(t, err, Forbidden)
	for k := 1; k <= 4; k++ {
		next, err := b.SampleAuditNote(t.Context(), annotator, id, 0, 0)
		if err != nil || next.Index != k || next.Read != k-1 || next.Notes != 4 || next.Seen {
			t.Fatalf("the next note is %+v, %v; want number %d", next, err, k)
		}
		marks := []int{1, 0, 3, 3} // two identifiers: the first two tokens, and the fourth
		if k > 1 {
			marks = nil
		}
		if err := b.MarkSampleAudit(t.Context(), annotator, id, next.Audit, k, AuditAnswer{Marks: visible(next.Text, marks), Glanced: k == 2}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := b.SampleAuditWaiting(t.Context(), annotator, id); err != nil || n != 0 {
		t.Errorf("%d notes wait when all are read, %v", n, err)
	}
	b.reopen()
	a = b.newestAudit(id)
	if a.Read != 4 || a.Result == nil || a.Result.Found != 2 || a.Result.Random != 3 || a.Result.Picked != 1 || a.Result.Glanced != 1 || a.Result.Left.AtMost < 2 {
		t.Fatalf("%+v, %+v", a, a.Result)
	}
	if words := b.publishWarnings(id, bundle); !strings.Contains(words, "Audit: in 3 random notes and the 1 most doubtful of 6") || !strings.Contains(words, "Lean on it less: 1 of these notes was answered before") || strings.Contains(words, "No audit") {
		t.Errorf("after the audit: %q", words)
	}
	b.finish(annotator, id, 16)
	if words := b.publishWarnings(id, bundle); !b.newestAudit(id).Changed || !strings.Contains(words, "No audit has been done") {
		t.Errorf("after a note was finished: %q", words)
	}
}

func TestAnAuditIsNeededWhenFiguresDoNotCarryOver(t *testing.T) {
	rings := &drift.Report{All: drift.Side{Tests: []drift.Test{{Name: drift.Words, P: 0.001}}}}
	silent := &drift.Report{All: drift.Side{Tests: []drift.Test{{Name: drift.Words, P: 0.4}}}, Sources: []drift.Side{{Source: "a", Annotated: true, Target: 40}}}
	foreign := &drift.Report{All: silent.All, Sources: append([]drift.Side{{Source: "b", Target: 2}}, silent.Sources...)}
	for _, c := range []struct {
		run  Run
		want string
	}{
		{Run{Documents: 60, Random: 60, Measured: 60}, ""},
		{Run{Documents: 60, Random: 30, Measured: 30}, ""},
		{Run{Documents: 60, Random: 3, Measured: 60}, "not a random sample"},
		{Run{Documents: 60, Random: 60, Measured: 60, Drift: &drift.Report{}}, "too few notes can be compared"},
		{Run{Documents: 60, Random: 60, Measured: 60, Drift: silent}, ""},
		{Run{Documents: 60, Random: 3, Measured: 60, Drift: rings, Later: 4, AllFinished: true}, ""},
		{Run{Documents: 60, Random: 60, Measured: 60, Drift: foreign}, "from an institution of which hardly any is annotated"},
		{Run{Documents: 60, Random: 60, Measured: 60, Drift: rings}, "not like those annotated"},
		{Run{Documents: 60, Random: 60, Measured: 60, Drift: &drift.Report{}, Later: 30}, "30 notes were imported after the run"},
	} {
		if got := c.run.AuditNeeded(); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.run, got, c.want)
		}
	}
}

// visible are the tokens at these places among those outside the placeholders.
func visible(r ReleasedText, places []int) []int {
	var open, out []int
	for i := range annotate.Tokenize(r.Text) {
		if checkMarks(r, []int{i}) == nil {
			open = append(open, i)
		}
	}
	for _, p := range places {
		out = append(out, open[p])
	}
	return out
}

// TestAuditedNotesReadAsTheyWouldBePublished compares them with a release.
func TestAuditedNotesReadAsTheyWouldBePublished(t *testing.T) {
	b := newBench(t)
	id, bundle := b.drawnAudit()
	if err := b.StartPublish(t.Context(), broker, id, bundle, Despite{Unaudited: "to compare"}); err != nil {
		t.Fatal(err)
	}
	b.wait("publishing", func() bool { s, _ := b.Publishing(t.Context(), broker, id); return !s.Running })
	released, err := b.ReleaseSample(t.Context(), broker, id, 1, 16)
	if err != nil || len(released) != 16 {
		t.Fatalf("%d released, %v", len(released), err)
	}
	for k := 1; k <= 4; k++ {
		n, err := b.SampleAuditNote(t.Context(), annotator, id, 1, k)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(released, func(r ReleasedText) bool {
			return r.Text == n.Text.Text && slices.Equal(r.Redactions, n.Text.Redactions)
		}) {
			t.Errorf("note %d is not among those released", k)
		}
	}
}

func TestAuditsRefuseWhatCannotBe(t *testing.T) {
	b := newBench(t)
	id, bundle := b.drawnAudit()
	ctx := t.Context()
	wantKind(t, b.StartSampleAudit(ctx, broker, id, bundle, 0, 5), Invalid)
	wantKind(t, b.StartSampleAudit(ctx, broker, id, bundle, 5, 100_000), Invalid)
	wantKind(t, b.StartSampleAudit(ctx, broker, id, 99, 5, 5), NotFound)
	wantKind(t, b.StartSampleAudit(ctx, annotator, id, bundle, 5, 5), Forbidden)
	_, err := b.SampleAuditNote(ctx, reviewer, id, 0, 0)
	wantKind(t, err, Forbidden)
	_, err = b.SampleAuditNote(ctx, annotator, id, 7, 1)
	wantKind(t, err, NotFound)
	_, err = b.SampleAuditNote(ctx, annotator, id, 1, 5)
	wantKind(t, err, NotFound)
	n, err := b.SampleAuditNote(ctx, annotator, id, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	wantKind(t, b.MarkSampleAudit(ctx, annotator, id, 1, 1, AuditAnswer{Marks: []int{-1}}), Invalid)
	wantKind(t, b.MarkSampleAudit(ctx, annotator, id, 1, 1, AuditAnswer{Marks: []int{100_000}}), Invalid)
	for i := range annotate.Tokenize(n.Text.Text) {
		if checkMarks(n.Text, []int{i}) != nil {
			wantKind(t, b.MarkSampleAudit(ctx, annotator, id, 1, 1, AuditAnswer{Marks: []int{i}}), Invalid)
		}
	}
	_, _, err = b.SampleAudits(ctx, account.User{ID: "x", Role: account.Annotator}, id)
	wantKind(t, err, Forbidden)
	if a := b.newestAudit(id); a.Read != 0 {
		t.Errorf("%d notes count as read", a.Read)
	}
}

// Two people who read the same note at once do not lose what the first has found.
func TestAnAnswerReplacesOnlyWhatItWasShown(t *testing.T) {
	b := newBench(t)
	id, _ := b.drawnAudit()
	ctx := t.Context()
	note, err := b.SampleAuditNote(ctx, annotator, id, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	found := AuditAnswer{Marks: visible(note.Text, []int{0})}
	if err := b.MarkSampleAudit(ctx, annotator, id, 1, 1, found); err != nil {
		t.Fatal(err)
	}
	wantKind(t, b.MarkSampleAudit(ctx, broker, id, 1, 1, AuditAnswer{Over: note.Reading}), Stale)
	if err := b.MarkSampleAudit(ctx, broker, id, 1, 1, found); err != nil {
		t.Errorf("the same answer of both: %v", err)
	}
	now, err := b.SampleAuditNote(ctx, broker, id, 1, 1)
	if err != nil || len(now.Marks) != 1 || now.Reading == note.Reading {
		t.Fatalf("%+v, %v", now, err)
	}
	if err := b.MarkSampleAudit(ctx, annotator, id, 1, 1, AuditAnswer{Over: now.Reading}); err != nil {
		t.Errorf("an answer over what it was shown: %v", err)
	}
	if now, err = b.SampleAuditNote(ctx, broker, id, 1, 1); err != nil || len(now.Marks) != 0 {
		t.Errorf("%+v, %v", now, err)
	}
}

// A result draws thousands of samples: who reads, or is led to a note, does not wait for
// those of all audits there are.
func TestOnlyWhoShowsAResultHasItComputed(t *testing.T) {
	b := newBench(t)
	id, bundle := b.drawnAudit()
	ws := b.mustSpace(id)
	if done, err := b.Service.audited(ws, bundle); done != nil || b.newestAudit(id).Result != nil {
		t.Fatalf("a result before all is read: %+v, %v", done, err)
	}
	b.readAudit(id, 0)
	all, err := b.audits(ws)
	if err != nil || len(all) != 1 || all[0].Read != 4 || all[0].Changed || all[0].Result != nil {
		t.Errorf("looked at, without a result to show: %+v, %v", all, err)
	}
	if a, err := b.audit(ws, 1); err != nil || a.Result != nil {
		t.Errorf("read in, without a result to show: %+v, %v", a, err)
	}
	shown := b.newestAudit(id).Result
	if done, err := b.Service.audited(ws, bundle); err != nil || shown == nil || done == nil || *shown != *done || shown.Found != 1 {
		t.Errorf("shown are %+v and %+v, %v", shown, done, err)
	}
}

func TestReadingAnAuditIsInTheAuditTrail(t *testing.T) {
	b := newBench(t)
	id, _ := b.drawnAudit()
	if _, err := b.SampleAuditNote(t.Context(), annotator, id, 1, 2); err != nil {
		t.Fatal(err)
	}
	if err := b.MarkSampleAudit(t.Context(), annotator, id, 1, 2, AuditAnswer{}); err != nil {
		t.Fatal(err)
	}
	rows, err := b.Audit(t.Context(), broker, "", 0, 10)
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
	docs := notes(15)
	id := b.finished(docs[:10])
	b.mustImport(id, strip(docs[10:14]), false)
	number, err := b.StartSanitize(t.Context(), broker, id, SanitizeParams{LC: []float64{1}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	if run := b.finishedRun(id, number); run.Later != 0 {
		t.Errorf("%d notes are later", run.Later)
	}
	b.mustImport(id, strip(docs[14:]), false)
	b.reopen()
	if run := b.finishedRun(id, number); run.Later != 1 {
		t.Errorf("%d notes are later, want the one", run.Later)
	}
}
