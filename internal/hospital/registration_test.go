// SPDX-License-Identifier: Apache-2.0

package hospital

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// people are the notes of each person.
func people(o Options) map[string][]annotate.Annotated {
	all := map[string][]annotate.Annotated{}
	for n := range Notes(o) {
		all[n.Person] = append(all[n.Person], n.Annotated)
	}
	return all
}

// keys are the keys of notes in their order, each once in a row.
func keys(notes []annotate.Annotated) (out []string) {
	for _, n := range notes {
		out = append(out, n.Patient)
	}
	return slices.Compact(out)
}

func TestShareOfPatientsIsSplit(t *testing.T) {
	const share = .15
	seen := map[string]string{}
	split, all := 0, people(Options{Patients: 600, Seed: 12, Split: share, MaxNotes: 4})
	for person, notes := range all {
		own := keys(notes)
		if len(own) > 3 || len(own) > 1 && len(own) > len(notes) {
			t.Errorf("a person of %d notes has %d keys", len(notes), len(own))
		}
		if len(own) > 1 {
			split++
		}
		for _, key := range own {
			if seen[key] != "" {
				t.Errorf("%s and %s share a key, or its notes are not consecutive", person, seen[key])
			}
			seen[key] = person
		}
	}
	if got := float64(split) / float64(len(all)); len(all) != 600 || math.Abs(got-share) > .045 {
		t.Errorf("%.3f of %d people have several keys, want %.2f", got, len(all), share)
	}
}

func TestEverybodyWithTwoNotesCanBeSplit(t *testing.T) {
	for person, notes := range people(Options{Patients: 40, Seed: 1, Split: 1, MinNotes: 1, MaxNotes: 3}) {
		if n := len(keys(notes)); n < min(2, len(notes)) {
			t.Errorf("%s has %d notes under %d keys", person, len(notes), n)
		}
	}
}

// TestOthersStayAsTheyAre compares with a hospital in which nobody has several keys.
func TestOthersStayAsTheyAre(t *testing.T) {
	o := Options{Patients: 80, Seed: 3, Identities: true}
	before := people(o)
	o.Split = .4
	changed := 0
	for person, notes := range people(o) {
		if first := keys(notes)[0]; first != person || keys(before[person])[0] != person {
			t.Errorf("the first key of %s is %s", person, first)
		}
		n := slices.IndexFunc(notes, func(d annotate.Annotated) bool { return d.Patient != person })
		if n < 0 {
			n = len(notes)
		} else {
			changed++
		}
		if !reflect.DeepEqual(notes[:n], before[person][:n]) {
			t.Errorf("notes of the first record of %s are not as before", person)
		}
	}
	if changed == 0 {
		t.Error("nobody has several keys")
	}
}

func TestLaterRecordsHaveErrors(t *testing.T) {
	differ, lack := map[string]int{}, map[string]int{}
	records := 0
	for person, notes := range people(Options{Patients: 300, Seed: 4, Split: 1, Identities: true}) {
		first := notes[0]
		for _, d := range notes {
			if err := annotate.CheckSpans(d.Text, slices.Clone(d.Spans)); err != nil {
				t.Fatalf("%s: %v", d.Name, err)
			}
			if d.Patient == person {
				continue
			}
			if strings.Contains(d.Name, person[2:]) || strings.Contains(d.Patient, person[2:]) {
				t.Errorf("%s tells its person", d.Name)
			}
			records++
			for field, value := range first.Attributes {
				switch own, ok := d.Attributes[field]; {
				case !ok:
					lack[field]++
				case own != value:
					differ[field]++
				}
			}
			if hasIdentity(d, "PID-13") != (d.Attributes["phone"] != "") {
				t.Errorf("%s: identities and fields do not lack the same telephone", d.Name)
			}
		}
	}
	if differ["mrn"] != records || differ["sex"]+differ["diagnosis"] > 0 {
		t.Errorf("of %d notes of later records, these fields differ: %v", records, differ)
	}
	for field, share := range map[string]float64{"name": .26, "birth_date": .045, "zip": .13, "phone": .37} {
		if got := float64(differ[field]) / float64(records); math.Abs(got-share) > .08 {
			t.Errorf("%s differs in %.2f of the notes of later records, want about %.2f", field, got, share)
		}
	}
	if got := slices.Sorted(maps.Keys(lack)); !slices.Equal(got, []string{"birth_date", "city", "phone", "state", "zip"}) {
		t.Errorf("later records lack %v", got)
	}
}

func hasIdentity(d annotate.Annotated, from string) bool {
	return slices.ContainsFunc(d.Identities, func(i annotate.Identity) bool { return i.From == from })
}

func TestMistypedNamesDiffer(t *testing.T) {
	rng := newInstitution("a", 1).random(1, 1)
	for _, name := range []string{"Al", "Ng", "Smith", "Lee", "Müller", "Núñez", "O'Hara", "Smith-Jones", "Nguyễn"} {
		for range 200 {
			got := mistyped(name, rng)
			if got == name || []rune(got)[0] != []rune(name)[0] || len([]rune(got)) < 2 {
				t.Fatalf("%s was mistyped as %s", name, got)
			}
		}
	}
}
