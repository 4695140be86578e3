// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"slices"
)

// rule tries to find something that begins at, or is announced by, token i.
type rule func(r *reader, i int) (Finding, bool)

// table is all rules, by what the token is that they look at.
var table = struct{ atDigits, atLetters, atMarks []rule }{
	atDigits:  []rule{ipAddress, numericDate, dayMonth, phoneNumber, socialSecurity, usedNumber, numberedStreet, postalCode, ageBeforeWord},
	atLetters: []rule{webAddress, monthDay, weekday, titledName, listedName, listedPlace, fieldName, relation, signature, degreeName, announcedNumber, mixedNumber, announcedPhone, extension, hospital, street, addressField, ageAfterWord},
	atMarks:   []rule{mailAddress, phoneNumber},
}

// Find returns what the rules find, in text order and without overlap. Where two
// findings overlap, the kind that is listed first stays, then the longer one.
func Find(text string) []Finding {
	r := newReader(text)
	var all []Finding
	for i := range r.tokens {
		for _, try := range r.rulesAt(i) {
			if f, ok := try(r, i); ok {
				all = append(all, f)
			}
		}
	}
	return withoutOverlaps(all, len(text))
}

func (r *reader) rulesAt(i int) []rule {
	switch c := r.word(i)[0]; {
	case c >= '0' && c <= '9':
		return table.atDigits
	case c == '@' || c == '(' || c == '+':
		return table.atMarks
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
		return table.atLetters
	}
	return nil
}

// withoutOverlaps drops findings that overlap a better one, and sorts the others by place.
func withoutOverlaps(all []Finding, size int) []Finding {
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank[a.Kind], rank[b.Kind]), cmp.Compare(b.End-b.Start, a.End-a.Start), cmp.Compare(a.Start, b.Start))
	})
	taken := make([]bool, size)
	kept := slices.DeleteFunc(all, func(f Finding) bool {
		place := taken[f.Start:f.End]
		if slices.Contains(place, true) {
			return true
		}
		for i := range place {
			place[i] = true
		}
		return false
	})
	slices.SortFunc(kept, func(a, b Finding) int { return cmp.Compare(a.Start, b.Start) })
	return kept
}

// rank is the place of a kind in the order of kinds.
var rank = func() map[Kind]int {
	r := map[Kind]int{}
	for i, k := range kinds {
		r[k] = i
	}
	return r
}()
