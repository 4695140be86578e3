// SPDX-License-Identifier: Apache-2.0

package splitkeys_test

import (
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/hospital"
	"hide/internal/hospital/invented"
	"hide/internal/splitkeys"
)

// notes are those of a generated hospital, with the person of each.
func notes(o hospital.Options) ([]annotate.Annotated, invented.Truth) {
	var all []annotate.Annotated
	truth := invented.Truth{}
	for n := range hospital.Notes(o) {
		all = append(all, n.Annotated)
		truth[n.Name] = n.Person
	}
	return all, truth
}

func measure(t *testing.T, o hospital.Options, options splitkeys.Options) *splitkeys.Result {
	t.Helper()
	all, truth := notes(o)
	r, err := splitkeys.Measure(t.Context(), all, truth, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLinksHelpReleases links a hospital in which many patients have several keys.
func TestLinksHelpReleases(t *testing.T) {
	r := measure(t, hospital.Options{Patients: 30, Seed: 2, Split: .5, MaxNotes: 2, Identities: true}, splitkeys.Options{K: 3})
	if r.People != 30 || r.Records <= r.People+10 || r.Trained != 0 || len(r.Stages) != 3 || len(r.Classes) != 2 {
		t.Fatalf("%d records of %d people, %d of them split; %d stages, %d tables", r.Records, r.People, r.Split, len(r.Stages), len(r.Classes))
	}
	none, last := r.Stages[0], r.Stages[2]
	if none.Links != 0 || none.F1 != 0 || none.Patients != r.Records || last.F1 < .95 {
		t.Errorf("F1 %.3f of %d patients before linkage, %.3f after", none.F1, none.Patients, last.F1)
	}
	if last.Known <= none.Known || last.Split.Known >= none.Split.Known || last.All.Tokens != none.All.Tokens || none.All.Tokens <= none.Split.Tokens {
		t.Errorf("before linkage %+v\nafter %+v", none, last)
	}
	// Notes of patients with one key have nothing to learn from others.
	if a, b := none.All.Known-none.Split.Known, last.All.Known-last.Split.Known; a != b {
		t.Errorf("missed in notes of other people: %d before, %d after", a, b)
	}
	apart, linked := r.Classes[0], r.Classes[1]
	if apart.Rows != r.Records || apart.Duplicates != r.Records-r.People || apart.Claimed < 3 || apart.True >= apart.Claimed || apart.Below == 0 {
		t.Errorf("table of records: %+v", apart)
	}
	if linked.Duplicates > 2 || linked.Claimed < 3 || linked.True < 2 || linked.Least > float64(linked.Claimed) || linked.Probability >= .99 {
		t.Errorf("table of patients: %+v", linked)
	}
}

// TestNobodyHasSeveralKeys is the same without anything to link.
func TestNobodyHasSeveralKeys(t *testing.T) {
	r := measure(t, hospital.Options{Patients: 12, Seed: 3, MaxNotes: 2}, splitkeys.Options{K: 2})
	for _, s := range r.Stages {
		if s.Links > 0 || s.F1 != 1 || s.Split.Tokens != 0 {
			t.Errorf("%+v", s)
		}
	}
	for _, c := range r.Classes {
		if c.Claimed != c.True || c.Below+c.Duplicates > 0 {
			t.Errorf("%+v", c)
		}
	}
}

func TestFieldsAreLeftOut(t *testing.T) {
	o := hospital.Options{Patients: 6, Seed: 4, Split: .5, Identities: true}
	with := measure(t, o, splitkeys.Options{K: 2})
	less := measure(t, o, splitkeys.Options{K: 2, Without: []string{"birth_date", "sex", "zip", "name"}})
	if with.Stages[0].Known <= less.Stages[0].Known || len(less.Classes) != 0 {
		t.Errorf("known identifiers at %d places with all fields, %d without; %d tables", with.Stages[0].Known, less.Stages[0].Known, len(less.Classes))
	}
}

func TestRefusals(t *testing.T) {
	all, truth := notes(hospital.Options{Patients: 3, Seed: 1, MinNotes: 1, MaxNotes: 1})
	cases := []struct {
		name    string
		notes   []annotate.Annotated
		truth   invented.Truth
		options splitkeys.Options
		want    string
	}{
		{"no notes", nil, truth, splitkeys.Options{K: 2}, "there are no notes"},
		{"other truth", all, invented.Truth{}, splitkeys.Options{K: 2}, "note 1 of the file is not in the truth"},
		{"unknown field", all, truth, splitkeys.Options{K: 2, Without: []string{"weight"}}, `no note has the structured field "weight"`},
		{"too few to train", all, truth, splitkeys.Options{K: 2, Train: 1}, "too few to train on"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := splitkeys.Measure(t.Context(), c.notes, c.truth, c.options, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
