// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// DictionaryList is a named list of phrases, such as first names or hospitals.
// A model keeps the lists it was trained with.
type DictionaryList struct {
	Name    string
	Phrases []string
}

// gazetteer finds the longest phrase of each dictionary that starts at a token,
// ignoring case. It is a tree over words; safe for concurrent use once built.
type gazetteer struct {
	lists []DictionaryList
	next  map[branch]int32
	ends  map[int32][]int32 // node -> dictionaries of which a phrase ends there
}

type branch struct {
	node int32
	word string // lower case
}

func newGazetteer(lists []DictionaryList) *gazetteer {
	if len(lists) == 0 {
		return nil
	}
	g := &gazetteer{lists: lists, next: map[branch]int32{}, ends: map[int32][]int32{}}
	for i, list := range lists {
		for _, phrase := range list.Phrases {
			g.insert(int32(i), phrase)
		}
	}
	return g
}

func (g *gazetteer) insert(list int32, phrase string) {
	node := int32(0)
	for _, t := range annotate.Tokenize(phrase) {
		b := branch{node, lower(clip(phrase[t.Start:t.End]))}
		child, ok := g.next[b]
		if !ok {
			child = int32(len(g.next) + 1)
			g.next[b] = child
		}
		node = child
	}
	ends := g.ends[node]
	if node != 0 && (len(ends) == 0 || ends[len(ends)-1] != list) {
		g.ends[node] = append(ends, list)
	}
}

// find returns each token's bundle of dictionary matches, -1 for none. In each
// dictionary matches are taken from the left, the longest first, and do not
// overlap.
func (g *gazetteer) find(x *extractor, to []int32) []int32 {
	matches := make([][]byte, len(x.doc.ids)) // triples list, place in the phrase, length of the phrase
	free := make([]int, len(g.lists))         // first token that list's last match leaves free
	longest := make([]int, len(g.lists))
	for t := range x.doc.ids {
		g.walk(x, t, longest)
		for list, n := range longest {
			if n == 0 || t < free[list] {
				continue
			}
			free[list] = t + n
			for i := range n {
				matches[t+i] = append(matches[t+i], byte(list), byte(list>>8), byte(min(i, 3)), byte(min(n, 5)))
			}
		}
	}
	for _, m := range matches {
		to = append(to, g.bundle(x, m))
	}
	return to
}

// walk sets longest, per dictionary, to the length in tokens of the longest
// phrase that starts at t.
func (g *gazetteer) walk(x *extractor, t int, longest []int) {
	clear(longest)
	node := int32(0)
	for n := 1; t+n <= len(x.doc.ids); n++ {
		child, ok := g.next[branch{node, x.infos[x.doc.ids[t+n-1]].lower}]
		if !ok {
			return
		}
		node = child
		for _, list := range g.ends[node] {
			longest[list] = n
		}
	}
}

func (g *gazetteer) bundle(x *extractor, match []byte) int32 {
	if len(match) == 0 {
		return -1
	}
	key := bundleKey{dictionaryBundle, x.stringID("\x02" + string(match)), 0, 0}
	return x.keyed(key, func(a *attributes) {
		for ; len(match) > 0; match = match[4:] {
			name := clip(strings.ToValidUTF8(g.lists[int(match[0])|int(match[1])<<8].Name, "?"))
			a.add("IN_", name)
			a.add("LPMPOSIT_", name, ":", strconv.Itoa(int(match[2])))
			a.add("LPMLENGTH_", name, ":", strconv.Itoa(int(match[3])))
		}
	})
}
