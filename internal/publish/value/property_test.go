// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"hide/internal/publish/value"
)

// form writes a date; context is what reads it.
type form struct {
	write   func(time.Time) string
	context value.Context
}

func layout(l string, order value.Order) form {
	return form{func(t time.Time) string { return t.Format(l) }, value.Context{Order: order, Reference: reference}}
}

// months are the names that a model of the writer uses, written down a second time.
var months = map[value.Language][]string{
	value.Spanish: {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"},
	value.French:  {"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
	value.German:  {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
}

// forms are full dates whose bytes say all of their form.
var forms = []form{
	layout("2006-01-02", value.Unknown), layout("2006/01/02", value.Unknown), layout("20060102", value.Unknown), layout("2006-01-02T15:04", value.Unknown),
	layout("01/02/2006", value.MonthFirst), layout("02/01/2006", value.DayFirst), layout("02.01.2006", value.DayFirst), layout("02-01-2006", value.DayFirst),
	layout("January 2, 2006", value.Unknown), layout("Monday, January 2, 2006", value.Unknown), layout("2 January 2006", value.Unknown), layout("MON 02/01/2006", value.DayFirst),
	{func(t time.Time) string {
		return fmt.Sprintf("%d de %s de %d", t.Day(), months[value.Spanish][t.Month()-1], t.Year())
	}, value.Context{Language: value.Spanish}},
	{func(t time.Time) string {
		first := ""
		if t.Day() == 1 {
			first = "er"
		}
		return fmt.Sprintf("le %d%s %s %d", t.Day(), first, months[value.French][t.Month()-1], t.Year())
	}, value.Context{Language: value.French}},
	{func(t time.Time) string {
		return fmt.Sprintf("%d. %s %d", t.Day(), months[value.German][t.Month()-1], t.Year())
	}, value.Context{Language: value.German}},
	{func(t time.Time) string {
		suffix := map[int]string{1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}[t.Day()]
		if suffix == "" {
			suffix = "th"
		}
		return t.Format("January ") + fmt.Sprint(t.Day()) + suffix + t.Format(", 2006")
	}, value.Context{Language: value.English}},
}

// TestShiftsAreThoseOfTheCalendar compares with the calendar of package time: random dates, in
// every form, by random shifts.
func TestShiftsAreThoseOfTheCalendar(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 6000 {
		f := forms[random.IntN(len(forms))]
		day := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, random.IntN(200*365))
		days := random.IntN(20000) - 10000
		text, want := f.write(day), f.write(day.AddDate(0, 0, days))
		if strings.HasPrefix(text, "MON") {
			text, want = strings.ToUpper(day.Format("Mon 02/01/2006")), strings.ToUpper(day.AddDate(0, 0, days).Format("Mon 02/01/2006"))
		}
		d, err := value.ReadDates(text, f.context)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		got, err := d.Shift(days)
		if err != nil || got != want {
			t.Fatalf("%q by %d days is %q, %v; want %q", text, days, got, err, want)
		}
		if all := d.All(); len(all) != 1 || !all[0].Equal(day) || d.Partial() {
			t.Fatalf("%q is read as %v", text, all)
		}
		again, err := value.ReadDates(got, f.context)
		if err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		if back, err := again.Shift(-days); err != nil || back != text {
			t.Fatalf("%q there and back by %d days is %q, %v", text, days, back, err)
		}
	}
}

// intervalForms are two days, near each other, in one span.
var intervalForms = []func(a, b time.Time) string{
	func(a, b time.Time) string { return a.Format("1/2") + "-" + b.Format("1/2/2006") },
	func(a, b time.Time) string { return a.Format("1/2/2006") + " - " + b.Format("1/2/2006") },
	func(a, b time.Time) string { return a.Format("2006-01-02") + " to " + b.Format("2006-01-02") },
	func(a, b time.Time) string {
		return "from " + a.Format("2 January") + " to " + b.Format("2 January 2006")
	},
	func(a, b time.Time) string { return a.Format("January 2") + " and " + b.Format("January 2, 2006") },
	func(a, b time.Time) string {
		if a.Month() == b.Month() {
			return a.Format("January 2") + "-" + b.Format("2, 2006")
		}
		return a.Format("Jan 2") + "-" + b.Format("Jan 2, 2006")
	},
	func(a, b time.Time) string {
		if a.Month() == b.Month() {
			return "del " + fmt.Sprint(a.Day()) + " al " + fmt.Sprintf("%d de %s de %d", b.Day(), months[value.Spanish][b.Month()-1], b.Year())
		}
		return fmt.Sprintf("%d de %s - %d de %s de %d", a.Day(), months[value.Spanish][a.Month()-1], b.Day(), months[value.Spanish][b.Month()-1], b.Year())
	},
	func(a, b time.Time) string {
		if a.Month() == b.Month() {
			return fmt.Sprintf("%d.-%d. %s %d", a.Day(), b.Day(), months[value.German][b.Month()-1], b.Year())
		}
		return fmt.Sprintf("%d. %s-%d. %s %d", a.Day(), months[value.German][a.Month()-1], b.Day(), months[value.German][b.Month()-1], b.Year())
	},
}

// TestIntervalsAreExact reads what a shift has written: both days must have moved by it.
func TestIntervalsAreExact(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	c := value.Context{Order: value.MonthFirst}
	for range 6000 {
		a := time.Date(1950, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, random.IntN(100*365))
		b := a.AddDate(0, 0, 1+random.IntN(60))
		days := random.IntN(4000) - 2000
		text := intervalForms[random.IntN(len(intervalForms))](a, b)
		d, err := value.ReadDates(text, c)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if all := d.All(); len(all) != 2 || !all[0].Equal(a) || !all[1].Equal(b) {
			t.Fatalf("%q is read as %v", text, all)
		}
		moved, err := d.Shift(days)
		if err != nil {
			t.Fatalf("%q by %d days: %v", text, days, err)
		}
		again, err := value.ReadDates(moved, c)
		if err != nil {
			t.Fatalf("%q by %d days is %q: %v", text, days, moved, err)
		}
		if all := again.All(); len(all) != 2 || !all[0].Equal(a.AddDate(0, 0, days)) || !all[1].Equal(b.AddDate(0, 0, days)) {
			t.Fatalf("%q by %d days is %q, read as %v", text, days, moved, all)
		}
	}
}

// TestWeekdaysMoveModuloSeven tries every weekday and two weeks of shifts.
func TestWeekdaysMoveModuloSeven(t *testing.T) {
	sunday := time.Date(2019, 3, 3, 0, 0, 0, 0, time.UTC)
	for w := range 7 {
		for days := -14; days <= 14; days++ {
			d, err := value.ReadDates(sunday.AddDate(0, 0, w).Format("Monday"), value.Context{})
			if err != nil {
				t.Fatal(err)
			}
			want := sunday.AddDate(0, 0, w+days).Format("Monday")
			if got, err := d.Shift(days); err != nil || got != want {
				t.Errorf("weekday %d by %d days is %q, %v; want %q", w, days, got, err, want)
			}
		}
	}
}

// TestEaster compares with dates of the church.
func TestEaster(t *testing.T) {
	for _, day := range []string{"1818-03-22", "1943-04-25", "1954-04-18", "1981-04-19", "2000-04-23", "2008-03-23", "2011-04-24", "2019-04-21", "2024-03-31", "2038-04-25", "2049-04-18", "2076-04-19"} {
		d, err := value.ReadDates("Easter "+day[:4], value.Context{})
		if err != nil {
			t.Fatal(err)
		}
		if all := d.All(); len(all) != 1 || all[0].Format(time.DateOnly) != day {
			t.Errorf("Easter of %s is %v", day, all)
		}
	}
}
