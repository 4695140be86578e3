// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
)

func TestImportIsAllOrNothing(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("first note"), false)
	bad := `{"id":"a","text":"good"}` + "\n" + `{"id":"b","text":"short","spans":[{"start":0,"end":99,"label":"DATE"}]}` + "\n"
	if _, err := b.Import(t.Context(), broker, id, file("bad.jsonl", bad), ImportOptions{}); err == nil {
		t.Fatal("a span outside its text was imported")
	}
	for _, when := range []string{"at once", "after reopening"} {
		o, err := b.Project(t.Context(), broker, id)
		if err != nil || o.Documents != 1 {
			t.Errorf("%s: %d documents, %v; want 1", when, o.Documents, err)
		}
		b.reopen()
	}
	if _, err := b.Import(t.Context(), broker, id, file("bad.jsonl", bad), ImportOptions{Options: format.Options{SkipBad: true}}); err != nil {
		t.Fatal(err)
	}
	if o, _ := b.Project(t.Context(), broker, id); o.Documents != 2 {
		t.Errorf("with skip-bad: %d documents, want 2", o.Documents)
	}
}

func TestImportCutShortLeavesNothing(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("first note"), false)
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	// As after a crash: a portion is written, the import never committed.
	in, err := b.beginImport(ws, broker, ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := in.take(annotate.Annotated{Document: annotate.Document{Name: "half", Text: "half an import"}}); err != nil {
		t.Fatal(err)
	}
	if err := in.flush(); err != nil {
		t.Fatal(err)
	}
	b.reopen()
	if o, err := b.Project(t.Context(), broker, id); err != nil || o.Documents != 1 {
		t.Errorf("%d documents, %v; want 1", o.Documents, err)
	}
	b.mustImport(id, []annotate.Annotated{{Document: annotate.Document{Name: "half", Text: "again"}}}, false)
}

func TestImportRefusesDocumentsThatAreThere(t *testing.T) {
	b := newBench(t)
	id := b.project(plain("first note"), false)
	for _, name := range []string{"note-1", "NOTE-1"} {
		again := []annotate.Annotated{{Document: annotate.Document{Name: name, Text: "other text"}}}
		_, err := b.Import(t.Context(), broker, id, jsonl(again), ImportOptions{})
		var p *format.Problem
		if !errors.As(err, &p) || p.Code != "duplicate-id" {
			t.Errorf("%s: %v, want a problem with code duplicate-id", name, err)
		}
	}
}
