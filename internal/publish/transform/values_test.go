// SPDX-License-Identifier: Apache-2.0

package transform_test

import (
	"os"
	"strings"
	"testing"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
)

// sample is a line of testdata/values.txt.
type sample struct {
	item string // "A names"
	note transform.Note
	text string // the line
}

func samples(t *testing.T) []sample {
	text, err := os.ReadFile("testdata/values.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	item, lines := "", 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "Seen. "):
			n := marked(line)
			n.ID, lines = 1, lines+1
			out = append(out, sample{item, n, line})
		default:
			item = line
		}
	}
	if lines != 10*17 {
		t.Fatalf("%d lines, want 10 for each of 17 types", lines)
	}
	return out
}

// everywhere is a policy with one action for every label that can have it; others have
// placeholders.
func everywhere(t *testing.T, a policy.Action) policy.Policy {
	t.Helper()
	p, err := policy.Find("placeholders")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range annotate.I2B2().Labels() {
		if policy.CheckAction(l, a, "") == nil {
			p = withRule(p, []string{string(l), string(a)})
		}
	}
	return p
}

// TestEveryTypeGoes: ten identifiers of each type, by each action that writes no invented text.
func TestEveryTypeGoes(t *testing.T) {
	for _, action := range []policy.Action{policy.Placeholder, policy.Numbered, policy.DropSentence} {
		planner := newPlanner(t, everywhere(t, action), 0, nil)
		for _, s := range samples(t) {
			plan := planFor(t, planner, transform.Patient{ID: "p", Notes: []transform.Note{s.note}})
			want := markup.ReplaceAllString(s.text, "[$1]")
			switch action {
			case policy.Numbered:
				want = markup.ReplaceAllString(s.text, "[$1 1]")
			case policy.DropSentence:
				want = "Seen. [" + string(s.note.Spans[0].Label) + "]"
			}
			if got := transform.Apply(s.note.Text, plan.Notes[0]); got != want || plan.Problems() != 0 {
				t.Errorf("%s, %s: got %q, want %q; %d problems", s.item, action, got, want, plan.Problems())
			}
		}
	}
}

// TestEveryTypeHasSurrogates: an invented value shows nothing of the real one, has its kind of
// characters, and is the same at the second place.
func TestEveryTypeHasSurrogates(t *testing.T) {
	p := withRule(everywhere(t, policy.Surrogate), []string{"OTHER", "placeholder"}) // free text has none
	planner := newPlanner(t, p, 0, nil)
	for _, s := range samples(t) {
		second := s.note
		second.ID = 2
		plan := planFor(t, planner, transform.Patient{ID: "p", Notes: []transform.Note{s.note, second}})
		for i, d := range plan.Notes[0] {
			was := s.note.Text[d.Start:d.End]
			if d.Action != policy.Surrogate { // dates
				continue
			}
			switch {
			case d.Problem != "":
				t.Errorf("%s: %q: problem %s, %q", s.item, was, d.Problem, d.Replacement)
			case same(was, d.Replacement):
				t.Errorf("%s: %q stays %q", s.item, was, d.Replacement)
			case plan.Notes[1][i].Replacement != d.Replacement:
				t.Errorf("%s: %q is %q and %q", s.item, was, d.Replacement, plan.Notes[1][i].Replacement)
			case strings.ContainsFunc(was, unicode.IsDigit) != strings.ContainsFunc(d.Replacement, unicode.IsDigit) && d.Label != "EMAIL" && d.Label != "URL" && d.Label != "USERNAME":
				t.Errorf("%s: %q has another form than %q", s.item, d.Replacement, was)
			}
		}
	}
}

// same compares values as a reader does.
func same(a, b string) bool {
	fold := func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}
	return strings.Map(fold, a) == strings.Map(fold, b)
}

// TestSafeHarborShowsNoDateAndNoGreatAge: under the policy of the program no sample keeps a
// digit of a removed type.
func TestSafeHarborShowsNoDateAndNoGreatAge(t *testing.T) {
	p, err := policy.Find("safe-harbor")
	if err != nil {
		t.Fatal(err)
	}
	planner := newPlanner(t, p, 0, nil)
	for _, s := range samples(t) {
		plan := planFor(t, planner, transform.Patient{ID: "p", Notes: []transform.Note{s.note}})
		for _, d := range plan.Notes[0] {
			digits := strings.Map(func(r rune) rune {
				if unicode.IsDigit(r) {
					return r
				}
				return -1
			}, d.Replacement)
			want := map[annotate.Label]int{"DATE": 4, "ZIP": 3, "PATIENT": 1, "HOSPITAL": 1}[d.Label]
			if len(digits) > want {
				t.Errorf("%s: %q has %d digits, want at most %d", s.item, d.Replacement, len(digits), want)
			}
		}
	}
}

// TestMedicineIsNoName: words of medicine that are names elsewhere are neither replaced nor
// called unmarked.
func TestMedicineIsNoName(t *testing.T) {
	text, err := os.ReadFile("testdata/eponyms.txt")
	if err != nil {
		t.Fatal(err)
	}
	planner := newPlanner(t, everywhere(t, policy.Placeholder), 0, nil)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		n := marked(line)
		plan := planFor(t, planner, transform.Patient{ID: "p", Notes: []transform.Note{n}})
		want := markup.ReplaceAllString(line, "[$1]")
		if got := transform.Apply(n.Text, plan.Notes[0]); got != want || plan.Problems() != 0 {
			t.Errorf("got %q, want %q; problems %d, want 0", got, want, plan.Problems())
		}
	}
}
