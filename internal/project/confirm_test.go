// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"testing"

	"hide/internal/project"
)

func TestNamesThatLookTheSameConfirm(t *testing.T) {
	for name, c := range map[string]struct {
		stored, typed string
		want          bool
	}{
		"the same":              {"note-1", "note-1", true},
		"another":               {"note-1", "note-11", false},
		"decomposed":            {"Mu\u0308ller Gro\u0308\u00dfe.txt", "M\u00fcller Gr\u00f6\u00dfe.txt", true},
		"another letter":        {"M\u00fcller", "Muller", false},
		"turned direction":      {"report\u202etxt.exe", "reporttxt.exe", true},
		"joined while composed": {"u\u200d\u0308ber", "\u00fcber", true},
		"a control character":   {"a\x01b", "ab", true},
		"a capital":             {"import 17", "Import 17", true},
		"blanks":                {"Ward\u00a0 7", " ward 7 ", true},
		"a missing blank":       {"Ward 7", "Ward7", false},
		"nothing typed":         {"note-1", "", false},
		"nothing visible":       {"\u200b", "", false},
		"nothing visible, twin": {"\u200b", "\u200b", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := project.Confirms(c.stored, c.typed); got != c.want {
				t.Errorf("%+q confirms %+q: %v", c.typed, c.stored, got)
			}
		})
	}
}
