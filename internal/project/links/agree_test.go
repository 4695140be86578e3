// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project/links"
	"hide/internal/project/projecttest"
)

// mustAgree is the agreement of a project's records.
func mustAgree(b *projecttest.Bench, docs []annotate.Annotated, linked ...string) links.Agreement {
	b.T.Helper()
	id := b.FinishedProject(docs)
	if len(linked) > 0 {
		b.Link(id, links.Figures{}, linked...)
	}
	a, err := links.Agreeing(b.T.Context(), b.MustWorkspace(id))
	if err != nil {
		b.T.Fatal(err)
	}
	return a
}

// side is a note of a key, with its fields, an identity and a marked name.
type side struct {
	fields   map[string]string
	identity annotate.Identity
	name     string
	text     string // behind the name, as [marked] reads it
}

func sidesOf(sides ...side) (docs []annotate.Annotated) {
	for i, s := range sides {
		text := "Seen: "
		if s.name != "" {
			text += "[PATIENT " + s.name + "]"
		}
		d := marked(fmt.Sprint("n", i), fmt.Sprint("k", i), text+s.text+".\n", s.fields)
		if s.identity.Label != "" {
			d.Identities = []annotate.Identity{s.identity}
		}
		docs = append(docs, d)
	}
	return docs
}

func of(label annotate.Label, value, from string) annotate.Identity {
	return annotate.Identity{Of: annotate.OfPatient, Label: label, Value: value, From: from}
}

func TestWhatRecordsAgreeOn(t *testing.T) {
	born := map[string]string{"birth_date": "1961-05-14"}
	for _, test := range []struct {
		name string
		a, b side
		want int
	}{
		{"marked names and birth dates", side{fields: born, name: "Marta Egger"}, side{fields: map[string]string{"birth_date": "5/14/1961"}, name: "EGGER, MARTA"}, 2},
		{"surnames and birth dates", side{fields: born, name: "Egger"}, side{fields: born, name: "Egger"}, 0},
		{"names alone", side{name: "Marta Egger"}, side{name: "Marta Egger"}, 0},
		{"birth dates alone", side{fields: born, name: "Marta Egger"}, side{fields: born, name: "Nora Brandt"}, 0},
		{"an identity and fields", side{fields: map[string]string{"first_name": "Marta", "last_name": "Egger"}, identity: of("DATE", "1961-05-14", "PID-7")}, side{fields: born, identity: of("PATIENT", "Marta Egger", "PID-5")}, 2},
		{"days of death", side{identity: of("DATE", "2019-05-14", "PID-29"), name: "Marta Egger"}, side{identity: of("DATE", "2019-05-14", "PID-29"), name: "Marta Egger"}, 0},
		{"record numbers", side{identity: of("MEDICALRECORD", "0044-17", "PID-3")}, side{identity: of("MEDICALRECORD", "004417", "PID-3")}, 2},
		{"the number of a relative", side{identity: annotate.Identity{Of: annotate.OfRelative, Label: "SSN", Value: "123-45-6789"}}, side{identity: of("SSN", "123-45-6789", "PID-19")}, 0},
		{"names and phone numbers", side{identity: of("PHONE", "(404) 555-0134", "PID-13"), name: "Marta Egger"}, side{identity: of("PHONE", "404 555 0134", "PID-13"), name: "Marta Egger"}, 2},
		{"birth date, sex, ZIP", side{fields: map[string]string{"birth_date": "1961-05-14", "sex": "F", "zip": "30307"}}, side{fields: map[string]string{"birth_date": "1961-05-14", "sex": "F", "zip": "30307"}}, 2},
		{"another ZIP", side{fields: map[string]string{"birth_date": "1961-05-14", "sex": "F", "zip": "30307"}}, side{fields: map[string]string{"birth_date": "1961-05-14", "sex": "F", "zip": "30308"}}, 0},
		{"names and births in the text", side{name: "Marta Egger", text: ", born on [DATE 5/14/1961]"}, side{name: "EGGER, MARTA", text: "\nDOB: [DATE 1961-05-14]"}, 2},
		{"names and other days in the text", side{name: "Marta Egger", text: " on [DATE 5/14/2019]"}, side{name: "Marta Egger", text: " on [DATE 5/14/2019]"}, 0},
		{"record numbers in the text", side{text: "MRN [MEDICALRECORD 0044-17]"}, side{identity: of("MEDICALRECORD", "004417", "PID-3")}, 2},
		{"names under a label of another set", side{fields: born, text: "[NAME Marta Egger]"}, side{fields: born, text: "[NAME Egger, Marta]"}, 2},
		{"a year of birth", side{identity: of("DATE", "1961", "PID-7"), name: "Marta Egger"}, side{identity: of("DATE", "1961", "PID-7"), name: "Marta Egger"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if a := mustAgree(projecttest.New(t), sidesOf(test.a, test.b)); a.Records != test.want || a.Of != 2 {
				t.Errorf("%+v, want %d records", a, test.want)
			}
		})
	}
}

// TestAgreementIsThatOfAllPairs compares every pair of some records with few birth dates and ZIP
// codes, of which some are linked.
func TestAgreementIsThatOfAllPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	seen := 0
	for range 8 {
		var sides []side
		for range 24 {
			sides = append(sides, side{fields: map[string]string{
				"birth_date": fmt.Sprintf("19%d-05-%02d", 50+random.IntN(4), 10+random.IntN(3)), "sex": []string{"F", "M"}[random.IntN(2)], "zip": fmt.Sprint(30301 + random.IntN(4))}})
		}
		linked, unit := []string{"k0"}, make([]int, len(sides))
		for i := range unit {
			unit[i] = i
		}
		for i := 1; i < len(sides); i++ {
			if random.IntN(6) == 0 {
				linked, unit[i] = append(linked, fmt.Sprint("k", i)), 0
			}
		}
		agrees := map[int]bool{}
		for i := range sides {
			for j := range sides {
				if unit[i] != unit[j] && fmt.Sprint(sides[i].fields) == fmt.Sprint(sides[j].fields) {
					agrees[unit[i]] = true
				}
			}
		}
		want := 0
		for i := range sides {
			if agrees[unit[i]] {
				want++
			}
		}
		if a := mustAgree(projecttest.New(t), sidesOf(sides...), linked...); a.Records != want {
			t.Errorf("%d records agree, want %d", a.Records, want)
		}
		seen += want
	}
	if seen == 0 {
		t.Error("nothing agreed")
	}
}

// TestManyEqualRecords has one key in a block of all records: the work stays linear.
func TestManyEqualRecords(t *testing.T) {
	var sides []side
	for range 3000 {
		sides = append(sides, side{fields: map[string]string{"birth_date": "1961-05-14", "sex": "F", "zip": "30307"}})
	}
	if a := mustAgree(projecttest.New(t), sidesOf(sides...)); a.Records != 3000 || a.Groups != 1 || len(a.Examples[0]) != 5 {
		t.Errorf("%+v", a)
	}
	if a := mustAgree(projecttest.New(t), nil); a.Records != 0 || a.Words() != "" {
		t.Errorf("an empty project: %+v", a)
	}
}

// TestDecidedPeopleDoNotAgree decides that the two records of a linked patient are two people.
func TestDecidedPeopleDoNotAgree(t *testing.T) {
	b := projecttest.New(t)
	docs := append(town(), note("twin", "k99", people[0], "Visit of the patient. No complaints."))
	id := b.FinishedProject(docs)
	agree := func() links.Agreement {
		a, err := links.Agreeing(t.Context(), b.MustWorkspace(id))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := agree(); a.Records != 2 {
		t.Errorf("before linkage: %+v", a)
	}
	linked(t, b, id, links.Options{})
	all, err := b.LinkClusters(t.Context(), projecttest.Broker, id, 0, 10)
	if err != nil || len(all.Clusters) != 1 || agree().Records != 0 {
		t.Fatalf("%d patients of several records, %+v, %v", len(all.Clusters), agree(), err)
	}
	mark, err := links.AgreementMark(b.MustWorkspace(id))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.DecideLink(t.Context(), projecttest.Broker, id, all.Clusters[0].Links[0].Pair, false, true); err != nil {
		t.Fatal(err)
	}
	if after, err := links.AgreementMark(b.MustWorkspace(id)); err != nil || after == mark {
		t.Errorf("the fingerprint is the same after a decision, %v", err)
	}
	if ws := b.MustWorkspace(id); len(ws.Links().Of) != 0 || agree().Records != 0 {
		t.Errorf("decided to be two people: %d links, %+v", len(ws.Links().Of), agree())
	}
}

// TestLinkageSettlesWhatChanceExplains links two people who were born on one day, in one town. A
// third who is imported later, or was in the bin, is not compared yet.
func TestLinkageSettlesWhatChanceExplains(t *testing.T) {
	born := map[string]string{"birth_date": "1961-05-14", "sex": "F", "zip": "30307"}
	docs := sidesOf(side{fields: born, name: "Marta Egger"}, side{fields: born, name: "Nora Brandt"})
	b := projecttest.New(t)
	if a := mustAgree(b, docs); a.Records != 2 {
		t.Errorf("before linkage: %+v", a)
	}
	for _, test := range []struct {
		newest uint64
		unread []annotate.DocumentID
		want   int
	}{{2, nil, 0}, {1, nil, 2}, {2, []annotate.DocumentID{1}, 2}, {2, []annotate.DocumentID{2}, 2}} {
		b := projecttest.New(t)
		id := b.FinishedProject(docs)
		b.Link(id, links.Figures{Newest: test.newest, Unread: test.unread})
		if a, err := links.Agreeing(t.Context(), b.MustWorkspace(id)); err != nil || a.Records != test.want {
			t.Errorf("compared up to note %d: %+v, %v, want %d records", test.newest, a, err, test.want)
		}
	}
}
