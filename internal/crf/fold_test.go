// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFoldIgnoresCaseAndAccents(t *testing.T) {
	tests := map[string]string{
		"GARCÍA": "garcia", "Núñez": "nunez", "Müller": "muller", "Straße": "strasse", "Łukasz": "lukasz",
		"Sørensen": "sorensen", "Œuvre": "oeuvre", "İstanbul": "istanbul", "Đorđe": "dorde", "Ελένη": "ελενη",
		"nın\u0303o": "nino", "dª": "da", "nº": "no", "": "", "\u0301": "\u0301", "李": "李", "\xff": "\ufffd",
	}
	for word, want := range tests {
		if got := fold(word); got != want {
			t.Errorf("%q folds to %q, want %q", word, got, want)
		}
	}
}

func FuzzFold(f *testing.F) {
	f.Add("Ñandú ßß")
	f.Add(strings.Repeat("ﷺ", 40))
	f.Fuzz(func(t *testing.T, s string) {
		got := fold(s)
		if len(got) > maxWord || (got == "") != (s == "") {
			t.Fatalf("%d bytes fold to %d", len(s), len(got))
		}
		if utf8.ValidString(s) && (!utf8.ValidString(got) || len(s) <= maxWord/4 && fold(got) != got) {
			t.Fatalf("%q folds to %q", s, got)
		}
	})
}
