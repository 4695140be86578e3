// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Normalize is what two mentions of one sensitive term have in common in any
// language: canonical composition, folded case, one blank for each run of white
// space, nothing but letters, marks and digits at either end. A surface of other
// characters alone keeps them. Words are neither stemmed nor dropped: what only a
// language's stop words tell apart stays apart.
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
