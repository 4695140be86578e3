// SPDX-License-Identifier: Apache-2.0

package dictionary_test

import (
	"testing"
	"unicode/utf8"

	"hide/internal/annotate/dictionary"
)

func TestFold(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""}, {"GARCÍA", "garcia"}, {"Straße", "strasse"}, {"Øre Łódź", "ore lodz"}, {"Garcı\u0301a", "garcia"},
		{"Castilla y León", "castilla y leon"}, {"San Sebastián", "san sebastian"}, {"José\u00a0María", "jose maria"}, {"né\tà\nLyon", "ne\ta\nlyon"},
		{"São  Paulo ", "sao  paulo "}, {"a´b", "ab"}, {"\u0301", "\u0301"}, {"한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"}, {"½ Ⅷ", "1⁄2 viii"},
	} {
		if got := dictionary.Fold(c[0]); got != c[1] {
			t.Errorf("%q folds to %q, want %q", c[0], got, c[1])
		}
	}
}

// FuzzFold: the fold of any bytes is valid text, and words stay words.
func FuzzFold(f *testing.F) {
	for _, s := range []string{"García Lorca", "Straße", "´", "한국 é", "İı", "ﷺ é", "\xffé"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := dictionary.Fold(s)
		if !utf8.ValidString(got) && s != "" {
			t.Errorf("%q folds to %q, which is not valid", s, got)
		}
		if onlyAccents := dictionary.Fold("x"+s) == "x"; !onlyAccents && dictionary.Fold("x "+s) != "x "+got {
			t.Errorf("%q folds to another text behind a word", s)
		}
	})
}
