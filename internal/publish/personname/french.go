// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"slices"
	"strings"
)

// frenchTitles are titles that only French notes have.
var frenchTitles = map[string]bool{"mme": true, "mmes": true, "mlle": true, "mlles": true, "madame": true, "mademoiselle": true,
	"monsieur": true, "docteur": true, "docteure": true, "maitre": true}

// ShowFrench reports whether mentions have a French title, in a name or right before it. Then
// "M." in the same notes is Monsieur, see [Mention].
func ShowFrench(mentions []Mention) bool { return slices.ContainsFunc(mentions, showsFrench) }

func showsFrench(m Mention) bool {
	if words := splitWords(m.Before); len(words) > 0 {
		last := words[len(words)-1]
		if frenchTitles[last.fold] && strings.Trim(m.Before[last.end:], ". ") == "" {
			return true
		}
	}
	words := splitWords(m.Text)
	if len(words) > 1 && articles[words[0].fold] {
		words = words[1:]
	}
	return len(words) > 1 && (frenchTitles[words[0].fold] || words[0].fold == "m" && isLetterTitle(pointers(words), 0, false))
}

func pointers(words []word) []*word {
	out := make([]*word, len(words))
	for i := range words {
		out[i] = &words[i]
	}
	return out
}
