// SPDX-License-Identifier: Apache-2.0

package personname

import "strings"

// Read reads a name. ok is false for a text that cannot be one because it has no letters.
//
// These are the forms that it knows:
//
//	John A. Smith, J. Smith, J.S., JS      given names or initials, then the family name
//	Smith, John A.; SMITH^JOHN^A           the family name, a comma or caret, given names
//	Dr. Smith, MD; Prof. Dr. van der Berg  titles in front, suffixes and credentials behind
//	María del Carmen García Lorca          two family names, when the lists know them as Spanish
//	Kowalczyk Anna                         the family name first, only when the lists say so
//	William "Bill" Smith                   a short form in quotation marks or parentheses
//
// One word alone is a family name behind a title and else what the lists say; a word that
// can be both, as Thomas can, is unsure.
func Read(text string) (Name, bool) { return read(text, false) }

// read reads a name of a note that is known to be French, or is not.
func read(text string, french bool) (Name, bool) {
	words := splitWords(text)
	name := Name{Text: text}
	if !strings.ContainsFunc(text, isLetterRune) {
		return name, false
	}
	words = joinCredentials(text, words)
	words = spreadInitials(text, words)
	assign(text, words, french)
	for _, w := range words {
		name.Pieces = append(name.Pieces, Piece{w.role, w.start, w.end, w.initial, w.unsure, w.fold})
	}
	return name, true
}

// joinCredentials makes one word of the letters of a credential with dots, "M.D.", behind a
// name. Letters that are initials more often, as in "Smith, J.D.", stay letters unless a
// given name stands in front of them too.
func joinCredentials(text string, words []word) []word {
	for first := 1; first < len(words); first++ {
		for last := min(len(words), first+4); last > first+1; last-- {
			if !isDottedCredential(text, words, first, last) {
				continue
			}
			joined := words[first]
			joined.end, joined.dot, joined.letters = words[last-1].end, words[last-1].dot, last-first
			joined.fold = foldedRun(words[first:last])
			joined.role = Credential
			words = append(append(append([]word(nil), words[:first]...), joined), words[last:]...)
			break
		}
	}
	return words
}

func isDottedCredential(text string, words []word, first, last int) bool {
	for i := first; i < last; i++ {
		if words[i].letters > 2 || !startsUpper(text[words[i].start:words[i].end]) {
			return false
		}
		if i+1 < last && text[words[i].end:words[i+1].start] != "." {
			return false
		}
	}
	run := foldedRun(words[first:last])
	return sureCredentials[run] || lists().credentials[run] && words[first].comma && first > 1
}

func foldedRun(words []word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.fold)
	}
	return b.String()
}

// spreadInitials cuts capitals that are initials without dots, as in "JS", into letters.
// Two or three capitals that are a name, a title or a credential stay one word.
func spreadInitials(text string, words []word) []word {
	var spread []word
	l := lists()
	for i, w := range words {
		s := text[w.start:w.end]
		ascii := len(s) == w.letters
		known := l.given[w.fold] && (!abbreviations[w.fold] || w.dot) || l.surnames[w.fold] || l.titles[w.fold] && len(words) > 1 || l.particles[w.fold] ||
			(l.credentials[w.fold] || suffixes[w.fold]) && i > 0
		if w.role == Credential || !ascii || len(s) < 2 || len(s) > 3 || !isUpper(s) || known {
			spread = append(spread, w)
			continue
		}
		for j := range len(s) {
			letter := word{start: w.start + j, end: w.start + j + 1, fold: w.fold[j : j+1], letters: 1, comma: w.comma && j == 0}
			letter.dot = w.dot && j == len(s)-1
			spread = append(spread, letter)
		}
	}
	return spread
}
