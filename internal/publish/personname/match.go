// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"slices"
	"strings"
)

// relation says how two names, or two parts of names, fit. Greater is better.
type relation int

const (
	differ  relation = iota - 1 // they contradict each other
	silent                      // one of them is missing
	initial                     // an initial fits
	typo                        // they differ by one slip of the keyboard
	part                        // one is a part or a short form of the other
	equal
)

// match is the relation of two mentions. It is silent if nothing contradicts and nothing
// says that they are one person either.
func match(a, b facts) relation {
	if haveFarFamilies(&a, &b) {
		return differ
	}
	best := differ
	for _, x := range readings(a) {
		for _, y := range readings(b) {
			best = max(best, matchRead(x, y))
		}
	}
	return best
}

// haveFarFamilies reports whether two family names of one word differ at their start and at
// their end, which no slip explains. Most pairs of a long list of names do; it saves their
// comparison.
func haveFarFamilies(a, b *facts) bool {
	return a.hasOneFamily() && b.hasOneFamily() && a.family[0] != b.family[0] && a.family[len(a.family)-1] != b.family[len(b.family)-1]
}

// hasOneFamily reports whether the family name is one word for sure.
func (f *facts) hasOneFamily() bool {
	return !f.unsure && !f.lastLetter && len(f.middle) <= 1 && f.family != "" && f.glued == f.family
}

// readings are the ways to read a mention: one word can be a given or a family name.
func readings(f facts) []facts {
	switch {
	case f.unsure && f.family == "":
		other := f
		other.asFamily()
		return []facts{f, other}
	case f.unsure:
		other := f
		other.given, other.family, other.glued = f.glued, "", ""
		return []facts{f, other}
	case f.lastLetter:
		other := f
		other.middle, other.family, other.glued = f.family, "", ""
		return []facts{f, other}
	case f.middle != "" && !hasFull(f.given+" "+f.middle+" "+f.family): // M.G.L. can be two family names
		other := f
		other.middle, other.family = "", f.middle+" "+f.family
		return []facts{f, other}
	}
	return []facts{f}
}

func matchRead(a, b facts) relation {
	given, family := matchGivens(a, b), matchFamilies(a, b)
	middle := matchMiddles(a.middle, b.middle)
	switch {
	case given == differ, family == differ, middle == differ:
		return differ
	case a.suffix != "" && b.suffix != "" && a.suffix != b.suffix:
		return differ
	case gendersDiffer(a, b):
		return differ
	case given == typo && family == silent:
		return silent
	case given == typo && family != equal, family == typo && given != equal && given != part && given != silent:
		return differ
	case family >= typo:
		return family
	case family == initial && given != silent:
		return min(given, part)
	case family == silent && given >= typo:
		return given
	}
	return silent
}

// gendersDiffer compares what titles, kinship and given names say.
func gendersDiffer(a, b facts) bool {
	x, y := a.knownGender(), b.knownGender()
	return x != Unknown && y != Unknown && x != y
}

func (f *facts) knownGender() Gender {
	if f.gender != Unknown {
		return f.gender
	}
	return GenderOf(f.given)
}

func matchGivens(a, b facts) relation {
	best := matchGiven(a.given, b.given)
	for _, pair := range [][2]string{{a.nick, b.given}, {a.given, b.nick}} {
		if pair[0] != "" && pair[1] != "" && matchGiven(pair[0], pair[1]) >= part {
			best = max(best, part)
		}
	}
	if best == differ { // MaryKay and Mary Kay
		x, y := a.given+strings.ReplaceAll(a.middle, " ", ""), b.given+strings.ReplaceAll(b.middle, " ", "")
		if strings.ReplaceAll(x, "-", "") == strings.ReplaceAll(y, "-", "") {
			return part
		}
	}
	return best
}

// matchGiven compares two given names.
func matchGiven(a, b string) relation {
	switch {
	case a == "" || b == "":
		return silent
	case a == b || strings.ReplaceAll(a, "-", "") == strings.ReplaceAll(b, "-", ""):
		return equal
	case countLetters(a) == 1 || countLetters(b) == 1:
		return matchInitial(a, b)
	case strings.HasPrefix(a, b+"-") || strings.HasPrefix(b, a+"-") || shareNickname(a, b):
		return part
	case isTypo(a, b, lists().given):
		return typo
	}
	return differ
}

// matchInitial compares two words of which at least one is a letter.
func matchInitial(a, b string) relation {
	x, y := []rune(a), []rune(b)
	if len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		return initial
	}
	return differ
}

// shareNickname reports whether two names are forms of one given name.
func shareNickname(a, b string) bool {
	l := lists()
	x, y := append([]string{a}, l.full[a]...), append([]string{b}, l.full[b]...)
	return slices.ContainsFunc(x, func(s string) bool { return slices.Contains(y, s) })
}

// matchMiddles compares as many middle names as both have.
func matchMiddles(a, b string) relation {
	x, y := strings.Fields(a), strings.Fields(b)
	worst := silent
	for i := range min(len(x), len(y)) {
		if matchGiven(x[i], y[i]) == differ {
			worst = differ
		}
	}
	return worst
}

// matchFamilies compares two family names. The last middle name of one may be the first
// family name of the other.
func matchFamilies(a, b facts) relation {
	r := matchFamily(a, b)
	switch {
	case r != differ:
	case b.middle == "" && a.hasFamilyInMiddle(b.given != ""):
		return min(matchFamily(a.withMiddle(), b), part)
	case a.middle == "" && b.hasFamilyInMiddle(a.given != ""):
		return min(matchFamily(a, b.withMiddle()), part)
	}
	return r
}

// hasFamilyInMiddle reports whether the last middle name may be a family name. Beside a
// mention without a given name it must not be a given name of the lists.
func (f *facts) hasFamilyInMiddle(anyName bool) bool {
	middle := strings.Fields(f.middle)
	return len(middle) > 0 && (anyName || !lists().given[middle[len(middle)-1]])
}

// withMiddle makes the last full middle name a family name.
func (f facts) withMiddle() facts {
	middle := strings.Fields(f.middle)
	if n := len(middle); n > 0 && countLetters(middle[n-1]) > 1 {
		f.family, f.glued = middle[n-1]+" "+f.family, middle[n-1]+f.glued
	}
	return f
}

func matchFamily(a, b facts) relation {
	x, y := strings.Fields(a.family), strings.Fields(b.family)
	switch {
	case len(x) == 0 || len(y) == 0:
		return silent
	case a.glued == b.glued || a.family == b.family:
		return equal
	case !hasFull(a.family) || !hasFull(b.family):
		return matchFamilyInitials(x, y)
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) < len(y) {
		if slices.Equal(x, y[:len(x)]) || slices.Equal(x, y[len(y)-len(x):]) {
			return part
		}
		return differ
	}
	return matchTypo(x, y)
}

// matchTypo allows a slip in one of the words.
func matchTypo(x, y []string) relation {
	slips := 0
	for i := range x {
		switch {
		case x[i] == y[i]:
		case isTypo(x[i], y[i], lists().surnames):
			slips++
		default:
			return differ
		}
	}
	if slips > 1 {
		return differ
	}
	return typo
}

// matchFamilyInitials compares initials with the first words of a family name, or with the
// last one.
func matchFamilyInitials(x, y []string) relation {
	if hasFull(strings.Join(x, " ")) {
		x, y = y, x
	}
	if len(x) == 1 && matchInitial(x[0], y[len(y)-1]) == initial {
		return initial
	}
	if len(x) > len(y) {
		x = x[:len(y)]
	}
	for i := range x {
		if matchInitial(x[i], y[i]) != initial {
			return differ
		}
	}
	return initial
}
