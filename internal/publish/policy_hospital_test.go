// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"bytes"
	"testing"

	"hide/internal/annotate"
	"hide/internal/hospital"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
	"hide/internal/publish/transform"
)

// ward is a generated hospital with the spans of its notes, by patient.
type ward struct {
	docs     []annotate.Annotated
	patients []transform.Patient
	labels   []annotate.Label
	real     *surrogate.Corpus
}

func newWard(patients int) *ward {
	w := &ward{real: surrogate.NewCorpus(), labels: annotate.I2B2().Labels()}
	for d := range hospital.Generate(hospital.Options{Patients: patients, Seed: 11}) {
		n := transform.Note{ID: annotate.DocumentID(len(w.docs) + 1), Text: d.Text}
		for _, s := range d.Spans {
			n.Spans = append(n.Spans, transform.Span{Start: s.Start, End: s.End, Label: s.Label, By: transform.ByPerson})
			w.real.Add(s.Label, s.Surface(d.Text))
		}
		if last := len(w.patients) - 1; last < 0 || w.patients[last].ID != d.Patient {
			w.patients = append(w.patients, transform.Patient{ID: d.Patient})
		}
		p := &w.patients[len(w.patients)-1]
		p.Notes = append(p.Notes, n)
		w.docs = append(w.docs, d)
	}
	return w
}

// inputs plans all notes by a policy. Whatever a person would have to decide becomes a
// placeholder, or stays if nobody marked it.
func (w *ward) inputs(t *testing.T, r policy.Resolved) (ins []Input) {
	t.Helper()
	o := transform.Options{Policy: r}
	if p := r.Policy; p.Hides() {
		key, err := surrogate.KeyOf(bytes.Repeat([]byte{5}, 32))
		if err == nil {
			o.Maker, err = surrogate.New(surrogate.Options{Key: key, Repeat: p.Repeat, Days: p.Shift.Days, Weekday: p.Shift.Weeks, Real: w.real})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	planner, err := transform.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, patient := range w.patients {
		plan, err := planner.Plan(patient)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range patient.Notes {
			in := Input{Document: n.ID, Name: w.docs[n.ID-1].Name, Group: patient.ID, Text: n.Text, Replacements: []Replacement{}}
			for _, d := range plan.Notes[i] {
				one := Replacement{d.Start, d.End, d.Label, d.Action, d.Replacement}
				if d.Problem != "" && d.Action != policy.Keep {
					one.Action, one.Text = policy.Placeholder, "["+string(d.Label)+"]"
				}
				in.Replacements = append(in.Replacements, one)
			}
			ins = append(ins, in)
		}
	}
	return ins
}

// TestAHospitalIsReleasedByEveryPolicy plans, publishes and verifies a generated hospital by
// each policy of the program.
func TestAHospitalIsReleasedByEveryPolicy(t *testing.T) {
	w := newWard(16)
	for _, p := range policy.Builtin() {
		t.Run(p.Name, func(t *testing.T) {
			m := policyMeta(t, p.Name)
			resolved := p.Resolve(w.labels, nil)
			m.Policy = &resolved
			ins := w.inputs(t, resolved)
			dir, written := publishAll(t, m, ins...)
			r := checkAll(t, dir, written, ins...)
			if !r.OK || r.Compared != len(w.docs) {
				t.Fatalf("%d notes of %d, %v", r.Compared, len(w.docs), r.Problems)
			}
			places := 0
			for _, in := range ins {
				places += len(in.Replacements)
			}
			for _, counts := range []map[string]int{r.Redactions, r.Hidden, r.Kept} {
				for _, n := range counts {
					places -= n
				}
			}
			if places != 0 {
				t.Errorf("%d places are neither listed, hidden nor kept", places)
			}
			if p.Hides() != (len(r.Hidden) > 0) || p.Has(policy.ShiftDate) != (r.Shifted > 0) {
				t.Errorf("hidden %v, %d shifts recomputed", r.Hidden, r.Shifted)
			}
		})
	}
}
