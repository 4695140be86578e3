// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project/links"
	"hide/internal/project/projecttest"
)

// marked is a note whose text has marks: [LABEL words].
func marked(name, key, text string, fields map[string]string) annotate.Annotated {
	d := annotate.Annotated{Document: annotate.Document{Name: name, Patient: key, Attributes: fields}}
	for text != "" {
		before, rest, found := strings.Cut(text, "[")
		d.Text += before
		if !found {
			break
		}
		inside, after, _ := strings.Cut(rest, "]")
		label, words, _ := strings.Cut(inside, " ")
		start := annotate.ByteOff(len(d.Text))
		d.Text += words
		d.Spans = append(d.Spans, annotate.Span{Start: start, End: annotate.ByteOff(len(d.Text)), Label: annotate.Label(label)})
		text = after
	}
	return d
}

// TestWhatNotesSayOfAPatient lists what becomes evidence.
func TestWhatNotesSayOfAPatient(t *testing.T) {
	fields := func(all ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(all); i += 2 {
			m[all[i]] = all[i+1]
		}
		return m
	}
	cases := []struct {
		name string
		note annotate.Annotated
		want string // "field=value|value", by field
	}{
		{"a birth date stands behind words for it", marked("a", "", "Visit [DATE 3/1/2019]. DOB: [DATE May 14, 1961].", nil), "birth date=1961-05-14"},
		{"in German", marked("b", "", "Frau [PATIENT Ilse Brandt], geb. [DATE 14.08.1952]", nil), "birth date=1952-08-14; given name=Ilse; surname=Brandt"},
		{"another date is not one", marked("c", "", "Seen on [DATE 5/14/1961].", nil), ""},
		{"an age and the day of the note", marked("d", "", "A [AGE 58]-year-old. Her son is [AGE 30].", fields("note_date", "2019-03-01")), "birth date=1960|1961"},
		{"an age without a day", marked("e", "", "A [AGE 58]-year-old.", nil), ""},
		{"the most mentioned name", marked("f", "", "[PATIENT Ann Lee] came. Her son [PATIENT Bob Lee] drove. Ms. [PATIENT Lee] is well. [PATIENT Ann] left.", nil), "given name=Ann; surname=Lee"},
		{"a relative who is named more often", marked("m", "", "Brother [PATIENT Orlando] called. [PATIENT Orlando Cardenas] (brother) came. [PATIENT Ann Lee] is well. Sent home with [PATIENT Orlando].", nil), "given name=Ann; surname=Lee"},
		{"a name that is announced", marked("n", "", "PATIENT: [PATIENT Ann Lee]. [PATIENT Hugo Marsh] called, [PATIENT Marsh] will drive.", nil), "given name=Ann; surname=Lee"},
		{"a field wins over marks", marked("g", "", "[PATIENT Bob Lee] called. Lives in [CITY Salem].", fields("first_name", "Ann", "last_name", "Lee", "city", "Boston")), "given name=Ann; place=Boston; surname=Lee"},
		{"another surname beside the given name", marked("h", "", "[PATIENT Harriet Stone], now married.", fields("first_name", "Harriet", "last_name", "Lee")), "given name=Harriet; surname=Lee|Stone"},
		{"numbers of notes count beside those of fields", marked("i", "", "Old chart [MEDICALRECORD 88-123-77].", fields("mrn", "4455667")), "medical record number=4455667|88-123-77"},
		{"a street has its number apart", marked("j", "", "Lives at [STREET 12 Mill Lane].", nil), "street=Mill Lane; street number=12"},
		{"what says that nothing is known", marked("k", "", "Name: [PATIENT unknown]", fields("phone", "n/a")), ""},
	}
	b := projecttest.New(t)
	var docs []annotate.Annotated
	for _, c := range cases {
		c.note.Name = c.name
		docs = append(docs, c.note)
	}
	for i, p := range people { // so that columns have values
		docs = append(docs, marked(fmt.Sprint("filler ", i), "", "Nothing.", fields("first_name", p.first, "last_name", p.last, "city", "Salem", "mrn", p.mrn, "note_date", fmt.Sprintf("2018-0%d-11", i+1), "phone", fmt.Sprintf("312-555-01%02d", i))))
	}
	id := b.NewNamed("Evidence", docs)
	linked(t, b, id, links.Options{PassOne: true})
	v, err := b.LinkedPatients(t.Context(), projecttest.Broker, id, 0, 100, "")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, row := range v.Rows {
		cells := map[string]string{}
		for i, s := range row.Values {
			if s.Text == "" {
				continue
			}
			values := []string{s.Text}
			for _, o := range s.Others {
				values = append(values, o.Text)
			}
			slices.Sort(values)
			cells[v.Fields[i]] = strings.Join(values, "|")
		}
		var words []string
		for _, f := range slices.Sorted(maps.Keys(cells)) {
			words = append(words, f+"="+cells[f])
		}
		got[row.Records[0].Key] = strings.Join(words, "; ")
	}
	for _, c := range cases {
		if got[c.name] != c.want {
			t.Errorf("%s: %q, want %q", c.name, got[c.name], c.want)
		}
	}
}

// TestALabelOfAllNumbersIsNotThatOfOne marks numbers in a project whose only label for them is ID:
// two of them contradict nothing.
func TestALabelOfAllNumbersIsNotThatOfOne(t *testing.T) {
	b := projecttest.New(t)
	project, err := b.Create(t.Context(), projecttest.Broker, "Numbers", annotate.LabelSet{{Label: "NAME"}, {Label: "ID"}})
	if err != nil {
		t.Fatal(err)
	}
	b.MustImport(project.ID, []annotate.Annotated{marked("a", "k1", "[NAME Ann Lee], sample [ID 88-123-77]", nil), marked("b", "k2", "[NAME Ann Lee], [ID 99-123-11]", nil)}, true)
	linked(t, b, project.ID, links.Options{PassOne: true})
	v, err := b.LinkedPatients(t.Context(), projecttest.Broker, project.ID, 0, 100, "")
	if err != nil || !slices.Equal(v.Fields, []string{"given name", "surname", "other number"}) {
		t.Errorf("the fields are %q, %v", v.Fields, err)
	}
}

// TestARecordOfManyNumbers has 40 notes with 35 numbers of accounts: five stand in two notes, and
// the others are those of visits.
func TestARecordOfManyNumbers(t *testing.T) {
	b := projecttest.New(t)
	docs := town()
	for i := range 40 {
		docs = append(docs, marked(fmt.Sprint("visit ", i), "many", fmt.Sprintf("Account [IDNUM AC%05d].", i%35), nil))
	}
	id := b.NewNamed("Many", docs)
	linked(t, b, id, links.Options{PassOne: true})
	v, err := b.LinkedPatients(t.Context(), projecttest.Broker, id, 0, 10, "many")
	if err != nil || len(v.Rows) != 1 {
		t.Fatal(len(v.Rows), err)
	}
	s := v.Rows[0].Values[slices.Index(v.Fields, "other number")]
	for i, v := range append([]links.Value{s.Value}, s.Others...) {
		if v.Text != fmt.Sprintf("AC%05d", 4-i) || v.Count != 2 || fmt.Sprint(v.Notes) != fmt.Sprint([]int{21 - i, 56 - i}) || len(s.Others) != 4 {
			t.Errorf("%d of %d: %q in the notes %v", i, len(s.Others), v.Text, v.Notes)
		}
	}
}
