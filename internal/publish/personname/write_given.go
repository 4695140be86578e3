// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// resolve corrects the roles of pieces by what is known of the real person. The order of
// words alone does not tell the given name from the family name.
func (w *writer) resolve() {
	given, middle, family := nameWords(w.real.Given), nameWords(w.real.Middle), nameWords(w.real.Family)
	nick := nameWords(w.real.Nick)
	w.rejoin(slices.Concat(given, middle, family, nick))
	w.resolveLetters(len(middle), len(family))
	w.joinGiven()
	for i := range w.name.Pieces {
		p := &w.name.Pieces[i]
		if p.Initial {
			w.resolveInitial(p)
			continue
		}
		words := nameWords(p.fold)
		switch {
		case len(words) == 0 || p.Role == Particle:
		case isSubset(words, family) && p.Role == Family:
		case isSubset(words, given) || isSubset(words, nick):
			if p.Role != Nick && !(p.Role == Family && isSubset(words, family)) {
				p.Role = Given
			}
		case isSubset(words, middle):
			p.Role = Middle
		case isSubset(words, family):
			p.Role = Family
		case p.Unsure && p.Role == Given && w.real.Given == "":
			p.Role = Family
		case p.Unsure && p.Role == Given && w.real.Family != "" && matchGiven(p.fold, foldWord(w.real.Given)) == differ:
			p.Role = Family
		case p.Unsure && p.Role == Family && w.real.Given != "" && matchGiven(p.fold, foldWord(w.real.Given)) >= typo:
			p.Role = Given
		}
	}
}

// rejoin makes one word of letters that were taken for initials, where the real person has that
// word as a name: "LOW, ANN" of Ann Low.
func (w *writer) rejoin(names []string) {
	pieces := w.name.Pieces
	for i := 0; i < len(pieces); i++ {
		n, fold := 1, pieces[i].fold
		for i+n < len(pieces) && pieces[i+n].Start == pieces[i+n-1].End {
			fold += pieces[i+n].fold
			n++
		}
		if n == 1 || !slices.Contains(names, fold) {
			continue
		}
		p := pieces[i]
		p.End, p.fold, p.Initial, p.Unsure = pieces[i+n-1].End, fold, false, false
		pieces = slices.Replace(pieces, i, i+n, p)
	}
	w.name.Pieces = pieces
}

// joinGiven makes one piece of the words "Karl Heinz" of Karl-Heinz.
func (w *writer) joinGiven() {
	parts := nameWords(w.real.Given)
	n, pieces := len(parts), w.name.Pieces
	isPart := func(p Piece, part string) bool {
		return p.fold == part && (p.Role == Given || p.Role == Middle || p.Role == Family)
	}
	for i := 0; n > 1 && i+n <= len(pieces); i++ {
		if slices.EqualFunc(pieces[i:i+n], parts, isPart) {
			p := pieces[i]
			p.End, p.fold, p.Role = pieces[i+n-1].End, strings.Join(parts, "-"), Given
			w.name.Pieces = slices.Replace(pieces, i, i+n, p)
			return
		}
	}
}

// resolveLetters reads "M.G.L." as the initials of two family names, if the real person has
// two and no middle name.
func (w *writer) resolveLetters(middle, family int) {
	pieces := w.name.Pieces
	if middle > 0 || family < 2 || len(pieces) != 1+family {
		return
	}
	for _, p := range pieces {
		if !p.Initial {
			return
		}
	}
	for i := range pieces[1:] {
		pieces[1+i].Role = Family
	}
}

// resolveInitial decides about a letter that stands alone.
func (w *writer) resolveInitial(p *Piece) {
	if !p.Unsure {
		return
	}
	fits := func(name string) bool {
		return slices.ContainsFunc(nameWords(name), func(s string) bool { return matchInitial(s, p.fold) == initial })
	}
	switch {
	case len(w.name.Pieces) > 1 && fits(w.real.Family):
		p.Role = Family
	case len(w.name.Pieces) > 1 && fits(w.real.Middle):
		p.Role = Middle
	case fits(w.real.Family) && !fits(w.real.Given):
		p.Role = Family
	}
}

func isSubset(words, of []string) bool {
	for _, w := range words {
		if !slices.Contains(of, w) {
			return false
		}
	}
	return true
}

// givenFor is the invented given name for a slot. An invented person without one has the
// family name instead, if the mention has no place for it.
func (w *writer) givenFor(s slot) string {
	given := w.invented.Given
	if given == "" {
		if w.name.has(Family, len(w.name.Pieces)) {
			return ""
		}
		return familyWithoutParticles(w.invented.Family)
	}
	realGiven := foldWord(w.real.Given)
	short := slices.Contains(lists().full[s.fold], realGiven) || s.fold == foldWord(w.real.Nick)
	switch {
	case s.Initial:
	case isAbbreviation(s):
		r, _ := utf8.DecodeRuneInString(given)
		given = strings.TrimSuffix(string(r)+".", s.tail)
	case short && s.fold != realGiven:
		given = w.nick()
	case strings.HasPrefix(realGiven, s.fold+"-"):
		given, _, _ = strings.Cut(given, "-")
	case strings.Contains(s.text, " "):
		given = strings.ReplaceAll(given, "-", " ")
	}
	return plainLike(s.text, w.real.Given, given)
}

func isAbbreviation(s slot) bool {
	always, ok := abbreviations[s.fold]
	return always || ok && strings.HasPrefix(s.tail, ".")
}

// nick is the invented short form, or the given name if there is none.
func (w *writer) nick() string {
	if w.invented.Nick != "" {
		return w.invented.Nick
	}
	if short := lists().short[foldWord(w.invented.Given)]; len(short) > 0 {
		return short[0]
	}
	return w.invented.Given
}

// middleFor is the invented middle name for the nth middle name of a mention, "" if there
// are fewer.
func (w *writer) middleFor(s slot, n int) string {
	middles := strings.Fields(w.invented.Middle)
	if _, second, found := strings.Cut(w.invented.Given, "-"); found && s.Initial && strings.Contains(w.real.Given, "-") {
		middles = append([]string{second}, middles...) // "J.-P."
	}
	if n >= len(middles) {
		return ""
	}
	return plainLike(s.text, w.real.Middle, strings.TrimSuffix(middles[n], "."))
}

// genderedTitles counts the titles that show a gender.
func (w *writer) genderedTitles() int {
	n := 0
	for _, p := range w.name.Pieces {
		if p.Role == Title && otherTitles[strings.ToLower(w.name.Of(p))] != "" {
			n++
		}
	}
	return n
}

// otherGender is the title for a person of the gender, in the capitals of the title before.
func otherGender(title string, g Gender) string {
	shows, ok := titleGenders[foldWord(title)]
	other := otherTitles[strings.ToLower(title)]
	if !ok || other == "" || g == Unknown || shows == g {
		return title
	}
	switch {
	case isLower(title):
		return other
	case isUpper(title) && countLetters(title) > 1:
		return strings.ToUpper(other)
	}
	r, size := utf8.DecodeRuneInString(other)
	return strings.ToUpper(string(r)) + other[size:]
}
