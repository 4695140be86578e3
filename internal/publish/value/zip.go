// SPDX-License-Identifier: Apache-2.0

package value

import (
	_ "embed"
	"errors"
	"strings"
	"sync"
	"unicode"
)

// ErrNotZIP is returned for a text that is not a ZIP code of five or nine digits.
var ErrNotZIP = errors.New("not a ZIP code")

// NoZIP is what Safe Harbor writes for areas with 20,000 people or fewer.
const NoZIP = "000"

//go:embed zip3.txt
var zip3File string

// zip3Kept are the prefixes whose areas have more than 20,000 people.
var zip3Kept = sync.OnceValue(func() map[string]bool {
	kept := map[string]bool{}
	for line := range strings.Lines(zip3File) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for p := range strings.FieldsSeq(line) {
			kept[p] = true
		}
	}
	return kept
})

// ZIP3 is the part of a ZIP code that Safe Harbor allows, 45 CFR 164.514(b)(2)(i)(B): its
// first three digits, "10001" as "100", if more than 20,000 people live in the area of all ZIP
// codes that start so, and "000" if not. A prefix that the census does not know, such as the
// military 090, is "000". The text may have a state before the code, "NH 03601-1234".
func ZIP3(text string) (string, error) {
	code := strings.TrimSpace(text)
	if state, rest, ok := strings.Cut(code, " "); ok && isState(strings.TrimSuffix(state, ",")) {
		code = strings.TrimSpace(rest)
	}
	five, four, nine := code, "", len(code) > 5
	if nine {
		five, four = code[:5], strings.TrimLeftFunc(code[5:], func(r rune) bool { return r == '-' || r == '–' || unicode.IsSpace(r) })
	}
	if !isDigits(five, 5) || nine && !isDigits(four, 4) {
		return "", ErrNotZIP
	}
	if !zip3Kept()[five[:3]] {
		return NoZIP, nil
	}
	return five[:3], nil
}

// isDigits reports whether a text is this many ASCII digits.
func isDigits(s string, size int) bool {
	return len(s) == size && strings.Trim(s, "0123456789") == ""
}
