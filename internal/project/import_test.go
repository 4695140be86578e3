// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/internal/project/projecttest"
)

func TestImportIsAllOrNothing(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("first note"), false)
	bad := `{"id":"a","text":"good"}` + "\n" + `{"id":"b","text":"short","spans":[{"start":0,"end":99,"label":"DATE"}]}` + "\n"
	if _, err := b.Import(t.Context(), projecttest.Broker, id, projecttest.File("bad.jsonl", bad), project.ImportOptions{}); err == nil {
		t.Fatal("a span outside its text was imported")
	}
	for _, when := range []string{"at once", "after reopening"} {
		o, err := b.Project(t.Context(), projecttest.Broker, id)
		if err != nil || o.Documents != 1 {
			t.Errorf("%s: %d documents, %v; want 1", when, o.Documents, err)
		}
		b.Reopen()
	}
	if _, err := b.Import(t.Context(), projecttest.Broker, id, projecttest.File("bad.jsonl", bad), project.ImportOptions{Options: format.Options{SkipBad: true}}); err != nil {
		t.Fatal(err)
	}
	if o, _ := b.Project(t.Context(), projecttest.Broker, id); o.Documents != 2 {
		t.Errorf("with skip-bad: %d documents, want 2", o.Documents)
	}
}

func TestImportCutShortLeavesNothing(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("first note"), false)
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	// As after a crash: a portion is written, the import never committed.
	if err := b.HalfImport(ws, projecttest.Broker, annotate.Annotated{Document: annotate.Document{Name: "half", Text: "half an import"}}); err != nil {
		t.Fatal(err)
	}
	b.Reopen()
	if o, err := b.Project(t.Context(), projecttest.Broker, id); err != nil || o.Documents != 1 {
		t.Errorf("%d documents, %v; want 1", o.Documents, err)
	}
	b.MustImport(id, []annotate.Annotated{{Document: annotate.Document{Name: "half", Text: "again"}}}, false)
}

func TestImportRefusesDocumentsThatAreThere(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("first note"), false)
	for _, name := range []string{"note-1", "NOTE-1"} {
		again := []annotate.Annotated{{Document: annotate.Document{Name: name, Text: "other text"}}}
		_, err := b.Import(t.Context(), projecttest.Broker, id, projecttest.JSONL(again), project.ImportOptions{})
		var p *format.Problem
		if !errors.As(err, &p) || p.Code != "duplicate-id" {
			t.Errorf("%s: %v, want a problem with code duplicate-id", name, err)
		}
	}
}

func TestALongListIsCut(t *testing.T) {
	var names []string
	for i := range 25 {
		names = append(names, fmt.Sprint(i))
	}
	if got := project.ShortList(names); !strings.HasSuffix(got, "18, 19 and 5 more") {
		t.Error(got)
	}
	if got := project.ShortList(names[:20]); !strings.HasSuffix(got, "18, 19") {
		t.Error(got)
	}
}
