// SPDX-License-Identifier: Apache-2.0

package personname

import "strings"

// frenchTitles are titles that only French notes have.
var frenchTitles = map[string]bool{"mme": true, "mmes": true, "mlle": true, "mlles": true, "madame": true, "mademoiselle": true,
	"monsieur": true, "docteur": true, "docteure": true, "maitre": true}

// showsFrench reports whether a mention has a French title, in the name or right before it, so
// that "M." in the same notes is Monsieur.
func showsFrench(m Mention) bool {
	if words := splitWords(m.Before); len(words) > 0 {
		last := words[len(words)-1]
		if frenchTitles[last.fold] && strings.Trim(m.Before[last.end:], ". ") == "" {
			return true
		}
	}
	name, ok := Read(m.Text)
	if !ok {
		return false
	}
	for _, p := range name.Pieces {
		if p.Role == Title && (frenchTitles[p.fold] || p.fold == "m") {
			return true
		}
	}
	return false
}

// startsWithM reports whether a name begins with "M." as an initial and a family name follows.
func (n Name) startsWithM() bool {
	if len(n.Pieces) < 2 || !n.Pieces[0].Initial || n.Pieces[0].fold != "m" || !strings.HasPrefix(n.Text[n.Pieces[0].End:], ". ") {
		return false
	}
	for _, p := range n.Pieces[1:] {
		if p.Initial || p.Role != Family && p.Role != Particle {
			return false
		}
	}
	return true
}
