// SPDX-License-Identifier: Apache-2.0

package transform_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
	"hide/internal/publish/value"
)

// TestChoosingWhatIsDecidedChangesNothing: choices that repeat the decisions of a plan give
// the plan again, also through JSON.
func TestChoosingWhatIsDecidedChangesNothing(t *testing.T) {
	p, err := policy.Find("safe-harbor")
	if err != nil {
		t.Fatal(err)
	}
	planner := newPlanner(t, p, value.MonthFirst, nil)
	for _, patient := range generated(10) {
		first := planFor(t, planner, patient)
		patient.Choices = map[transform.Place]transform.Choice{}
		for i, ds := range first.Notes {
			for _, d := range ds {
				if d.Problem == "" {
					patient.Choices[d.Places(patient.Notes[i].ID)[0]] = throughJSON(t, transform.Choice{Action: d.Action, To: d.To, Person: d.Person})
				}
			}
		}
		second := planFor(t, planner, patient)
		for i, ds := range second.Notes {
			for j, d := range ds {
				want := first.Notes[i][j]
				want.Chosen = want.Problem == ""
				if !reflect.DeepEqual(d, want) {
					t.Fatalf("%s became %s, problem %q, person %d, want %d", want, d, d.Problem, d.Person, want.Person)
				}
			}
		}
	}
}

func throughJSON(t *testing.T, c transform.Choice) (out transform.Choice) {
	text, err := json.Marshal(c)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil || out != c {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func TestCheckChoice(t *testing.T) {
	for _, c := range []struct {
		policy string
		label  annotate.Label
		choice transform.Choice
		want   string // of the error, "" for none
	}{
		{"safe-harbor", "PATIENT", transform.Choice{Action: policy.Placeholder}, ""},
		{"safe-harbor", "PATIENT", transform.Choice{Person: 3}, ""},
		{"safe-harbor", "PATIENT", transform.Choice{Action: policy.Keep}, "164.514(b)(2)(i)(A)"},
		{"safe-harbor", "DOCTOR", transform.Choice{Action: policy.Keep}, ""},
		{"safe-harbor", "DATE", transform.Choice{Action: policy.ShiftDate}, "no dates but years"},
		{"safe-harbor", "DATE", transform.Choice{Action: policy.Generalize, To: policy.Month}, "no dates but years"},
		{"safe-harbor", "DATE", transform.Choice{Text: "2019"}, ""},
		{"safe-harbor", "DATE", transform.Choice{Text: "2018-2019"}, ""},
		{"safe-harbor", "DATE", transform.Choice{Text: "March 2019"}, `not of the level "the year"`},
		{"safe-harbor", "DATE", transform.Choice{Action: policy.Placeholder, Text: "2019"}, "takes no typed text"},
		{"safe-harbor", "AGE", transform.Choice{Text: "89"}, ""},
		{"safe-harbor", "AGE", transform.Choice{Text: "90+"}, ""},
		{"safe-harbor", "AGE", transform.Choice{Text: "90"}, "not of the level"},
		{"safe-harbor", "ZIP", transform.Choice{Text: "021"}, ""},
		{"safe-harbor", "ZIP", transform.Choice{Text: "000"}, ""},
		{"safe-harbor", "ZIP", transform.Choice{Text: "036"}, "not of the level"},
		{"safe-harbor", "ZIP", transform.Choice{Text: "02134"}, "not of the level"},
		{"safe-harbor", "CITY", transform.Choice{Action: policy.Generalize, To: policy.State, Text: "Massachusetts"}, ""},
		{"safe-harbor", "CITY", transform.Choice{Action: policy.Generalize, To: policy.State, Text: "Boston"}, "not of the level"},
		{"safe-harbor", "PATIENT", transform.Choice{Action: policy.Surrogate}, "no rule with the action"},
		{"safe-harbor", "PATIENT", transform.Choice{Action: "erase"}, "unknown action"},
		{"safe-harbor", "PATIENT", transform.Choice{Person: -1}, "1 to 9999"},
		{"safe-harbor", "NICKNAME", transform.Choice{Action: policy.Keep}, "164.514(b)(2)(i)(R)"},
		{"limited-data-set", "CITY", transform.Choice{Action: policy.Keep}, ""},
		{"limited-data-set", "PATIENT", transform.Choice{Action: policy.Keep}, "164.514(e)(2)"},
		{"surrogates", "PATIENT", transform.Choice{Text: "Zelda Quimby"}, ""},
		{"surrogates", "PATIENT", transform.Choice{Text: "Zelda\nQuimby"}, "one line"},
		{"surrogates", "PATIENT", transform.Choice{Text: strings.Repeat("x", 201)}, "at most 200 bytes"},
		{"surrogates", "PATIENT", transform.Choice{Text: "--"}, "letter or a digit"},
		{"surrogates", "DATE", transform.Choice{Text: "2019-07-09"}, "takes no typed text"},
		{"surrogates", "DATE", transform.Choice{Action: policy.Generalize, Text: "2019"}, ""},
		{"surrogates", "DATE", transform.Choice{Action: policy.Generalize, To: policy.Quarter, Text: "2019-Q4"}, ""},
		{"surrogates", "AGE", transform.Choice{Action: policy.Generalize, To: policy.Age5, Text: "40-44"}, ""},
		{"surrogates", "AGE", transform.Choice{Action: policy.Generalize, To: policy.Age10, Text: "40-44"}, "not of the level"},
	} {
		p, err := policy.Find(c.policy)
		if err != nil {
			t.Fatal(err)
		}
		err = transform.CheckChoice(p.Resolve(annotate.I2B2().Labels(), nil), c.label, c.choice)
		if got := fmt.Sprint(err); (err == nil) != (c.want == "") || !strings.Contains(got, c.want) && err != nil {
			t.Errorf("%s, %s, %s: got %q, want %q", c.policy, c.label, c.choice, got, c.want)
		}
	}
}

// TestARepeatMayStay: only a person can say that unmarked words are no identifier.
func TestARepeatMayStay(t *testing.T) {
	p, err := policy.Find("safe-harbor")
	if err != nil {
		t.Fatal(err)
	}
	r := p.Resolve(annotate.I2B2().Labels(), nil)
	keep := transform.Choice{Action: policy.Keep}
	of := func(by transform.Source) transform.Decision {
		return transform.Decision{Span: transform.Span{Label: "PATIENT", By: by}}
	}
	if err := of(transform.ByRepeat).CheckChoice(r, keep); err != nil {
		t.Error(err)
	}
	if of(transform.ByModel).CheckChoice(r, keep) == nil {
		t.Error("an identifier that a model found may stay")
	}
}

func TestBadPlans(t *testing.T) {
	p, err := policy.Find("placeholders")
	if err != nil {
		t.Fatal(err)
	}
	planner := newPlanner(t, p, 0, nil)
	span := func(start, end annotate.ByteOff) transform.Span {
		return transform.Span{Start: start, End: end, Label: "PATIENT"}
	}
	for _, c := range []struct {
		name, want string
		spans      []transform.Span
	}{
		{"empty", "is empty", []transform.Span{span(1, 1)}},
		{"outside", "leaves the note", []transform.Span{span(1, 99)}},
		{"negative", "leaves the note", []transform.Span{span(-1, 2)}},
		{"order", "overlaps", []transform.Span{span(4, 5), span(0, 2)}},
		{"overlap", "overlaps", []transform.Span{span(0, 3), span(2, 5)}},
		{"within a character", "within a character", []transform.Span{span(0, 2)}},
	} {
		_, err := planner.Plan(transform.Patient{Notes: []transform.Note{{ID: 7, Text: "Zelda Quimby", Spans: c.spans}}})
		if c.name == "within a character" {
			_, err = planner.Plan(transform.Patient{Notes: []transform.Note{{ID: 7, Text: "ëë", Spans: []transform.Span{span(0, 1)}}}})
		}
		if got := fmt.Sprint(err); !strings.Contains(got, c.want) || !strings.Contains(got, "note 7, byte ") || strings.Contains(got, "Ze") {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestBadOptions(t *testing.T) {
	hides, err := policy.Find("surrogates")
	if err != nil {
		t.Fatal(err)
	}
	labels := annotate.I2B2().Labels()
	for want, p := range map[string]policy.Policy{"key for surrogates": hides, "the schema is": {}} {
		if _, err := transform.New(transform.Options{Policy: p.Resolve(labels, nil)}); !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestNothingPrintsText: what a log line could print of a plan holds no word of a note.
func TestNothingPrintsText(t *testing.T) {
	p, err := policy.Find("safe-harbor")
	if err != nil {
		t.Fatal(err)
	}
	n := marked("Saw [PATIENT Zelda Quimby] in [CITY Boston].")
	patient := transform.Patient{ID: "p", Notes: []transform.Note{n}}
	plan := planFor(t, newPlanner(t, p, 0, nil), patient)
	choice := transform.Choice{Action: policy.Surrogate, Text: "Zelda"}
	for _, one := range []any{n, patient, plan, plan.Notes, plan.People, choice} {
		for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
			if got := fmt.Sprintf(form, one); strings.Contains(got, "Zelda") || strings.Contains(got, "Massachusetts") || strings.Contains(got, "Saw") {
				t.Errorf("%s of %T prints %q", form, one, got)
			}
		}
	}
}

func FuzzApply(f *testing.F) {
	f.Add("Saw Ann Lee today.", []byte{4, 3, 1, 2}, "[X]")
	f.Add("", []byte{0, 0}, "")
	f.Add("\xff\xfe", []byte{1, 1}, "é")
	f.Fuzz(func(t *testing.T, text string, cuts []byte, words string) {
		var ds []transform.Decision
		var want strings.Builder
		at := 0
		for i := 0; i+1 < len(cuts); i += 2 {
			start := at + int(cuts[i])
			end := start + int(cuts[i+1])
			if end > len(text) {
				break
			}
			d := transform.Decision{Span: transform.Span{Start: annotate.ByteOff(start), End: annotate.ByteOff(end)}, Action: policy.Placeholder, Replacement: words}
			want.WriteString(text[at:start])
			if cuts[i]%3 == 0 {
				d.Action = policy.Keep
				want.WriteString(text[start:end])
			} else {
				want.WriteString(words)
			}
			ds, at = append(ds, d), end
		}
		want.WriteString(text[at:])
		if got := transform.Apply(text, ds); got != want.String() {
			t.Errorf("got %q, want %q", got, want.String())
		}
	})
}

// TestApplyRefusesBadDecisions: to skip a decision would publish an identifier.
func TestApplyRefusesBadDecisions(t *testing.T) {
	at := func(start, end annotate.ByteOff) transform.Decision {
		return transform.Decision{Span: transform.Span{Start: start, End: end}, Action: policy.Placeholder}
	}
	for name, ds := range map[string][]transform.Decision{
		"outside": {at(2, 9)}, "order": {at(3, 4), at(0, 1)}, "overlap": {at(0, 3), at(2, 4)}, "backwards": {at(3, 2)},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			transform.Apply("abcd", ds)
		}()
	}
}

// TestProblemsHaveWords: each problem says what to do, and no other code has words.
func TestProblemsHaveWords(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range transform.Problems() {
		words := p.Words()
		if !strings.Contains(words, ". ") || !strings.HasSuffix(words, ".") || seen[words] {
			t.Errorf("%s: %q", p, words)
		}
		seen[words] = true
	}
	if len(seen) < 16 {
		t.Errorf("%d problems", len(seen))
	}
	if got := transform.Problem("unknown").Words(); got != "unknown" {
		t.Errorf("an unknown problem has the words %q", got)
	}
}

// TestChoicesReachDroppedSentences: a choice for the place of a dropped identifier brings the
// sentence back.
func TestChoicesReachDroppedSentences(t *testing.T) {
	n := marked("Fell. A [PROFESSION mayor] and a [PROFESSION judge]. Fine.")
	n.ID = 3
	patient := transform.Patient{ID: "p", Notes: []transform.Note{n}}
	planner := newPlanner(t, everywhere(t, policy.DropSentence), 0, nil)
	plan := planFor(t, planner, patient)
	patient.Choices = map[transform.Place]transform.Choice{}
	for _, place := range plan.Notes[0][0].Places(3) {
		patient.Choices[place] = transform.Choice{Action: policy.Keep}
	}
	if got := transform.Apply(n.Text, planFor(t, planner, patient).Notes[0]); got != n.Text || len(patient.Choices) != 2 {
		t.Errorf("got %q after %d choices", got, len(patient.Choices))
	}
}
