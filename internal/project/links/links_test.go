// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"fmt"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/internal/project/projecttest"
)

// person is somebody of whom notes are made.
type person struct{ first, last, born, sex, zip, mrn string }

var people = []person{
	{"Harriet", "Ostrander", "1961-05-14", "F", "60614", "MR-448213"},
	{"Miguel", "Salcedo", "1974-11-02", "M", "60625", "MR-771902"},
	{"Priya", "Raman", "1988-01-30", "F", "60608", "MR-119340"},
	{"Walter", "Lindqvist", "1949-08-21", "M", "60657", "MR-550377"},
	{"Noemi", "Castellano", "1992-03-09", "F", "60622", "MR-903418"},
	{"Tobias", "Wren", "1980-12-17", "M", "60640", "MR-284466"},
	{"Agnes", "Delacroix", "1955-07-25", "F", "60611", "MR-663021"},
	{"Rafael", "Ibarra", "1967-10-04", "M", "60647", "MR-337185"},
}

// note is a note of a person under a key.
func note(name, key string, p person, text string) annotate.Annotated {
	d := annotate.Document{Name: name, Patient: key, Text: text}
	d.Attributes = map[string]string{"birth_date": p.born, "sex": p.sex, "zip": p.zip, "note_type": "progress"}
	if p.first != "" {
		d.Attributes["name"] = p.first + " " + p.last
	}
	return annotate.Annotated{Document: d}
}

// town is two notes of each person, each under one key.
func town() (all []annotate.Annotated) {
	for i, p := range people {
		key := fmt.Sprintf("k%02d", i)
		for n := range 2 {
			all = append(all, note(fmt.Sprintf("%s-%d", key, n), key, p, fmt.Sprintf("Visit %d of the patient. No complaints.", n)))
		}
	}
	return all
}

// linked runs the linkage of a project and waits for it.
func linked(t *testing.T, b *projecttest.Bench, id project.ID, o links.Options) links.State {
	t.Helper()
	if err := b.StartLinking(t.Context(), projecttest.Broker, id, o); err != nil {
		t.Fatal(err)
	}
	return ended(t, b, id)
}

func ended(t *testing.T, b *projecttest.Bench, id project.ID) links.State {
	t.Helper()
	var p links.Progress
	b.Wait("linking", func() bool {
		var err error
		if p, err = b.Linking(t.Context(), projecttest.Broker, id); err != nil {
			t.Fatal(err)
		}
		return !p.Running
	})
	if p.Error != "" {
		t.Fatal(p.Error)
	}
	st, err := b.LinkState(t.Context(), projecttest.Broker, id)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// TestTwelveKeysAreOnePatient is about a person with a note under each of twelve keys, with full
// birth date, sex and ZIP code and no name.
func TestTwelveKeysAreOnePatient(t *testing.T) {
	b := projecttest.New(t)
	for _, others := range []bool{false, true} {
		t.Run(fmt.Sprint("others ", others), func(t *testing.T) {
			var docs []annotate.Annotated
			if others {
				docs = town()
			}
			for i := range 12 {
				p := people[3]
				p.first, p.born, p.zip = "", "1950-02-28", "60402"
				docs = append(docs, note(fmt.Sprintf("n%02d", i), fmt.Sprintf("p%02d", i), p, "No acute distress."))
			}
			id := b.NewNamed(fmt.Sprint("Probe ", others), docs)
			st := linked(t, b, id, links.Options{})
			want := 1
			if others {
				want += len(people)
			}
			if f := st.Figures; f.Records != want+11 || f.Patients != want {
				t.Errorf("%d records are %d patients, want %d", f.Records, f.Patients, want)
			}
			ws := b.MustWorkspace(id)
			groups := map[string]bool{}
			for n, err := range ws.Documents(t.Context(), ws.All()) {
				if err != nil {
					t.Fatal(err)
				}
				groups[n.Group()] = true
			}
			if len(groups) != want {
				t.Errorf("the notes count for %d persons, want %d", len(groups), want)
			}
		})
	}
}

// TestASecondPassFindsMore links a note that names a patient only in its text.
func TestASecondPassFindsMore(t *testing.T) {
	b := projecttest.New(t)
	docs := town()
	for i := range docs {
		docs[i].Attributes["mrn"] = people[i/2].mrn
	}
	hers := people[0]
	docs = append(docs, annotate.Annotated{Document: annotate.Document{Name: "letter", Text: "Re: " + hers.first + " " + hers.last + ", chart " + hers.mrn + ".\nShe was seen with a cough."}})
	id := b.NewNamed("Letters", docs)
	one := linked(t, b, id, links.Options{PassOne: true})
	two := linked(t, b, id, links.Options{})
	if len(one.Run.Passes) != 2 || len(two.Run.Passes) != 3 {
		t.Fatalf("%d and %d passes", len(one.Run.Passes), len(two.Run.Passes))
	}
	p := two.Run.Passes
	if p[1].Patients != len(people)+1 || p[2].Patients != len(people) || p[2].Found <= p[1].Found {
		t.Errorf("after each pass: %+v", p)
	}
	ws := b.MustWorkspace(id)
	for n, err := range ws.Documents(t.Context(), ws.All()) {
		if err != nil {
			t.Fatal(err)
		}
		if n.Name == "letter" && (n.Person() != "k00" || len(n.About()) == 0) {
			t.Errorf("the letter counts for %q and %d identities are known in it", n.Person(), len(n.About()))
		}
	}
}

// TestADecisionTrainsTheModelAgain separates the records of a linked patient: folds and known
// identifiers are others then.
func TestADecisionTrainsTheModelAgain(t *testing.T) {
	b := projecttest.New(t)
	id := b.FinishedProject(projecttest.TwelveKeys())
	linked(t, b, id, links.Options{})
	ws, before := b.MustWorkspace(id), b.Trained(id).Model
	version := ws.Links().Version
	if err := b.DecideLink(t.Context(), projecttest.Broker, id, links.PairID{A: 1, B: 2}, false, false); err != nil {
		t.Fatal(err)
	}
	if ws.Links().Version == version {
		t.Fatal("the links are the same: the test shows nothing")
	}
	b.Wait("another model", func() bool { return b.Trained(id).Model > before })
}

// TestRights lists what each role may do.
func TestRights(t *testing.T) {
	b := projecttest.New(t)
	id := b.NewNamed("Rights", town())
	linked(t, b, id, links.Options{})
	ctx := t.Context()
	calls := []struct {
		name string
		call func(by account.User) error
		may  string // initials of broker, annotator, reviewer
	}{
		{"start", func(u account.User) error {
			err := b.StartLinking(ctx, u, id, links.Options{})
			wait(t, b, id)
			return err
		}, "b"},
		{"progress", func(u account.User) error { _, err := b.Linking(ctx, u, id); return err }, "br"},
		{"cancel", func(u account.User) error { return b.CancelLinking(ctx, u, id) }, "b"},
		{"state", func(u account.User) error { _, err := b.LinkState(ctx, u, id); return err }, "br"},
		{"try a threshold", func(u account.User) error { _, err := b.TryLinkThreshold(ctx, u, id, .5); return err }, "br"},
		{"set thresholds", func(u account.User) error { return b.SetLinkThresholds(ctx, u, id, .5, .05) }, "b"},
		{"queue", func(u account.User) error { _, err := b.LinkQueue(ctx, u, id, 0, 1); return err }, "b"},
		{"pair", func(u account.User) error { _, err := b.LinkPair(ctx, u, id, links.PairID{A: 1, B: 2}); return err }, "b"},
		{"decide", func(u account.User) error { return b.DecideLink(ctx, u, id, links.PairID{A: 1, B: 2}, false, false) }, "b"},
		{"decisions", func(u account.User) error { _, err := b.LinkDecisions(ctx, u, id); return err }, "b"},
		{"undo", func(u account.User) error { return b.UndoLinkDecision(ctx, u, id, 1) }, "b"},
		{"clusters", func(u account.User) error { _, err := b.LinkClusters(ctx, u, id, 0, 1); return err }, "b"},
		{"view", func(u account.User) error { _, err := b.LinkedPatients(ctx, u, id, 0, 1, ""); return err }, "b"},
	}
	for _, c := range calls {
		for initial, u := range map[string]account.User{"b": projecttest.Broker, "a": projecttest.Annotator, "r": projecttest.Reviewer} {
			err := c.call(u)
			if may := strings.Contains(c.may, initial); may != (err == nil) || !may && project.KindOf(err) != project.Forbidden {
				t.Errorf("%s by a %s: %v", c.name, u.Role, err)
			}
		}
	}
}

func wait(t *testing.T, b *projecttest.Bench, id project.ID) {
	t.Helper()
	b.Wait("linking", func() bool {
		p, err := b.Linking(t.Context(), projecttest.Broker, id)
		return err != nil || !p.Running
	})
}
