// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Normalize is the form that mentions of one sensitive term share in any language: canonical
// composition, folded case, one blank for each run of white space, and only letters, marks
// and digits at either end, unless there are none. Words are neither stemmed nor dropped:
// terms that differ in stop words are different terms.
func Normalize(surface string) string {
	folded := norm.NFC.String(cases.Fold().String(norm.NFC.String(surface)))
	folded = strings.Join(strings.Fields(folded), " ")
	if bare := strings.TrimFunc(folded, outside); bare != "" {
		return bare
	}
	return folded
}

// outside reports whether r can be left out at the ends of a term.
func outside(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }
