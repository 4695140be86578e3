// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/annotate/labels"
	"hide/internal/project"
	"hide/internal/project/projecttest"
)

// labelled is one note whose words have these labels.
func labelled(name string, all ...annotate.Label) annotate.Annotated {
	d := annotate.Annotated{Document: annotate.Document{Name: name}}
	for _, l := range all {
		start := annotate.ByteOff(len(d.Text))
		d.Text += "Müller "
		d.Spans = append(d.Spans, annotate.Span{Start: start, End: start + 7, Label: l})
	}
	return d
}

// spansOf counts the spans of a project by label.
func spansOf(t *testing.T, b *bench, id project.ID) map[annotate.Label]int {
	t.Helper()
	ws, err := b.Workspace(id)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[annotate.Label]int{}
	for d, err := range ws.Read(t.Context(), ws.All()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range d.Spans {
			counts[s.Label]++
		}
	}
	return counts
}

func TestThreeImportsInTwoLanguagesEndInOneLabelSet(t *testing.T) {
	b := newBench(t)
	id := b.NewProject([]annotate.Annotated{labelled("english", "PATIENT", "DATE", "HOSPITAL")}, false)
	spanish, err := labels.Find("meddocan-to-i2b2-2014")
	if err != nil {
		t.Fatal(err)
	}
	take := func(opts project.ImportOptions, docs ...annotate.Annotated) project.ImportReport {
		t.Helper()
		r, err := b.Import(t.Context(), projecttest.Broker, id, projecttest.JSONL(docs), opts)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := take(project.ImportOptions{Map: &spanish}, labelled("español", "NOMBRE_SUJETO_ASISTENCIA", "FECHAS", "FECHAS", "CALLE"))
	if !slices.Contains(r.Notes, "FECHAS is now DATE: 2 spans renamed") {
		t.Errorf("the report says %q", r.Notes)
	}
	own := labels.Mapping{Pairs: map[annotate.Label]annotate.Label{"who": "PATIENT", "junk": ""}}
	r = take(project.ImportOptions{Map: &own, Suggest: true}, labelled("own", "who", "junk", "Hospital_Name"))
	if !slices.Contains(r.Notes, "junk: 1 span dropped") {
		t.Errorf("the report says %q", r.Notes)
	}
	take(project.ImportOptions{}, labelled("again", "CALLE", "who", "junk")) // by the project's mapping
	want := map[annotate.Label]int{"PATIENT": 4, "DATE": 3, "HOSPITAL": 2, "STREET": 2}
	if got := spansOf(t, b, id); !maps.Equal(got, want) {
		t.Errorf("spans %v, want %v", got, want)
	}
	if o, err := b.Project(t.Context(), projecttest.Broker, id); err != nil || !slices.Equal(o.Labels.Labels(), annotate.I2B2().Labels()) {
		t.Errorf("labels %v, %v", o.Labels.Labels(), err)
	}
	versions, err := b.Mappings(t.Context(), projecttest.Broker, id)
	if err != nil || len(versions) != 2 || versions[0].Version != 2 || versions[0].Pairs["FECHAS"] != "DATE" || versions[0].Pairs["who"] != "PATIENT" || versions[1].Pairs["who"] != "" || versions[0].By == "" || versions[0].At.IsZero() {
		t.Errorf("versions %+v, %v", versions, err)
	}
	take(project.ImportOptions{Map: &labels.Mapping{}}, labelled("as it is", "who"))
	if got := spansOf(t, b, id); got["who"] != 1 {
		t.Errorf("with an empty mapping: %v", got)
	}
	_, err = b.Mappings(t.Context(), projecttest.Annotator, id)
	projecttest.WantKind(t, err, project.Forbidden)
}

// An import brings what its preview says, and the preview changes nothing.
func TestAnImportBringsWhatItsPreviewSays(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	pool := []annotate.Label{"PATIENT", "fecha", "MRN", "Other-Thing", "DOCTOR"}
	for round := range 6 {
		b := newBench(t)
		id := b.NewProject(projecttest.Plain("known note"), false)
		var docs []annotate.Annotated
		for i := range 1 + draw.IntN(8) {
			name := fmt.Sprint("n", i)
			if draw.IntN(4) == 0 {
				name = "NOTE-1" // the project has it
			}
			d := labelled(name, pool[draw.IntN(5)], pool[draw.IntN(5)])
			d.Patient = fmt.Sprint(draw.IntN(3))
			docs = append(docs, d)
		}
		opts := project.ImportOptions{Options: format.Options{SkipBad: true}, Suggest: round%2 == 0}
		before := auditRows(t, b, id)
		progress := 0
		opts.Progress = func(n int) { progress = n }
		p, err := b.Preview(t.Context(), projecttest.Broker, id, projecttest.JSONL(docs), opts)
		if err != nil {
			t.Fatal(err)
		}
		if after := auditRows(t, b, id); after != before {
			t.Errorf("the preview wrote %d audit rows", after-before)
		}
		if p.Known > p.Refused || progress != p.Documents+p.Known {
			t.Errorf("%d known, %d refused, %d notes, progress %d", p.Known, p.Refused, p.Documents, progress)
		}
		if p.Documents == 0 {
			continue
		}
		r, err := b.Import(t.Context(), projecttest.Broker, id, projecttest.JSONL(docs), opts)
		if err != nil {
			t.Fatal(err)
		}
		if r.Documents != p.Documents || r.Spans != p.Spans || r.Refused != p.Refused {
			t.Errorf("import %+v, preview %+v", r.Report, p.Report)
		}
		want := map[annotate.Label]int{}
		for _, m := range p.Mapped {
			want[m.To] += m.Spans
		}
		if got := spansOf(t, b, id); !maps.Equal(got, want) {
			t.Errorf("spans %v, preview %v", got, want)
		}
	}
	b := newBench(t)
	_, err := b.Preview(t.Context(), projecttest.Annotator, b.NewProject(nil, false), nil, project.ImportOptions{})
	projecttest.WantKind(t, err, project.Forbidden)
}

func auditRows(t *testing.T, b *bench, id project.ID) int {
	t.Helper()
	rows, err := b.Audit(t.Context(), projecttest.Broker, id, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	return len(rows)
}

func TestAnExportSaysWhatItLoses(t *testing.T) {
	b := newBench(t)
	id := b.NewProject([]annotate.Annotated{labelled("a", "PATIENT", "CITY", "DATE")}, false)
	names, err := labels.Find("i2b2-2014-to-names")
	if err != nil {
		t.Fatal(err)
	}
	lost, err := b.ExportLosses(t.Context(), projecttest.Broker, id, project.ExportOptions{Format: "jsonl", Map: names})
	if want := []string{"CITY: 1 span dropped", "DATE: 1 span dropped", "PATIENT is now NAME: 1 span renamed"}; err != nil || !slices.Equal(lost, want) {
		t.Errorf("%q, %v, want %q", lost, err, want)
	}
	if lost, err = b.ExportLosses(t.Context(), projecttest.Broker, id, project.ExportOptions{Format: format.WithWork, Map: names}); err != nil || !slices.Contains(lost, "the work of people is left out of notes whose labels change") {
		t.Errorf("%q, %v", lost, err)
	}
	var out strings.Builder
	if err := b.Export(t.Context(), projecttest.Broker, id, project.ExportOptions{Format: "jsonl", Map: names}, &out); err != nil || !strings.Contains(out.String(), `"NAME"`) || strings.Contains(out.String(), "CITY") {
		t.Errorf("%s, %v", out.String(), err)
	}
	lost, err = b.ExportLosses(t.Context(), projecttest.Broker, id, project.ExportOptions{Format: "jsonl"})
	if err != nil || len(lost) != 0 {
		t.Errorf("%q, %v", lost, err)
	}
	for _, bad := range []string{"", "text", "zip", "docx"} {
		_, err := b.ExportLosses(t.Context(), projecttest.Broker, id, project.ExportOptions{Format: bad})
		if bad != "text" { // it may be written one day
			projecttest.WantKind(t, err, project.Invalid)
		}
	}
	_, err = b.ExportLosses(t.Context(), projecttest.Reviewer, id, project.ExportOptions{Format: "jsonl"})
	projecttest.WantKind(t, err, project.Forbidden)
}
