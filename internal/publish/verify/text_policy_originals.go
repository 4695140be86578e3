// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkByPolicy checks what a policy and its basis demand of a note and its original. It
// remembers words that [textChecker.checkCollisions] compares.
func (c *textChecker) checkByPolicy(row mappingRow, original string, places []replacedPlace) error {
	if c.policy == nil {
		return nil
	}
	for i, p := range places {
		if p.Action == surrogate {
			c.surrogates = append(c.surrogates, invented{row.ID, i + 1, c.valueKey(p.Label, p.is)})
		}
		c.originals[c.valueKey(p.Label, p.was)] = true
		if p.Action != shift {
			continue
		}
		if err := c.checkShift(row, p); err != nil {
			return fmt.Errorf("redaction %d %w", i+1, err)
		}
	}
	if c.policy.Basis != safeHarbor {
		return nil
	}
	pieces, err := undecided(row, original)
	if err != nil {
		return err
	}
	for i, p := range places {
		if p.unchanged() || !c.identifying(p) {
			continue
		}
		if slices.ContainsFunc(pieces, func(piece string) bool { return standsIn(piece, p.was) }) {
			return fmt.Errorf("the words of redaction %d stand elsewhere in the note, and nobody decided to keep them", i+1)
		}
	}
	return nil
}

// undecided is the text of the original outside of replacements and of places that stay by
// decision.
func undecided(row mappingRow, original string) (pieces []string, err error) {
	type stretch struct{ start, end int }
	var all []stretch
	for _, r := range row.Redactions {
		all = append(all, stretch{r.Start, r.End})
	}
	for _, k := range row.Kept {
		all = append(all, stretch{k.Start, k.End})
	}
	slices.SortFunc(all, func(a, b stretch) int { return a.start - b.start })
	rest, at := original, 0
	for _, s := range all {
		piece, behind, ok := cut(rest, s.start-at)
		_, after, there := cut(behind, s.end-s.start)
		if s.start < at || s.end <= s.start || !ok || !there {
			return nil, fmt.Errorf("its kept places overlap or lie outside")
		}
		pieces, rest, at = append(pieces, piece), after, s.end
	}
	return append(pieces, rest), nil
}

// identifying reports whether the words of a place must not stand elsewhere under Safe
// Harbor: of a type that the rule lists, and with five digits or more, or with two words or
// more that begin with a capital or a digit, one of them of three letters or more. Of dates
// only full ones count. Ages and dropped sentences do not.
func (c *textChecker) identifying(p replacedPlace) bool {
	as := c.as(p.Label)
	switch {
	case letters[as] == "" || as == "AGE" || p.Action == dropSentence:
		return false
	case as == "DATE":
		return isFullDate(p.was)
	}
	digits, words, long := 0, 0, false
	for _, w := range strings.Fields(p.was) {
		n := 0
		for _, r := range w {
			if unicode.IsDigit(r) {
				digits++
			}
			if unicode.IsLetter(r) {
				n++
			}
		}
		long = long || n >= 3
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) || unicode.IsDigit(r) {
			words++
		}
	}
	return digits >= 5 || words >= 2 && long
}

// isFullDate reports whether a date has a day, a month and a year.
func isFullDate(date string) bool {
	day, month, year := false, false, false
	for _, w := range word.FindAllString(strings.ToLower(date), -1) {
		n, err := strconv.Atoi(strings.TrimRight(w, "abcdefghijklmnopqrstuvwxyz")) // 3rd
		day = day || err == nil && 1 <= n && n <= 31
		month, year = month || isMonth(w), year || oneYear.MatchString(w)
	}
	digits, _ := fullDates(date)
	return len(digits) > 0 || day && month && year
}

// invented is a surrogate, and where it stands.
type invented struct {
	note  string
	place int
	key   string
}

// valueKey identifies a value among those of its type, whatever its case and white space. It
// is "" for values that many people share: with fewer than three letters and digits, and
// initials.
func (c *textChecker) valueKey(label, value string) string {
	n, initials := 0, true
	for _, r := range value {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
			initials = initials && unicode.IsUpper(r)
		}
	}
	as := c.as(label)
	if as == "DOCTOR" {
		as = "PATIENT" // names of people
	}
	if n < 3 || n == 3 && initials && as == "PATIENT" {
		return ""
	}
	return as + "\n" + strings.ToLower(strings.Join(strings.Fields(value), " "))
}

// checkCollisions refuses a surrogate that is the real value of somebody in the release.
func (c *textChecker) checkCollisions() {
	for _, s := range c.surrogates {
		if s.key != "" && c.originals[s.key] {
			c.Add(path.Join(notesFolder, s.note+".txt"), "the surrogate at redaction %d is a real value in the originals", s.place)
		}
	}
}
