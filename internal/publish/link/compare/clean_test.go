// SPDX-License-Identifier: Apache-2.0

package compare_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/publish/link/compare"
	"hide/internal/publish/value"
)

func TestClean(t *testing.T) {
	for _, c := range []struct {
		kind      compare.Kind
		raw, want string
	}{
		{compare.Given, "  Dr.  José-María ", "jose-maria"},
		{compare.Given, "Ｊｏｈｎ", "john"},
		{compare.Given, "Don", "don"},
		{compare.Given, "Nan", "nan"},
		{compare.Given, "Baby Boy", ""},
		{compare.Given, "xx", ""},
		{compare.Given, "007", ""},
		{compare.Surname, "O’Brien, Jr.", "obrien"},
		{compare.Surname, "Straße", "strasse"},
		{compare.Surname, "Unknown", ""},
		{compare.Surname, "N/A", ""},
		{compare.Surname, "Ελευθερίου", "ελευθεριου"},
		{compare.FullName, "SMITH^JOHN^A", "smith, john a"},
		{compare.FullName, "Prof. Dr. van der Berg", "van der berg"},
		{compare.FullName, "unknown", ""},
		{compare.BirthDate, "1971-06-24", "19710624"},
		{compare.BirthDate, "19710624", "19710624"},
		{compare.BirthDate, "24061971", "19710624"},
		{compare.BirthDate, "710624", "19710624"},
		{compare.BirthDate, "197106", "19710600"},
		{compare.BirthDate, "061971", "19710600"},
		{compare.BirthDate, "24/06/1971", "19710624"},
		{compare.BirthDate, "06/24/1971", "19710624"},
		{compare.BirthDate, "6/5/1971", "19710605"},
		{compare.BirthDate, "6.5.1971", "19710506"},
		{compare.BirthDate, "24 June 1971", "19710624"},
		{compare.BirthDate, "24 de junio de 1971", "19710624"},
		{compare.BirthDate, "24. Juni 1971", "19710624"},
		{compare.BirthDate, "12-Jun-71", "19710612"},
		{compare.BirthDate, "24/06/05", "20050624"},
		{compare.BirthDate, "1971-06-24T00:00:00", "19710624"},
		{compare.BirthDate, "24/06/1971 0:00", "19710624"},
		{compare.BirthDate, "19710624.0", "19710624"},
		{compare.BirthDate, "26108", "19710624"}, // a spreadsheet's
		{compare.BirthDate, "1971-06", "19710600"},
		{compare.BirthDate, "06/1971", "19710600"},
		{compare.BirthDate, "June 1971", "19710600"},
		{compare.BirthDate, "1971", "19710000"},
		{compare.BirthDate, "19711399", "19711399"}, // a slip stays comparable
		{compare.BirthDate, "9999-12-31", ""},
		{compare.BirthDate, "0000-00-00", ""},
		{compare.BirthDate, "1900-01-01", ""},
		{compare.BirthDate, "01/01/1900", ""},
		{compare.BirthDate, "unknown", ""},
		{compare.BirthDate, "14 March", ""},
		{compare.BirthDate, "45", ""},
		{compare.BirthDate, "1971-06-24 or 1972", ""},
		{compare.Sex, "Male", "m"},
		{compare.Sex, "Hombre", "m"},
		{compare.Sex, "weiblich", "f"},
		{compare.Sex, "2", "f"},
		{compare.Sex, "divers", "x"},
		{compare.Sex, "U", ""},
		{compare.Sex, "9", ""},
		{compare.Identifier, "000-00-0000", ""},
		{compare.Identifier, "999999999", ""},
		{compare.Identifier, "123-45-6789", ""},
		{compare.Identifier, "x-12 345/b", "x12345b"},
		{compare.Identifier, "0012345", "12345"},
		{compare.Identifier, "MRN: 0012345", "12345"},
		{compare.Identifier, "0", ""},
		{compare.Phone, "001 617-555-1234", "6175551234"},
		{compare.Phone, "617.555.1234 x 77", "6175551234"},
		{compare.Phone, "0000000", ""},
		{compare.Phone, "112", ""},
		{compare.Email, "<MAILTO:Ann@X.ORG>", "ann@x.org"},
		{compare.Email, "mailto:Ann@X.ORG", "ann@x.org"},
		{compare.Email, "none@none.com", ""},
		{compare.Email, "@", ""},
		{compare.Postcode, "SW1A 1AA", "sw1a1aa"},
		{compare.Postcode, "01067", "1067"},
		{compare.Postcode, "2139.0", "2139"},
		{compare.Postcode, "99999", ""},
		{compare.Postcode, "00000", ""},
		{compare.StreetNumber, "No. 12", "12"},
		{compare.StreetNumber, "0", ""},
		{compare.Street, "C/ Mayor, nº 5", "calle mayor 5"},
		{compare.Street, "North 5th Avenue", "n 5th av"},
		{compare.Street, "0", ""},
		{compare.Place, "Ft. Worth", "fort worth"},
		{compare.Place, "St", "st"},
		{compare.State, "N.S.W.", "nsw"},
		{compare.State, "Baden-Württemberg", "baden-wurttemberg"},
		{compare.Code, "06", "6"},
		{compare.Code, "1971.0", "1971"},
		{compare.Number, "-0", "0"},
		{compare.Number, "1.500,5", "1500.5"},
		{compare.Number, "1,500", "1500"},
		{compare.Number, "1e400", ""},
		{compare.Number, "NaN", ""},
		{compare.Number, "12 kg", ""},
		{compare.Text, "#N/A", ""},
		{compare.Text, "keine Angabe", ""},
		{compare.Text, "No consta.", ""},
		{compare.Text, "\xff\xfe", ""},
		{compare.Text, "", ""},
	} {
		if got := c.kind.Clean(c.raw); got != c.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", c.kind, c.raw, got, c.want)
		}
	}
}

func TestCleanAsAColumnShows(t *testing.T) {
	for _, c := range []struct {
		kind      compare.Kind
		reading   compare.Reading
		raw, want string
	}{
		{compare.BirthDate, compare.Reading{Order: value.DayFirst}, "05/06/1971", "19710605"},
		{compare.BirthDate, compare.Reading{Order: value.MonthFirst}, "05/06/1971", "19710506"},
		{compare.BirthDate, compare.Reading{Order: value.MonthFirst}, "24/06/1971", "19710624"},
		{compare.BirthDate, compare.Reading{Order: value.DayFirst}, "05061971", "19710605"},
		{compare.BirthDate, compare.Reading{Order: value.MonthFirst}, "5.6.1971", "19710506"},
		{compare.Sex, compare.Reading{Sex: compare.SpanishCodes}, "M", "f"},
		{compare.Sex, compare.Reading{Sex: compare.SpanishCodes}, "H", "m"},
		{compare.Sex, compare.Reading{Sex: compare.OpaqueCodes}, "0", "code 0"},
	} {
		if got := c.kind.CleanAs(c.raw, c.reading); got != c.want {
			t.Errorf("%s: CleanAs(%q, %v) = %q, want %q", c.kind, c.raw, c.reading, got, c.want)
		}
	}
}

func TestDateOrder(t *testing.T) {
	for _, c := range []struct {
		dates string
		want  value.Order
	}{
		{"01/02/1971|24/06/1971|1971-06-30|24 June 1971", value.DayFirst},
		{"01/02/1971|06/24/1971|24/06/1971|06/30/1971 0:00", value.MonthFirst},
		{"24061971|25061971|19710624", value.DayFirst},
		{"24069999|19710625|19710624", value.Unknown}, // a slip
		{"06/24/1971|24/06/1971", value.Unknown},
		{"01/02/1971||x|99/99/1971", value.Unknown},
	} {
		if got := compare.DateOrder(strings.Split(c.dates, "|")); got != c.want {
			t.Errorf("DateOrder of %s = %v, want %v", c.dates, got, c.want)
		}
	}
}

func TestSplitFullName(t *testing.T) {
	for _, c := range []struct{ raw, surname, given string }{
		{"Smith, John A.", "smith", "john a"},
		{"van der Berg, Anna", "van der berg", "anna"},
		{"Madonna", "madonna", ""},
		{"J0hn A. Smith", "smith", "j0hn a"},
		{"", "", ""},
	} {
		if s, g := compare.SplitFullName(compare.FullName.Clean(c.raw)); s != c.surname || g != c.given {
			t.Errorf("%q splits into %q and %q", c.raw, s, g)
		}
	}
}

func TestTransliterated(t *testing.T) {
	for _, c := range []struct {
		kind compare.Kind
		raw  string
		want string
	}{
		{compare.Surname, "Müller", "mueller"}, {compare.Surname, "MU\u0308LLER", "mueller"}, {compare.Surname, "Jørgensen-Ås", "joergensen-aas"},
		{compare.Place, "Köln", "koeln"}, {compare.Street, "Mühlstraße 5", "muehl st 5"},
		{compare.Surname, "Mueller", ""}, {compare.Surname, "García", ""}, {compare.Surname, "Груздев", ""},
		{compare.Sex, "männlich", ""}, {compare.Email, "ä@example.org", ""},
	} {
		if got := c.kind.Transliterated(c.raw); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.kind, c.raw, got, c.want)
		}
	}
}

// FuzzClean checks that cleaned values are text that fits the buffers, that cleaning twice
// changes nothing, and that any two compare.
func FuzzClean(f *testing.F) {
	for i := 1; i < len(odd); i++ {
		f.Add(odd[i-1], odd[i])
	}
	f.Add("\xff\xfe", "ﷺ ℡ K")
	f.Add("u nk", "n/a")
	f.Add("102000", "10001000000")
	comparers := map[compare.Kind]compare.Comparer{}
	for _, k := range compare.Kinds() {
		comparers[k] = k.NewComparer()
	}
	f.Fuzz(func(t *testing.T, x, y string) {
		for k, c := range comparers {
			a, b := k.Clean(x), k.Clean(y)
			if len(a) > 256 || !utf8.ValidString(a) || a != strings.TrimSpace(a) {
				t.Fatalf("%s: Clean(%q) = %q", k, x, a)
			}
			if again := k.Clean(a); k != compare.FullName && k != compare.Street && again != a {
				t.Fatalf("%s: Clean(%q) = %q, and again %q", k, x, a, again)
			}
			if form := k.Transliterated(x); form != k.Clean(form) && k != compare.Street {
				t.Fatalf("%s: Transliterated(%q) = %q is not clean", k, x, form)
			}
			if a == "" || b == "" {
				continue
			}
			if got, back := c.Level(a, b), c.Level(b, a); got != back {
				t.Fatalf("%s: Level(%q, %q) = %d, the other way %d", k, a, b, got, back)
			}
		}
	})
}
