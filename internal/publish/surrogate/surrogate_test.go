// SPDX-License-Identifier: Apache-2.0

package surrogate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/publish/personname"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
)

var key = surrogate.Key{1, 2, 3}

func maker(t testing.TB, o surrogate.Options) *surrogate.Maker {
	t.Helper()
	if o.Key == (surrogate.Key{}) {
		o.Key = key
	}
	m, err := surrogate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func invented(t testing.TB, p *surrogate.Patient, k surrogate.Kind, text string, place int) string {
	t.Helper()
	s, err := p.Value(k, text, place)
	if err != nil {
		t.Fatalf("%s: %v", k, err)
	}
	return s
}

func TestKeysDoNotPrintThemselves(t *testing.T) {
	k, err := surrogate.NewKey(strings.NewReader(strings.Repeat("secret..", 4)))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d", "%q"} {
		if got := fmt.Sprintf(format, k); got != "surrogate.Key(hidden)" {
			t.Errorf("%s prints %q", format, got)
		}
		if got := fmt.Sprintf(format, surrogate.Options{Key: k}); strings.Contains(got, "115") || strings.Contains(got, "0x73") || strings.Contains(got, "7365") {
			t.Errorf("%s prints the key within options", format)
		}
	}
	if _, err := json.Marshal(k); err == nil {
		t.Error("the key was written as JSON")
	}
	if again, err := surrogate.KeyOf(k.Bytes()); err != nil || again != k {
		t.Error("the bytes are not the key")
	}
	if _, err := surrogate.NewKey(strings.NewReader("short")); err == nil {
		t.Error("a short source made a key")
	}
	if _, err := surrogate.KeyOf([]byte("short")); err == nil {
		t.Error("five bytes made a key")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	bad := map[string]surrogate.Options{
		"key":    {},
		"locale": {Key: key, Locale: "xx"},
		"repeat": {Key: key, Repeat: "often"},
		"stay":   {Key: key, Repeat: policy.Markov, Stay: 1.5},
		"days":   {Key: key, Days: -1},
		"many":   {Key: key, Days: 4000},
		"weeks":  {Key: key, Days: 6, Weekday: true},
	}
	for name, o := range bad {
		if _, err := surrogate.New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestShift(t *testing.T) {
	m, weekly := maker(t, surrogate.Options{Days: 10}), maker(t, surrogate.Options{Days: 20, Weekday: true})
	seen, weeks := map[int]bool{}, map[int]bool{}
	for i := range 2000 {
		id := fmt.Sprint(i)
		seen[m.Patient(id, surrogate.Book{}).Shift()] = true
		weeks[weekly.Patient(id, surrogate.Book{}).Shift()] = true
		first := m.Patient(id, surrogate.Book{})
		if second := m.Patient(id, first.Book()); first.Shift() != second.Shift() {
			t.Fatal("the shift changes")
		}
	}
	if len(seen) != 20 || seen[0] || !seen[10] || !seen[-10] {
		t.Errorf("shifts %v", seen)
	}
	if len(weeks) != 4 || !weeks[14] || !weeks[-7] {
		t.Errorf("shifts of weeks %v", weeks)
	}
	if got := m.Patient("x", surrogate.Book{Days: 99}).Shift(); got != 99 {
		t.Errorf("the book has 99 days, the shift is %d", got)
	}
}

func TestEveryLabelHasAKind(t *testing.T) {
	without := map[annotate.Label]bool{"PATIENT": true, "DOCTOR": true, "AGE": true, "DATE": true}
	for _, i := range annotate.I2B2() {
		if _, ok := surrogate.KindOf(i.Label); ok == without[i.Label] {
			t.Errorf("%s: %v", i.Label, ok)
		}
	}
}

func TestRelativesShareFamilyNames(t *testing.T) {
	for _, loc := range surrogate.Locales() {
		p := maker(t, surrogate.Options{Locale: loc}).Patient("1", surrogate.Book{})
		person := func(group, canonical string, real personname.Person) personname.Person {
			t.Helper()
			got, err := p.Person(group, canonical, real, 1)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		john := person("PATIENT", "john smith", personname.Person{Given: "John", Middle: "A.", Family: "Smith", Gender: personname.Male})
		mary := person("PATIENT", "mary smith", personname.Person{Given: "Mary", Family: "Smith", Gender: personname.Female})
		doctor := person("DOCTOR", "lee", personname.Person{Family: "Lee"})
		spanish := person("DOCTOR", "garcia lorca", personname.Person{Given: "María", Family: "García Lorca"})
		short := person("DOCTOR", "garcia", personname.Person{Family: "García"})
		double := person("DOCTOR", "bell jones", personname.Person{Given: "Anne-Marie", Family: "Bell-Jones"})
		particle := person("DOCTOR", "van der berg", personname.Person{Family: "van der Berg"})
		nick := person("PATIENT", "william day", personname.Person{Given: "William", Family: "Day", Nick: "Bill"})
		switch {
		case john.Family != mary.Family || john.Given == mary.Given || doctor.Family == john.Family:
			t.Errorf("%s: family names %#v %#v", loc, john.Family, mary.Family)
		case john.Gender != personname.Male || mary.Gender != personname.Female:
			t.Errorf("%s: genders changed", loc)
		case len(john.Middle) != 2 || john.Middle[1] != '.' || john.Middle == "A." || mary.Middle != "":
			t.Errorf("%s: middle names %q %q", loc, john.Middle, mary.Middle)
		case len(strings.Fields(spanish.Family)) != 2 || strings.Fields(spanish.Family)[0] != short.Family:
			t.Errorf("%s: %q and %q", loc, spanish.Family, short.Family)
		case strings.Count(double.Family, "-") != 1 || strings.Count(double.Given, "-") != 1:
			t.Errorf("%s: hyphens of %q %q", loc, double.Given, double.Family)
		case len(strings.Fields(particle.Family)) != 2 || strings.HasPrefix(particle.Family, "van "):
			t.Errorf("%s: particle gave %q", loc, particle.Family)
		case nick.Nick == "" || john.Nick != "":
			t.Errorf("%s: short forms %q %q", loc, nick.Nick, john.Nick)
		}
	}
}

func TestNothingToInvent(t *testing.T) {
	p := maker(t, surrogate.Options{}).Patient("1", surrogate.Book{})
	for _, blank := range []string{"", " ", "\n\t"} {
		if got, err := p.Value(surrogate.City, blank, 1); got != blank || err != nil {
			t.Errorf("%q became %q, %v", blank, got, err)
		}
	}
	for kind, text := range map[surrogate.Kind]string{
		surrogate.ID: "---", surrogate.Other: "tattoo on the left arm", surrogate.Email: "see below", surrogate.Hospital: "***", surrogate.Country: "…", surrogate.Device: strings.Repeat("1/2 ", 100),
	} {
		if got, err := p.Value(kind, text, 1); !errors.Is(err, surrogate.ErrExhausted) {
			t.Errorf("%s: %q, %v", kind, got, err)
		} else if strings.Contains(err.Error(), text) {
			t.Errorf("%s: the error has the value", kind)
		}
	}
}
