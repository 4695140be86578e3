// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"context"
	"strings"
	"testing"
)

const knownConfig = `
attributes:
  id: {anonymization_type: direct_identifier}
  name: {anonymization_type: direct_identifier, entities: [PATIENT]}
  city: {type: nominal, anonymization_type: quasi_identifier, entities: [GPE]}
  age: {type: numerical, anonymization_type: quasi_identifier, entities: [AGE]}
  seen: {type: date, anonymization_type: quasi_identifier, format: "%d.%m.%Y", entities: [DATE]}
  sex: {type: nominal, anonymization_type: quasi_identifier}
  text: {type: text, anonymization_type: text}
`

func TestFindKnownFindsWhatTheTableSaysOfThePerson(t *testing.T) {
	c, err := ReadConfig(strings.NewReader(knownConfig))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<PATIENT:Ann  LEE-Fox> came. Ann came.",
		"Of <GPE:Bad Ems>, not Ems.",
		"A <AGE:36-year-old>, <AGE:36 years old>, took 36 mg at 36.",
		"On <DATE:17.01.2004>, <DATE:January 17, 2004>, in <DATE:Jan 2004>; 2004, 18.01.2004, in May.",
		"male as all, <NAME:Ann Lee Fox> found before, 17 and Bob Lee.",
		"",
	} {
		text := marked(t, want)
		given := marked(t, strings.NewReplacer("<PATIENT:", "", "<GPE:", "", "<AGE:", "", "<DATE:", "").Replace(want))
		if strings.Contains(want, "NAME") {
			given = text
		} else {
			given.Text, given.Terms = text.Text, nil
		}
		rows := []Row{
			{[]string{"1", "Ann Lee Fox", "Bad Ems", "36", "17.01.2004", "male", ""}, []Text{given}},
			{[]string{"2", "Bob Lee", "Ems", "17", "01.05.1999", "male", ""}, []Text{{Text: "No Ann Lee Fox here, nor 36 years."}}},
		}
		added := findKnown(c, rows)
		got := rows[0].Texts[0].Terms
		if len(got) != len(text.Terms) || len(rows[1].Texts[0].Terms) != 0 {
			t.Errorf("%q: %d terms, want %d", want, len(got), len(text.Terms))
			continue
		}
		for i := range got {
			if got[i] != text.Terms[i] {
				t.Errorf("%q: term %d is %v, want %v", want, i+1, got[i], text.Terms[i])
			}
		}
		if wantAdded := len(text.Terms) - len(given.Terms); added != wantAdded {
			t.Errorf("%q: says it added %d, want %d", want, added, wantAdded)
		}
		if _, err := NewView(context.Background(), c, rows); err != nil {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// A direct identifier goes even where the configuration tells no type of it and no
// tagger knows it: the row has the value.
func TestADirectIdentifierThatNoTaggerKnowsGoes(t *testing.T) {
	c, err := ReadConfig(strings.NewReader(`
entities: {native: [PERSON]}
attributes:
  id: {anonymization_type: direct_identifier}
  mrn: {anonymization_type: direct_identifier}
  age: {type: numerical, anonymization_type: quasi_identifier}
  text: {type: text, anonymization_type: text}
`))
	if err != nil {
		t.Fatal(err)
	}
	rows := []Row{
		{[]string{"1", "UM 7731", "30", ""}, []Text{{Text: "Unit um-7731, seen."}}},
		{[]string{"2", "UM 7732", "30", ""}, []Text{{Text: "Unit UM 7731, seen."}}},
	}
	if added := findKnown(c, rows); added != 1 {
		t.Errorf("%d places found, want the patient's own", added)
	}
	v, err := NewView(context.Background(), c, rows)
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, released(t, v), "Unit [IDENTIFIER], seen.", "Unit UM 7731, seen.")
}
