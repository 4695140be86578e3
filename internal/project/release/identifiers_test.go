// SPDX-License-Identifier: Apache-2.0

package release_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
)

// role decides one attribute, leaving the others as they are.
func (b *bench) role(id project.ID, a idview.Attribute) {
	b.T.Helper()
	if err := b.SetIdentifiers(b.T.Context(), projecttest.Broker, id, []release.Decision{{Attribute: a}}); err != nil {
		b.T.Fatal(err)
	}
}

func identifier(v release.Identifiers, name string) release.Identifier {
	i := slices.IndexFunc(v.Attributes, func(a release.Identifier) bool { return a.Name == name })
	if i < 0 {
		return release.Identifier{}
	}
	return v.Attributes[i]
}

func TestIdentifiersAreProposedUntilTheyAreDecided(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(6))
	v := b.MustIdentifiers(id)
	if v.People != 6 || v.Alone != 0 || v.Unmarked != 0 {
		t.Errorf("%d people, %d alone, %d unmarked; want 6, 0, 0", v.People, v.Alone, v.Unmarked)
	}
	for name, want := range map[string]table.Role{"PATIENT": table.Direct, "AGE": table.Quasi, "sex": table.Quasi, "diagnosis": table.Sensitive, "ward of Dr. Bell": table.Direct} {
		if a := identifier(v, name); a.Role != want || a.Decided || a.People != 6 {
			t.Errorf("%s: %+v, want the proposal %s", name, a, want)
		}
	}
	b.role(id, idview.Attribute{Key: idview.Key{Source: idview.Field, Name: "ward of Dr. Bell"}, Role: table.Insensitive})
	b.role(id, idview.Attribute{Key: idview.Key{Source: idview.Label, Name: "CITY"}, Role: table.Direct})
	b.Reopen()
	v = b.MustIdentifiers(id)
	if identifier(v, "CITY").Role != table.Direct || !identifier(v, "CITY").Decided || identifier(v, "ward of Dr. Bell").Role != table.Insensitive || identifier(v, "AGE").Decided {
		t.Errorf("after reopening: %+v", v.Attributes)
	}
	rows, err := b.Audit(t.Context(), projecttest.Broker, id, 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(rows, func(r project.AuditRow) bool { return r.Action == "identifiers" })
	if i < 0 || rows[i].Detail != "direct: 0 fields CITY" {
		t.Errorf("audit rows %+v", rows)
	}
	for _, r := range rows {
		if strings.Contains(r.Detail, "Bell") {
			t.Error("an audit row names a field")
		}
	}
}

func TestIdentifiersFollowTheNotes(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(3))
	if v := b.MustIdentifiers(id); identifier(v, "PHONE").People != 0 || identifier(v, "CITY").People != 3 {
		t.Errorf("%+v", v)
	}
	docs := projecttest.Cohort(5)[6:]
	docs = append(docs, projecttest.Plain("Call later.")...)
	b.MustImport(id, docs, false)
	v := b.MustIdentifiers(id)
	if v.People != 6 || v.Alone != 1 || v.Unmarked != 3 || identifier(v, "CITY").People != 3 || identifier(v, "sex").People != 5 {
		t.Errorf("with unfinished notes: %d people, %d alone, %d unmarked, CITY %d, sex %d", v.People, v.Alone, v.Unmarked, identifier(v, "CITY").People, identifier(v, "sex").People)
	}
	n := b.MustNote(projecttest.Annotator, id, 7)
	b.MustEdit(projecttest.Annotator, id, 7, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbFinish})
	if v := b.MustIdentifiers(id); v.Unmarked != 2 || identifier(v, "CITY").People != 4 {
		t.Errorf("after finishing one: %d unmarked, CITY %d", v.Unmarked, identifier(v, "CITY").People)
	}
}

func TestIdentifiersThatCannotBeAreRefused(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(3))
	city := idview.Key{Source: idview.Label, Name: "CITY"}
	for name, decided := range map[string][]idview.Attribute{
		"a role":       {{Key: city, Role: "king"}},
		"twice":        {{Key: city, Role: table.Quasi}, {Key: city, Role: table.Direct}},
		"a hierarchy":  {{Key: city, Role: table.Quasi, Hierarchy: "Arden;*\n"}},
		"an order":     {{Key: city, Role: table.Quasi, Kind: table.Ordinal, Order: []string{"Arden"}}},
		"a long order": {{Key: city, Role: table.Quasi, Kind: table.Ordinal, Order: make([]string, release.MaxOrder+1)}},
		"very many":    make([]idview.Attribute, release.MaxIdentifiers+1),
	} {
		decisions := make([]release.Decision, len(decided))
		for i, a := range decided {
			decisions[i].Attribute = a
		}
		err := b.SetIdentifiers(t.Context(), projecttest.Broker, id, decisions)
		projecttest.WantKind(t, err, project.Invalid)
		if err != nil && strings.Contains(err.Error(), "Arden") {
			t.Errorf("%s: the error quotes a value", name)
		}
	}
	if identifier(b.MustIdentifiers(id), "CITY").Decided {
		t.Error("what was refused is decided")
	}
}

func TestOnlyWhoMayPublishSeesIdentifiers(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(2))
	for _, by := range []account.User{projecttest.Annotator, projecttest.Reviewer} {
		_, err := b.Identifiers(t.Context(), by, id)
		projecttest.WantKind(t, err, project.Forbidden)
		projecttest.WantKind(t, b.SetIdentifiers(t.Context(), by, id, nil), project.Forbidden)
		_, _, err = b.IdentifierValues(t.Context(), by, id, idview.Key{Source: idview.Label, Name: "CITY"})
		projecttest.WantKind(t, err, project.Forbidden)
	}
}

func TestValuesAreListedForTheBroker(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(6))
	a, values, err := b.IdentifierValues(t.Context(), projecttest.Broker, id, idview.Key{Source: idview.Field, Name: "sex"})
	if err != nil || a.Role != table.Quasi || fmt.Sprint(values) != "[{F 3} {M 3}]" {
		t.Errorf("%+v, %v, %v", a, values, err)
	}
	_, _, err = b.IdentifierValues(t.Context(), projecttest.Broker, id, idview.Key{Source: idview.Field, Name: "nothing"})
	projecttest.WantKind(t, err, project.NotFound)
}

// TestTwoWhoDecideAboutAttributesLoseNothing has a second person decide between the
// first one's look and her decision: about another attribute, and about the same.
func TestTwoWhoDecideAboutAttributesLoseNothing(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(4))
	seen := b.MustIdentifiers(id)
	decide := func(by account.User, name string, role table.Role) error {
		one := identifier(seen, name)
		one.Role = role
		return b.SetIdentifiers(t.Context(), by, id, []release.Decision{{one.Attribute, identifier(seen, name).Version()}})
	}
	second := account.User{ID: "u-other", Role: account.Broker}
	if _, err := b.SetMember(t.Context(), projecttest.Broker, id, second.ID, account.Broker); err != nil {
		t.Fatal(err)
	}
	for name, by := range map[string]account.User{"sex": second, "AGE": projecttest.Broker} {
		if err := decide(by, name, table.Sensitive); err != nil {
			t.Fatal(name, err)
		}
	}
	now := b.MustIdentifiers(id)
	if identifier(now, "sex").Role != table.Sensitive || identifier(now, "sex").By != second.ID || identifier(now, "sex").At.IsZero() || identifier(now, "AGE").Role != table.Sensitive || identifier(now, "CITY").Decided {
		t.Errorf("after two decided about one each: %+v", now.Attributes)
	}
	var conflict *release.DecisionConflict
	if err := decide(projecttest.Broker, "sex", table.Direct); !errors.As(err, &conflict) || len(conflict.Theirs) != 1 || conflict.Theirs[0].By != second.ID || conflict.Theirs[0].Role != table.Sensitive {
		t.Errorf("deciding on an old version: %v", err)
	}
	if identifier(b.MustIdentifiers(id), "sex").Role != table.Sensitive {
		t.Error("a refused decision was made")
	}
	seen = now
	if err := decide(projecttest.Broker, "sex", table.Direct); err != nil || identifier(b.MustIdentifiers(id), "sex").Role != table.Direct {
		t.Errorf("deciding on the newest: %v", err)
	}
}

// whileReading calls a function once, when a note was read and before it is used.
type whileReading struct {
	context.Context
	call func()
}

func (c *whileReading) Err() error {
	c.call()
	return c.Context.Err()
}

// TestANoteThatIsDeletedWhileItIsReadIsLeftOut: of the identifiers and of a release of notes
// with fields.
func TestANoteThatIsDeletedWhileItIsReadIsLeftOut(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(4))
	ws := b.MustWorkspace(id)
	deleting := func(doc annotate.DocumentID) context.Context {
		return &whileReading{t.Context(), sync.OnceFunc(func() {
			if err := ws.Remove(func() ([]annotate.DocumentID, error) { return []annotate.DocumentID{doc}, nil }); err != nil {
				t.Error(err)
			}
		})}
	}
	if _, err := b.People(deleting(1), ws); err != nil {
		t.Errorf("identifiers: %v", err)
	}
	if _, err := b.People(t.Context(), ws); err != nil {
		t.Fatal(err)
	}
	rows, _, err := b.JointRows(deleting(2), ws, false, false)
	if err != nil || len(rows) != 6 {
		t.Errorf("notes with fields: %d rows, %v; want 6", len(rows), err)
	}
}
