// SPDX-License-Identifier: Apache-2.0

package columns

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/publish/link/compare"
)

// fewestForIDs is how many values must all differ before they are taken for record ids.
const fewestForIDs = 50

// supports reports whether the values of a column can be of the kind that its name says.
func (v *values) supports(k compare.Kind) bool {
	cleans := v.share(func(s string) bool { return k.Clean(s) != "" })
	switch k {
	case compare.BirthDate, compare.Phone, compare.Number, compare.FullName:
		return cleans.atLeast(50)
	case compare.Given, compare.Middle, compare.Surname, compare.Place:
		return v.share(mostlyLetters).atLeast(50)
	case compare.Postcode, compare.StreetNumber:
		return v.share(hasDigit).atLeast(50)
	case compare.Email:
		return v.share(func(s string) bool { return strings.Contains(s, "@") }).atLeast(30)
	case compare.Sex:
		return len(v.distinct) <= 20
	}
	return true
}

// guess is a kind or a use that the contents of a column may show.
type guess struct {
	kind  compare.Kind // "" for a column that is not compared
	use   Use
	what  string // in words
	share func(v *values) tally
	least int // percent
}

// guesses are tried in turn; the first that enough values support is taken.
var guesses = []guess{
	{compare.Email, Compared, "e-mail addresses", each(isEmail), 80},
	{compare.BirthDate, Compared, "dates", each(isDate), 90},
	{compare.Sex, Compared, "words or letters for a sex", isSexes, 95},
	{compare.Middle, Compared, "initials", isInitials, 90},
	{"", RecordID, "different numbers or codes", isRecordID, 100},
	{compare.Identifier, Compared, "numbers in the form of a social security number", each(isSocialSecurity), 80},
	{compare.Phone, Compared, "telephone numbers", each(isPhone), 80},
	{"", Ignored, "long texts", each(isLong), 50},
	{compare.Street, Compared, "words for a street", each(compare.HasStreetWord), 40},
	{compare.FullName, Compared, "names of two or more known words", each(isFullName), 50},
	{compare.State, Compared, "names or codes of states", each(compare.IsState), 80},
	{compare.Identifier, Compared, "long numbers or codes of which few repeat", isIdentifiers, 80},
	{compare.BirthYear, Compared, "years", each(isYear), 98},
	{compare.Postcode, Compared, "codes in the form of a postcode", isPostcodes, 80},
	{compare.Place, Compared, "known cities", isPlaces, 40},
	{compare.StreetNumber, Compared, "short numbers of different length", isStreetNumbers, 90},
	{compare.Number, Compared, "numbers", each(func(s string) bool { return compare.Number.Clean(s) != "" }), 90},
}

// byContent decides by the values of a column whose name says nothing, or says something else
// than they do.
func (c *Column) byContent(v *values, m meaning) {
	lead := ""
	if m.kind != "" {
		lead = "the name says " + string(m.kind) + ", but "
	}
	for _, g := range guesses {
		if t := g.share(v); t.atLeast(g.least) {
			c.Use, c.Kind, c.Reason = g.use, g.kind, lead+t.are(g.what)
			return
		}
	}
	c.Kind, c.Reason = compare.Text, lead+"neither the name nor the values say what it is"
	if lead != "" {
		c.Reason = lead + "its values are not"
	}
}

// each makes a share of a condition on single values.
func each(is func(string) bool) func(*values) tally {
	return func(v *values) tally { return v.share(is) }
}

func isEmail(s string) bool {
	user, domain, found := strings.Cut(s, "@")
	return found && user != "" && strings.Contains(domain, ".") && !strings.Contains(s, " ")
}

// isDate reports whether a value is a day. Numbers of six digits or fewer can be anything.
func isDate(s string) bool {
	d := compare.BirthDate.Clean(s)
	return len(s) >= 8 && d != "" && d[6:] != "00" && d[:2] >= "18" && d[:2] <= "20" && d[4:6] <= "12" && d[6:] <= "31"
}

func isSexes(v *values) tally {
	t := v.share(func(s string) bool {
		clean := compare.Sex.Clean(s)
		return (clean == "m" || clean == "f" || clean == "x") && mostlyLetters(s)
	})
	if len(v.distinct) > 12 {
		return tally{of: t.of}
	}
	return t
}

// fewestInitials is how many different letters are taken for initials. Fewer letters are codes.
const fewestInitials = 8

// isInitials counts single letters.
func isInitials(v *values) tally {
	letters := map[string]bool{}
	t := v.share(func(s string) bool {
		letter := strings.ToLower(strings.TrimSuffix(s, "."))
		r, size := utf8.DecodeRuneInString(letter)
		if !unicode.IsLetter(r) || size < len(letter) {
			return false
		}
		letters[letter] = true
		return true
	})
	if len(letters) < fewestInitials {
		t.n = 0
	}
	return t
}

// isRecordID counts single words with digits, if each row has one and none occurs twice.
func isRecordID(v *values) tally {
	if !v.unique || v.filled < v.rows || !v.counting && v.filled < fewestForIDs || v.filled < 2 {
		return tally{of: len(v.sample)}
	}
	return v.share(isCode)
}

// isCode reports whether a value is one word with a digit.
func isCode(s string) bool {
	return hasDigit(s) && !strings.ContainsAny(s, " \t,@/") && len(s) <= 64
}

func isSocialSecurity(s string) bool { return shape(s) == "000-00-0000" }

// isPhone reports whether a value is digits with the marks of telephone numbers between. One
// point alone is that of a decimal.
func isPhone(s string) bool {
	n := digitCount(s)
	return n >= 7 && n <= 15 && !isDecimal(s) && strings.Trim(strings.ToLower(s), "0123456789 +-()./x") == "" && strings.ContainsAny(s, " +-()./")
}

func isDecimal(s string) bool { return strings.Contains(s, ".") && compare.Number.Clean(s) != "" }

func isLong(s string) bool { return len(s) > 120 || len(strings.Fields(s)) > 15 }

// isIdentifiers counts codes of six or more digits, if no value is frequent. Numbers that stand
// for a missing one do not count.
func isIdentifiers(v *values) tally {
	t, distinct, most := tally{}, 0, 0
	for s, n := range v.distinct {
		if compare.Identifier.Clean(s) == "" {
			continue
		}
		t.of += n
		distinct++
		most = max(most, n)
		if isCode(s) && digitCount(s) >= 6 && strings.Count(s, ".") != 1 { // 41.878114 is a measure
			t.n += n
		}
	}
	if most > 3 && 20*most > t.of || 5*distinct < t.of {
		t.n = 0
	}
	return t
}

// isYear reports whether a value is a year in which a living person can be born.
func isYear(s string) bool { return len(s) == 4 && s >= "1880" && s <= "2040" && digitCount(s) == 4 }

// isPostcodes counts the values of the commonest form, if it is the form of a postcode.
func isPostcodes(v *values) tally {
	forms := map[string]int{}
	for s, n := range v.distinct {
		forms[shape(s)] += n
	}
	t := tally{of: len(v.sample)}
	for form, n := range forms {
		switch form {
		case "0000", "00000", "00000-0000", "a0a 0a0", "a0a0a0", "a0 0aa", "a00 0aa", "aa0 0aa", "aa00 0aa", "a0a 0aa", "aa0a 0aa":
			t.n += n
		}
	}
	return t
}

// shape has 0 for a digit and a for a letter.
func shape(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '0'
		case unicode.IsLetter(r):
			return 'a'
		}
		return r
	}, s)
}

// isStreetNumbers counts numbers of up to five digits, if they are too large for ages.
func isStreetNumbers(v *values) tally {
	lengths := map[int]bool{}
	t := v.share(func(s string) bool {
		n := digitCount(s)
		lengths[n] = true
		return n >= 1 && n <= 5 && s[0] >= '1' && s[0] <= '9' && len(s) <= n+2 && !strings.ContainsAny(s, ".,")
	})
	if !lengths[1] || !lengths[2] || !lengths[3] {
		return tally{of: t.of}
	}
	return t
}

func mostlyLetters(s string) bool {
	letters := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.Is(unicode.M, r) {
			letters++
		}
	}
	return 2*letters > utf8.RuneCountInString(s)
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func digitCount(s string) int {
	n := 0
	for _, r := range s {
		if r >= '0' && r <= '9' {
			n++
		}
	}
	return n
}
