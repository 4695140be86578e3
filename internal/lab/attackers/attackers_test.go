// SPDX-License-Identifier: Apache-2.0

package attackers_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/hospital"
	"hide/internal/lab/attackers"
	"hide/internal/option"
	"hide/internal/publish/joint"
)

func generated(patients int) []annotate.Annotated {
	var out []annotate.Annotated
	for d := range hospital.Generate(hospital.Options{Patients: patients, Seed: 3}) {
		out = append(out, d)
	}
	return out
}

// first is the share of first guesses with a kind of knowledge in the i-th publication.
func first(t *testing.T, r *attackers.RetrievalResult, i int, k retrieve.Knowledge) float64 {
	t.Helper()
	row, is := r.Publications[i].Result.Best(k)
	if !is {
		t.Fatalf("%s: nobody has %s", r.Publications[i].Publication, k)
	}
	return row.Top1.Share
}

func TestPlaceholdersBreakMostLinks(t *testing.T) {
	o := attackers.RetrievalTable.Default()
	o.Policies = []string{"original", "placeholders"}
	r, err := attackers.Retrieval(context.Background(), generated(40), nil, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	before, after := first(t, r, 0, retrieve.Table), first(t, r, 1, retrieve.Table)
	if before < 0.9 || after > before/2 || after < 1.0/40 {
		t.Errorf("the table links %.3f of original notes and %.3f of redacted ones", before, after)
	}
	var out strings.Builder
	r.Write(&out)
	if !strings.Contains(out.String(), "bayes *") && !strings.Contains(out.String(), "bm25 *") {
		t.Error(out.String())
	}
}

func TestHalvesAreLinkedByWhatTheyShare(t *testing.T) {
	var notes []annotate.Annotated
	for _, text := range []string{
		"Anna Berg fell at the mill.\n\nThe mill is closed.",
		"Ben Cole sings in a choir.\n\nThe choir travels.",
		"Cy has a parrot.\n\nThe parrot speaks.",
	} {
		notes = append(notes, annotate.Annotated{Document: annotate.Document{Name: text[:3], Text: text}, Spans: []annotate.Span{{Start: 0, End: 2, Label: "NAME"}}})
	}
	o := attackers.RetrievalTable.Default()
	o.Policies, o.Halves = []string{"placeholders"}, true
	r, err := attackers.Retrieval(context.Background(), notes, nil, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if all := r.Publications[0].Result; all.Notes != 6 || all.Patients != 3 || first(t, r, 0, retrieve.Siblings) != 1 {
		t.Errorf("%+v", all)
	}
}

func TestNotesWithoutPatientsAreOfAPersonEach(t *testing.T) {
	var notes []annotate.Annotated
	for _, name := range []string{"note", "note", "", "p"} {
		notes = append(notes, annotate.Annotated{Document: annotate.Document{Name: name, Text: "He paints."}})
	}
	notes = append(notes, annotate.Annotated{Document: annotate.Document{Name: "x", Patient: "p", Text: "She rows."}})
	o := attackers.RetrievalTable.Default()
	o.Policies = []string{"original"}
	r, err := attackers.Retrieval(t.Context(), notes, nil, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Publications[0].Result.Patients; got != 5 {
		t.Errorf("%d patients, not 5", got)
	}
}

const config = `attributes:
- {name: patient, role: direct}
- {name: city, role: quasi, entities: [CITY]}
- {name: text, role: text}
terms: {types: [CITY]}
`

func TestNotesAndTableTogether(t *testing.T) {
	c, err := joint.ReadConfig(strings.NewReader(config))
	if err != nil {
		t.Fatal(err)
	}
	var rows []joint.Row
	for i, city := range []string{"Lyon", "Lyon", "Nice", "Nice"} {
		text := city + " is home. " + []string{"He paints.", "She rows.", "He sings.", "She rides."}[i]
		rows = append(rows, joint.Row{Values: []string{string(rune('a' + i)), city, ""}, Texts: []joint.Text{{Text: text, Terms: []annotate.Span{{Start: 0, End: 4, Label: "CITY"}}}}})
	}
	view, err := joint.NewView(context.Background(), c, rows)
	if err != nil {
		t.Fatal(err)
	}
	o := attackers.RetrievalTable.Default()
	o.K, o.Policies = 2, []string{"placeholders"}
	r, err := attackers.Retrieval(context.Background(), attackers.Documents(view), view, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Placeholders leave no word that the table has, so all four are equal; the row beside a
	// note leaves two, who live in one city.
	if got := first(t, r, 0, retrieve.Table); got != 0.25 {
		t.Errorf("%.3f with placeholders", got)
	}
	if got := first(t, r, 1, retrieve.Table); got != 0.5 || r.Publications[1].Result.Chance1 != 0.5 {
		t.Errorf("%.3f with the table, %.3f by chance", got, r.Publications[1].Result.Chance1)
	}
}

func TestLeaksStandOutBesidePlaceholders(t *testing.T) {
	o := attackers.LeaksTable.Default()
	o.Policies, o.Learner = []string{"placeholders"}, "bayes"
	r, err := attackers.Leaks(context.Background(), generated(8), nil, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := r.Publications[0]; p.Leaks < 10 || p.Spans != p.Leaks || p.Suspected[0].Found != p.Leaks {
		t.Errorf("%+v", p)
	}
}

func TestATaggerMissesWhatLeaks(t *testing.T) {
	all := generated(12)
	o := attackers.LeaksTable.Default()
	o.Policies, o.Learner, o.Train = []string{"placeholders"}, "bayes", 5
	few, err := attackers.Leaks(context.Background(), all[:15], all[15:], o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := few.Publications[0]; p.Leaks == 0 || p.Notes != 15 {
		t.Errorf("%+v", p)
	}
}

func TestSurrogatesHideTheSameLeaks(t *testing.T) {
	o := attackers.LeaksTable.Default()
	o.Learner = "bayes"
	r, err := attackers.Leaks(context.Background(), generated(6), nil, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	bare := r.Publications[0]
	if len(r.Publications) != 4 {
		t.Fatalf("%d publications", len(r.Publications))
	}
	for _, p := range r.Publications[1:] {
		if p.Leaks != bare.Leaks || p.Spans < 10*p.Leaks {
			t.Errorf("%s: %d leaks of %d identifiers, not %d leaks", p.Publication, p.Leaks, p.Spans, bare.Leaks)
		}
		if guess := p.Suspected[0]; guess.Precision.Value > 0.1 || guess.Recall.Value != 1 {
			t.Errorf("%s: guessing %+v", p.Publication, guess)
		}
	}
	// Consistent surrogates repeat a value as often as the notes do; random ones seldom do.
	if same, fresh := r.Publications[1].Suspected[3], r.Publications[2].Suspected[3]; same.Flagged < 2*fresh.Flagged {
		t.Errorf("%d values repeat with consistent surrogates, %d with random ones", same.Flagged, fresh.Flagged)
	}
	var out strings.Builder
	r.Write(&out)
	if lines := strings.Count(out.String(), "\n"); lines < 20 {
		t.Error(out.String())
	}
}

func TestPoliciesKeepWhatTheySay(t *testing.T) {
	o := attackers.RetrievalTable.Default()
	r, err := attackers.Retrieval(context.Background(), generated(15), nil, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	var links []float64
	for i := range r.Publications {
		links = append(links, first(t, r, i, retrieve.Table))
	}
	// Safe Harbor keeps ages and years, which placeholders hide; surrogates mislead.
	if original, hidden, safeHarbor, invented := links[0], links[1], links[2], links[3]; original < safeHarbor || safeHarbor < hidden || original < invented {
		t.Errorf("original, placeholders, safe-harbor and surrogates link %.3f", links)
	}
}

func TestBadInput(t *testing.T) {
	o := attackers.RetrievalTable.Default()
	o.Policies = []string{"no-such-policy"}
	problem := (*option.Problem)(nil)
	if _, err := attackers.Retrieval(context.Background(), generated(2), nil, o, nil); !errors.As(err, &problem) {
		t.Errorf("unknown policy: %v", err)
	}
	o.Policies = []string{"original"}
	if _, err := attackers.Retrieval(context.Background(), nil, nil, o, nil); !errors.Is(err, retrieve.ErrNoNotes) {
		t.Errorf("no notes: %v", err)
	}
	l := attackers.LeaksTable.Default()
	l.Policies = []string{"placeholders"}
	if _, err := attackers.Leaks(context.Background(), nil, nil, l, nil); !errors.Is(err, attackers.ErrNoLeaks) {
		t.Errorf("no leaks: %v", err)
	}
}
