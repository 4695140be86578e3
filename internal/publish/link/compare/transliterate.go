// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"slices"
	"strings"
)

// transliterations are letters that are written with two letters where a keyboard or a program
// lacks them: Müller and Mueller, Jørgensen and Joergensen. Package dictionary folds them to
// one letter. The second form of each is a letter and a combining mark.
var transliterations = strings.NewReplacer(
	"ä", "ae", "ö", "oe", "ü", "ue", "ø", "oe", "å", "aa",
	"Ä", "Ae", "Ö", "Oe", "Ü", "Ue", "Ø", "Oe", "Å", "Aa",
	"a\u0308", "ae", "o\u0308", "oe", "u\u0308", "ue", "a\u030a", "aa",
	"A\u0308", "Ae", "O\u0308", "Oe", "U\u0308", "Ue", "A\u030a", "Aa")

// transliterated are the kinds whose values have such letters.
var transliterated = []Kind{Given, Middle, Surname, Street, Place, Text}

// Transliterated is the cleaned form of a value with two letters for ä, ö, ü, ø and å. It is ""
// if the value has no such letter, or if values of the kind do not have them.
func (k Kind) Transliterated(raw string) string {
	if isASCII(raw) || !slices.Contains(transliterated, k) {
		return ""
	}
	written := transliterations.Replace(raw)
	if written == raw {
		return ""
	}
	return k.Clean(written)
}
