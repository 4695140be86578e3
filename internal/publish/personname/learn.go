// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"slices"
	"strings"
)

// learn adds what another mention of the person says: full words for initials and for what
// is missing, the second family name, the given name for its short form, and the name of the
// lists for a slip.
func (f *facts) learn(g facts) {
	if f.gender == Unknown {
		f.gender = g.gender
	}
	f.kin = f.kin || g.kin
	if f.suffix == "" {
		f.suffix = g.suffix
	}
	if g.unsure {
		return
	}
	if f.unsure {
		f.given, f.middle, f.family, f.glued, f.unsure, f.lastLetter = g.given, g.middle, g.family, g.glued, false, g.lastLetter
	}
	f.learnGiven(g)
	f.learnFamily(g)
	if more := len(strings.Fields(g.middle)) - len(strings.Fields(f.middle)); more > 0 || more == 0 && !hasFull(f.middle) {
		f.middle = g.middle
	}
}

func (f *facts) learnGiven(g facts) {
	if f.nick == "" {
		f.nick = g.nick
	}
	switch {
	case g.given == "":
	case matchGiven(f.given, g.given) == typo:
		if lists().given[g.given] {
			f.given = g.given
		}
	case !hasFull(f.given), strings.HasPrefix(g.given, f.given+"-"):
		f.given = g.given
	case slices.Contains(lists().full[f.given], g.given):
		f.nick, f.given = f.given, g.given
	}
}

func (f *facts) learnFamily(g facts) {
	x, y := strings.Fields(f.family), strings.Fields(g.family)
	if len(y) == 0 || g.lastLetter {
		return
	}
	middle := strings.Fields(f.middle)
	switch {
	case matchFamily(*f, g) == typo:
		if !areKnown(x) && areKnown(y) {
			f.family, f.glued = g.family, g.glued
		}
	case len(middle) > 0 && hasFull(g.family) && middle[len(middle)-1] == y[0] && matchFamily(*f, g) == differ:
		*f = f.withMiddle() // "Anna Bujons" tells that Bujons is a family name of Anna Bujons Tur
		f.middle = strings.Join(middle[:len(middle)-1], " ")
	case len(x) == 0, !hasFull(f.family) && hasFull(g.family), len(y) > len(x) && hasFull(g.family):
		f.family, f.glued, f.lastLetter = g.family, g.glued, false
	}
}

// areKnown reports whether all words are family names of the lists.
func areKnown(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !lists().surnames[w] })
}
