// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"slices"
	"strings"
	"unicode"
)

func isLetterRune(r rune) bool { return unicode.IsLetter(r) }

// assign gives every word of a text its role.
func assign(text string, all []word, french bool) {
	words := pointers(all)
	for _, w := range words {
		if w.role != Credential {
			w.role, w.initial = Other, w.letters == 1
		}
	}
	words = beforeConnector(words)
	titles, given := leadingTitles(text, words, french)
	words = withoutNick(beforeSuffixes(text, words[titles:]))
	words = withoutSuffixInside(words)
	for i := 1; i < len(words); i++ {
		if words[i].comma {
			n, _ := leadingTitles(text, words[i:], false)
			assignFamily(beforeSuffixes(text, words[:i]))
			assignGivenBehind(words[i+n:])
			return
		}
	}
	switch {
	case len(words) == 1:
		assignSingle(words[0], titles > 0, given)
	case len(words) > 1:
		assignOrdered(words)
	}
}

// beforeConnector are the words in front of "and his wife". The words behind stay Other.
func beforeConnector(words []*word) []*word {
	for i := 1; i < len(words); i++ {
		couple := lists().titles[words[i-1].fold] && i+1 < len(words)
		if (words[i].mark || connectors[words[i].fold]) && !couple {
			return words[:i]
		}
	}
	return words
}

// leadingTitles marks the titles and words of kinship in front, and leaves at least one
// word. given says that a given name follows the last one, as in "Don José".
func leadingTitles(text string, words []*word, french bool) (n int, given bool) {
	for n < len(words)-1 {
		switch {
		case isTitle(text, words, n), isLetterTitle(words, n, french):
			given = givenTitles[words[n].fold] || words[n].fold == "d"
		case n == 0 && isArticle(text, words):
		case n > 0 && words[n].small && words[n].dot && titleParts[words[n].fold]:
		default:
			return n, given
		}
		words[n].role, words[n].initial = Title, false
		n++
	}
	return n, given
}

// isTitle reports whether word i is a title. A word that is a name too, as Pastor is, is a
// title only with a dot behind it, and Don only in front of a given name.
func isTitle(text string, words []*word, i int) bool {
	w, next, l := words[i], words[i+1], lists()
	if next.comma {
		return false
	}
	if i > 0 && connectors[w.fold] {
		return l.titles[next.fold] // "Mr. and Mrs. Smith"
	}
	isName := l.given[w.fold] || l.surnames[w.fold]
	if _, ok := kinGenders[w.fold]; ok && !l.titles[w.fold] {
		return w.small && !next.small || l.given[next.fold] && !isName
	}
	switch {
	case roleWords[w.fold]:
		return !isName && !next.small
	case w.letters < 2 || !l.titles[w.fold]:
		return false
	case givenTitles[w.fold] && isName && !w.dot:
		return l.given[next.fold] && (!l.surnames[next.fold] || i+2 < len(words))
	}
	return w.dot || !isName
}

// isLetterTitle reports whether word i is the letter "M." or "D." of Monsieur or Don, not an
// initial. A French given name and a family name follow Monsieur, and a Spanish given name of a
// man follows Don. In a French note every "M." in front is Monsieur.
func isLetterTitle(words []*word, i int, french bool) bool {
	w, next := words[i], words[i+1]
	first, _, _ := strings.Cut(next.fold, "-")
	switch {
	case w.letters != 1 || w.small || next.comma || w.dot && next.start == w.end+1: // "M.G."
		return false
	case w.fold == "m" && i == 0:
		return french || len(words) > 2 && lists().frenchGiven[first] && GenderOf(next.fold) != Female
	}
	return w.fold == "d" && lists().spanishGiven[next.fold] && GenderOf(next.fold) != Female
}

// isArticle reports whether the first word is an article: a title follows it, or a family name
// in the plural as in "the Smiths".
func isArticle(text string, words []*word) bool {
	w := words[0]
	return articles[w.fold] && !words[1].comma && (w.fold == "the" || len(words) > 2 && isTitle(text, words, 1))
}

// beforeSuffixes marks generations and credentials at the end, and leaves at least one word.
func beforeSuffixes(text string, words []*word) []*word {
	l := lists()
	for len(words) > 1 {
		w := words[len(words)-1]
		s := text[w.start:w.end]
		capital := startsUpper(s)
		name := (l.surnames[w.fold] || l.given[w.fold]) && !w.comma
		switch {
		case w.role == Credential:
		case (capital || w.dot || w.fold == "jr") && suffixes[w.fold] && w.letters > 1:
			w.role = Suffix
		case capital && l.credentials[w.fold] && w.letters > 1 && !name, w.comma && sureCredentials[w.fold]:
			w.role = Credential
		default:
			return words
		}
		words = words[:len(words)-1]
	}
	return words
}

// withoutNick marks short forms in quotation marks, and leaves them out of the result.
func withoutNick(words []*word) []*word {
	if len(words) < 2 {
		return words
	}
	var kept []*word
	for i, w := range words {
		if w.quoted && i > 0 {
			w.role = Nick
			continue
		}
		kept = append(kept, w)
	}
	return kept
}

// withoutSuffixInside marks a generation between commas, "Smith, Jr., John", and leaves it
// out of the result.
func withoutSuffixInside(words []*word) []*word {
	for i := 1; i+1 < len(words); i++ {
		if w := words[i]; w.comma && words[i+1].comma && suffixes[w.fold] {
			w.role = Suffix
			return slices.Delete(slices.Clone(words), i, i+1)
		}
	}
	return words
}

// assignFamily makes the words a family name with its particles.
func assignFamily(words []*word) {
	for i, w := range words {
		w.role = Family
		if i+1 < len(words) && isParticle(w) {
			w.role, w.initial = Particle, false
		}
	}
}

// assignGivenBehind makes the words behind a comma given names; particles at the end belong
// to the family name: "Berg, Jan van der".
func assignGivenBehind(words []*word) {
	end := len(words)
	for end > 1 && isParticle(words[end-1]) {
		end--
		words[end].role = Particle
	}
	assignGiven(words[:end])
}

// assignGiven makes the first word the given name and the others middle names.
func assignGiven(words []*word) {
	for i, w := range words {
		w.role = Middle
		if i == 0 {
			w.role = Given
		}
	}
}

// assignSingle decides about a word alone. Behind a title it is a family name, except if it
// is a given name alone, as in "Ms. Charlotte".
func assignSingle(w *word, titled, given bool) {
	inGiven, inFamily := isKnownGiven(w.fold), isKnownFamily(w.fold)
	switch {
	case given:
		w.role = Given
	case w.initial && !titled:
		w.role, w.unsure = Given, true
	case titled && (inFamily || !inGiven):
		w.role = Family
	case inGiven && !inFamily:
		w.role, w.unsure = Given, titled
	case inFamily && !inGiven:
		w.role = Family
	case inGiven && GenderOf(w.fold) != Unknown:
		w.role, w.unsure = Given, true
	default:
		w.role, w.unsure = Family, true
	}
}

// isKnownGiven reports whether a word, or its part before a hyphen, is a given name.
func isKnownGiven(fold string) bool {
	part, _, _ := strings.Cut(fold, "-")
	return lists().given[fold] || lists().given[part]
}

// isKnownFamily reports whether a word, or a part of it, is a family name.
func isKnownFamily(fold string) bool {
	return lists().surnames[fold] || slices.ContainsFunc(strings.Split(fold, "-"), func(part string) bool { return lists().surnames[part] })
}
