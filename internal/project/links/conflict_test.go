// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"fmt"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/internal/project/projecttest"
)

// family is a few records of which three keys have the same name, sex and ZIP code: the first
// with one birth date, the others with another one. Everybody else is there twice, so that links
// are likely.
func family(born string) (all []annotate.Annotated) {
	for i, p := range people {
		if p.mrn = ""; i > 0 {
			all = append(all, note(fmt.Sprintf("a%d", i), fmt.Sprintf("a%02d", i), p, "Seen."), note(fmt.Sprintf("b%d", i), fmt.Sprintf("b%02d", i), p, "Seen."))
		}
	}
	father, son := people[0], people[0]
	son.born = born
	return append(all, note("f", "father", father, "Seen."), note("s", "son", son, "Seen."), note("t", "same son", son, "Seen."))
}

func conflicts(t *testing.T, b *projecttest.Bench, id project.ID) (found []links.Pair) {
	t.Helper()
	q, err := b.LinkQueue(t.Context(), projecttest.Broker, id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range q.Pairs {
		if p.Status == links.Conflict {
			found = append(found, p)
		}
	}
	return found
}

// TestLinkedRecordsWithDifferentBirthDatesAreAskedAbout wants one question for the two pairs of a
// father with the records of his son, whatever the answer.
func TestLinkedRecordsWithDifferentBirthDatesAreAskedAbout(t *testing.T) {
	b := projecttest.New(t)
	for _, same := range []bool{true, false} {
		id := b.NewNamed(fmt.Sprint("Family ", same), family("1990-02-27"))
		before := linked(t, b, id, links.Options{}).Figures
		asked := conflicts(t, b, id)
		if before.Patients != len(people) || len(asked) != 1 || !asked[0].Linked || asked[0].Probability < .95 {
			t.Fatalf("%d patients, %d conflicts: the test has no sure links between different birth dates", before.Patients, len(asked))
		}
		if err := b.DecideLink(t.Context(), projecttest.Broker, id, asked[0].Pair, same, false); err != nil {
			t.Fatal(err)
		}
		want := before.Patients
		if !same {
			want++
		}
		for _, st := range []links.State{ended(t, b, id), linked(t, b, id, links.Options{})} {
			if left := conflicts(t, b, id); len(left) != 0 || st.Figures.Patients != want {
				t.Errorf("same %v: %d conflicts, %d patients; want none and %d", same, len(left), st.Figures.Patients, want)
			}
		}
	}
	for _, born := range []string{"1961-05-24", "1961-05-14", "1960", ""} { // a typing error, equal, from an age, unknown
		id := b.NewNamed("Family "+born, family(born))
		linked(t, b, id, links.Options{})
		if found := conflicts(t, b, id); len(found) > 0 {
			t.Errorf("%q is a conflict with %q", born, people[0].born)
		}
	}
}
