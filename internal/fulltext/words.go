// SPDX-License-Identifier: Apache-2.0

package fulltext

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate/dictionary"
)

// longestWord is how many bytes of a folded word count.
const longestWord = 64

// Words calls visit with each word of a text, in order, folded and with its bytes in the
// text. A word is a run of letters, digits and accents: "O'Brien" is two, "12/03" is two. A
// character of a script without spaces is a word by itself. Folding takes away case, accents
// (see [dictionary.Fold]), soft hyphens and other characters that nobody sees. The folded word is valid until visit returns.
func Words(text string, visit func(folded []byte, start, end int)) {
	buf := make([]byte, 0, longestWord)
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && asciiFold[c] == 0 {
			i++
			continue
		}
		end, ascii := wordEnd(text, i)
		if end == i {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		buf = appendFolded(buf[:0], text[i:end], ascii)
		visit(buf, i, end)
		i = end
	}
}

// asciiFold has the small letters of ASCII letters and digits, and 0 for other characters.
var asciiFold = func() (fold [utf8.RuneSelf]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		fold[c], fold[c-'a'+'A'] = c, c
	}
	for c := byte('0'); c <= '9'; c++ {
		fold[c] = c
	}
	return fold
}()

// wordEnd finds the end of the word that starts at a byte; start itself if none does.
func wordEnd(text string, start int) (end int, ascii bool) {
	ascii, alone := true, false
	for i := start; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if alone || asciiFold[c] == 0 {
				return i, ascii
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		mark := unicode.IsMark(r) || i > start && isHidden(r)
		if !mark && !isWordRune(r) || i > start && !mark && (alone || isAlone(r)) {
			return i, ascii
		}
		ascii, alone = false, alone || isAlone(r)
		i += size
	}
	return len(text), ascii
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// isHidden reports whether a character inside a word is not seen, such as a soft hyphen.
func isHidden(r rune) bool { return unicode.Is(unicode.Cf, r) }

// firstAlone is where the scripts without spaces begin, Thai first.
const firstAlone = 0x0E00

// isAlone reports whether a character is of a script that puts no spaces between words.
func isAlone(r rune) bool {
	return r >= firstAlone && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func appendFolded(buf []byte, word string, ascii bool) []byte {
	if !ascii {
		folded := dictionary.Fold(seen(word))
		return append(buf, folded[:min(len(folded), longestWord)]...)
	}
	for i := range min(len(word), longestWord) {
		buf = append(buf, asciiFold[word[i]])
	}
	return buf
}

// seen is a word without hidden characters.
func seen(word string) string {
	if strings.IndexFunc(word, isHidden) < 0 {
		return word
	}
	return strings.Map(func(r rune) rune {
		if isHidden(r) {
			return -1
		}
		return r
	}, word)
}
