// SPDX-License-Identifier: Apache-2.0

package personname

import "strings"

// readMention reads a mention. The text around it decides about a word that is unsure: a
// title in front makes it a family name, and so does a field of a form.
func readMention(m Mention) (Name, bool) {
	name, ok := read(m.Text, m.French)
	if !ok {
		return name, false
	}
	switch fieldOf(m) {
	case Family:
		for i := range name.Pieces {
			p := &name.Pieces[i]
			if (p.Role == Given || p.Role == Middle) && !name.has(Family, i) {
				p.Role, p.Unsure = Family, false
			}
		}
	case Given:
		for i := range name.Pieces {
			p := &name.Pieces[i]
			p.Unsure = p.Unsure && len(name.Pieces) > 1
			switch {
			case p.Role == Family && len(name.Pieces) == 1:
				p.Role = Given
			case p.Role == Family && name.has(Given, i) && (lists().given[p.fold] || !lists().surnames[p.fold]):
				p.Role, p.Unsure = Middle, false // "Daniel Alejandro"
			}
		}
	}
	if len(name.Pieces) == 1 {
		readBehind(m.Before, &name.Pieces[0])
	}
	return name, true
}

// readBehind decides about a single word behind a title. Behind a word of kinship it stays
// unsure, but is a given name more often: "her niece Laleh".
func readBehind(before string, p *Piece) {
	words := splitWords(before)
	if len(words) == 0 {
		return
	}
	last := words[len(words)-1]
	_, isKin := kinGenders[last.fold]
	switch {
	case isKin && !isTitleCase(before[last.start:last.end]):
		if p.Unsure {
			p.Role = Given
		}
	case isTitleBefore(before, last) && givenTitles[last.fold]:
		p.Role, p.Unsure = Given, false
	case isTitleBefore(before, last):
		onlyGiven := isKnownGiven(p.fold) && !isKnownFamily(p.fold)
		p.Unsure = onlyGiven
		if !onlyGiven {
			p.Role = Family
		}
	}
}

// has reports whether a piece before index end has the role.
func (n Name) has(role Role, end int) bool {
	for _, p := range n.Pieces[:end] {
		if p.Role == role {
			return true
		}
	}
	return false
}

// isTitleBefore reports whether the last word in front of a mention is a title. A single
// letter is one only by itself: "M. Dupont", and not "2 p.m. Dupont".
func isTitleBefore(text string, last word) bool {
	if !lists().titles[last.fold] || strings.Trim(text[last.end:], ". ") != "" {
		return false
	}
	before := text[:last.start]
	return last.letters > 1 || startsUpper(text[last.start:]) && (before == "" || strings.HasSuffix(before, " "))
}

// fieldRoles has the fields of forms that hold a part of a name.
var fieldRoles = map[string]Role{
	"apellidos": Family, "apellido": Family, "surname": Family, "lastname": Family, "nachname": Family, "last name": Family,
	"nombre": Given, "forename": Given, "firstname": Given, "vorname": Given, "prenom": Given, "first name": Given,
}

// fieldOf is Given or Family for a mention in such a field of a form, and else Other.
func fieldOf(m Mention) Role {
	words := splitWords(m.Before)
	n := len(words)
	if n == 0 || !strings.Contains(m.Before[words[n-1].end:], ":") {
		return Other
	}
	if role, ok := fieldRoles[words[n-1].fold]; ok {
		return role
	}
	if n > 1 {
		if role, ok := fieldRoles[words[n-2].fold+" "+words[n-1].fold]; ok {
			return role
		}
	}
	return Other
}
