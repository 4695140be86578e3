// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"strings"
	"unicode"
	"unicode/utf8"

	unicodenorm "golang.org/x/text/unicode/norm"
)

// fold is the lower case of s without accents, which is what phrases of lists are
// compared by: "GARCÍA", "Garcia" and "García" are one. Letters that no accent
// makes are written as the languages do that lack them: ß as ss, ø as o.
func fold(s string) string {
	s = strings.ToLower(s)
	if isASCII(s) {
		return clip(s)
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
		return clip(s)
	}
	return clip(b.String())
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
