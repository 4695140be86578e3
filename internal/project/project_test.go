// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
)

func TestEditIsOnDiskWhenItReturns(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Mr. May was seen by Dr. Frank."), false)
	b.MustEdit(projecttest.Annotator, id, 1, 0, projecttest.Tag(4, 7, "PATIENT"))
	b.Reopen()
	n := b.MustNote(projecttest.Annotator, id, 1)
	want := []annotate.Span{{Start: 4, End: 7, Label: "PATIENT"}}
	if !slices.Equal(n.Layer.Spans(), want) || n.Layer.Revision != 1 {
		t.Errorf("spans %v at revision %d, want %v at 1", n.Layer.Spans(), n.Layer.Revision, want)
	}
}

func TestEditOnAnOldRevisionShowsBothVersions(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Mr. May was seen by Dr. Frank."), false)
	b.MustEdit(projecttest.Annotator, id, 1, 0, projecttest.Tag(4, 7, "PATIENT"))
	mine := projecttest.Tag(0, 7, "DOCTOR")
	_, err := b.Edit(t.Context(), projecttest.Second, id, 1, 0, mine)
	var conflict *project.ConflictError
	if !errors.As(err, &conflict) {
		t.Fatalf("got %v, want a conflict", err)
	}
	if conflict.Mine.Spans[0] != mine.Spans[0] || conflict.Theirs.Layer.Revision != 1 || len(conflict.Theirs.Layer.Annotations) != 1 {
		t.Errorf("conflict %+v does not hold both versions", conflict)
	}
	if n := b.MustEdit(projecttest.Second, id, 1, 1, mine); len(n.Layer.Annotations) != 1 || n.Layer.Annotations[0].Span != mine.Spans[0] {
		t.Errorf("after repeating on the newest revision: %+v, want mine alone", n.Layer.Annotations)
	}
}

func TestUndoTakesBackOnlyOnesOwn(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Mr. May was seen by Dr. Frank."), false)
	b.MustEdit(projecttest.Annotator, id, 1, 0, projecttest.Tag(4, 7, "PATIENT"))
	b.MustEdit(projecttest.Second, id, 1, 1, projecttest.Tag(24, 29, "DOCTOR"))
	n, err := b.Undo(t.Context(), projecttest.Annotator, id, 1, 2)
	if err != nil || len(n.Layer.Annotations) != 1 || n.Layer.Annotations[0].By != projecttest.Second.ID {
		t.Fatalf("undo: %v, %v", n, err)
	}
	if n, err = b.Redo(t.Context(), projecttest.Annotator, id, 1, n.Layer.Revision); err != nil || len(n.Layer.Annotations) != 2 {
		t.Errorf("redo: %v, %v", n, err)
	}
}

func TestEveryEditAndReadingIsAudited(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Mr. May was seen by Dr. Frank."), false)
	b.MustNote(projecttest.Annotator, id, 1)
	b.MustEdit(projecttest.Annotator, id, 1, 0, projecttest.Tag(4, 7, "PATIENT"))
	rows, err := b.Audit(t.Context(), projecttest.Broker, id, 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{"read", "tag", "finish import", "create project"} {
		if !slices.ContainsFunc(rows, func(r project.AuditRow) bool { return r.Action == action }) {
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
	b.NewProject(nil, false)
	for _, name := range []string{"Ward 7", "WARD 7", "p12"} {
		_, err := b.Create(t.Context(), projecttest.Broker, name, nil)
		projecttest.WantKind(t, err, project.Invalid)
	}
}

func TestRolesAreCheckedInTheService(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Mr. May was seen by Dr. Frank."), false)
	ctx := t.Context()
	disabled := projecttest.Broker
	disabled.Disabled = true
	for name, act := range map[string]struct {
		by account.User
		do func(account.User) error
	}{
		"reviewer reads a note":    {projecttest.Reviewer, func(u account.User) error { _, err := b.Note(ctx, u, id, 1); return err }},
		"reviewer lists the queue": {projecttest.Reviewer, func(u account.User) error { _, err := b.Queue(ctx, u, id, project.QueueFilter{}); return err }},
		"reviewer exports": {projecttest.Reviewer, func(u account.User) error {
			return b.Export(ctx, u, id, project.ExportOptions{Format: "jsonl"}, io.Discard)
		}},
		"reviewer takes a bundle": {projecttest.Reviewer, func(u account.User) error { return b.WriteBundle(ctx, u, id, 1, io.Discard) }},
		"annotator imports":       {projecttest.Annotator, func(u account.User) error { _, err := b.Import(ctx, u, id, nil, project.ImportOptions{}); return err }},
		"annotator exports": {projecttest.Annotator, func(u account.User) error {
			return b.Export(ctx, u, id, project.ExportOptions{Format: "jsonl"}, io.Discard)
		}},
		"annotator sanitizes":       {projecttest.Annotator, func(u account.User) error { _, err := b.StartSanitize(ctx, u, id, sanitize.Params{}); return err }},
		"annotator publishes":       {projecttest.Annotator, func(u account.User) error { return b.StartPublish(ctx, u, id, release.Publish, 1, release.Despite{}) }},
		"annotator makes a project": {projecttest.Annotator, func(u account.User) error { _, err := b.Create(ctx, u, "x", nil); return err }},
		"annotator reads the audit": {projecttest.Annotator, func(u account.User) error { _, err := b.Audit(ctx, u, id, 0, 1); return err }},
		"disabled Broker reads":     {disabled, func(u account.User) error { _, err := b.Note(ctx, u, id, 1); return err }},
		"disabled Broker lists":     {disabled, func(u account.User) error { _, err := b.Projects(ctx, u); return err }},
		"reviewer watches and edits": {projecttest.Reviewer, func(u account.User) error {
			_, err := b.Edit(ctx, u, id, 1, 0, projecttest.Tag(4, 7, "PATIENT"))
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) { projecttest.WantKind(t, act.do(act.by), project.Forbidden) })
	}
}

func TestUnknownThingsAreNotFound(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("text"), false)
	ctx := t.Context()
	_, err := b.Note(ctx, projecttest.Broker, id, 99)
	projecttest.WantKind(t, err, project.NotFound)
	_, err = b.Note(ctx, projecttest.Broker, "p77", 1)
	projecttest.WantKind(t, err, project.NotFound)
	_, err = b.Note(ctx, projecttest.Broker, "../system", 1)
	projecttest.WantKind(t, err, project.NotFound)
	_, err = b.Run(ctx, projecttest.Broker, id, 3)
	projecttest.WantKind(t, err, project.NotFound)
	projecttest.WantKind(t, b.StartPublish(ctx, projecttest.Broker, id, release.Publish, 3, release.Despite{}), project.NotFound)
	_, err = b.Release(ctx, projecttest.Broker, id, 3)
	projecttest.WantKind(t, err, project.NotFound)
	_, err = b.Edit(ctx, projecttest.Broker, id, 1, 0, projecttest.Tag(0, 4, "NO-SUCH-LABEL"))
	projecttest.WantKind(t, err, project.Invalid)
}

func TestWatchersHearOfEdits(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Mr. May was seen."), false)
	ctx, cancel := context.WithCancel(t.Context())
	events, err := b.Watch(ctx, projecttest.Annotator, id)
	if err != nil {
		t.Fatal(err)
	}
	b.MustEdit(projecttest.Second, id, 1, 0, projecttest.Tag(4, 7, "PATIENT"))
	if e := <-events; e.Topic != project.TopicDocument || e.Document != 1 {
		t.Errorf("first event %+v, want document 1", e)
	}
	cancel()
	for range events { // closes
	}
}

func TestExportIsImportedAgainUnchanged(t *testing.T) {
	b := newBench(t)
	docs := projecttest.Notes(5)
	id := b.FinishedProject(docs)
	var out bytes.Buffer
	if err := b.Export(t.Context(), projecttest.Broker, id, project.ExportOptions{Format: "jsonl"}, &out); err != nil {
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
