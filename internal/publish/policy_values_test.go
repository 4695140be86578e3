// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"fmt"
	"os"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/value"
	"hide/internal/publish/verify"
)

// generalized are texts with what package value makes of them.
type generalized struct {
	label annotate.Label
	all   [][2]string
}

// generalizedDates are dates in many forms, by a level.
func generalizedDates(level func(value.Dates) (string, error)) (out [][2]string) {
	forms := []string{"2006-01-02", "1/2/2006", "02.01.2006", "January 2, 2006", "Jan. 2 2006", "2 Jan 06", "January 2006", "01/2006", "2006", "2006-01-02T10:22", "20060102"}
	texts := []string{"3 de marzo de 2019", "1er mars 2019", "3. März 2019", "March 3-9, 2019", "March 2019 to June 2020", "between 3/4/2018 and 3/9/2019", "1990s", "in the 90's", "winter of 2019", "Christmas 2019", "Q1 2020", "2018, 2020", "3/4, 5/6 and 7/8/2019", "'19"}
	day := time.Date(1998, 12, 28, 0, 0, 0, 0, time.UTC)
	for i := range 400 {
		texts = append(texts, day.AddDate(0, 0, 37*i).Format(forms[i%len(forms)]))
	}
	for _, text := range texts {
		d, err := value.ReadDates(text, value.Context{Order: value.MonthFirst, Reference: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			continue
		}
		if made, err := level(d); err == nil {
			out = append(out, [2]string{text, made})
		}
	}
	return out
}

func generalizedAges(level func(value.Age, string) string) (out [][2]string) {
	texts := []string{"newborn", "3 weeks", "110 days", "18 months", "nonagenarian", "in her nineties", "mid-90s", "eighty-nine", "ninety", "ochenta y nueve años", "noventa años", "89 ans", "89-jährig", "neunzehn Jahre alt", "nineteen years old", "quatre-vingt-dix ans", "quatre-vingts ans", "97 años y 3 meses", "2 1/2 yo", "in his 40s", "teenager", "89-91", "90+", "100 weeks", "hundred and two"}
	for n := range 125 {
		texts = append(texts, fmt.Sprint(n), fmt.Sprintf("%d-year-old", n), fmt.Sprintf("%d y/o", n), fmt.Sprintf("%d años", n))
	}
	for _, text := range texts {
		if a, err := value.ReadAge(text); err == nil {
			out = append(out, [2]string{text, level(a, text)})
		}
	}
	return out
}

func generalizedZIPs() (out [][2]string) {
	for n := range 1000 {
		text := fmt.Sprintf("%03d01", n)
		if made, err := value.ZIP3(text); err == nil {
			out = append(out, [2]string{text, made})
		}
	}
	return out
}

func generalizedStates() (out [][2]string) {
	for i, s := range value.States() {
		out = append(out, [2]string{fmt.Sprintf("Town %d", i), s.Name})
	}
	return out
}

// TestTheVerifierAcceptsEveryGeneralizedValue holds the verifier's own forms against the
// values that package value writes.
func TestTheVerifierAcceptsEveryGeneralizedValue(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		generalized
	}{
		"years":     {"safe-harbor", generalized{"DATE", generalizedDates(value.Dates.Year)}},
		"quarters":  {"surrogates", generalized{"DATE", generalizedDates(value.Dates.Quarter)}},
		"months":    {"surrogates", generalized{"DATE", generalizedDates(value.Dates.Month)}},
		"ages":      {"safe-harbor", generalized{"AGE", generalizedAges(value.Age.Cap)}},
		"five":      {"safe-harbor", generalized{"AGE", generalizedAges(func(a value.Age, _ string) string { return a.Band(5) })}},
		"ten":       {"safe-harbor", generalized{"AGE", generalizedAges(func(a value.Age, _ string) string { return a.Band(10) })}},
		"ZIP codes": {"safe-harbor", generalized{"ZIP", generalizedZIPs()}},
		"states":    {"safe-harbor", generalized{"CITY", generalizedStates()}},
	} {
		t.Run(name, func(t *testing.T) {
			if len(c.all) < 50 {
				t.Fatalf("there are only %d values", len(c.all))
			}
			// One release tells whether all are accepted, one of each value which is not.
			if acceptedAll(t, c.policy, c.label, c.all) {
				return
			}
			for _, one := range c.all {
				if !acceptedAll(t, c.policy, c.label, [][2]string{one}) {
					t.Errorf("%q as %q is refused", one[0], one[1])
				}
			}
		})
	}
}

func acceptedAll(t *testing.T, name string, label annotate.Label, all [][2]string) bool {
	t.Helper()
	in := Input{Document: 1, Name: "note 1", Replacements: []Replacement{}}
	for _, one := range all {
		start := len(in.Text)
		in.Text += one[0]
		in.Replacements = append(in.Replacements, Replacement{annotate.ByteOff(start), annotate.ByteOff(len(in.Text)), label, policy.Generalize, one[1]})
		in.Text += " |\n"
	}
	dir, _ := publishAll(t, policyMeta(t, name), in)
	r, err := verify.Release(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	return r.Common().OK
}
