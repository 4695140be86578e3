// SPDX-License-Identifier: Apache-2.0

package personname

import "strings"

// assignOrdered gives roles to two or more words without a comma.
func assignOrdered(words []*word) {
	if k := familyInFront(words); k > 0 {
		assignFamily(words[:k])
		assignGiven(words[k:])
		return
	}
	start := familyStart(words)
	assignGiven(words[:start])
	assignFamily(words[start:])
	if last := words[len(words)-1]; len(words) == 2 && last.initial && !words[0].initial {
		last.unsure = true // "John S." can be John Samuel
	}
}

// familyInFront is the number of words of a family name in front, or 0. Only the lists say
// so: the first word is a family name alone, and the others are given names alone.
func familyInFront(words []*word) int {
	if len(words) > 3 || !isOnlyFamily(words[0]) {
		return 0
	}
	for i, w := range words[1:] {
		if !isOnlyGiven(w) && !(w.initial && (i > 0 || len(words) == 2)) {
			return 0
		}
	}
	return 1
}

func isOnlyFamily(w *word) bool { return lists().surnames[w.fold] && !lists().given[w.fold] }

func isOnlyGiven(w *word) bool { return lists().given[w.fold] && !lists().surnames[w.fold] }

// isParticle reports whether a word is a particle where a name follows.
func isParticle(w *word) bool {
	return w.letters > 1 && lists().particles[w.fold] || w.small && !w.dot && w.fold == "y"
}

// familyStart is the index of the first word of the family name.
func familyStart(words []*word) int {
	last := len(words) - 1
	for p := 0; p < last; p++ { // Ben, Al and Van in front are given names
		if !isParticle(words[p]) || p == 0 && lists().given[words[0].fold] {
			continue
		}
		if end := compoundGivenEnd(words, p); end == last {
			return len(words) // María del Carmen alone
		} else if end > 0 {
			p = end
			continue
		}
		return particleStart(words, p)
	}
	switch {
	case last == 1 && isSpanish(words[0]) && isSpanish(words[1]) && GenderOf(words[0].fold) == Unknown:
		return 0
	case last > 1 && (words[last].hyphen || areTwoFamilies(words)):
		return last - 1
	}
	return last
}

// compoundGivenEnd is the index of the last word of a given name such as "María de los
// Ángeles" whose particle is word p, or 0.
func compoundGivenEnd(words []*word, p int) int {
	if p != 1 || GenderOf(words[0].fold) == Unknown {
		return 0
	}
	end, article := p, words[0].fold == "maria"
	for end < len(words) && isParticle(words[end]) {
		article = article || words[end].fold != "de"
		end++
	}
	if !article {
		return 0
	}
	if end < len(words) && GenderOf(words[end].fold) != Unknown && (end+1 < len(words) || words[0].fold == "maria") {
		return end
	}
	return 0
}

// particleStart is the start of the family name around particle p. A family name in front of
// the particle belongs to it: "Ramón y Cajal", "García de la Cruz".
func particleStart(words []*word, p int) int {
	switch {
	case p > 0 && words[p].fold == "y":
		return p - 1
	case p > 1 && (isOnlyFamily(words[p-1]) || isSpanish(words[p-1]) && GenderOf(words[p-1].fold) == Unknown):
		return p - 1
	}
	return p
}

// isSpanish reports whether a word, or a part of it, is a Spanish family name.
func isSpanish(w *word) bool {
	for _, part := range strings.Split(w.fold, "-") {
		if lists().spanish[part] || len(part) > 4 && strings.HasSuffix(part, "ez") {
			return true
		}
	}
	return false
}

// areTwoFamilies reports whether the last two words are two family names: behind a Spanish
// given name, if the first of them is not a given name, and else if one is Spanish. A word
// that is a given name too, as Martín is, counts as one if its gender is not that of the
// first word.
func areTwoFamilies(words []*word) bool {
	n := len(words)
	first, second := words[n-2], words[n-1]
	if first.initial || second.initial {
		return false
	}
	isGiven := lists().given[first.fold]
	if lists().spanishGiven[words[0].fold] && !isGiven {
		return true
	}
	if !isSpanish(first) && (!isSpanish(second) || isGiven) {
		return false
	}
	gender := GenderOf(first.fold)
	return gender == Unknown || gender != GenderOf(words[0].fold) || n > 3 && GenderOf(words[n-3].fold) != Unknown
}
