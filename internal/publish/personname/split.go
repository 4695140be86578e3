// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate/dictionary"
)

// word is a word of a text, before it is known what it is.
type word struct {
	start, end int
	fold       string
	letters    int  // number of letters
	comma      bool // a comma, or the caret of messages, stands between it and the word before
	mark       bool // an ampersand, slash or at sign stands before it
	hyphen     bool // a hyphen with blanks stands before it
	quoted     bool // a quotation mark or parenthesis stands right before and right after it
	dot        bool // a dot follows
	small      bool // it starts with a small letter
	role       Role
	initial    bool
	unsure     bool
}

// splitWords are the words of a text. An apostrophe or hyphen between letters belongs to
// the word, a possessive "'s" does not.
func splitWords(text string) []word {
	var words []word
	gap := 0 // the end of the last word
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isNameRune(r) {
			i += size
			continue
		}
		end := wordEnd(text, i)
		if isLoosePossessive(text[:i], text[i:end]) {
			i = end
			continue
		}
		stem := i + len(withoutPossessive(text[i:end]))
		between := text[gap:i]
		words = append(words, word{
			start: i, end: stem, fold: foldWord(text[i:stem]), letters: countLetters(text[i:stem]),
			comma:  strings.ContainsAny(between, ",;^") && len(words) > 0,
			mark:   strings.ContainsAny(between, "&/@") && len(words) > 0,
			quoted: isQuoted(between, text[end:]),
			hyphen: strings.TrimFunc(between, unicode.IsSpace) == "-" && len(words) > 0,
			dot:    strings.HasPrefix(text[end:], "."),
			small:  !startsUpper(text[i:]),
		})
		i, gap = end, end
	}
	return joinMaria(text, words)
}

// joinMaria makes one word of "M.ª", which is María.
func joinMaria(text string, words []word) []word {
	kept := words[:0]
	for _, w := range words {
		if n := len(kept); n > 0 && w.fold == "a" && w.small && kept[n-1].fold == "m" && text[kept[n-1].end:w.start] == "." {
			kept[n-1].end, kept[n-1].fold, kept[n-1].letters, kept[n-1].dot = w.end, "ma", 2, w.dot
			continue
		}
		kept = append(kept, w)
	}
	return kept
}

// isQuoted reports whether a word stands in quotation marks or parentheses. Only the latter
// may have blanks inside.
func isQuoted(before, after string) bool {
	if strings.HasSuffix(strings.TrimSpace(before), "(") && strings.HasPrefix(strings.TrimSpace(after), ")") {
		return true
	}
	return endsWithAny(before, "\"“”'‘’„«") && startsWithAny(after, "\"“”'’»")
}

// isLoosePossessive reports whether a word is the s of a possessive with a blank in front, as
// tokenized texts write it: "Smith 's".
func isLoosePossessive(before, word string) bool {
	r, size := utf8.DecodeLastRuneInString(before)
	return (word == "s" || word == "S") && isApostrophe(r) && strings.HasSuffix(before[:len(before)-size], " ")
}

func isNameRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }

func isApostrophe(r rune) bool { return strings.ContainsRune("'’ʼ`´", r) }

func isHyphen(r rune) bool { return strings.ContainsRune("-‐‑־", r) }

// wordEnd is the end of the word that starts at byte i.
func wordEnd(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		joins := (isApostrophe(r) || isHyphen(r)) && unicode.IsLetter(next)
		if !joins && !isNameRune(r) {
			return i
		}
		i += size
	}
	return i
}

// withoutPossessive cuts "'s" off a word.
func withoutPossessive(w string) string {
	if len(w) < 3 || (w[len(w)-1] != 's' && w[len(w)-1] != 'S') {
		return w
	}
	r, size := utf8.DecodeLastRuneInString(w[:len(w)-1])
	if isApostrophe(r) && len(w)-1-size > 0 {
		return w[:len(w)-1-size]
	}
	return w
}

// foldWord is a word for comparison: without case, accents and apostrophes. Hyphens of all
// kinds are one.
func foldWord(w string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case isApostrophe(r):
			return -1
		case isHyphen(r):
			return '-'
		}
		return r
	}, dictionary.Fold(w))
}

// nameWords are the folded words of a name, cut at spaces, dots and hyphens.
func nameWords(name string) []string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !isNameRune(r) && !isApostrophe(r) })
	kept := words[:0]
	for _, w := range words {
		if w = foldWord(w); countLetters(w) > 0 {
			kept = append(kept, w)
		}
	}
	return kept
}

func countLetters(w string) int {
	n := 0
	for _, r := range w {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

func endsWithAny(s, chars string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	return size > 0 && strings.ContainsRune(chars, r)
}

func startsWithAny(s, chars string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size > 0 && strings.ContainsRune(chars, r)
}

// isUpper reports whether a word has letters and all are capitals.
func isUpper(w string) bool { return strings.ToUpper(w) == w && strings.ToLower(w) != w }

// isLower reports whether a word has letters and all are small.
func isLower(w string) bool { return strings.ToLower(w) == w && strings.ToUpper(w) != w }

// isTitleCase reports whether a word has one capital at its start, as "Sister" has.
func isTitleCase(w string) bool { return startsUpper(w) && !isUpper(w) }

func startsUpper(w string) bool {
	r, _ := utf8.DecodeRuneInString(w)
	return unicode.IsUpper(r)
}
