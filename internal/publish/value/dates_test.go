// SPDX-License-Identifier: Apache-2.0

package value_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"hide/internal/publish/value"
)

// reference is the date of the note in the tables.
var reference = time.Date(2019, 3, 10, 0, 0, 0, 0, time.UTC)

func american() value.Context { return value.Context{Order: value.MonthFirst, Reference: reference} }

// shifts are texts and the same texts 40 days later, as a note with the order MonthFirst has
// them.
var shifts = [][2]string{
	// Digits.
	{"3/14", "4/23"}, {"3/14/19", "4/23/19"}, {"03/04/2019", "04/13/2019"}, {"3/4/2019", "4/13/2019"}, {"12/31/99", "02/09/00"},
	{"03-2019", "04-2019"}, {"3/2019", "4/2019"}, {"2019-03", "2019-04"}, {"20190304", "20190413"}, {"20190304102233", "20190413102233"},
	{"2019-03-04", "2019-04-13"}, {"2019/3/4", "2019/4/13"}, {"2019.03.04", "2019.04.13"}, {"2019-12-31 10:11:12", "2020-02-09 10:11:12"},
	{"2019-03-04T10:22", "2019-04-13T10:22"}, {"2019-03-04T10:22:33.5+01:00", "2019-04-13T10:22:33.5+01:00"}, {"3 4 2019", "4 13 2019"},
	{"25/12/2019", "03/02/2020"}, {"25.12.2019", "03.02.2020"}, {"31.12.", "09.02."}, {"31.12.-2.1.2020", "09.02.-11.2.2020"},
	{"2/29/2020", "4/9/2020"}, {"1/20/1900", "3/1/1900"}, {"1/20/2000", "2/29/2000"}, {"12/10 0700-1900", "01/19 0700-1900"}, {"3/14 at 1530", "4/23 at 1530"},
	// Days that share a numeric month.
	{"11.-13.03.2024", "20.-22.04.2024"}, {"11. - 13.3.2024", "20. - 22.4.2024"}, {"11./12.03.2024", "20./21.04.2024"}, {"12-14/3/2019", "21-23/4/2019"}, {"20-22/1/2019", "1-3/3/2019"},
	{"18.-22.01.2024", "27.02.-02.03.2024"}, {"18-21/1/2019", "27/2-2/3/2019"}, {"vom 3. bis 13.3.19", "vom 12. bis 22.4.19"}, {"del 3 al 13/3/2019", "del 12 al 22/4/2019"}, {"11.-13.03.", "20.-22.04."}, {"11./12. März 2019", "20./21. April 2019"},
	// Words, English.
	{"Easter Monday 2019", "June 1, 2019"},
	{"March 3rd, 2019", "April 12th, 2019"}, {"3 March 2019", "12 April 2019"}, {"Mar. 3", "Apr. 12"}, {"MARCH 3, 2019", "APRIL 12, 2019"},
	{"3-Mar-19", "12-Apr-19"}, {"03MAR2019", "12APR2019"}, {"Mar 3 '19", "Apr 12 '19"}, {"3rd of March", "12th of April"}, {"July 23rd", "September 1st"},
	{"in March", "in April"}, {"end of March 2019", "end of April 2019"}, {"May 2, 2010 10:30 pm", "June 11, 2010 10:30 pm"},
	{"first of March 2019", "10th of April 2019"},
	// Spanish.
	{"Marzo de 2019", "Abril de 2019"}, {"3 de marzo de 2019", "12 de abril de 2019"}, {"el 3 de marzo del 2019", "el 12 de abril del 2019"},
	{"1º de marzo de 2019", "10 de abril de 2019"}, {"3 ene 2019", "12 feb 2019"}, {"mes de enero", "mes de febrero"}, {"15 de agosto de 2019 a las 10:00 horas", "24 de septiembre de 2019 a las 10:00 horas"},
	{"13/05 de 2017", "22/06 de 2017"}, {"primero de marzo de 2019", "10 de abril de 2019"}, {"finales de enero de 2019", "finales de febrero de 2019"},
	// French.
	{"1er mars 2019", "10 avril 2019"}, {"le 3 mars 2019", "le 12 avril 2019"}, {"le 23 juillet 2019", "le 1er septembre 2019"},
	{"début d'avril 2019", "début de mai 2019"}, {"fin de juin 2019", "fin de juillet 2019"}, {"fin de juillet 2019", "fin d'août 2019"}, {"3 févr. 2019", "15 mars. 2019"},
	// German.
	{"3. März 2019", "12. April 2019"}, {"Montag, 3. März 2019", "Samstag, 12. April 2019"}, {"am 3.März.2019", "am 12.April.2019"}, {"28.-30. März 2019", "7.-9. Mai 2019"},
	{"vom 3. bis 9. März 2019", "vom 12. bis 18. April 2019"}, {"3. Dez. 2019", "12. Jan. 2020"},
	// Weekdays: 40 days are five weeks and five days.
	{"Monday", "Saturday"}, {"Mon", "Sat"}, {"LUNES", "SÁBADO"}, {"jeudi", "mardi"}, {"Mittwoch", "Montag"}, {"Mon 3/4", "Sat 4/13"}, {"Lunes 3", "Sábado 13"},
	{"Monday, March 4, 2019", "Saturday, April 13, 2019"}, {"Mi, 13.3.2019", "Mo, 22.4.2019"}, {"last Monday", "last Saturday"}, {"the 3rd", "the 12th"},
	// Several dates and intervals.
	{"3/4-3/9/2019", "4/13-4/18/2019"}, {"12/28-1/3/2020", "02/06-2/12/2020"}, {"3/4/2019 - 3/9/2019", "4/13/2019 - 4/18/2019"},
	{"March 3-9, 2019", "April 12-18, 2019"}, {"March 20-24, 2019", "April 29-May 3, 2019"}, {"20-24 March 2019", "29 April-3 May 2019"},
	{"20 y 24 de marzo de 2019", "29 de abril y 3 de mayo de 2019"}, {"20.-24. März 2019", "29. April-3. Mai 2019"}, {"20, 21 and 24 March 2019", "29 April, 30 April and 3 May 2019"},
	{"March 2019 to June 2020", "April 2019 to July 2020"}, {"du 3 au 9 mars 2019", "du 12 au 18 avril 2019"}, {"del 3 al 9 de marzo de 2019", "del 12 al 18 de abril de 2019"},
	{"Monday 4 and Tuesday 5 March 2019", "Saturday 13 and Sunday 14 April 2019"}, {"28 December and 3 January 2020", "6 February and 12 February 2020"},
	// Less exact dates, seasons and holidays.
	{"1990s", "1990s"}, {"in the 90's", "in the 90's"}, {"winter of 2019", "winter of 2019"}, {"otoño de 2019", "otoño de 2019"}, {"Q1 2020", "Q1 2020"}, {"2020 Q4", "2020 Q4"},
	{"FY19", "FY19"}, {"'19", "'19"}, {"2019", "2019"}, {"2018-19", "2018-19"}, {"2018-2019", "2018-2019"}, {"años 90", "años 90"},
	{"Christmas 2019", "February 3, 2020"}, {"Christmas", "February 3"}, {"Navidad de 2019", "3 de febrero de 2020"}, {"Noël 2019", "3 février 2020"}, {"Weihnachten 2019", "3. Februar 2020"},
	{"l’Armistice 2019", "le 21 décembre 2019"}, {"Easter 2019", "May 31, 2019"}, {"Thanksgiving 2019", "January 7, 2020"}, {"New Year's Eve 2019", "February 9, 2020"}, {"4th of July 2019", "13th of August 2019"},
	// Time without a date.
	{"yesterday", "yesterday"}, {"three weeks", "three weeks"}, {"hace 3 meses", "hace 3 meses"}, {"le lendemain", "le lendemain"}, {"8:30", "8:30"},
}

func TestShiftKeepsTheForm(t *testing.T) {
	for _, s := range shifts {
		d, err := value.ReadDates(s[0], american())
		if err != nil {
			t.Errorf("%q: %v", s[0], err)
			continue
		}
		if got, err := d.Shift(40); err != nil || got != s[1] {
			t.Errorf("%q 40 days later is %q, %v; want %q", s[0], got, err, s[1])
		}
	}
}

func TestYears(t *testing.T) {
	for text, want := range map[string]string{
		"03/04/2019": "2019", "3/14/19": "2019", "3/14/61": "1961", "March 2019": "2019", "2019": "2019", "FY19": "2019", "'24": "2024", "'25": "1925",
		"3/4-3/9/2019": "2019", "12/28-1/3/2020": "2019-2020", "March 2018 to June 2019": "2018-2019", "2018-19": "2018-2019", "31.-30.03.2024": "2024", "31-30 March 2024": "2024", "30.12.-02.01.2024": "2023-2024", "5 May 2010, 3 June 2012": "2010, 2012",
		"between March 2009 and May 2010": "2009-2010", "entre mayo de 2009 y junio de 2010": "2009-2010", "zwischen Mai 2009 und Juni 2010": "2009-2010",
		"1990s": "1990s", "in the 90's": "1990s", "winter of 2019": "2019", "Christmas 2019": "2019", "Q1 2020": "2020", "20190304": "2019", "29 de febrero de 2020": "2020",
	} {
		d, err := value.ReadDates(text, american())
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, err := d.Year(); err != nil || got != want {
			t.Errorf("the year of %q is %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"3/14", "March", "Monday", "Christmas", "three weeks", "the 3rd", "3-9 March", "8:30"} {
		d, err := value.ReadDates(text, american())
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got, err := d.Year(); !errors.Is(err, value.ErrNoYear) {
			t.Errorf("the year of %q is %q, %v; want none", text, got, err)
		}
	}
}

func TestQuartersAndMonths(t *testing.T) {
	for _, c := range []struct{ text, quarter, month string }{
		{"3/14/2019", "2019-Q1", "2019-03"}, {"4/1/2019", "2019-Q2", "2019-04"}, {"March 2019", "2019-Q1", "2019-03"},
		{"12/28-1/3/2020", "2019-Q4/2020-Q1", "2019-12/2020-01"}, {"3-9 March 2019", "2019-Q1", "2019-03"}, {"3 March 2019, 5 April 2019", "2019-Q1, 2019-Q2", "2019-03, 2019-04"},
		{"Q3 2019", "2019-Q3", ""}, {"summer 2019", "2019-Q3", ""}, {"2019", "", ""}, {"1990s", "", ""}, {"3/14", "", ""},
	} {
		d, err := value.ReadDates(c.text, american())
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		quarter, errQ := d.Quarter()
		month, errM := d.Month()
		if quarter != c.quarter || month != c.month || (errQ == nil) != (quarter != "") || (errM == nil) != (month != "") {
			t.Errorf("%q is in %q, %v and %q, %v; want %q and %q", c.text, quarter, errQ, month, errM, c.quarter, c.month)
		}
	}
}

func TestTextsThatAreRefused(t *testing.T) {
	for text, want := range map[string]error{
		"": value.ErrNotDate, "Mild LA": value.ErrNotDate, "1/2 tablet": value.ErrNotDate, "5/10 pain": value.ErrNotDate, "120/80": value.ErrNotDate,
		"March 3 at Mercy Hospital": value.ErrNotDate, "963 862 700": value.ErrNotDate, "Hospital 12 de Octubre": value.ErrNotDate, "of the": value.ErrNotDate,
		"1.2.3.4": value.ErrNotDate, "10710/2015": value.ErrNotDate, "1.5": value.ErrNotDate, "3": value.ErrNotDate, "\xff3/4/2019": value.ErrNotDate, strings.Repeat("3/4 ", 300): value.ErrNotDate,
		"30 February 2019": value.ErrImpossible, "2/29/2019": value.ErrImpossible, "2/29/1900": value.ErrImpossible, "13/13/2019": value.ErrImpossible, "0/3/2019": value.ErrImpossible,
		"3/0/2019": value.ErrImpossible, "03/04/0000": value.ErrImpossible, "31 April": value.ErrImpossible, "2019-13-01": value.ErrImpossible, "1/1/1799": value.ErrImpossible,
		"2/29/19": value.ErrImpossible, "12/25/2201": value.ErrImpossible, "29 and 30 February 2020": value.ErrImpossible, "20191301": value.ErrImpossible, "13/2019": value.ErrImpossible,
		"03/04/2019": value.ErrAmbiguous, "3/4": value.ErrAmbiguous, "14/3/19": value.ErrAmbiguous, "'19": value.ErrAmbiguous, "90's": value.ErrAmbiguous, "Lunes 3": value.ErrAmbiguous,
		"Easter": value.ErrAmbiguous, "March 3, 19": value.ErrAmbiguous, "03/14-09/2019": value.ErrAmbiguous, "3-9/3/2019": value.ErrAmbiguous, "Mar 5/6 2019": value.ErrAmbiguous,
		"0.-3.03.2024": value.ErrImpossible, "30.-31.04.2024": value.ErrImpossible, "5-10/12": value.ErrAmbiguous, "1-1/1/1": value.ErrAmbiguous, "03/03/2019": value.ErrAmbiguous,
	} {
		c := value.Context{}
		if text == "2/29/19" {
			c.Reference = reference
		}
		_, err := value.ReadDates(text, c)
		if !errors.Is(err, want) {
			t.Errorf("%q: %v; want %v", text, err, want)
		}
	}
}

func TestAmbiguousDatesTellTheirYear(t *testing.T) {
	d, err := value.ReadDates("03/04/2019", value.Context{})
	if !errors.Is(err, value.ErrAmbiguous) {
		t.Fatal(err)
	}
	if year, err := d.Year(); err != nil || year != "2019" {
		t.Errorf("the year is %q, %v", year, err)
	}
	if s, err := d.Shift(1); err == nil {
		t.Errorf("an ambiguous date shifts to %q", s)
	}
	if m, err := d.Month(); err == nil {
		t.Errorf("an ambiguous date is in month %q", m)
	}
	if all := d.All(); len(all) > 0 {
		t.Errorf("an ambiguous date is %v", all)
	}
}

func TestNotesShowTheOrderOfTheirDates(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  value.Order
	}{
		{[]string{"25/12/2019"}, value.DayFirst}, {[]string{"12/25/2019"}, value.MonthFirst}, {[]string{"12/25"}, value.MonthFirst}, {[]string{"25.12."}, value.DayFirst},
		{[]string{"25/12/2019", "12/25/2019"}, value.Unknown}, {[]string{"25/12/2019", "3/4/2019", "28-2-19", "12/25/2019"}, value.DayFirst}, {nil, value.Unknown},
		{[]string{"3/4/2019", "2019-12-25", "March 25", "30/40/2019", "0/25", "1.25", "13-25"}, value.Unknown}, {[]string{"see 12/25 and 25/12 and 26/12"}, value.DayFirst},
		{[]string{"1.25.2019"}, value.MonthFirst},
	} {
		if got := value.OrderOf(c.texts); got != c.want {
			t.Errorf("%q: order %v; want %v", c.texts, got, c.want)
		}
	}
}

func TestNotesShowTheirLanguage(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  value.Language
	}{
		{[]string{"3 de enero"}, value.Spanish}, {[]string{"March 3rd"}, value.English}, {[]string{"3 février"}, value.French}, {[]string{"3. März"}, value.German},
		{[]string{"3 oct", "3 enero", "3/4"}, value.Spanish}, {[]string{"3 enero", "3 January"}, value.AnyLanguage}, {nil, value.AnyLanguage}, {[]string{"nothing"}, value.AnyLanguage},
	} {
		if got := value.LanguageOf(c.texts); got != c.want {
			t.Errorf("%q: language %v; want %v", c.texts, got, c.want)
		}
	}
	d, err := value.ReadDates("3 oct 2019", value.Context{Language: value.Spanish})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := d.Shift(90); err != nil || got != "1 ene 2020" {
		t.Errorf("the shifted date is %q, %v", got, err)
	}
}

func TestDatesWithoutAYearAreNearTheReference(t *testing.T) {
	at := func(y, m, d int) value.Context {
		return value.Context{Order: value.MonthFirst, Reference: time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)}
	}
	for _, c := range []struct {
		text    string
		context value.Context
		want    string // a day later
	}{
		{"2/28", at(2020, 3, 1), "2/29"}, {"2/28", at(2019, 3, 1), "3/1"}, {"2/28", at(2020, 12, 1), "3/1"}, // of 2021
		{"February 29", at(2019, 3, 1), "March 1"}, {"2/28", value.Context{Order: value.MonthFirst}, "3/1"}, {"2/29", value.Context{Order: value.MonthFirst}, "3/1"},
		{"Friday the 28th", at(2020, 3, 1), "Saturday the 29th"}, {"the 31st", at(2019, 2, 10), "the 1st"},
	} {
		d, err := value.ReadDates(c.text, c.context)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got, err := d.Shift(1); err != nil || got != c.want {
			t.Errorf("a day after %q is %q, %v; want %q", c.text, got, err, c.want)
		}
		if !d.Partial() || len(d.All()) > 0 {
			t.Errorf("%q is a full date", c.text)
		}
	}
}

func TestShiftsStayWithinTheCalendar(t *testing.T) {
	for _, c := range []struct {
		text string
		days int
	}{{"12/31/2200", 1}, {"1/1/1800", -1}, {"1/1/2019", 1 << 40}, {"1/1/2019", -1 << 62}, {"1/1/2019", 100_000}, {"1800", -300}, {"2190s", 3000}} {
		d, err := value.ReadDates(c.text, american())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := d.Shift(c.days); !errors.Is(err, value.ErrRange) {
			t.Errorf("%q by %d days is %q, %v", c.text, c.days, got, err)
		}
	}
}

func TestDatesAreNotPrinted(t *testing.T) {
	d, err := value.ReadDates("3/14/2019", american())
	if err != nil {
		t.Fatal(err)
	}
	a, err := value.ReadAge("97")
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "date", d, "age", a)
	printed := fmt.Sprintf("%v %+v %#v %s", d, d, d, d) + fmt.Sprintf("%v %+v %#v %s", a, a, a, a) + log.String()
	for _, secret := range []string{"3/14", "03-14", "97"} {
		if strings.Contains(printed[:strings.Index(printed, "time=")]+printed[strings.Index(printed, "msg="):], secret) {
			t.Errorf("the value is printed: %s", printed)
		}
	}
}
