// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"bytes"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/internal/project/projecttest"
)

// The work of people leaves a project whole, enters another one under their names, and
// leaves that one as it came.
func TestTheWorkOfPeopleMovesWholeBetweenProjects(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("Rose 😀 was seen by Dr. Weiss.", "Rose walks."), false)
	tag := func(start, end annotate.ByteOff, label annotate.Label) annotate.Edit {
		return annotate.Edit{Verb: annotate.VerbTag, Spans: []annotate.Span{{Start: start, End: end, Label: label}}}
	}
	note := b.MustEdit(projecttest.Broker, id, 1, 0, tag(0, 4, "PATIENT"))
	note = b.MustEdit(projecttest.Annotator, id, 1, note.Layer.Revision, tag(25, 30, "DOCTOR"))
	note = b.MustEdit(projecttest.Annotator, id, 1, note.Layer.Revision, annotate.Edit{Verb: annotate.VerbRelabel, IDs: []uint64{1}, Label: "DATE"})
	b.MustEdit(projecttest.Broker, id, 1, note.Layer.Revision, annotate.Edit{Verb: annotate.VerbFinish})

	first := exported(t, b, id)
	made, err := b.Create(t.Context(), projecttest.Broker, "Other", nil)
	if err != nil {
		t.Fatal(err)
	}
	other := made.ID
	if _, err := b.Import(t.Context(), projecttest.Broker, other, projecttest.File("work.jsonl", first), project.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	if second := exported(t, b, other); second != first {
		t.Errorf("the work changed on its way:\n%s\n%s", first, second)
	}
	if o, err := b.Project(t.Context(), projecttest.Broker, other); err != nil || o.Done != 1 {
		t.Errorf("%d notes are finished, %v", o.Done, err)
	}
	moved := b.MustNote(projecttest.Broker, other, 1)
	if moved.CanUndo {
		t.Error("a person can undo what a file says of somebody with the same name")
	}
	if by := b.PersonName(moved.Layer.Annotations[1].By); !strings.HasSuffix(by, "(in an imported file)") {
		t.Errorf("a span of the file is by %q", by)
	}
}

func exported(t *testing.T, b *bench, id project.ID) string {
	t.Helper()
	var out bytes.Buffer
	if err := b.Export(t.Context(), projecttest.Broker, id, project.ExportOptions{Format: format.WithWork}, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
