// SPDX-License-Identifier: Apache-2.0

package verify

import "unicode"

// countTokens counts as docs/formats.md defines tokens: a run of letters, marks,
// decimal digits and underscores, or one other visible character. White space
// and control characters are not tokens.
func countTokens(text string) int {
	n, inWord := 0, false
	for _, r := range text {
		word := r == '_' || r != unicode.ReplacementChar && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
		visible := !unicode.IsSpace(r) && !unicode.IsControl(r)
		if visible && !(word && inWord) {
			n++
		}
		inWord = word
	}
	return n
}
