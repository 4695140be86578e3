// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"hide/internal/publish/value"
)

func TestAges(t *testing.T) {
	for _, c := range []struct {
		text      string
		low, high float64
		unit      value.Unit
	}{
		{"89", 89, 89, value.YearUnit}, {"110", 110, 110, value.YearUnit}, {"89-year-old", 89, 89, value.YearUnit}, {"90 y/o", 90, 90, value.YearUnit}, {"92F", 92, 92, value.YearUnit},
		{"92M", 92, 92, value.YearUnit}, {"age 93", 93, 93, value.YearUnit}, {"97yo", 97, 97, value.YearUnit}, {"97 y.o.", 97, 97, value.YearUnit}, {"a 42 year old man", 42, 42, value.YearUnit},
		{"2 1/2 yo", 2.5, 2.5, value.YearUnit}, {"2½ years", 2.5, 2.5, value.YearUnit}, {"89.5", 89.5, 89.5, value.YearUnit}, {"2,5 años", 2.5, 2.5, value.YearUnit},
		{"eighty-nine", 89, 89, value.YearUnit}, {"one hundred and two", 102, 102, value.YearUnit}, {"ninety-seven-year-old", 97, 97, value.YearUnit}, {"nineteen", 19, 19, value.YearUnit},
		{"ochenta y nueve años", 89, 89, value.YearUnit}, {"ciento tres años", 103, 103, value.YearUnit}, {"veintidós años", 22, 22, value.YearUnit}, {"53 años", 53, 53, value.YearUnit}, {"tres años y medio", 3.5, 3.5, value.YearUnit},
		{"89 ans", 89, 89, value.YearUnit}, {"quatre-vingt-dix-sept ans", 97, 97, value.YearUnit}, {"quatre-vingts ans", 80, 80, value.YearUnit}, {"soixante et onze ans", 71, 71, value.YearUnit}, {"quatre ans", 4, 4, value.YearUnit}, {"dix-huit ans", 18, 18, value.YearUnit},
		{"89-jährig", 89, 89, value.YearUnit}, {"97jähriger", 97, 97, value.YearUnit}, {"Eine neunundneunzigjährige", 99, 99, value.YearUnit}, {"hundertzwei Jahre", 102, 102, value.YearUnit}, {"einundzwanzig Jahre alt", 21, 21, value.YearUnit},
		{"3 weeks", 21 / 365.25, 21 / 365.25, value.WeekUnit}, {"18 mo", 1.5, 1.5, value.MonthUnit}, {"1 day old", 1 / 365.25, 1 / 365.25, value.DayUnit}, {"seis meses", .5, .5, value.MonthUnit}, {"un mes y medio", .125, .125, value.MonthUnit}, {"3 Monate", .25, .25, value.MonthUnit}, {"18m", 1.5, 1.5, value.MonthUnit},
		{"2 años y 3 meses", 2.25, 2.25, value.YearUnit}, {"9 y 9 meses", 9.75, 9.75, value.YearUnit}, {"a year old", 1, 1, value.YearUnit},
		{"in her nineties", 90, 99, value.YearUnit}, {"mid-90s", 94, 96, value.YearUnit}, {"80's", 80, 89, value.YearUnit}, {"nonagenarian", 90, 99, value.YearUnit}, {"octogenaria", 80, 89, value.YearUnit}, {"in seinen Neunzigern", 90, 99, value.YearUnit},
		{"centenarian", 100, 115, value.YearUnit}, {"newborn", 0, 28 / 365.25, value.YearUnit}, {"Recién nacida", 0, 28 / 365.25, value.YearUnit}, {"nouveau-né", 0, 28 / 365.25, value.YearUnit}, {"Adolescente", 10, 19, value.YearUnit},
		{"89-91", 89, 91, value.YearUnit}, {"59 a los 63 años", 59, 63, value.YearUnit}, {"3 to 5 weeks", 21 / 365.25, 35 / 365.25, value.WeekUnit}, {"over 65", 65, 65, value.YearUnit}, {">89", 89, 130, value.YearUnit},
	} {
		a, err := value.ReadAge(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if math.Abs(a.Years-c.low) > 1e-9 || math.Abs(a.High-c.high) > 1e-9 || a.Unit != c.unit {
			t.Errorf("%q is %v to %v in unit %v; want %v to %v in %v", c.text, a.Years, a.High, a.Unit, c.low, c.high, c.unit)
		}
	}
}

// TestCap has texts and what Safe Harbor makes of them.
func TestCap(t *testing.T) {
	for _, c := range [][2]string{
		{"89", "89"}, {"90", "90+"}, {"97", "90+"}, {"110", "90+"}, {"89.9", "89.9"}, {"89 years and 11 months", "89 years and 11 months"}, {"over 65", "over 65"}, {"3 weeks", "3 weeks"},
		{"97-year-old", "90+ year old"}, {"ninety-seven-year-old", "90+ year old"}, {"a 97 year old man", "a 90+ year old man"}, {"97 y/o", "90+ y/o"}, {"97yo", "90+ yo"}, {"92F", "90+F"}, {"age 93", "age 90+"},
		{"97 años", "90+ años"}, {"97 años y 3 meses", "90+ años"}, {"97 años y medio", "90+ años"}, {"noventa y dos años", "90+ años"}, {"quatre-vingt-dix-sept ans", "90+ ans"}, {"97jähriger", "90+ jähriger"}, {"neunzigjährig", "90+ jährig"},
		{"97 years, 3 months old", "90+ years old"}, {"89-91 years", "90+"}, {"over 90", "90+"}, {">89", "90+"}, {"90+", "90+"}, {"nonagenarian", "90+"}, {"in her nineties", "90+"}, {"mid-90s", "90+"}, {"centenarian", "90+"}, {"1100 months", "90+"}, {"90 and 3 weeks", "90+"}, {"90+ years", "90+"},
		{"mid-80s", "mid-80s"}, {"octogenarian", "octogenarian"},
	} {
		a, err := value.ReadAge(c[0])
		if err != nil {
			t.Errorf("%q: %v", c[0], err)
			continue
		}
		if got := a.Cap(c[0]); got != c[1] {
			t.Errorf("%q becomes %q; want %q", c[0], got, c[1])
		}
		if over := c[0] != c[1] || strings.HasPrefix(c[1], "90+"); a.Over89() != over {
			t.Errorf("%q is over 89: %v", c[0], a.Over89())
		}
	}
}

// TestCapHidesEveryAgeOver89 tries all ages in all forms: the capped text has the number no more.
func TestCapHidesEveryAgeOver89(t *testing.T) {
	for age := range 131 {
		for _, f := range []string{"%d", "%d-year-old", "%d yo", "%d años", "%d ans", "%d-jährig", "age %d", "%dM", "a %d year old man", "%d años y 2 meses", "%d.5"} {
			text := fmt.Sprintf(f, age)
			a, err := value.ReadAge(text)
			if age == 130 && err != nil {
				continue // 130 years and 2 months
			}
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			got := a.Cap(text)
			if age <= 89 && got != text || age > 89 && (!strings.Contains(got, "90+") || age > 90 && strings.Contains(got, fmt.Sprint(age))) {
				t.Errorf("%q becomes %q", text, got)
			}
		}
	}
}

func TestBands(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"44", 5, "40-44"}, {"45", 5, "45-49"}, {"0", 5, "0-4"}, {"3 weeks", 5, "0-4"}, {"newborn", 5, "0-4"}, {"18 mo", 5, "0-4"}, {"18 mo", 1, "1"}, {"44", 1, "44"}, {"44", 0, "44"}, {"44", -3, "44"},
		{"89", 5, "85-89"}, {"90", 5, "90+"}, {"89", 20, "80-89"}, {"79", 20, "60-79"}, {"nonagenarian", 5, "90+"}, {"89-91", 10, "90+"}, {"in his 40s", 5, "40-49"}, {"mid-80s", 5, "80-89"}, {"89.5", 1, "89"}, {"44", 100, "0-89"},
	} {
		a, err := value.ReadAge(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := a.Band(c.width); got != c.want {
			t.Errorf("%q in bands of %d is %q; want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestAgesThatAreRefused(t *testing.T) {
	for text, want := range map[string]error{
		"": value.ErrNotAge, "old": value.ErrNotAge, "mes": value.ErrNotAge, "John Smith": value.ErrNotAge, "97 years at Mercy": value.ErrNotAge, "-": value.ErrNotAge, "12345": value.ErrNotAge,
		"\xff97": value.ErrNotAge, strings.Repeat("9 ", 600): value.ErrNotAge, "a man": value.ErrNotAge, "123456789012345678901": value.ErrNotAge, "97#": value.ErrNotAge,
		"200": value.ErrImpossible, "131": value.ErrImpossible, "1600 months": value.ErrImpossible, "2019": value.ErrImpossible,
	} {
		if a, err := value.ReadAge(text); !errors.Is(err, want) {
			t.Errorf("%q: %v to %v, %v; want %v", text, a.Years, a.High, err, want)
		}
	}
}
