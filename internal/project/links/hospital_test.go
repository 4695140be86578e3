// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"fmt"
	"testing"

	"hide/internal/annotate"
	"hide/internal/hospital"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/internal/project/projecttest"
)

// registrations are the notes of a generated hospital in which 15 % of the patients have two
// keys. truth gives the patient of each note.
func registrations(patients int, change func(d *annotate.Annotated, second bool)) (docs []annotate.Annotated, truth map[string]string) {
	truth = map[string]string{}
	seen := map[string]int{}
	for d := range hospital.Generate(hospital.Options{Patients: patients, Seed: 5}) {
		p := d.Patient
		truth[d.Name] = p
		if seen[p]++; seen[p] == 1 {
			seen["patients"]++
		}
		second := seen[p]%2 == 0
		if number := seen["patients"]; number%20 < 3 && second {
			d.Patient += "/2"
		}
		d.Spans = nil
		change(&d, second)
		docs = append(docs, d)
	}
	return docs, truth
}

// scores compares the links of a project with the truth: pairs of records.
func scores(t *testing.T, b *projecttest.Bench, id project.ID, truth map[string]string) (right, wrong, missed int) {
	t.Helper()
	ws := b.MustWorkspace(id)
	var of [][2]string // truth and group of each record
	seen := map[string]bool{}
	for n, err := range ws.Documents(t.Context(), ws.All()) {
		if err != nil {
			t.Fatal(err)
		}
		if !seen[n.Record()] {
			seen[n.Record()] = true
			of = append(of, [2]string{truth[n.Name], n.Group()})
		}
	}
	for i, x := range of {
		for _, y := range of[:i] {
			switch same, links := x[0] == y[0], x[1] == y[1]; {
			case same && links:
				right++
			case links:
				wrong++
			case same:
				missed++
			}
		}
	}
	return right, wrong, missed
}

// TestAHospitalWithSeveralKeys links a hospital whose notes nobody has marked. Half of the
// registrations lack name and birth date, or nothing but the text is there.
func TestAHospitalWithSeveralKeys(t *testing.T) {
	cases := []struct {
		name   string
		least  float64 // F1 after the second pass
		change func(d *annotate.Annotated, second bool)
	}{
		{"half of the notes without name and birth date", .95, func(d *annotate.Annotated, second bool) {
			delete(d.Attributes, "mrn")
			delete(d.Attributes, "phone")
			if second {
				delete(d.Attributes, "name")
				delete(d.Attributes, "birth_date")
			}
		}},
		{"text alone", .7, func(d *annotate.Annotated, _ bool) { d.Patient, d.Attributes = "", nil }},
	}
	b := projecttest.New(t)
	for _, c := range cases {
		docs, truth := registrations(60, c.change)
		made, err := b.Create(t.Context(), projecttest.Broker, c.name, nil)
		if err != nil {
			t.Fatal(err)
		}
		id := made.ID
		b.MustImport(id, docs, false)
		var f1 [2]float64
		for pass, o := range []links.Options{{PassOne: true}, {}} {
			st := linked(t, b, id, o)
			right, wrong, missed := scores(t, b, id, truth)
			f1[pass] = 2 * float64(right) / float64(2*right+wrong+missed)
			t.Logf("%s, pass %d: %d records, %d right, %d false, %d missed, F1 %.3f; expected recall %.2f; %s", c.name, pass+1, st.Figures.Records, right, wrong, missed, f1[pass], st.Figures.Recall,
				fmt.Sprint(st.Run.Passes))
		}
		if f1[1] < c.least || f1[1] <= f1[0] {
			t.Errorf("%s: F1 %.3f after the first pass, %.3f after the second", c.name, f1[0], f1[1])
		}
	}
}
