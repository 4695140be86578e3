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
// accent are transliterated: ß as ss, ø as o. Spaces between words stay.
func Fold(s string) string {
	s = strings.ToLower(s)
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	var buf [64]byte
	for i, r := range s {
		switch {
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		default:
			foldRune(&b, unicodenorm.NFKD.AppendString(buf[:0], s[i:i+utf8.RuneLen(r)]))
		}
	}
	if b.Len() == 0 { // nothing but accents
		return s
	}
	return b.String()
}

// foldRune writes the parts of a decomposed character without its accents. An accent by itself
// decomposes into a space and a mark; neither is written.
func foldRune(b *strings.Builder, parts []byte) {
	for _, r := range string(parts) {
		switch plain, ok := unaccented[r]; {
		case ok:
			b.WriteString(plain)
		case !unicode.Is(unicode.Mn, r) && !unicode.IsSpace(r):
			b.WriteRune(r)
		}
	}
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
