// SPDX-License-Identifier: Apache-2.0

package account

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// MaxName is the greatest number of characters in a name.
const MaxName = 64

// cleanName gives the name as it is kept, or ErrName.
func cleanName(name string) (string, error) {
	if !utf8.ValidString(name) || len(name) > 16*MaxName {
		return "", ErrName
	}
	name = norm.NFC.String(strings.TrimSpace(name))
	n, last := 0, ' '
	for _, r := range name {
		if r != ' ' && !visible(r) || r == ' ' && last == ' ' {
			return "", ErrName
		}
		n, last = n+1, r
	}
	if n == 0 || n > MaxName {
		return "", ErrName
	}
	return name, nil
}

// visible leaves out white space, controls and the invisible characters that turn
// or join text.
func visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != unicode.ReplacementChar
}

// foldName is the same for all names that count as one.
func foldName(name string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(strings.TrimSpace(name))))
}
