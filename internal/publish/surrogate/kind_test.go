// SPDX-License-Identifier: Apache-2.0

package surrogate_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/publish/personname"
	"hide/internal/publish/surrogate"
	"hide/internal/publish/value"
)

// TestTypeAndForm has mentions of every kind and the form that a surrogate must have.
func TestTypeAndForm(t *testing.T) {
	const en, es, fr, de = surrogate.En, surrogate.Es, surrogate.Fr, surrogate.De
	for _, c := range []struct {
		kind   surrogate.Kind
		locale surrogate.Locale
		text   string
		want   string
	}{
		{surrogate.Phone, en, "(617) 253-1000", `\(\d{3}\) 555-01\d\d`},
		{surrogate.Phone, en, "617.253.1000", `\d{3}\.555\.01\d\d`},
		{surrogate.Phone, en, "+1 617 253 1000", `\+1 \d{3} 555 01\d\d`},
		{surrogate.Phone, en, "1-617-253-1000", `1-\d{3}-555-01\d\d`},
		{surrogate.Phone, en, "253-1000", `555-01\d\d`},
		{surrogate.Phone, en, "(617) 253-1000 x1234", `\(\d{3}\) 555-01\d\d x\d{4}`},
		{surrogate.Phone, en, "x1234", `x\d{4}`},
		{surrogate.Phone, en, "34521", `\d{5}`},
		{surrogate.Phone, en, "pager 34521", `pager \d{5}`},
		{surrogate.Phone, en, "1-800-FLOWERS", `[1-9]-[1-9]\d\d-[A-Z]{7}`},
		{surrogate.Phone, en, "617-253-1000 / 617-253-1001", `\d{3}-555-01\d\d / \d{3}-555-01\d\d`},
		{surrogate.Phone, en, "+34 600 123 456", `\+34 7[789]\d \d{3} \d{3}`},
		{surrogate.Phone, en, "+49 89 1234567", `\+49 [1-9]\d \d{7}`},
		{surrogate.Phone, en, "+52 55 1234 5678", `\+52 0\d \d{4} \d{4}`},
		{surrogate.Phone, en, "+353 86 123 4567", `\+353 0\d \d{3} \d{4}`},
		{surrogate.Phone, en, "00 7 495 123 45 67", `00 7 0\d\d \d{3} \d\d \d\d`},
		{surrogate.Phone, en, "+41 (0)38 549 02 90", `\+41 \(0\)0\d \d{3} \d\d \d\d`},
		{surrogate.Phone, en, "(555) 123-4567", `\(\d{3}\) 95[89]-\d{4}`},
		{surrogate.Phone, es, "91 336 87 85", `99 \d{3} \d\d \d\d`},
		{surrogate.Phone, es, "600123456", `7[789]\d{7}`},
		{surrogate.Phone, es, "34-607819141", `34-7[789]\d{7}`},
		{surrogate.Phone, fr, "01 42 34 56 78", `0(1 99 00|2 61 91|3 53 01|4 65 71|5 36 49) \d\d \d\d`},
		{surrogate.Phone, fr, "06 12 34 56 78", `06 39 98 \d\d \d\d`},
		{surrogate.Phone, fr, "+33 1 42 34 56 78", `\+33 \d \d\d \d\d \d\d \d\d`},
		{surrogate.Phone, de, "030 1234567890", `0\d{2} \d{10}`},
		{surrogate.Phone, de, "0171 1234567", `01\d\d \d{7}`},
		{surrogate.Phone, de, "0761 / 12 34", `0\d\d\d / \d\d \d\d`},
		{surrogate.Fax, en, "617-253-1000", `\d{3}-555-01\d\d`},
		{surrogate.SSN, en, "123-45-6789", `9\d\d-(0[1-9]|[1-4]\d)-\d{4}`},
		{surrogate.SSN, fr, "1 85 05 78 006 084 36", `1 \d\d (0[1-9]|1[0-2]) \d\d \d{3} \d{3} \d\d`},
		{surrogate.SSN, en, "123456789", `9\d\d(0[1-9]|[1-4]\d)\d{4}`},
		{surrogate.SSN, en, "xxx-xx-6789", `[a-z]{3}-[a-z]{2}-\d{4}`},
		{surrogate.RecordNumber, en, "MRN 1234567", `MRN [1-9]\d{6}`},
		{surrogate.RecordNumber, en, "HN-50T1579", `[A-Z]{2}-[1-9]\d[A-Z][1-9]\d{3}`},
		{surrogate.HealthPlan, en, "chp 371 834 24o", `[a-z]{3} [1-9]\d\d \d{3} \d\d[a-z]`},
		{surrogate.Account, en, "4111 1111 1111 1111", `[1-9]\d{3} \d{4} \d{4} \d{4}`},
		{surrogate.License, es, "12345678-Z", `[1-9]\d{7}-[A-Z]`},
		{surrogate.Vehicle, en, "1HGCM82633A004352", `[0-9A-Z]{17}`},
		{surrogate.Vehicle, es, "1234 BCD", `[1-9]\d{3} [B-Z]{3}`},
		{surrogate.Device, en, "SN-265624I", `SN-[1-9]\d{5}[A-Z]`},
		{surrogate.BioID, en, "FP-00123", `[A-Z]{2}-\d{5}`},
		{surrogate.ID, en, "54/369917", `[1-9]\d/[1-9]\d{5}`},
		{surrogate.Room, en, "F4", `[A-Z][1-9]`},
		{surrogate.Other, en, "case 2019-77", `case [1-9]\d{3}-[1-9]\d`},
		{surrogate.IP, en, "10.11.12.13", `(192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}`},
		{surrogate.IP, en, "10.11.12.13:8080", `(192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}:8080`},
		{surrogate.IP, en, "10.11.12.0/24", `(192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}/24`},
		{surrogate.IP, en, "fe80:1:2:3:4:5:6:7", `2001:db8(:[0-9a-f]{1,4}){6}`},
		{surrogate.IP, en, "fe80::1", `2001:db8(:[0-9a-f]{1,4})+::[0-9a-f]{1,4}`},
		{surrogate.IP, en, "3c:22:fb:01:02:03", `00:00:5e:00:53:[0-9a-f]{2}`},
		{surrogate.Email, en, "jsmith@mgh.harvard.edu", `[a-z]+@(example\.(org|com|net)|[a-z]+\.example)`},
		{surrogate.Email, en, "JANE.DOE77@CLINIC.ORG", `[A-Z]+\.[A-Z]+\d\d@(EXAMPLE\.(ORG|COM|NET)|[A-Z]+\.EXAMPLE)`},
		{surrogate.URL, en, "https://www.mgh.org/staff/smith12.html?id=7", `https://www\.[a-z]+\.example\.(org|com|net)/[a-z]{5}/[a-z]{5}\d\d\.html\?[a-z]{2}=\d|https://www\.[a-z]+\.example\.(org|com|net)/[a-z]{5}/[a-z]{5}\d\d\.[a-z]{4}\?[a-z]{2}=\d`},
		{surrogate.URL, en, "clinic.org", `[a-z]+\.example\.(org|com|net)`},
		{surrogate.Username, en, "JFBOUCH", `[A-Z]{1,7}`},
		{surrogate.Username, en, "small66", `[a-z]{1,5}\d\d`},
		{surrogate.ZIP, en, "02139", `(01\d|02[0-7]|055)00`},
		{surrogate.ZIP, en, "02139-4307", `(01\d|02[0-7]|055)00-\d{4}`},
		{surrogate.ZIP, es, "28020", `5[3-9]\d{3}`},
		{surrogate.ZIP, fr, "F-75012", `F-96\d{3}`},
		{surrogate.ZIP, fr, "75012", `96\d{3}`},
		{surrogate.ZIP, de, "10117", `(05|43|62)\d{3}`},
		{surrogate.State, en, "Massachusetts", `[A-Z][a-z]+( [A-Z]?[a-z]+)*`},
		{surrogate.State, en, "MA", `[A-Z]{2}`},
		{surrogate.State, en, "ma", `[a-z]{2}`},
		{surrogate.State, de, "Bayern", `\p{Lu}[\p{L}-]+`},
		{surrogate.Country, en, "IRELAND", `[A-Z ]+`},
		{surrogate.Country, en, "U.S.A.", `([A-Z]\.)+`},
		{surrogate.City, en, "salish landing", `[a-z.' -]+`},
		{surrogate.City, en, "Voltaire, ND", `[A-Z][A-Za-z ]+, ND`},
		{surrogate.City, en, "Boston, MA 02114", `[A-Z][A-Za-z ]+, MA (01\d|02[0-7]|055)00`},
		{surrogate.City, en, "Boston, Wexley County", `[A-Z][A-Za-z ]+`},
		{surrogate.City, es, "Madrid", `\p{Lu}[\p{L} ]+`},
		{surrogate.Street, en, "12 Elm Street", `[1-9]\d [A-Z][A-Za-z ]+ Street`},
		{surrogate.Street, en, "7034 WEST WALNUT STREET, APT 25", `[1-9]\d{3} WEST [A-Z ]+ STREET, APT [1-9]\d`},
		{surrogate.Street, en, "202 22nd Road", `[1-9]\d\d [1-9]\d(st|nd|rd|th) Road`},
		{surrogate.Street, es, "Calle del Olmo, 12, 3º B", `Calle del? ?(la |los |las )?\p{L}[\p{L} ]*, [1-9]\d, [1-9]º [A-Z]`},
		{surrogate.Street, es, "Paseo de la Castellana, s/n", `Paseo del? ?(la |los |las )?\p{L}[\p{L} ]*, s/n`},
		{surrogate.Street, fr, "12 rue des Lilas", `[1-9]\d rue (des |de la |du |de )\p{L}[\p{L} ]*`},
		{surrogate.Street, de, "Berliner Straße 12", `\p{Lu}\p{Ll}+er Straße [1-9]\d`},
		{surrogate.Street, de, "Lindenstraße 12", `\p{Lu}[\p{L}]+straße [1-9]\d`},
		{surrogate.Hospital, en, "Ashbridge General Hospital", `[A-Z][a-z]+ General Hospital`},
		{surrogate.Hospital, en, "the General Hospital", `the [A-Z][a-z]+ General Hospital`},
		{surrogate.Hospital, en, "St. Edward's Hospital", `St\. [A-Z][a-z]+'s Hospital`},
		{surrogate.Hospital, en, "OVMH", `[A-Z]{3}H`},
		{surrogate.Hospital, es, "Hospital Universitario de Guadalajara", `Hospital Universitario de \p{Lu}\p{Ll}+`},
		{surrogate.Hospital, fr, "Centre hospitalier de Rouen", `Centre hospitalier de \p{Lu}\p{Ll}+`},
		{surrogate.Hospital, de, "Klinikum Musterstadt", `Klinikum \p{Lu}\p{Ll}+`},
		{surrogate.Department, en, "Cardiology", `[A-Z][A-Za-z -]+`},
		{surrogate.Department, en, "Ward 6B", `Ward [1-9][A-Z]`},
		{surrogate.Department, en, "ICU", `[A-Z]{2,5}`},
		{surrogate.Organization, en, "Dubois Brothers", `[A-Z][a-z]+ Brothers`},
		{surrogate.Organization, en, "REED AND WRIGHT", `[A-Z]+ AND [A-Z]+`},
		{surrogate.Place, en, "Lake Nebagamon", `Lake [A-Z][a-z]+`},
		{surrogate.Profession, en, "retired welder", `retired [a-z ]+`},
		{surrogate.Profession, es, "Enfermera", `\p{Lu}\p{Ll}+[ae]( [\p{Ll} ]+)?`},
	} {
		p := maker(t, surrogate.Options{Locale: c.locale}).Patient("1", surrogate.Book{})
		got := invented(t, p, c.kind, c.text, 1)
		if !regexp.MustCompile("^(?:"+c.want+")$").MatchString(got) || got == c.text {
			t.Errorf("%s of %s: %q became %q, want the form %s", c.kind, c.locale, c.text, got, c.want)
		}
	}
}

func TestNumbersFailTheirChecks(t *testing.T) {
	for _, c := range []struct {
		kind  surrogate.Kind
		text  string
		valid func(string) bool
	}{
		{surrogate.Account, "4111111111111111", luhn},
		{surrogate.License, "12345678Z", dni},
		{surrogate.ID, "9434765919", nhs},
	} {
		if !c.valid(c.text) {
			t.Fatalf("the example of %s is not valid", c.kind)
		}
		m := maker(t, surrogate.Options{})
		for i := range 500 {
			if got := invented(t, m.Patient(strings.Repeat("x", i), surrogate.Book{}), c.kind, c.text, 1); c.valid(got) {
				t.Errorf("%s: %q passes the check", c.kind, got)
			}
		}
	}
}

// luhn, dni and nhs are written apart from the package, from the definitions.
func luhn(s string) bool {
	sum := 0
	for i, c := range s {
		d := int(c - '0')
		if (len(s)-i)%2 == 0 {
			d *= 2
		}
		sum += d/10 + d%10
	}
	return sum%10 == 0
}

func dni(s string) bool {
	n := 0
	for _, c := range s[:8] {
		n = n*10 + int(c-'0')
	}
	return "TRWAGMYFPDXBNJZSQVHLCKE"[n%23] == s[8]
}

func nhs(s string) bool {
	sum := 0
	for i, c := range s {
		sum += (10 - i) * int(c-'0')
	}
	return sum%11 == 0
}

func TestPlacesStayInTheirState(t *testing.T) {
	for i := range 200 {
		p := maker(t, surrogate.Options{}).Patient(strings.Repeat("p", i), surrogate.Book{})
		p.Aliases(surrogate.State, "Ohio")
		if _, name, _ := value.StateOf(invented(t, p, surrogate.City, "Worcester, MA", 1)); name != "Massachusetts" {
			t.Fatal("the state behind a comma changed")
		}
		zip := invented(t, p, surrogate.ZIP, "43085", 2)
		if zip < "43000" || zip > "45999" {
			t.Errorf("43085 of Ohio became %s", zip)
		}
		if code, _, ok := value.StateOf(invented(t, p, surrogate.City, "Undshaw", 3)); ok && code != "OH" {
			t.Errorf("a town of a patient of Ohio moved to %s", code)
		}
		moved := maker(t, surrogate.Options{States: true}).Patient(strings.Repeat("p", i), surrogate.Book{})
		state := invented(t, moved, surrogate.State, "OH", 1)
		if city := invented(t, moved, surrogate.City, "Xenia, OH", 2); !strings.HasSuffix(city, ", "+state) {
			t.Errorf("%q does not lie in %s", city, state)
		}
	}
}

// Where all words of an institution are generic, the one that is a name or direction goes.
func TestGenericNamesGo(t *testing.T) {
	p := maker(t, surrogate.Options{}).Patient("1", surrogate.Book{})
	for text, kind := range map[string]surrogate.Kind{
		"North Electric": surrogate.Organization, "Hall & Sons": surrogate.Organization,
		"Hall Nursing Home": surrogate.Hospital, "HOUSE MEMORIAL HOSPITAL": surrogate.Hospital,
	} {
		name, rest, _ := strings.Cut(text, " ")
		got := invented(t, p, kind, text, 1)
		if made, kept, _ := strings.Cut(got, " "); made == name || kept != rest || strings.Contains(got, name) {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := invented(t, p, surrogate.Hospital, "General Hospital", 2); !strings.HasSuffix(got, " General Hospital") {
		t.Errorf("the general hospital became %q", got)
	}
}

// A name that cannot be written in capitals and back would have two forms.
func TestInventedNamesHaveCapitals(t *testing.T) {
	for _, loc := range surrogate.Locales() {
		p := maker(t, surrogate.Options{Locale: loc}).Patient("1", surrogate.Book{})
		for i := range 500 {
			got, err := p.Person("DOCTOR", fmt.Sprint("x", i), personname.Person{Given: fmt.Sprint("Xa", i), Family: fmt.Sprint("Xa", i)}, i)
			if err != nil {
				t.Fatal(err)
			}
			name := got.Given + got.Family
			there, back := strings.ToLower(name), strings.ToLower(strings.ToUpper(name))
			if back != there || strings.Contains(name, "ß") {
				t.Errorf("%s: %q", loc, name)
			}
		}
	}
}

func TestShortFormsFollowLongForms(t *testing.T) {
	p := maker(t, surrogate.Options{}).Patient("1", surrogate.Book{})
	p.Aliases(surrogate.Hospital, "Massachusetts General Hospital")
	short := invented(t, p, surrogate.Hospital, "MGH", 1)
	long := invented(t, p, surrogate.Hospital, "Massachusetts General Hospital", 2)
	if short != long[:1]+"GH" {
		t.Errorf("%q is %q", long, short)
	}
	if dotted := invented(t, p, surrogate.Hospital, "M.G.H.", 3); dotted != long[:1]+".G.H." {
		t.Errorf("%q is %q", long, dotted)
	}
	if lower := invented(t, p, surrogate.Hospital, "mgh", 3); lower != strings.ToLower(short) {
		t.Errorf("%q is %q", long, lower)
	}
	if again := invented(t, p, surrogate.Hospital, "MASSACHUSETTS GENERAL", 4); again != strings.ToUpper(strings.TrimSuffix(long, " Hospital")) {
		t.Errorf("%q is %q", long, again)
	}
}

func TestLongFormsThatLeadToEachOther(t *testing.T) {
	p := maker(t, surrogate.Options{}).Patient("1", surrogate.Book{})
	p.Aliases(surrogate.Hospital, "AB CD", "AC BX", "BX/BX")
	for _, text := range []string{"AC", "AB", "AB CD", "AC BX", "BX/BX", "BB"} {
		if got := invented(t, p, surrogate.Hospital, text, 1); got == text {
			t.Errorf("%q stays", text)
		}
	}
}

func TestEqualValuesHaveEqualSurrogates(t *testing.T) {
	for kind, forms := range map[surrogate.Kind][]string{
		surrogate.Phone: {"(617) 253-1000", "617.253.1000", "617-253-1000"},
		surrogate.City:  {"Jefferson", "JEFFERSON", "jefferson"},
		surrogate.ID:    {"RQ-3891182", "rq3891182", "RQ 3891182"},
		surrogate.Email: {"jsmith@x.org", "JSMITH@X.ORG"},
	} {
		p := maker(t, surrogate.Options{}).Patient("1", surrogate.Book{})
		first := squash(invented(t, p, kind, forms[0], 1))
		for i, f := range forms {
			if got := squash(invented(t, p, kind, f, i)); got != first {
				t.Errorf("%s: %q and %q have %q and %q", kind, forms[0], f, first, got)
			}
		}
	}
}

var noSign = regexp.MustCompile(`[^\pL\pN]`)

func squash(s string) string { return strings.ToLower(noSign.ReplaceAllString(s, "")) }

// FuzzValue holds what is true of every value: no panic, valid text, never the original, the
// same surrogate again, and no value in an error.
func FuzzValue(f *testing.F) {
	for _, s := range []string{"A", "7", "º", "1º", "שלום", "مستشفى ١٢", "ß", "'", "12 Elm St", "+34", "x", "@", "a@", "http://", "::", "1.2.3.4", "00000", "ﬁ", "İ", "O'", "MGH's", "é́", "\xff", "12-", "+49 1", "00", "(MGH)", "\x88AA", "AAA/AA", "a.b", "a b", "AB. C", "kvx kx"} {
		for k := range 27 {
			f.Add(s, byte(k))
		}
	}
	corpus := surrogate.NewCorpus()
	corpus.Add("PATIENT", "Will May")
	corpus.Add("CITY", "A")
	f.Fuzz(func(t *testing.T, text string, k byte) {
		set := annotate.I2B2()
		kind, ok := surrogate.KindOf(set[int(k)%len(set)].Label)
		if !ok {
			kind = "unknown"
		}
		m, err := surrogate.New(surrogate.Options{Key: key, Real: corpus, Locale: surrogate.Locales()[int(k)%4]})
		if err != nil {
			t.Fatal(err)
		}
		p := m.Patient("1", surrogate.Book{})
		got, err := p.Value(kind, text, 1)
		again, err2 := p.Value(kind, text, 2)
		switch {
		case utf8.ValidString(text) && ((err == nil) != (err2 == nil) || got != again):
			t.Errorf("%q and %q", got, again)
		case err != nil && len(text) > 8 && strings.Contains(err.Error(), text):
			t.Error("the error has the value")
		case err == nil && utf8.ValidString(text) && !utf8.ValidString(got):
			t.Errorf("%q became %q", text, got)
		case err == nil && strings.TrimSpace(text) != "" && got == text:
			t.Errorf("%s: %q stays", kind, text)
		}
	})
}
