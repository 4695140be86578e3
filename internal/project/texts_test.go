// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
)

// TestTextsOfNotesOnTheirWay: a note whose import or restoration is on disk is read although
// the list has it a moment later, and a note of an import that has not ended is not.
func TestTextsOfNotesOnTheirWay(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("first", "second", "third"), false)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(b.DeleteNote(t.Context(), projecttest.Broker, id, 2, "note-2"))
	ws := b.MustWorkspace(id)
	project.Unlist(ws, 3)
	must(b.HalfImport(ws, projecttest.Broker, annotate.Annotated{Document: annotate.Document{Name: "half", Text: "fourth"}}))
	var got []string
	must(ws.Texts(t.Context(), 1, 9, func(_ annotate.DocumentID, text string) error {
		got = append(got, text)
		return nil
	}))
	if want := []string{"first", "second", "third"}; !slices.Equal(got, want) {
		t.Errorf("texts %q, want %q", got, want)
	}
}
