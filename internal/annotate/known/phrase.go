// SPDX-License-Identifier: Apache-2.0

package known

import (
	"strings"
	"unicode"
)

// longestPhrase is how many words of a form are compared.
const longestPhrase = 24

// trie holds the written forms of identities, word by word. Nodes are numbers; 0 is the
// root.
type trie struct {
	next map[edge]int32
	ends [][]end // by node
}

// edge leads from a node by a word.
type edge struct{ node, word int32 }

// end is an identity that has a form which ends at a node.
type end struct {
	identity int32
	how      How
	rule     rule
}

// rule is what must be true of the place of a form besides its words.
type rule byte

const (
	capitals rule = iota // common words and initials begin with a capital
	anyCase              // nothing
	titled               // a title stands before it
	inPlace              // capitals, with a comma before it or a number after it: a state
)

func newTrie() trie { return trie{next: map[edge]int32{}, ends: make([][]end, 1)} }

// insert adds a form, unless it is too long or the same was added before.
func (x *Index) insert(words []string, e end) {
	if len(words) == 0 || len(words) > longestPhrase {
		return
	}
	t, node := &x.phrases, int32(0)
	for _, w := range words {
		step := edge{node, x.words.id(w)}
		next, old := t.next[step]
		if !old {
			next = int32(len(t.ends))
			t.next[step] = next
			t.ends = append(t.ends, nil)
		}
		node = next
	}
	for i, other := range t.ends[node] {
		if other.rule == e.rule {
			if rank[e.how] < rank[other.how] {
				t.ends[node][i] = e
			}
			return
		}
	}
	t.ends[node] = append(t.ends[node], e)
}

// phrasesAt finds the forms that begin at a word.
func (r *reader) phrasesAt(at int) { r.walk(0, at, at, false) }

// walk continues forms that begin at word from and have led to a node, with word at.
func (r *reader) walk(node int32, from, at int, typo bool) {
	w := r.words[at]
	for _, id := range [2]int32{w.id, w.address} {
		if id == none {
			continue
		}
		next, ok := r.index.phrases.next[edge{node, id}]
		if !ok {
			continue
		}
		typo := typo || w.typo
		for _, e := range r.index.phrases.ends[next] {
			if r.allows(e.rule, from, at+1) {
				r.add(from, at+1, e, typo)
			}
		}
		if r.followed(at) {
			r.walk(next, from, at+1, typo)
		}
	}
}

func (r *reader) add(from, to int, e end, typo bool) {
	if typo {
		e.how = Typo
	}
	r.all = append(r.all, found{from, to, e.identity, e.how})
}

// allows reports whether a rule holds for words [from, to).
func (r *reader) allows(rule rule, from, to int) bool {
	switch rule {
	case titled:
		return r.words[from].upper && from > 0 && r.followed(from-1) && isTitle(r.surface(from-1))
	case inPlace:
		return isUpper(r.surface(from)) && (r.afterComma(from) || r.beforeNumber(to))
	case capitals:
		return r.capitalized(from, to)
	}
	return true
}

// capitalized reports whether the first and the last of words that are all common or
// initials begin with a capital, and each initial does or has a full stop after it. The name
// of a month beside a number is no other name.
func (r *reader) capitalized(from, to int) bool {
	ordinary, lower := true, false
	for at := from; at < to; at++ {
		w, surface, e := r.words[at], r.surface(at), r.entry(at)
		letter := runes(surface) == 1 && !hasDigit(surface) && (at == from || !r.apostropheBefore(at))
		if letter && !w.upper && !r.stopAfter(at) {
			return false
		}
		ordinary = ordinary && (letter || e.common)
		outer := at == from || at == to-1
		lower = lower || outer && !w.upper && !hasDigit(surface) && !e.small
	}
	return !ordinary || !lower && (to-from > 1 || !r.isMonth(from))
}

// entry is the word of the vocabulary that a word of the text is. Of those that stand in
// addresses only, the words for streets and places are common.
func (r *reader) entry(at int) entry {
	if id := r.words[at].id; id != none {
		return r.index.words.known[id]
	}
	return entry{common: true}
}

func (r *reader) apostropheBefore(at int) bool {
	return strings.HasSuffix(r.text[:r.words[at].start], "'") || strings.HasSuffix(r.text[:r.words[at].start], "’")
}

// isMonth reports whether a word is the name of a month with a number beside it.
func (r *reader) isMonth(at int) bool {
	if !monthWords()[string(r.folded(r.surface(at)))] {
		return false
	}
	return at > 0 && r.dayOf(at-1) > 0 && r.near(at-1) || r.near(at) && hasDigit(r.surface(at+1))
}

func (r *reader) stopAfter(at int) bool {
	end := int(r.words[at].end)
	return end < len(r.text) && r.text[end] == '.'
}

func (r *reader) afterComma(at int) bool {
	return at > 0 && r.followed(at-1) && r.between(at - 1)[0] == ','
}

func (r *reader) beforeNumber(at int) bool {
	return at < len(r.words) && r.followed(at-1) && len(r.surface(at)) >= 5 && hasDigit(r.surface(at))
}

func isUpper(s string) bool {
	for _, c := range s {
		if !unicode.IsUpper(c) {
			return false
		}
	}
	return true
}

// shortest is the number of characters of the shortest word that is found by itself.
const shortest = 3

// addPhrase adds a value that is found as it is written.
func (x *Index) addPhrase(i int32, value string, anyway bool) {
	words := cut(value)
	e := end{identity: i, how: Exact}
	if anyway {
		e.rule = anyCase
	}
	if len(words) == 1 && runes(words[0]) < shortest {
		e.rule = inPlace
		if runes(words[0]) < 2 || hasDigit(words[0]) {
			return
		}
	}
	if len(words) == 1 && isNumber(words[0]) && len(words[0]) < shortestNumber {
		return
	}
	if !anyway {
		words = address(words)
	}
	x.insert(words, e)
	x.insert(withoutTail(words), end{identity: i, how: Part})
}

// tails are words at the end of the name of a hospital that people leave out, abbreviated.
var tails = map[string]bool{"hosp": true, "med": true, "ctr": true, "clinic": true, "regional": true, "general": true, "health": true, "system": true, "inc": true, "llc": true, "gmbh": true}

// withoutTail is the name of a place without the words that say what it is, nil if less than
// two words remain.
func withoutTail(words []string) []string {
	n := len(words)
	for n > 0 && tails[strings.TrimPrefix(words[n-1], addressMark)] {
		n--
	}
	if n < 2 || n == len(words) {
		return nil
	}
	return words[:n]
}
