// SPDX-License-Identifier: Apache-2.0

package project

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"hide/internal/annotate/format"
)

// Confirms reports whether a person has typed the name of what they want to remove. Names
// that look the same are the same: case, blanks at the ends, decomposed letters and invisible
// characters do not count, because keyboards cannot type them as they are stored.
func Confirms(name, typed string) bool {
	return format.SameName(Typable(name)) == format.SameName(Typable(typed))
}

// Typable is a name as a keyboard can type it: with composed letters (NFC), without invisible
// characters, and with one blank between words. A name without any visible character stays
// as it is, so that nothing typed never confirms it.
func Typable(name string) string {
	visible := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Cc):
			return -1
		}
		return r
	}, name)
	if typable := strings.Join(strings.Fields(norm.NFC.String(visible)), " "); typable != "" {
		return typable
	}
	return name
}
