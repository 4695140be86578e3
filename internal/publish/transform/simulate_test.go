// SPDX-License-Identifier: Apache-2.0

package transform_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/hospital"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
	"hide/internal/publish/transform"
	"hide/internal/publish/value"
)

// generated are the patients of a generated hospital.
func generated(patients int) []transform.Patient {
	var out []transform.Patient
	id := annotate.DocumentID(0)
	for doc := range hospital.Generate(hospital.Options{Patients: patients, Seed: 5, Identities: true}) {
		if len(out) == 0 || out[len(out)-1].ID != doc.Patient {
			out = append(out, transform.Patient{ID: doc.Patient})
		}
		p := &out[len(out)-1]
		id++
		n := transform.Note{ID: id, Text: doc.Text}
		n.Date, _ = time.Parse("2006-01-02", doc.Attributes["note_date"])
		for _, s := range doc.Spans {
			n.Spans = append(n.Spans, transform.Span{Start: s.Start, End: s.End, Label: s.Label, By: transform.ByPerson})
		}
		p.Notes = append(p.Notes, n)
		p.Identities = append(p.Identities, doc.Identities...)
	}
	return out
}

// realValues are the values of a hospital, for the maker of surrogates and for the test.
func realValues(all []transform.Patient) (*surrogate.Corpus, map[string]bool) {
	corpus, set := surrogate.NewCorpus(), map[string]bool{}
	for _, p := range all {
		for _, n := range p.Notes {
			for _, s := range n.Spans {
				corpus.Add(s.Label, n.Text[s.Start:s.End])
				set[valueKey(s.Label, n.Text[s.Start:s.End])] = true
			}
		}
	}
	return corpus, set
}

func valueKey(l annotate.Label, text string) string {
	if l == "DOCTOR" {
		l = "PATIENT"
	}
	return string(l) + " " + strings.Join(strings.Fields(dictionary.Fold(text)), " ")
}

// TestSimulatedHospital plans a generated hospital by every policy of the program.
func TestSimulatedHospital(t *testing.T) {
	all := generated(40)
	corpus, set := realValues(all)
	for _, p := range policy.Builtin() {
		planner := newPlanner(t, p, value.MonthFirst, corpus)
		for i, patient := range all {
			plan := planFor(t, planner, patient)
			c := checker{t, p, patient, plan, set}
			for i := range patient.Notes {
				c.place(i)
				c.outside(i)
			}
			c.consistent()
			if i%8 == 0 && !reflect.DeepEqual(plan, planFor(t, planner, patient)) {
				t.Errorf("%s, %s: the second plan differs", p.Name, patient.ID)
			}
		}
	}
}

type checker struct {
	*testing.T
	policy  policy.Policy
	patient transform.Patient
	plan    transform.Plan
	real    map[string]bool
}

// place checks each decision: nothing that goes remains at its place.
func (c checker) place(i int) {
	n := c.patient.Notes[i]
	for _, d := range c.plan.Notes[i] {
		was := n.Text[d.Start:d.End]
		rule, _ := c.policy.Rule(d.As)
		switch d.Action {
		case policy.Keep:
			if rule.Action != policy.Keep && d.By != transform.ByRepeat {
				c.Errorf("%s: %s %q is kept", c.policy.Name, d.Label, was)
			}
		case policy.Generalize:
			if same(was, d.Replacement) && d.As != "AGE" && !isYear(was) {
				c.Errorf("%s: %s %q stays", c.policy.Name, d.Label, was)
			}
		case policy.ShiftDate:
			c.shifted(i, was, d)
		default:
			if same(was, d.Replacement) {
				c.Errorf("%s: %s %q stays", c.policy.Name, d.Label, was)
			}
		}
		if d.Action == policy.Surrogate && len(d.Replacement) > 2 && c.real[valueKey(d.Label, d.Replacement)] {
			c.Errorf("%s: %s %q is a real value", c.policy.Name, d.Label, d.Replacement)
		}
	}
}

func isYear(text string) bool {
	return len(text) == 4 && strings.Trim(text, "0123456789") == ""
}

// shifted checks that full dates move by exactly the days of the patient.
func (c checker) shifted(i int, was string, d transform.Decision) {
	context := value.Context{Order: value.MonthFirst, Reference: c.patient.Notes[i].Date}
	if strings.HasPrefix(c.patient.ID, "b-") { // the hospital that writes 24.12.2020
		context.Order = value.DayFirst
	}
	before, err := value.ReadDates(was, context)
	if err != nil || d.Problem != "" {
		return
	}
	context.Reference = context.Reference.AddDate(0, 0, c.plan.Shift)
	after, err := value.ReadDates(d.Replacement, context)
	if err != nil {
		c.Errorf("%q became %q: %v", was, d.Replacement, err)
		return
	}
	for j, date := range before.All() {
		if got := after.All()[j].Sub(date).Hours() / 24; int(got) != c.plan.Shift {
			c.Errorf("%q became %q, which is %v days later, want %d", was, d.Replacement, got, c.plan.Shift)
		}
	}
}

// outside checks that the released text is the note outside of decisions, byte for byte.
func (c checker) outside(i int) {
	text := c.patient.Notes[i].Text
	rest := transform.Apply(text, c.plan.Notes[i])
	done := annotate.ByteOff(0)
	for _, d := range c.plan.Notes[i] {
		words := d.Replacement
		if d.Action == policy.Keep {
			words = text[d.Start:d.End]
		}
		var found bool
		if rest, found = strings.CutPrefix(rest, text[done:d.Start]+words); !found {
			c.Fatalf("%s: text before byte %d changed", c.policy.Name, d.End)
		}
		done = d.End
	}
	if rest != text[done:] {
		c.Errorf("%s: text after byte %d changed", c.policy.Name, done)
	}
}

// consistent checks that equal values of a patient have equal replacements.
func (c checker) consistent() {
	if c.policy.Repeat != policy.Consistent {
		return
	}
	type key struct {
		label  annotate.Label
		words  string
		person int
	}
	seen := map[key]string{}
	for i, ds := range c.plan.Notes {
		for _, d := range ds {
			if d.Action != policy.Numbered && d.Action != policy.Surrogate || d.Problem != "" {
				continue
			}
			k := key{d.Label, c.patient.Notes[i].Text[d.Start:d.End], d.Person}
			if before, found := seen[k]; found && before != d.Replacement {
				c.Errorf("%s: %s %q is %q and %q", c.policy.Name, d.Label, k.words, before, d.Replacement)
			}
			seen[k] = d.Replacement
		}
	}
}
