// SPDX-License-Identifier: Apache-2.0

package transform_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
	"hide/internal/publish/transform"
	"hide/internal/publish/value"
)

// TestSurrogateNames: in the wanted text {1} is the invented name of person 1 of the label,
// {1G} its first word, {1F} its last word, in capitals behind a "^", and {1g} and {1f} are their
// first letters.
func TestSurrogateNames(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[PATIENT John Smith] came. Mr. [PATIENT Smith] fell.", "{P1} came. Mr. {P1F} fell."},
		{"[PATIENT SMITH, JOHN]: [PATIENT John] slept.", "{^P1F}, {^P1G}: {P1G} slept."},
		{"[PATIENT John Smith] is [PATIENT J.S.] here.", "{P1} is {P1g}.{P1f}. here."},
		{"[PATIENT John Smith] and [PATIENT Mary Smith], Mrs. [PATIENT Smith].", "{P1} and {P2G} {P1F}, Mrs. {P1F}."},
		{"[PATIENT John Smith]'s wound, [PATIENT Smith's] chart.", "{P1}'s wound, {P1F}'s chart."},
		{"[DOCTOR Ann Whitcombe], MD; Dr. [DOCTOR Whitcombe].", "{D1}, MD; Dr. {D1F}."},
		{"[DOCTOR Dr. Ann Whitcombe] and [DOCTOR A. Whitcombe].", "Dr. {D1} and {D1g}. {D1F}."},
		{"[PATIENT John Whitcombe] saw Dr. [DOCTOR Lee].", "{P1} saw Dr. {D1F}."},
		{"[DOCTOR Ann Whitcombe] by [DOCTOR AW].", "{D1} by {D1g}{D1f}."},
		{"[PATIENT john whitcombe] came.", "{p1} came."},
		{"Lives with [PATIENT her mother] and [PATIENT Emeka].", "Lives with [PATIENT] and {P2G}."},
	} {
		n := marked(c.text)
		plan := planFor(t, newPlanner(t, everywhere(t, policy.Surrogate), 0, nil), transform.Patient{ID: "p", Notes: []transform.Note{n}})
		want := variable.ReplaceAllStringFunc(c.want, func(v string) string { return invented(plan, v) })
		if got := transform.Apply(n.Text, plan.Notes[0]); got != want || plan.Problems() != 0 {
			t.Errorf("%s: got %q, want %q", c.text, got, want)
		}
	}
}

var variable = regexp.MustCompile(`\{(\^?)([PDpd])(\d)([GFgf]?)\}`)

// invented is what a variable of TestSurrogateNames stands for.
func invented(plan transform.Plan, v string) string {
	m := variable.FindStringSubmatch(v)
	name := ""
	for _, p := range plan.People {
		if p.Group[:1] == strings.ToUpper(m[2]) && fmt.Sprint(p.Number) == m[3] {
			name = p.Written
		}
	}
	words := strings.Fields(name + " none")
	words = words[:len(words)-1]
	switch m[4] {
	case "G":
		name = words[0]
	case "F":
		name = words[len(words)-1]
	case "g":
		name = words[0][:1]
	case "f":
		name = words[len(words)-1][:1]
	}
	switch {
	case m[1] != "":
		return strings.ToUpper(name)
	case strings.ToLower(m[2]) == m[2]:
		return strings.ToLower(name)
	}
	return name
}

// TestSurrogateRelations: what belongs together in the notes belongs together afterwards.
func TestSurrogateRelations(t *testing.T) {
	plan := func(text string) (replaced []string) {
		n := marked(text)
		for _, d := range planFor(t, newPlanner(t, everywhere(t, policy.Surrogate), 0, nil), transform.Patient{ID: "p", Notes: []transform.Note{n}}).Notes[0] {
			if d.Problem != "" {
				t.Errorf("%s: problem %s", text, d.Problem)
			}
			replaced = append(replaced, d.Replacement)
		}
		return replaced
	}
	if r := plan("Mail [EMAIL john.whitcombe@clinic.org] to [PATIENT John Whitcombe]."); !strings.HasPrefix(r[0], strings.ToLower(strings.ReplaceAll(r[1], " ", "."))) {
		t.Errorf("the address %q does not follow the name %q", r[0], r[1])
	}
	if r := plan("At [HOSPITAL MGH], that is [HOSPITAL Massachusetts General Hospital]."); len(r[0]) != 3 || r[0][0] != r[1][0] {
		t.Errorf("%q is not short for %q", r[0], r[1])
	}
	if r := plan("MRN [MEDICALRECORD 73-21-377], again [MEDICALRECORD 7321377]."); strings.ReplaceAll(r[0], "-", "") != r[1] {
		t.Errorf("%q and %q are two numbers", r[0], r[1])
	}
	if r := plan("[HOSPITAL Kelstone Clinic] and [HOSPITAL KELSTONE CLINIC]"); strings.ToUpper(r[0]) != r[1] {
		t.Errorf("%q and %q are two hospitals", r[0], r[1])
	}
	if r := plan("[FAX 617-555-3134] and [PHONE (617) 555-3134]"); digits(r[0]) != digits(r[1]) {
		t.Errorf("%q and %q are two numbers", r[0], r[1])
	}
}

// A town that is in no list lies in the state that the note names behind it, not in the
// patient's.
func TestAnInventedTownLiesInTheStateBehindIt(t *testing.T) {
	p, err := policy.Find("surrogates")
	if err != nil {
		t.Fatal(err)
	}
	n := marked("Of [CITY Boston], [STATE Massachusetts]; an aunt in [CITY Kelsworth], [STATE Florida], a son in [CITY Dunmouth Fells], [STATE OH].")
	ds := planFor(t, newPlanner(t, p, 0, nil), transform.Patient{ID: "p", Notes: []transform.Note{n}}).Notes[0]
	for i, want := range []string{"MA", "", "FL", "", "OH"} {
		if code, _, known := value.StateOf(ds[i].Replacement + ", " + want); want != "" && (!known || code != want) {
			t.Errorf("%q does not lie in %s", ds[i].Replacement, want)
		}
	}
}

func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}

// TestALaterReleaseHasTheSameSurrogates: with the book of the first one, though there are more
// notes and more real values.
func TestALaterReleaseHasTheSameSurrogates(t *testing.T) {
	p, err := policy.Find("surrogates")
	if err != nil {
		t.Fatal(err)
	}
	all := generated(12)
	for _, patient := range all {
		early := patient
		early.Notes = patient.Notes[:1]
		first := planFor(t, newPlanner(t, p, value.MonthFirst, nil), early)
		patient.Book = first.Book
		second := planFor(t, newPlanner(t, p, value.MonthFirst, nil), patient)
		if first.Shift != second.Shift {
			t.Errorf("the shift was %d and is %d", first.Shift, second.Shift)
		}
		for j, d := range first.Notes[0] {
			if d.As == "DATE" && second.Notes[0][j].Action == policy.Placeholder {
				continue // a later note tells a great age, which hides the date of birth
			}
			// A later note can have the long form of "MGH", and the short form follows it.
			if short := d.Label == "HOSPITAL" && d.Replacement == strings.ToUpper(d.Replacement); !short && !isName(d.Label) && d.Problem == "" && d.By != transform.ByRepeat && second.Notes[0][j].Replacement != d.Replacement {
				t.Errorf("%s %q is now %q", d.Label, d.Replacement, second.Notes[0][j].Replacement)
			}
		}
	}
}

func isName(l annotate.Label) bool { return l == "PATIENT" || l == "DOCTOR" }

// TestExhaustedSurrogates: where every candidate is real, somebody must decide.
func TestExhaustedSurrogates(t *testing.T) {
	corpus := surrogate.NewCorpus()
	for i := range 10 {
		corpus.Add("ROOM", fmt.Sprint(i))
	}
	n := marked("In room [ROOM 7] today.")
	plan := planFor(t, newPlanner(t, everywhere(t, policy.Surrogate), 0, corpus), transform.Patient{ID: "p", Notes: []transform.Note{n}})
	if d := plan.Notes[0][0]; d.Problem != transform.Exhausted || d.Replacement != "[ROOM]" {
		t.Errorf("got %q, problem %q", d.Replacement, d.Problem)
	}
}

// TestPeople: the page of people shows who is who, in which forms, and how the release calls
// them.
func TestPeople(t *testing.T) {
	n := marked("[PATIENT Ann Lee] came with [PATIENT John Lee]. Mrs. [PATIENT Lee] saw Dr. [DOCTOR Kadera]; [PATIENT Ann Lee] left. Kadera and Kadera.")
	n.ID = 4
	last := annotate.ByteOff(strings.LastIndex(n.Text, "Kadera"))
	choices := map[transform.Place]transform.Choice{{Note: 4, Start: last, End: last + 6}: {Action: policy.Numbered}}
	plan := planFor(t, newPlanner(t, everywhere(t, policy.Numbered), 0, nil), transform.Patient{ID: "p", Notes: []transform.Note{n}, Choices: choices})
	var got []string
	for _, p := range plan.People {
		got = append(got, fmt.Sprintf("%s %d %t %q %s %d", p.Group, p.Number, p.Self, p.Names, p.Written, len(p.Places)))
	}
	want := []string{`PATIENT 1 true ["Ann Lee" "Lee"] [PATIENT 1] 3`, `PATIENT 2 false ["John Lee"] [PATIENT 2] 1`, `DOCTOR 1 false ["Kadera"] [DOCTOR 1] 2`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if place := plan.People[0].Places[1]; place.Note != 4 || n.Text[place.Start:place.End] != "Lee" {
		t.Errorf("the second place is %+v", place)
	}
}
