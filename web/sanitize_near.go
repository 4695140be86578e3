// SPDX-License-Identifier: Apache-2.0

package web

import (
	"hide/internal/project/sanitize"
)

// nearFound says how many words give identifiers away, and what became of them.
func nearFound(r *sanitize.Run) string {
	words := "None was found: " + nearWords(*r.Params.Context) + "."
	if r.ContextFound > 0 {
		words = count(r.ContextFound, "pair of a word and a name was found", "pairs of a word and a name were found") + ", strongest first."
		if r.Params.Context.Redact {
			words += " The words are counted and redacted like names; of those that would stay the lists say so."
		} else {
			words += " They are not redacted: mark them in their notes, or start another run that treats them as sensitive."
		}
	}
	if n := len(r.Context); n > 0 && n < r.ContextFound {
		words += " Shown are " + number(n) + "."
	}
	return words
}
