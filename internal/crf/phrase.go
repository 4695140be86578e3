// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate/dictionary"
)

// match is a phrase of one list that covers a token.
type match struct {
	list        uint16
	place, size uint8 // of the token in the phrase, and the phrase's length; up to 3 and 5
}

// finder is the state of searching phrases in one document.
type finder struct {
	matches [][]match // by token
	free    []int     // by list: the first token after its last match
	longest []int     // by list: length of the longest phrase that starts at a token
	found   []uint16  // lists whose longest is not 0
}

// find fills in f.matches. In each list matches are taken from the left, the longest
// first, without overlap.
func (g *gazetteer) find(words []int32, f *finder) {
	f.matches = slices.Grow(f.matches[:0], len(words))[:len(words)]
	for i := range f.matches {
		f.matches[i] = f.matches[i][:0]
	}
	f.free, f.longest = resized(f.free, len(g.names)), resized(f.longest, len(g.names))
	for t, word := range words {
		if word < 0 {
			continue
		}
		if g.first[word] == 0 {
			f.single(t, g.sets[g.alone[word]])
			continue
		}
		g.walk(words[t:], f)
		slices.Sort(f.found)
		for _, list := range f.found {
			n := f.longest[list]
			f.longest[list] = 0
			if t < f.free[list] {
				continue
			}
			f.free[list] = t + n
			for i := range n {
				f.matches[t+i] = append(f.matches[t+i], match{list, uint8(min(i, 3)), uint8(min(n, 5))})
			}
		}
	}
}

// single adds the phrases of a word that no longer phrase begins with.
func (f *finder) single(t int, lists []uint16) {
	for _, list := range lists {
		if t >= f.free[list] {
			f.free[list] = t + 1
			f.matches[t] = append(f.matches[t], match{list, 0, 1})
		}
	}
}

func resized(s []int, n int) []int {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// walk finds, per list, the longest phrase at the start of words.
func (g *gazetteer) walk(words []int32, f *finder) {
	f.found = f.found[:0]
	f.take(g.sets[g.alone[words[0]]], 1)
	node := g.first[words[0]]
	for n := 1; node != 0 && n < len(words); n++ {
		if node = g.next[branch{node, words[n]}]; node != 0 {
			f.take(g.sets[g.ends[node]], n+1)
		}
	}
}

func (f *finder) take(lists []uint16, size int) {
	for _, list := range lists {
		if f.longest[list] == 0 {
			f.found = append(f.found, list)
		}
		f.longest[list] = size
	}
}

// matched returns the bundle of a token's matches, -1 for none: the lists, the place in
// the phrase and its length (dissertation, section 4.4.3).
func (x *extractor) matched(t int) int32 {
	matches := x.doc.find.matches[t]
	if len(matches) == 0 {
		return -1
	}
	key := x.matchKey(matches, x.infos[x.doc.ids[t]].class)
	return x.keyed(key, func(a *attributes) {
		w := &x.infos[x.doc.ids[t]]
		for _, m := range matches {
			name := x.gazette.names[m.list]
			if x.has(Dictionary) || strings.HasPrefix(name, dictionary.OwnPrefix) {
				a.add("IN_", name)
				a.add("LPMPOSIT_", name, ":", strconv.Itoa(int(m.place)))
				a.add("LPMLENGTH_", name, ":", strconv.Itoa(int(m.size)))
			}
			if x.has(Member) {
				a.add("in,k=", name, "|", string(w.class))
			}
		}
	})
}

// matchKey identifies the matches of a word of a class: up to three in the key itself.
func (r *reader) matchKey(matches []match, k class) bundleKey {
	key := bundleKey{kind: dictionaryBundle, a: matches[0].packed()<<8 | int32(k)}
	switch len(matches) {
	case 3:
		key.c = matches[2].packed()
		fallthrough
	case 2:
		key.b = matches[1].packed()
		fallthrough
	case 1:
		return key
	}
	r.key = append(r.key[:0], '\x02')
	for _, m := range matches {
		r.key = append(r.key, byte(m.list), byte(m.list>>8), m.place, m.size)
	}
	return bundleKey{dictionariesBundle, r.bytesID(r.key), int32(k), 0}
}

// packed is a nonzero number of 21 bits: the size is from 1 to 5, the place up to 3.
func (m match) packed() int32 { return int32(m.list)<<5 | int32(m.place)<<3 | int32(m.size) }
