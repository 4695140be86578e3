// SPDX-License-Identifier: Apache-2.0

package dictionary

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestDictionariesAreReadInThreeForms(t *testing.T) {
	tests := map[string]struct{ name, text, want string }{
		"terms":             {"first-names.txt", "\ufeffAna\r\n\n  María José \n# a remark\nLuis", "first-names: Ana, María José, Luis"},
		"terms with commas": {"people", "Ruiz, Ana\nWeiss, Karl", "people: Ruiz, Ana, Weiss, Karl"},
		"census": {"dist.female.first", "MARY           2.629  2.629      1\nPATRICIA 40.0 42.629 2\nALLYN 0.001 90.040 3\n",
			"dist.female.first: MARY, PATRICIA, ALLYN; dist.female.first-common: MARY, PATRICIA"},
		"columns": {"us.csv", "City|State short|ZIP|City alias\nHoltsville|NY|00501|Internal Revenue Service\nHoltsville|NY|00544|Holtsville\n",
			"us.City: Holtsville; us.State short: NY; us.City alias: Internal Revenue Service, Holtsville"},
		"commas and quotes": {"staff.CSV", "name,ward\n\"Ruiz, Ana\",7\nKhan,8\n", "staff.name: Ruiz, Ana, Khan"},
		"semicolons":        {"x.csv", "a;b,c\nMüller;\n;Weiß\n", "x.a: Müller; x.b,c: Weiß"},
		"tabs without .tsv": {"list.lst", "first\tlast\nAna\tRuiz\n", "list.first: Ana; list.last: Ruiz"},
	}
	for name, test := range tests {
		lists, err := Read(test.name, strings.NewReader(test.text))
		var got []string
		for _, l := range lists {
			got = append(got, l.Name+": "+strings.Join(l.Phrases, ", "))
		}
		if err != nil || strings.Join(got, "; ") != test.want {
			t.Errorf("%s: %q, %v, want %q", name, strings.Join(got, "; "), err, test.want)
		}
	}
}

func TestBadDictionariesAreRefusedWithALineAndWithoutTheirText(t *testing.T) {
	long := strings.Repeat("secret", 50)
	tests := []struct{ name, text, want string }{
		{"a.txt", "", "contains no terms"},
		{"a.txt", "# only\n", "contains no terms"},
		{"a.txt", "fine\n" + long, "line 2 has a term of 300 bytes"},
		{"a.txt", "fine\n\nsecret\xff", "line 3 is not UTF-8"},
		{"a.txt", "fine\n" + strings.Repeat("x", 2000), "line 2 is longer"},
		{"a.txt", strings.Repeat("a\n", maxTerms+1), "more than 1048576 lines"},
		{"dist", "MARY 1 1 1\nsecret", "line 2 is not NAME frequency"},
		{"a.csv", "x|y\nsecret|b|c\n", "line 2 has 3 columns, the header has 2"},
		{"a.csv", "", "line 1 is not a header"},
		{"a.csv", strings.Repeat("x|", 70) + "\n", "line 1 is not a header"},
		{"a.csv", "x|y\n1|2\n", "no column contains words"},
		{"a.csv", "x|y\nfine|" + long + "\n", "line 2 has a term"},
		{"a.csv", "x|y\nfine|\xff\n", "not UTF-8"},
	}
	for _, test := range tests {
		_, err := Read(test.name, strings.NewReader(test.text))
		if !errors.Is(err, ErrUnusable) || !strings.Contains(fmt.Sprint(err), test.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s with %d bytes: %v, want %q", test.name, len(test.text), err, test.want)
		}
	}
	if _, err := Read("a", strings.NewReader(strings.Repeat("a\n", MaxBytes/2+1))); !errors.Is(err, ErrUnusable) {
		t.Errorf("a huge file: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("a.txt", "Ana\nLuis")
	f.Add("a.csv", "x|y\n\"a\"b|c")
	f.Add("dist", "MARY 2.6 2.6 1")
	f.Fuzz(func(t *testing.T, name, text string) {
		lists, err := Read(name, strings.NewReader(text))
		if err != nil {
			if !errors.Is(err, ErrUnusable) {
				t.Fatal(err)
			}
			return
		}
		n := 0
		for _, l := range lists {
			for _, p := range l.Phrases {
				if p == "" || len(p) > maxTerm {
					t.Fatalf("a term of %d bytes", len(p))
				}
				n++
			}
		}
		if n == 0 || n > 2*len(text) {
			t.Fatalf("%d terms out of %d bytes", n, len(text))
		}
	})
}
