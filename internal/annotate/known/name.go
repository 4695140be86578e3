// SPDX-License-Identifier: Apache-2.0

package known

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"hide/internal/annotate/dictionary"
)

func setOf(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for _, term := range dictionary.Terms(list) {
			set[dictionary.Fold(strings.TrimSuffix(term, "'"))] = true
		}
	}
	return set
}

var (
	titles      = sync.OnceValue(func() map[string]bool { return setOf("titles") })
	credentials = sync.OnceValue(func() map[string]bool { return setOf("credentials") })
	particles   = sync.OnceValue(func() map[string]bool { return setOf("particles") })
)

func isTitle(surface string) bool { return titles()[dictionary.Fold(surface)] }

// piece is one word of a name as it is separated by blanks, cut at hyphens and apostrophes.
type piece []string

// initial is the first letter.
func (p piece) initial() []string {
	_, size := utf8.DecodeRuneInString(p[0])
	return []string{p[0][:size]}
}

// joined is the word without hyphens and apostrophes.
func (p piece) joined() string { return strings.Join(p, "") }

// personName is a name cut into its pieces.
type personName struct{ given, middle, family []piece }

// addName adds the forms of "Given Middle Family" or "Family, Given Middle".
func (x *Index) addName(i int32, value string) {
	n := readName(value)
	if len(n.family) == 0 {
		return
	}
	for _, g := range firsts(n.given) {
		for _, f := range lasts(n.family) {
			for _, m := range middles(n.middle) {
				how := Part
				if g.whole && f.whole {
					how = Exact
				}
				e := end{identity: i, how: how}
				x.insert(slices.Concat(g.words, m, f.words), e)
				x.insert(slices.Concat(f.words, g.words, m), e)
			}
		}
	}
	x.addParts(i, n)
}

// readName cuts a name into its pieces. Titles before it and credentials after it belong to
// no name.
func readName(value string) personName {
	if family, given, ok := strings.Cut(value, ","); ok && !isCredential(cut(given)) {
		g, f := pieces(given), pieces(family)
		return named(append(g, f...), len(f))
	} else if ok {
		value = family
	}
	all := pieces(value)
	for len(all) > 1 && len(all[0]) == 1 && titles()[all[0][0]] {
		all = all[1:]
	}
	for len(all) > 1 && isCredential(all[len(all)-1]) {
		all = all[:len(all)-1]
	}
	family := min(1, len(all))
	for family > 0 && len(all) > family+1 && particles()[all[len(all)-family-1].joined()] {
		family++
	}
	return named(all, family)
}

// isCredential reports whether words are credentials only.
func isCredential(words []string) bool {
	for _, w := range words {
		if !credentials()[w] {
			return false
		}
	}
	return len(words) > 0
}

// named splits pieces of which the last ones are the family name.
func named(all []piece, family int) personName {
	n := personName{family: all[len(all)-family:]}
	if rest := all[:len(all)-family]; len(rest) > 0 {
		n.given, n.middle = rest[:1], rest[1:]
	}
	return n
}

func pieces(value string) (all []piece) {
	for _, field := range strings.Fields(value) {
		if words := cut(field); len(words) > 0 {
			all = append(all, words)
		}
	}
	return all
}

// variant is a way to write one part of a name.
type variant struct {
	words []string
	whole bool
}

// firsts are the ways to write a given name beside the family name.
func firsts(given []piece) []variant {
	if len(given) == 0 {
		return []variant{{nil, true}}
	}
	g := given[0]
	out := []variant{{g, true}, {g.initial(), false}}
	if len(g) > 1 {
		out = append(out, variant{[]string{g.joined()}, true}, variant{g[:1], false})
	}
	return out
}

// lasts are the ways to write a family name beside the given name.
func lasts(family []piece) []variant {
	var whole, joined []string
	for _, f := range family {
		whole, joined = append(whole, f...), append(joined, f.joined())
	}
	out := []variant{{whole, true}, {joined, true}}
	if len(whole) > 1 {
		for _, w := range whole {
			if !particles()[w] && runes(w) >= shortest {
				out = append(out, variant{[]string{w}, false})
			}
		}
	}
	return out
}

// middles are the ways to write middle names: none, all, the initials.
func middles(middle []piece) [][]string {
	if len(middle) == 0 {
		return [][]string{nil}
	}
	var all, initials []string
	for _, m := range middle {
		all, initials = append(all, m...), append(initials, m.initial()...)
	}
	return [][]string{nil, all, initials, initials[:1]}
}

// addParts adds each part of a name by itself.
func (x *Index) addParts(i int32, n personName) {
	part := end{identity: i, how: Part}
	if len(n.family) > 1 {
		x.insert(slices.Concat(n.family...), part)
	}
	for _, group := range [][]piece{n.given, n.middle, n.family} {
		for _, p := range group {
			if len(p) > 1 {
				x.insert(p, part)
			}
			x.addPart(i, p.joined())
			for _, w := range p {
				x.addPart(i, w)
			}
		}
	}
}

func (x *Index) addPart(i int32, w string) {
	if hasDigit(w) || particles()[w] || titles()[w] || credentials()[w] {
		return
	}
	e := end{identity: i, how: Part}
	switch n := runes(w); {
	case n < 2:
		return
	case n < shortest:
		e.rule = titled // Dr. Wu
	}
	x.insert([]string{w}, e)
	x.words.known[x.words.id(w)].named = true
}
