// SPDX-License-Identifier: Apache-2.0

package value

import (
	_ "embed"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Errors of postal codes.
var (
	ErrNotZIP     = errors.New("not a ZIP code")                   // not five or nine digits
	ErrForeignZIP = errors.New("a postal code of another country") // by its form
)

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
//
// The rule is for the United States. ErrForeignZIP is returned for the forms of other countries,
// such as "SW1A 1AA" and "D-68159". Five digits alone can be of another country too: the caller
// must know where the note comes from, unless [IsUSZIP] tells it.
func ZIP3(text string) (string, error) {
	code, _, err := readZIP(text)
	switch {
	case err != nil:
		return "", err
	case !zip3Kept()[code[:3]]:
		return NoZIP, nil
	}
	return code[:3], nil
}

// IsUSZIP reports whether the text alone shows a ZIP code of the United States: a state stands
// before it, or four digits behind it.
func IsUSZIP(text string) bool {
	_, sure, err := readZIP(text)
	return err == nil && sure
}

// readZIP reads the first five digits of a ZIP code. sure is the answer of IsUSZIP.
func readZIP(text string) (five string, sure bool, err error) {
	code := strings.TrimSpace(text)
	if isForeignZIP(code) {
		return "", false, ErrForeignZIP
	}
	if name, rest, ok := strings.Cut(code, " "); ok {
		if state, ok := StateNamed(strings.TrimSuffix(name, ",")); ok && state.American() {
			code, sure = strings.TrimSpace(rest), true
		}
	}
	five, four, nine := code, "", len(code) > 5
	if nine {
		five, four = code[:5], strings.TrimLeftFunc(code[5:], func(r rune) bool { return r == '-' || r == '–' || unicode.IsSpace(r) })
	}
	if !isDigits(five, 5) || nine && !isDigits(four, 4) {
		return "", false, ErrNotZIP
	}
	return five, sure || nine, nil
}

// foreignZIPs are forms that no ZIP code of the United States has. Forms of four and six digits
// are not among them: such a number can be a ZIP code with a slip.
var foreignZIPs = []*regexp.Regexp{
	regexp.MustCompile(`^[A-Z]{1,2}[0-9][0-9A-Z]?\s*[0-9][A-Z]{2}$`),            // United Kingdom, SW1A 1AA
	regexp.MustCompile(`^[A-Z][0-9][A-Z][\s-]*[0-9][A-Z][0-9]$`),                // Canada, K1A 0B1
	regexp.MustCompile(`^[A-Z][0-9][0-9W]\s*[0-9A-Z]{4}$`),                      // Ireland, D02 X285
	regexp.MustCompile(`^[0-9]{4}\s*[A-Z]{2}$`),                                 // Netherlands, 1012 AB
	regexp.MustCompile(`^[0-9]{4}-[0-9]{3}$`),                                   // Portugal, 1000-001
	regexp.MustCompile(`^[0-9]{5}-[0-9]{3}$`),                                   // Brazil, 01310-100
	regexp.MustCompile(`^[0-9]{2}-[0-9]{3}$`),                                   // Poland, 00-001
	regexp.MustCompile(`^[0-9]{3} [0-9]{2}$`),                                   // Sweden, Czechia, Greece, 114 55
	regexp.MustCompile(`^[0-9]{3}-[0-9]{4}$`),                                   // Japan, 100-0001
	regexp.MustCompile(`^(?:A|B|CH|D|DK|E|ES|F|FR|I|IT|L|NL|P|PT)\s*-\s*[0-9]`), // a country and a hyphen, D-68159
	regexp.MustCompile(`^DE\s*-?\s*(?:[02-9]|1[0-8])[0-9]{3}`),                  // Germany; codes of Delaware begin with 19
}

func isForeignZIP(code string) bool {
	code = strings.ToUpper(code)
	return slices.ContainsFunc(foreignZIPs, func(form *regexp.Regexp) bool { return form.MatchString(code) })
}

// isDigits reports whether a text is this many ASCII digits.
func isDigits(s string, size int) bool {
	return len(s) == size && strings.Trim(s, "0123456789") == ""
}
