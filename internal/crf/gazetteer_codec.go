// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"hide/internal/annotate/dictionary"
	"iter"
	"slices"
	"strings"
)

// gazetteer writes each phrase once, as it is compared, whichever lists it is in:
// its words with one space between. Sets of lists are numbered in order of their
// first phrase.
func (e *encoder) gazetteer(g *gazetteer) {
	if g == nil {
		e.number(0)
		return
	}
	e.number(len(g.names))
	for _, name := range g.names {
		e.text(name)
	}
	number, used := g.usedSets()
	e.number(len(used))
	for _, set := range used {
		e.number(len(g.sets[set]))
		for _, list := range g.sets[set] {
			e.number(int(list))
		}
	}
	e.number(g.size())
	before := ""
	for phrase, set := range g.phrases() {
		e.name(before, phrase)
		e.number(number[set])
		before = phrase
	}
}

// usedSets numbers the sets in order of their first phrase.
func (g *gazetteer) usedSets() (number map[int32]int, used []int32) {
	number = map[int32]int{}
	for _, set := range g.phrases() {
		if _, ok := number[set]; !ok {
			number[set] = len(used)
			used = append(used, set)
		}
	}
	return number, used
}

// size is the number of phrases.
func (g *gazetteer) size() int {
	n := 0
	for _, sets := range [][]int32{g.alone, g.ends} {
		for _, set := range sets {
			if set != 0 {
				n++
			}
		}
	}
	return n
}

// phrases gives each phrase and its set of lists, in increasing order.
func (g *gazetteer) phrases() iter.Seq2[string, int32] {
	after := make([][]int32, len(g.ends)) // words that lead on from a node
	for b := range g.next {
		after[b.node] = append(after[b.node], b.word)
	}
	for _, words := range after {
		slices.Sort(words)
	}
	return func(yield func(string, int32) bool) {
		var below func(node int32, phrase string) bool
		below = func(node int32, phrase string) bool {
			if g.ends[node] != 0 && !yield(phrase, g.ends[node]) {
				return false
			}
			for _, word := range after[node] {
				if !below(g.next[branch{node, word}], phrase+" "+g.words.at(int(word))) {
					return false
				}
			}
			return true
		}
		for w := range g.alone {
			word := g.words.at(w)
			if g.alone[w] != 0 && !yield(word, g.alone[w]) || g.first[w] != 0 && !below(g.first[w], word) {
				return
			}
		}
	}
}

func (d *decoder) gazetteer() *gazetteer {
	n := d.count("number of dictionaries", maxLists-1, 1)
	if n == 0 {
		return nil
	}
	lists := make([]dictionary.List, n)
	for i := range lists {
		lists[i].Name = d.printable("a dictionary's name")
	}
	b := newGazetteerBuilder(lists)
	d.phrases(b, d.listSets(b, n))
	if d.err != nil {
		return nil
	}
	return b.done()
}

// listSets reads the sets of lists, no two alike, and gives their numbers in b.
func (d *decoder) listSets(b *gazetteerBuilder, lists int) []int32 {
	n := d.count("number of sets of dictionaries", maxWeights, 2)
	sets := make([]int32, 0, n)
	for i := 0; i < n && d.err == nil; i++ {
		var set []uint16
		size := d.count("number of dictionaries in a set", lists, 1)
		for j := 0; j < size && d.err == nil; j++ {
			list := uint16(d.number("number of a dictionary", lists-1))
			if j > 0 && list <= set[j-1] {
				d.fail("a set of dictionaries is out of order")
			}
			set = append(set, list)
		}
		id := b.set(set)
		if int(id) != i+1 {
			d.fail("a set of dictionaries is empty or occurs twice")
		}
		sets = append(sets, id)
	}
	return sets
}

func (d *decoder) phrases(b *gazetteerBuilder, sets []int32) {
	n, used := d.count("number of phrases", maxWeights, 3), 0
	if n > 0 && len(sets) == 0 {
		d.fail("there are phrases and no set of dictionaries")
	}
	var phrase []byte
	for i := 0; i < n && d.err == nil; i++ {
		phrase = d.name(phrase)
		words := strings.Split(string(phrase), " ")
		if slices.ContainsFunc(words, func(w string) bool { return w == "" || len(w) > maxWord }) {
			d.fail("a phrase has an empty word or one that is too long")
		}
		set := d.number("number of a set", min(used, len(sets)-1))
		if d.err != nil {
			return
		}
		used = max(used, set+1)
		*b.end(words) = sets[set]
	}
	if used != len(sets) {
		d.fail("a set of dictionaries is not used")
	}
}
