// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"errors"
	"testing"
	"time"
	"unicode/utf8"

	"hide/internal/publish/value"
)

// FuzzReadDates: a shift never panics and never writes a text that reads as other dates.
func FuzzReadDates(f *testing.F) {
	for i, s := range shifts {
		f.Add(s[0], 40, i%3, i%2 == 0)
		f.Add(s[1], -40-i, i%3, i%2 == 1)
	}
	for _, text := range []string{"", "03/04-09/2019", "12/31/2200", "29/2/1900", "\xff", "mar. mar. mar", "3, 3, 3, 3 mars", "d'", "Q5 2019", "2019 2019", "'", "le 1er et 1er", "9-9-9-9-9-9", "9.-9./9.9.9", "1-9/1/1-9/1/19"} {
		f.Add(text, 1, 0, false)
	}
	f.Fuzz(func(t *testing.T, text string, days, order int, dated bool) {
		c := value.Context{Order: value.Order(uint(order) % 3)}
		if dated {
			c.Reference = reference
		}
		d, err := value.ReadDates(text, c)
		if err != nil {
			if !errors.Is(err, value.ErrNotDate) && !errors.Is(err, value.ErrAmbiguous) && !errors.Is(err, value.ErrImpossible) {
				t.Fatalf("an unknown error: %v", err)
			}
			return
		}
		for _, general := range []func() (string, error){d.Year, d.Quarter, d.Month} {
			if s, err := general(); err == nil && s == "" {
				t.Fatal("a generalized date is empty")
			}
		}
		moved, err := d.Shift(days)
		if err != nil {
			if !errors.Is(err, value.ErrRange) && !errors.Is(err, value.ErrForm) {
				t.Fatalf("an unknown error of a shift: %v", err)
			}
			return
		}
		if !utf8.ValidString(moved) {
			t.Fatal("the shifted text is not UTF-8")
		}
		checkMoved(t, d, moved, days, c)
	})
}

// checkMoved reads a shifted text, in either order if it shows none: it must have the full
// dates of d moved by the days. Two digits leave the century open.
func checkMoved(t *testing.T, d value.Dates, moved string, days int, c value.Context) {
	t.Helper()
	want := d.All()
	for _, order := range []value.Order{c.Order, value.DayFirst, value.MonthFirst} {
		c.Order = order
		again, err := value.ReadDates(moved, c)
		if err == nil && sameDays(again.All(), want, days) {
			return
		}
	}
	t.Fatal("the shifted text does not read as the shifted dates")
}

func sameDays(got, want []time.Time, days int) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		w := want[i].AddDate(0, 0, days)
		if (got[i].Year()-w.Year())%100 != 0 || got[i].YearDay() != w.YearDay() && got[i].Format("0102") != w.Format("0102") {
			return false
		}
	}
	return true
}

// FuzzReadAge: no text panics, and what is over 89 says so in every way.
func FuzzReadAge(f *testing.F) {
	for _, text := range []string{"", "89", "97-year-old", "97 años y 3 meses", "in her nineties", "mid-90s", "2 1/2 yo", "2½", "neunundneunzigjährige", "quatre-vingt-dix-sept ans", "1/0", "9 9/0 y", "over 90", "90er", "ſ97", "recién nacida", "97.97.97", "a a a year", "jährig", "jjährig", "90A m", "90 and 3 weeks"} {
		f.Add(text, 5)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		a, err := value.ReadAge(text)
		if err != nil {
			return
		}
		if a.Years < 0 || a.High < a.Years || a.High > 130 {
			t.Fatal("the age is out of range")
		}
		capped := a.Cap(text)
		if !utf8.ValidString(capped) || !a.Over89() && capped != text || a.Band(width) == "" {
			t.Fatal("the text or the band is not right")
		}
		if !a.Over89() {
			return
		}
		if again, err := value.ReadAge(capped); err != nil || !again.Over89() {
			t.Fatal("the capped age does not read as an age over 89")
		}
	})
}
