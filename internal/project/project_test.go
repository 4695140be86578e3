// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/store"
)

var (
	broker    = account.User{ID: "u-broker", Name: "Bea", Role: account.Broker}
	annotator = account.User{ID: "u-annotator", Name: "Ann", Role: account.Annotator}
	second    = account.User{ID: "u-second", Name: "Sam", Role: account.Annotator}
	reviewer  = account.User{ID: "u-reviewer", Name: "Rob", Role: account.Reviewer}
)

// bench is a service over a fresh store that can be closed and opened again.
type bench struct {
	*Service
	t   *testing.T
	dir string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "data")}
	b.open()
	t.Cleanup(b.close)
	return b
}

func (b *bench) open() {
	b.t.Helper()
	st, err := store.Open(store.Options{Dir: b.dir, Create: true})
	if err != nil {
		b.t.Fatal(err)
	}
	if b.Service, err = New(st, Options{Releases: filepath.Join(b.dir, "releases"), Version: "test"}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) close() {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := errors.Join(b.Close(ctx), b.store.Close()); err != nil {
		b.t.Error(err)
	}
}

func (b *bench) reopen() {
	b.t.Helper()
	b.close()
	b.open()
}

// project makes a project and imports the documents into it.
func (b *bench) project(docs []annotate.Annotated, finished bool) ID {
	b.t.Helper()
	p, err := b.Create(b.t.Context(), broker, "Ward 7", nil)
	if err != nil {
		b.t.Fatal(err)
	}
	if len(docs) > 0 {
		b.mustImport(p.ID, docs, finished)
	}
	return p.ID
}

// finished is a project of finished notes of which no model is learnt for the editor:
// what is tested is something else.
func (b *bench) finished(docs []annotate.Annotated) ID {
	b.t.Helper()
	id := b.project(docs, true)
	if err := b.CancelTraining(b.t.Context(), annotator, id); err != nil {
		b.t.Fatal(err)
	}
	return id
}

func (b *bench) mustImport(id ID, docs []annotate.Annotated, finished bool) {
	b.t.Helper()
	if _, err := b.Import(b.t.Context(), broker, id, jsonl(docs), ImportOptions{Finished: finished}); err != nil {
		b.t.Fatal(err)
	}
}

func jsonl(docs []annotate.Annotated) []format.File {
	var buf bytes.Buffer
	err := format.WriteJSONL(&buf, func(yield func(annotate.Annotated, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	})
	if err != nil {
		panic(err)
	}
	return file("notes.jsonl", buf.String())
}

func file(name, content string) []format.File {
	return []format.File{{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}}
}

func plain(texts ...string) []annotate.Annotated {
	docs := make([]annotate.Annotated, len(texts))
	for i, text := range texts {
		docs[i] = annotate.Annotated{Document: annotate.Document{Name: fmt.Sprintf("note-%d", i+1), Text: text}}
	}
	return docs
}

// notes are n short generated notes of as many patients: enough to learn from,
// small enough for the race detector.
func notes(n int) []annotate.Annotated {
	names := []string{"Abel", "Brandt", "Castro", "Dupont", "Egger", "Farkas", "Gruber", "Huber", "Ivanov", "Jansen"}
	docs := make([]annotate.Annotated, n)
	for i := range docs {
		name := names[i%len(names)] + strings.Repeat("o", i/len(names))
		var b markup
		b.text("Patient: ").span(name, "PATIENT").text("\nMRN ").span(fmt.Sprint(7000000+i*37), "MEDICALRECORD")
		b.text("\nSeen on ").span(fmt.Sprintf("%d/%d/2019", i%12+1, i%27+1), "DATE")
		b.text(" for cough and fever. Lungs clear, no rash. Dr. ").span(names[(i+3)%len(names)], "DOCTOR")
		b.text(" advised rest. Mr. ").span(name, "PATIENT").text(" left well.\n")
		docs[i] = annotate.Annotated{
			Document: annotate.Document{Name: fmt.Sprintf("note-%03d", i), Patient: fmt.Sprint("p", i), Text: b.String()},
			Spans:    b.spans,
		}
	}
	return docs
}

// markup builds a text and its spans together.
type markup struct {
	strings.Builder
	spans []annotate.Span
}

func (m *markup) text(s string) *markup { m.WriteString(s); return m }

func (m *markup) span(s string, label annotate.Label) *markup {
	start := annotate.ByteOff(m.Len())
	m.WriteString(s)
	m.spans = append(m.spans, annotate.Span{Start: start, End: annotate.ByteOff(m.Len()), Label: label})
	return m
}

func tag(start, end int, label annotate.Label) annotate.Edit {
	return annotate.Edit{Verb: annotate.VerbTag, Spans: []annotate.Span{{Start: annotate.ByteOff(start), End: annotate.ByteOff(end), Label: label}}}
}

func (b *bench) mustNote(by account.User, id ID, doc annotate.DocumentID) *Note {
	b.t.Helper()
	n, err := b.Note(b.t.Context(), by, id, doc)
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

func (b *bench) mustEdit(by account.User, id ID, doc annotate.DocumentID, revision int, e annotate.Edit) *Note {
	b.t.Helper()
	n, err := b.Edit(b.t.Context(), by, id, doc, revision, e)
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// wait polls until done or the test's patience ends. With the race detector looking may
// take long: most of the time is left to what is waited for.
func (b *bench) wait(what string, done func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); {
		looked := time.Now()
		if done() {
			return
		}
		time.Sleep(max(20*time.Millisecond, 5*time.Since(looked)))
	}
	b.t.Fatalf("waited too long for %s", what)
}

func wantKind(t *testing.T, err error, want Kind) {
	t.Helper()
	if got := KindOf(err); got != want {
		t.Errorf("error %v has kind %q, want %q", err, got, want)
	}
}

func TestEditIsOnDiskWhenItReturns(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("Mr. May was seen by Dr. Frank."), false)
	b.mustEdit(annotator, id, 1, 0, tag(4, 7, "PATIENT"))
	b.reopen()
	n := b.mustNote(annotator, id, 1)
	want := []annotate.Span{{Start: 4, End: 7, Label: "PATIENT"}}
	if !slices.Equal(n.Layer.Spans(), want) || n.Layer.Revision != 1 {
		t.Errorf("spans %v at revision %d, want %v at 1", n.Layer.Spans(), n.Layer.Revision, want)
	}
}

func TestEditOnAnOldRevisionShowsBothVersions(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("Mr. May was seen by Dr. Frank."), false)
	b.mustEdit(annotator, id, 1, 0, tag(4, 7, "PATIENT"))
	mine := tag(24, 29, "DOCTOR")
	_, err := b.Edit(t.Context(), second, id, 1, 0, mine)
	var conflict *ConflictError
	if !errors.As(err, &conflict) {
		t.Fatalf("got %v, want a conflict", err)
	}
	if conflict.Mine.Spans[0] != mine.Spans[0] || conflict.Theirs.Layer.Revision != 1 || len(conflict.Theirs.Layer.Annotations) != 1 {
		t.Errorf("conflict %+v does not hold both versions", conflict)
	}
	if n := b.mustEdit(second, id, 1, 1, mine); len(n.Layer.Annotations) != 2 {
		t.Errorf("after repeating on the newest revision: %d annotations, want 2", len(n.Layer.Annotations))
	}
}

func TestUndoTakesBackOnlyOnesOwn(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("Mr. May was seen by Dr. Frank."), false)
	b.mustEdit(annotator, id, 1, 0, tag(4, 7, "PATIENT"))
	b.mustEdit(second, id, 1, 1, tag(24, 29, "DOCTOR"))
	n, err := b.Undo(t.Context(), annotator, id, 1, 2)
	if err != nil || len(n.Layer.Annotations) != 1 || n.Layer.Annotations[0].By != second.ID {
		t.Fatalf("undo: %v, %v", n, err)
	}
	if n, err = b.Redo(t.Context(), annotator, id, 1, n.Layer.Revision); err != nil || len(n.Layer.Annotations) != 2 {
		t.Errorf("redo: %v, %v", n, err)
	}
}

func TestEveryEditAndReadingIsAudited(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("Mr. May was seen by Dr. Frank."), false)
	b.mustNote(annotator, id, 1)
	b.mustEdit(annotator, id, 1, 0, tag(4, 7, "PATIENT"))
	rows, err := b.Audit(t.Context(), broker, id, 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{"read", "tag", "finish import", "create project"} {
		if !slices.ContainsFunc(rows, func(r AuditRow) bool { return r.Action == action }) {
			t.Errorf("no row %q among %d", action, len(rows))
		}
	}
	for _, r := range rows {
		if strings.Contains(fmt.Sprint(r), "May") || strings.Contains(fmt.Sprint(r), "note-1") {
			t.Errorf("row %d shows text or a document's outside name", r.Seq)
		}
	}
}

func TestProjectsAreToldApartByName(t *testing.T) {
	b := newBench(t)
	b.project(nil, false)
	for _, name := range []string{"Ward 7", "WARD 7", "p12"} {
		_, err := b.Create(t.Context(), broker, name, nil)
		wantKind(t, err, Invalid)
	}
}

func TestRolesAreCheckedInTheService(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("Mr. May was seen by Dr. Frank."), false)
	ctx := t.Context()
	disabled := broker
	disabled.Disabled = true
	for name, act := range map[string]struct {
		by account.User
		do func(account.User) error
	}{
		"reviewer reads a note":      {reviewer, func(u account.User) error { _, err := b.Note(ctx, u, id, 1); return err }},
		"reviewer lists the queue":   {reviewer, func(u account.User) error { _, err := b.Queue(ctx, u, id, QueueFilter{}); return err }},
		"reviewer exports":           {reviewer, func(u account.User) error { return b.Export(ctx, u, id, "jsonl", io.Discard) }},
		"reviewer takes a bundle":    {reviewer, func(u account.User) error { return b.WriteBundle(ctx, u, id, 1, io.Discard) }},
		"annotator imports":          {annotator, func(u account.User) error { _, err := b.Import(ctx, u, id, nil, ImportOptions{}); return err }},
		"annotator exports":          {annotator, func(u account.User) error { return b.Export(ctx, u, id, "jsonl", io.Discard) }},
		"annotator sanitizes":        {annotator, func(u account.User) error { _, err := b.StartSanitize(ctx, u, id, SanitizeParams{}); return err }},
		"annotator publishes":        {annotator, func(u account.User) error { return b.StartPublish(ctx, u, id, 1, Despite{}) }},
		"annotator makes a project":  {annotator, func(u account.User) error { _, err := b.Create(ctx, u, "x", nil); return err }},
		"annotator reads the audit":  {annotator, func(u account.User) error { _, err := b.Audit(ctx, u, id, 0, 1); return err }},
		"disabled broker reads":      {disabled, func(u account.User) error { _, err := b.Note(ctx, u, id, 1); return err }},
		"nobody lists the projects":  {account.User{}, func(u account.User) error { _, err := b.Projects(ctx, u); return err }},
		"reviewer watches and edits": {reviewer, func(u account.User) error { _, err := b.Edit(ctx, u, id, 1, 0, tag(4, 7, "PATIENT")); return err }},
	} {
		t.Run(name, func(t *testing.T) { wantKind(t, act.do(act.by), Forbidden) })
	}
}

func TestUnknownThingsAreNotFound(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("text"), false)
	ctx := t.Context()
	_, err := b.Note(ctx, broker, id, 99)
	wantKind(t, err, NotFound)
	_, err = b.Note(ctx, broker, "p77", 1)
	wantKind(t, err, NotFound)
	_, err = b.Note(ctx, broker, "../system", 1)
	wantKind(t, err, NotFound)
	_, err = b.Run(ctx, broker, id, 3)
	wantKind(t, err, NotFound)
	wantKind(t, b.StartPublish(ctx, broker, id, 3, Despite{}), NotFound)
	_, err = b.Release(ctx, broker, id, 3)
	wantKind(t, err, NotFound)
	_, err = b.Edit(ctx, broker, id, 1, 0, tag(0, 4, "NO-SUCH-LABEL"))
	wantKind(t, err, Invalid)
}

func TestWatchersHearOfEdits(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("Mr. May was seen."), false)
	ctx, cancel := context.WithCancel(t.Context())
	events, err := b.Watch(ctx, annotator, id)
	if err != nil {
		t.Fatal(err)
	}
	b.mustEdit(second, id, 1, 0, tag(4, 7, "PATIENT"))
	if e := <-events; e.Topic != TopicDocument || e.Document != 1 {
		t.Errorf("first event %+v, want document 1", e)
	}
	cancel()
	for range events { // closes
	}
}

func TestExportIsImportedAgainUnchanged(t *testing.T) {
	b := newBench(t)
	docs := notes(5)
	id := b.finished(docs)
	var out bytes.Buffer
	if err := b.Export(t.Context(), broker, id, "jsonl", &out); err != nil {
		t.Fatal(err)
	}
	back, err := format.LoadJSONL(&out, "export")
	if err != nil || len(back) != len(docs) {
		t.Fatalf("%d documents back, %v; want %d", len(back), err, len(docs))
	}
	for i := range docs {
		if back[i].Text != docs[i].Text || !slices.Equal(back[i].Spans, docs[i].Spans) || back[i].Patient != docs[i].Patient {
			t.Errorf("document %d came back changed", i)
		}
	}
}
