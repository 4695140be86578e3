// SPDX-License-Identifier: Apache-2.0

package rewrite_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/hospital"
	"hide/internal/publish/policy"
	"hide/internal/publish/rewrite"
	"hide/internal/publish/surrogate"
)

func key(b byte) (k surrogate.Key) {
	k[0] = b
	return k
}

func rewritten(t *testing.T, name string, notes []annotate.Annotated) rewrite.Result {
	t.Helper()
	p, err := policy.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := rewrite.Notes(context.Background(), notes, rewrite.Options{Policy: p, Key: key(7)})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Of generated patients no identifier stays at its place, surrogates are new, and intervals stay.
func TestEveryPolicyReplacesAllOfAGeneratedHospital(t *testing.T) {
	notes := slices.Collect(hospital.Generate(hospital.Options{Patients: 30, Seed: 3}))
	for _, p := range policy.Builtin() {
		out := rewritten(t, p.Name, notes)
		c := out.Report.Checks
		if c.Collisions+c.Inconsistent+c.Moved+c.Standing > 0 && p.Repeat == policy.Consistent {
			t.Errorf("%s: %+v", p.Name, c)
		}
		if p.Has(policy.Surrogate) != (c.Surrogates > 0) || p.Has(policy.ShiftDate) != (c.Dates > 0) {
			t.Errorf("%s checks nothing: %+v", p.Name, c)
		}
		for i, n := range out.Notes {
			if err := annotate.CheckSpans(n.Text, slices.Clone(n.Spans)); err != nil {
				t.Fatalf("%s: note %d: %v", p.Name, i+1, err)
			}
			if rest(notes[i].Text, spansOf(out, i)) != rest(n.Text, n.Spans) {
				t.Fatalf("%s: note %d: text outside of identifiers has changed", p.Name, i+1)
			}
		}
	}
}

// spansOf are the places of the decisions in the original.
func spansOf(r rewrite.Result, i int) (out []annotate.Span) {
	for _, d := range r.Decisions[i] {
		out = append(out, annotate.Span{Start: d.Start, End: d.End, Label: d.Label})
	}
	return out
}

// rest is the text outside of spans.
func rest(text string, spans []annotate.Span) string {
	var b strings.Builder
	done := annotate.ByteOff(0)
	for _, s := range spans {
		b.WriteString(text[done:s.Start] + "\x00")
		done = s.End
	}
	return b.String() + text[done:]
}

func TestNotesWithoutAPatientAreAPatientEach(t *testing.T) {
	note := func(name string) annotate.Annotated {
		return annotate.Annotated{Document: annotate.Document{Name: name, Text: "Seen by Dr. Weiss."}, Spans: []annotate.Span{{Start: 12, End: 17, Label: "DOCTOR"}}}
	}
	out := rewritten(t, "safe-harbor", []annotate.Annotated{note("a"), note("b")})
	if out.Report.Patients != 2 || out.Notes[0].Text != "Seen by Dr. [DOCTOR 1]." || out.Notes[1].Text != out.Notes[0].Text {
		t.Fatalf("%d patients, %q, %q", out.Report.Patients, out.Notes[0].Text, out.Notes[1].Text)
	}
}

// The check of dates that stand must not excuse full dates.
func TestDatesThatMayReadTheSame(t *testing.T) {
	for _, c := range []struct {
		text string
		days int
		may  bool
	}{
		{"Monday", 14, true}, {"Monday", 15, false},
		{"May 2016", 30, true}, {"05/2016", 30, true}, {"May 2016", 31, false},
		{"2016", 300, true}, {"año 2016", 300, true}, {"2016", 400, false},
		{"May 15", 365, true}, {"5/15", 730, true}, {"May 15", 364, false},
		{"15th", 30, true}, {"15TH", 30, true}, {"15th", 7, false},
		{"May 15, 2016", 30, false}, {"5/15/2016", 365, false}, {"2016-05-15", 1, false}, {"15 de mayo de 2016", 10, false},
	} {
		if got := rewrite.StaysSame(c.text, c.days); got != c.may {
			t.Errorf("%s after %d days: %v", c.text, c.days, got)
		}
	}
}

// A conversion reads its notes twice: both passes must give the same surrogates, and the second
// one plans nothing.
func TestAStreamGivesTheSameNotesAgain(t *testing.T) {
	notes := slices.Collect(hospital.Generate(hospital.Options{Patients: 2, Seed: 5}))
	p, err := policy.Find("surrogates")
	if err != nil {
		t.Fatal(err)
	}
	p.Repeat = policy.Random
	read := 0
	var report rewrite.Report
	stream := rewrite.Stream(t.Context(), rewrite.Options{Policy: p, Key: key(7)}, &report)
	pass := func() (texts []string) {
		for n, err := range stream(func(yield func(annotate.Annotated, error) bool) {
			for _, n := range notes {
				read++
				if !yield(n, nil) {
					return
				}
			}
		}) {
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, n.Text)
		}
		return texts
	}
	first, second := pass(), pass()
	if !slices.Equal(first, second) || read != len(notes) || report.Notes != len(notes) || first[0] == notes[0].Text {
		t.Errorf("%d of %d notes read, %d reported", read, len(notes), report.Notes)
	}
	broken := errors.New("the file ends")
	for _, err := range rewrite.Stream(t.Context(), rewrite.Options{Policy: p, Key: key(7)}, &report)(func(yield func(annotate.Annotated, error) bool) { yield(annotate.Annotated{}, broken) }) {
		if !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	}
}
