// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
)

// cohort is n patients with two fields, and an age and towns in two notes each.
func cohort(n int) []annotate.Annotated {
	towns, sexes, codes := []string{"Arden", "Bilton", "Corley"}, []string{"F", "M"}, []string{"flu", "asthma", "fracture", "anaemia"}
	docs := make([]annotate.Annotated, 0, 2*n)
	for i := range n {
		for visit := range 2 {
			var b markup
			b.text("Mr. ").span(fmt.Sprint("Abel", i), "PATIENT").text(", ").span(fmt.Sprintf("%d-year-old", 20+(i*7+visit)%70), "AGE")
			b.text(", lives in ").span(towns[(i+visit*(i%2))%3], "CITY").text(". Seen ").span(fmt.Sprintf("%d/%d/2019", i%12+1, visit+i%27+1), "DATE").text(".\n")
			docs = append(docs, annotate.Annotated{
				Document: annotate.Document{
					Name: fmt.Sprintf("c-%03d-%d", i, visit), Patient: fmt.Sprint("p", i), Text: b.String(),
					Attributes: map[string]string{"sex": sexes[i%2], "diagnosis": codes[i%4], "ward of Dr. Bell": "7"},
				},
				Spans: b.spans,
			})
		}
	}
	return docs
}

func (b *bench) identifiers(id ID) Identifiers {
	b.t.Helper()
	v, err := b.Identifiers(b.t.Context(), broker, id)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// role decides one attribute, leaving the others as they are.
func (b *bench) role(id ID, a idview.Attribute) {
	b.t.Helper()
	if err := b.SetIdentifiers(b.t.Context(), broker, id, []Decision{{Attribute: a}}); err != nil {
		b.t.Fatal(err)
	}
}

func (v Identifiers) of(name string) Identifier {
	i := slices.IndexFunc(v.Attributes, func(a Identifier) bool { return a.Name == name })
	if i < 0 {
		return Identifier{}
	}
	return v.Attributes[i]
}

func TestIdentifiersAreProposedUntilTheyAreDecided(t *testing.T) {
	b := newBench(t)
	id := b.finished(cohort(6))
	v := b.identifiers(id)
	if v.People != 6 || v.Alone != 0 || v.Unmarked != 0 {
		t.Errorf("%d people, %d alone, %d unmarked; want 6, 0, 0", v.People, v.Alone, v.Unmarked)
	}
	for name, want := range map[string]table.Role{"PATIENT": table.Direct, "AGE": table.Quasi, "sex": table.Quasi, "diagnosis": table.Sensitive, "ward of Dr. Bell": table.Direct} {
		if a := v.of(name); a.Role != want || a.Decided || a.People != 6 {
			t.Errorf("%s: %+v, want the proposal %s", name, a, want)
		}
	}
	b.role(id, idview.Attribute{Key: idview.Key{Source: idview.Field, Name: "ward of Dr. Bell"}, Role: table.Insensitive})
	b.role(id, idview.Attribute{Key: idview.Key{Source: idview.Label, Name: "CITY"}, Role: table.Direct})
	b.reopen()
	v = b.identifiers(id)
	if v.of("CITY").Role != table.Direct || !v.of("CITY").Decided || v.of("ward of Dr. Bell").Role != table.Insensitive || v.of("AGE").Decided {
		t.Errorf("after reopening: %+v", v.Attributes)
	}
	rows, err := b.Audit(t.Context(), broker, id, 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(rows, func(r AuditRow) bool { return r.Action == "identifiers" })
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
	id := b.finished(cohort(3))
	if v := b.identifiers(id); v.of("PHONE").People != 0 || v.of("CITY").People != 3 {
		t.Errorf("%+v", v)
	}
	docs := cohort(5)[6:]
	docs = append(docs, plain("Call later.")...)
	b.mustImport(id, docs, false)
	v := b.identifiers(id)
	if v.People != 6 || v.Alone != 1 || v.Unmarked != 3 || v.of("CITY").People != 3 || v.of("sex").People != 5 {
		t.Errorf("with unfinished notes: %d people, %d alone, %d unmarked, CITY %d, sex %d", v.People, v.Alone, v.Unmarked, v.of("CITY").People, v.of("sex").People)
	}
	n := b.mustNote(annotator, id, 7)
	b.mustEdit(annotator, id, 7, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbFinish})
	if v := b.identifiers(id); v.Unmarked != 2 || v.of("CITY").People != 4 {
		t.Errorf("after finishing one: %d unmarked, CITY %d", v.Unmarked, v.of("CITY").People)
	}
}

func TestIdentifiersThatCannotBeAreRefused(t *testing.T) {
	b := newBench(t)
	id := b.finished(cohort(3))
	city := idview.Key{Source: idview.Label, Name: "CITY"}
	for name, decided := range map[string][]idview.Attribute{
		"a role":       {{Key: city, Role: "king"}},
		"twice":        {{Key: city, Role: table.Quasi}, {Key: city, Role: table.Direct}},
		"a hierarchy":  {{Key: city, Role: table.Quasi, Hierarchy: "Arden;*\n"}},
		"an order":     {{Key: city, Role: table.Quasi, Kind: table.Ordinal, Order: []string{"Arden"}}},
		"a long order": {{Key: city, Role: table.Quasi, Kind: table.Ordinal, Order: make([]string, maxOrder+1)}},
		"very many":    make([]idview.Attribute, maxIdentifiers+1),
	} {
		decisions := make([]Decision, len(decided))
		for i, a := range decided {
			decisions[i].Attribute = a
		}
		err := b.SetIdentifiers(t.Context(), broker, id, decisions)
		wantKind(t, err, Invalid)
		if err != nil && strings.Contains(err.Error(), "Arden") {
			t.Errorf("%s: the error quotes a value", name)
		}
	}
	if b.identifiers(id).of("CITY").Decided {
		t.Error("what was refused is decided")
	}
}

func TestOnlyWhoMayPublishSeesIdentifiers(t *testing.T) {
	b := newBench(t)
	id := b.finished(cohort(2))
	for _, by := range []account.User{annotator, reviewer} {
		_, err := b.Identifiers(t.Context(), by, id)
		wantKind(t, err, Forbidden)
		wantKind(t, b.SetIdentifiers(t.Context(), by, id, nil), Forbidden)
		_, _, err = b.IdentifierValues(t.Context(), by, id, idview.Key{Source: idview.Label, Name: "CITY"})
		wantKind(t, err, Forbidden)
	}
}

func TestValuesAreListedForTheBroker(t *testing.T) {
	b := newBench(t)
	id := b.finished(cohort(6))
	a, values, err := b.IdentifierValues(t.Context(), broker, id, idview.Key{Source: idview.Field, Name: "sex"})
	if err != nil || a.Role != table.Quasi || fmt.Sprint(values) != "[{F 3} {M 3}]" {
		t.Errorf("%+v, %v, %v", a, values, err)
	}
	_, _, err = b.IdentifierValues(t.Context(), broker, id, idview.Key{Source: idview.Field, Name: "nothing"})
	wantKind(t, err, NotFound)
}

// TestTwoWhoDecideAboutAttributesLoseNothing has a second person decide between the
// first one's look and her decision: about another attribute, and about the same.
func TestTwoWhoDecideAboutAttributesLoseNothing(t *testing.T) {
	b := newBench(t)
	id := b.finished(cohort(4))
	seen := b.identifiers(id)
	decide := func(by account.User, name string, role table.Role) error {
		one := seen.of(name)
		one.Role = role
		return b.SetIdentifiers(t.Context(), by, id, []Decision{{one.Attribute, seen.of(name).Version()}})
	}
	second := account.User{ID: "u-second", Role: account.Broker}
	for name, by := range map[string]account.User{"sex": second, "AGE": broker} {
		if err := decide(by, name, table.Sensitive); err != nil {
			t.Fatal(name, err)
		}
	}
	now := b.identifiers(id)
	if now.of("sex").Role != table.Sensitive || now.of("sex").By != second.ID || now.of("sex").At.IsZero() || now.of("AGE").Role != table.Sensitive || now.of("CITY").Decided {
		t.Errorf("after two decided about one each: %+v", now.Attributes)
	}
	var conflict *DecisionConflict
	if err := decide(broker, "sex", table.Direct); !errors.As(err, &conflict) || len(conflict.Theirs) != 1 || conflict.Theirs[0].By != second.ID || conflict.Theirs[0].Role != table.Sensitive {
		t.Errorf("deciding on an old version: %v", err)
	}
	if b.identifiers(id).of("sex").Role != table.Sensitive {
		t.Error("a refused decision was made")
	}
	seen = now
	if err := decide(broker, "sex", table.Direct); err != nil || b.identifiers(id).of("sex").Role != table.Direct {
		t.Errorf("deciding on the newest: %v", err)
	}
}
