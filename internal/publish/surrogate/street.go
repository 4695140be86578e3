// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"math/rand/v2"
	"slices"
	"strings"

	"hide/internal/annotate/dictionary"
)

// streetEnds are the endings of German streets, longest first.
var streetEnds = []string{"straße", "strasse", "strase", "gasse", "allee", "platz", "damm", "ufer", "markt", "str", "weg", "ring"}

// stem is a name without the ending that gives the type of a street.
func stem(kind Kind, text string) string {
	if kind != Street {
		return text
	}
	for _, end := range streetEnds {
		if before, found := cutEnd(text, end); found && len(before) > 2 && !strings.HasSuffix(before, " ") {
			return before
		}
	}
	return text
}

func cutEnd(s, end string) (string, bool) {
	if len(s) < len(end) || !strings.EqualFold(s[len(s)-len(end):], end) {
		return s, false
	}
	return s[:len(s)-len(end)], true
}

// streetLocale is the language of a street, by the word for its type: that of the release, if
// it has the word.
func streetLocale(text string, usual Locale) Locale {
	for _, loc := range append([]Locale{usual}, Locales()...) {
		types := books().lists["street-types."+string(loc)]
		for _, t := range tokens(text) {
			if t.word && (slices.Contains(types, dictionary.Fold(t.text)) || loc == De && stem(Street, t.text) != t.text) {
				return loc
			}
		}
	}
	return usual
}

// street replaces the numbers, letters and names of an address and keeps the words for the
// types, the punctuation and the order: "12 Elm Street, Apt 3" becomes "48 Alder Street, Apt 7".
func (p *Patient) street(_ Kind, text string, draw int) (string, error) {
	loc := streetLocale(text, p.maker.o.Locale)
	var b strings.Builder
	named := false
	for _, q := range withArticles(pieces(Street, text)) {
		s, err := q.text, error(nil)
		switch q.role {
		case core:
			s, err = p.streetName(q.text, loc, draw)
			named = true
		case number:
			s, err = p.small(Street, q.text, draw)
			named = true
		}
		if err != nil {
			return "", err
		}
		b.WriteString(s)
	}
	if !named {
		return p.addName(Street, text, draw)
	}
	return b.String(), nil
}

// withArticles makes one piece of a name and the small words in front of it: "de la Castellana".
func withArticles(in []piece) []piece {
	var out []piece
	for _, q := range in {
		for n := len(out); q.role == core && n >= 2 && out[n-1].role == between && out[n-2].role == joint; n = len(out) {
			q.text = out[n-2].text + out[n-1].text + q.text
			out = out[:n-2]
		}
		out = append(out, q)
	}
	return out
}

// article cuts the small words in front of a name.
func article(text string) (small, name string) {
	name = text
	for {
		word, rest, found := strings.Cut(name, " ")
		if !found || joins[dictionary.Fold(word)] != '-' {
			return text[:len(text)-len(name)], name
		}
		name = rest
	}
}

// streetName replaces the name of a street. It has an article if the original has one.
func (p *Patient) streetName(text string, loc Locale, draw int) (string, error) {
	small, name := article(text)
	before := stem(Street, name)
	s, err := p.assign(wish{
		kind: Street, part: "street", canonical: squash(before), draw: draw, tries: 2 * nameTries,
		candidate: func(r *rand.Rand, try int) string { return streetCandidate(r, loc, before, name, try) },
		usable:    func(s string) bool { return !shares(s, before) },
	})
	if err != nil {
		return "", err
	}
	invented, bare := article(s)
	switch {
	case small == "" || startsUpper(small) && strings.ToUpper(text) != text:
		invented = ""
	case invented == "" && (loc == Es || loc == Fr):
		invented = "de "
	case invented == "":
		invented = small
	}
	return likeCase(small, invented) + likeCase(before, bare) + name[len(before):], nil
}

// streetCandidate draws from the list, then composes. Names of the lists of Spanish and French
// streets have their article. Those of German ones need an ending, so a name without one is
// composed: "Berliner Straße" becomes "Lindenhofer Straße".
func streetCandidate(r *rand.Rand, loc Locale, before, name string, try int) string {
	switch s := composed(r, loc); {
	case loc == De && before == name && strings.HasSuffix(name, "er"):
		return s + "er"
	case loc == De && before == name, try >= nameTries, r.IntN(3) == 0:
		return s
	case strings.Contains(before, " ") && r.IntN(2) == 0:
		return nameLike(r, loc, before) // "Patricio Andrade"
	}
	return pick(r, list("streets", loc))
}
