// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/hospital"
	"hide/internal/parallel"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/testsize"
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

// TestNamesThatAnImportHoldsBackAreTaken imports in several portions, whose names are written
// later, in pieces and in another order.
func TestNamesThatAnImportHoldsBackAreTaken(t *testing.T) {
	defer project.HoldNames(600, 200)()
	b := newBench(t)
	id := b.NewProject(nil, false)
	var many []annotate.Annotated
	for i := range 1300 {
		many = append(many, annotate.Annotated{Document: annotate.Document{Name: fmt.Sprint("n", i), Text: "x"}})
	}
	bad := append(projecttest.JSONL(many), projecttest.File("bad.jsonl", "{")...)
	if _, err := b.Import(t.Context(), projecttest.Broker, id, bad, project.ImportOptions{}); err == nil {
		t.Fatal("a bad record was imported")
	}
	b.MustImport(id, many, false) // the names are free again
	b.Reopen()
	report, err := b.Import(t.Context(), projecttest.Broker, id, projecttest.JSONL(many), project.ImportOptions{Options: format.Options{SkipBad: true}})
	if err == nil || report.Refused != len(many) {
		t.Errorf("%d of %d names are taken: %v", report.Refused, len(many), err)
	}
	if o, err := b.Project(t.Context(), projecttest.Broker, id); err != nil || o.Documents != len(many) {
		t.Errorf("%d documents, %v; want %d", o.Documents, err, len(many))
	}
}

// TestTheStoreTakesLittleMoreThanTheText counts everything that an import of annotated notes
// writes, as a backup has it.
func TestTheStoreTakesLittleMoreThanTheText(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	notes := slices.Collect(hospital.Generate(hospital.Options{Patients: 150, Seed: 4}))
	text, spans := 0, 0
	for _, n := range notes {
		text, spans = text+len(n.Text), spans+len(n.Spans)
	}
	b.NewProject(notes, false)
	var backup bytes.Buffer
	if err := b.Store().Backup(t.Context(), &backup); err != nil {
		t.Fatal(err)
	}
	if share := float64(backup.Len()) / float64(text); share > 1.5 {
		t.Errorf("%d bytes of text with %d spans take %d bytes, %.2f times as many", text, spans, backup.Len(), share)
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

// TestPanicOfAnImportIsAnError: notes are written on a goroutine of their own, and a defect
// there must not end the server.
func TestPanicOfAnImportIsAnError(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Plain("first note"), false)
	err := b.DefectiveImport(b.MustWorkspace(id), projecttest.Broker)
	if _, ok := errors.AsType[*parallel.PanicError](err); !ok {
		t.Errorf("%v, want a panic as an error", err)
	}
}

// An empty text is a note without tokens: it is imported, finished, trained on and exported.
func TestEmptyTextsAreNotes(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(append(projecttest.Notes(6), projecttest.Plain("", " \n")...), true)
	b.Trained(id)
	b.MustImport(id, []annotate.Annotated{{Document: annotate.Document{Name: "open"}}}, false)
	if n := b.MustNote(projecttest.Annotator, id, 9); n.Document.Text != "" {
		t.Errorf("a text of %d bytes", len(n.Document.Text))
	}
	b.Finish(projecttest.Annotator, id, 9)
	o, err := b.Project(t.Context(), projecttest.Broker, id)
	if err != nil || o.Documents != 9 || o.Done != 9 {
		t.Errorf("%d of %d notes are finished, %v", o.Done, o.Documents, err)
	}
}
