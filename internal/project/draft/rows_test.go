// SPDX-License-Identifier: Apache-2.0

package draft_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project/draft"
	"hide/internal/project/projecttest"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
)

// passes is a filter as its documentation says, for the rows of all places.
func passes(f draft.Filter, r draft.Row) bool {
	d := r.Decision
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(f.Words)) }
	return (f.Label == "" || d.Label == f.Label) && (f.Action == "" || d.Action == f.Action) && (f.By == "" || d.By == f.By) &&
		(f.Problem == "" || d.Problem == f.Problem) && (!f.Problems || d.Problem != "") && (!f.Chosen || d.Chosen) &&
		(f.Patient == "" || r.Patient == f.Patient) && (f.Note == 0 || r.Note == f.Note) && (has(r.Words) || has(d.Replacement))
}

// pick is one of some values, or often none.
func pick[T any](rng *rand.Rand, some ...T) (v T) {
	if rng.IntN(3) > 0 {
		return v
	}
	return some[rng.IntN(len(some))]
}

func TestFiltersSelectWhatTheySay(t *testing.T) {
	d := newDesk(t)
	d.prepare(draft.Settings{Policy: named(t, "safe-harbor")})
	d.decide(draft.Which{Filter: draft.Filter{Label: "DOCTOR"}, Total: 3}, transform.Choice{Action: policy.Placeholder})
	all := d.rows(draft.Filter{})
	rng := rand.New(rand.NewPCG(1, 2))
	hits := 0
	for range 300 {
		f := draft.Filter{
			Label: pick[annotate.Label](rng, "DATE", "PATIENT", "DOCTOR", "SSN"), Action: pick(rng, policy.Generalize, policy.Numbered, policy.Placeholder),
			By: pick(rng, transform.ByPerson, transform.ByRepeat), Problem: pick(rng, transform.DateImpossible, transform.SameWordsUnmarked),
			Problems: rng.IntN(4) == 0, Chosen: rng.IntN(4) == 0, Patient: pick(rng, "pa", "pc", "pz"), Note: pick[annotate.DocumentID](rng, 1, 2, 3), Words: pick(rng, "abel", "PATIENT", "20", "x"),
		}
		want := slices.DeleteFunc(slices.Clone(all), func(r draft.Row) bool { return !passes(f, r) })
		got := d.rows(f)
		if !slices.EqualFunc(got, want, func(a, b draft.Row) bool { return a.Place == b.Place }) {
			t.Errorf("%+v: %d rows, want %d", f, len(got), len(want))
		}
		if len(want) > 0 && len(want) < len(all) {
			hits++
		}
	}
	if hits < 30 {
		t.Errorf("only %d filters select some rows", hits)
	}
}

// TestPlacesOfDifferentSourcesDoNotOverlap: people win over known identifiers, and half a word
// becomes a whole one.
func TestPlacesOfDifferentSourcesDoNotOverlap(t *testing.T) {
	b := projecttest.New(t)
	doc := annotate.Annotated{
		Document: annotate.Document{Name: "n", Patient: "p", Text: "Seen: Johnathan Smithson, 18y, born 3/14/1961, phone 617-555-0123, ward Red Oak Blue Elm Inn.",
			Identities: []annotate.Identity{{Of: annotate.OfPatient, Label: "PATIENT", Value: "Johnathan Smithson"}, {Of: annotate.OfPatient, Label: "PHONE", Value: "617-555-0123"}, {Of: annotate.OfPlace, Label: "HOSPITAL", Value: "Red Oak Blue Elm Inn"}}},
		Spans: []annotate.Span{{Start: 16, End: 21, Label: "PATIENT"}, {Start: 26, End: 28, Label: "AGE"}, {Start: 76, End: 79, Label: "HOSPITAL"}, {Start: 85, End: 88, Label: "HOSPITAL"}},
	}
	d := &desk{b, t, b.FinishedProject([]annotate.Annotated{doc})}
	for keep, want := range map[bool]string{
		false: "known:Johnathan person:Smithson person:18 known:617-555-0123 known:Red person:Oak known:Blue person:Elm known:Inn",
		true:  "person:Smithson person:18 person:Oak person:Elm",
	} {
		d.prepare(draft.Settings{Policy: named(t, "placeholders"), KeepKnown: keep})
		var got []string
		for _, r := range d.rows(draft.Filter{}) {
			if r.Decision.By != transform.ByRepeat {
				got = append(got, string(r.Decision.By)+":"+r.Words)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("keeping known identifiers %v: %q, want %q", keep, got, want)
		}
	}
}
