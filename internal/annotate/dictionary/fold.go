// SPDX-License-Identifier: Apache-2.0

package dictionary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	unicodenorm "golang.org/x/text/unicode/norm"
)

// Fold is the lower case of s without accents, for comparison with phrases of lists:
// "GARCÍA", "Garcia" and "García" are equal. Letters that are not a base letter with an
// accent are transliterated: ß as ss, ø as o.
func Fold(s string) string {
	s = strings.ToLower(s)
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range unicodenorm.NFKD.String(s) {
		switch plain, ok := unaccented[r]; {
		case ok:
			b.WriteString(plain)
		case !unicode.Is(unicode.Mn, r) && !unicode.IsSpace(r): // an accent by itself is a space and a mark
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 { // nothing but accents
		return s
	}
	return b.String()
}

var unaccented = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ħ': "h", 'ı': "i", 'ŋ': "n", 'ŧ': "t",
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
