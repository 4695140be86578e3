// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/crf/classes"
	"hide/internal/crf/intern"
)

// gazetteer finds the phrases of lists: a tree over words. It is immutable and safe for
// concurrent use once built.
type gazetteer struct {
	names []string         // of the lists
	words intern.Strings   // every word of a phrase, sorted
	sets  [][]uint16       // sets of lists in increasing order; the first is empty
	alone []int32          // by word: the set of lists that hold it as a phrase
	first []int32          // by word: the node it leads to from the root, 0 for none
	next  map[branch]int32 // node and word -> node
	ends  []int32          // by node: the set of lists with a phrase that ends there

	classes []*classes.Table // tags the words, too

	readers [2]readers // with these lists; the second of plain words
}

type branch struct{ node, word int32 }

// newGazetteer returns nil if there is no list.
func newGazetteer(lists []dictionary.List) *gazetteer {
	if len(lists) == 0 {
		return nil
	}
	b := newGazetteerBuilder(lists)
	for i, list := range lists {
		for _, phrase := range list.Phrases {
			b.insert(uint16(i), foldedWords(phrase))
		}
	}
	return b.done()
}

// foldedWords are the words of a phrase in comparable form.
func foldedWords(phrase string) []string {
	tokens := annotate.Tokenize(phrase)
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = fold(clip(phrase[t.Start:t.End]))
	}
	return words
}

// gazetteerBuilder numbers words in order of appearance; done sorts them.
type gazetteerBuilder struct {
	g      *gazetteer
	ids    map[string]int32
	setIDs map[string]int32
	alone  []int32
	first  []int32
}

func newGazetteerBuilder(lists []dictionary.List) *gazetteerBuilder {
	g := &gazetteer{sets: [][]uint16{nil}, next: map[branch]int32{}, ends: []int32{0}}
	for _, list := range lists {
		g.names = append(g.names, clip(strings.ToValidUTF8(list.Name, "?")))
	}
	return &gazetteerBuilder{g: g, ids: map[string]int32{}, setIDs: map[string]int32{"": 0}}
}

func (b *gazetteerBuilder) insert(list uint16, words []string) {
	if len(words) == 0 {
		return
	}
	set := b.end(words)
	*set = b.with(*set, list)
}

// end returns the set of lists of a phrase. It is valid until the next call.
func (b *gazetteerBuilder) end(words []string) *int32 {
	id := b.word(words[0])
	if len(words) == 1 {
		return &b.alone[id]
	}
	if b.first[id] == 0 {
		b.first[id] = b.node()
	}
	node := b.first[id]
	for _, w := range words[1:] {
		to := branch{node, b.word(w)}
		if b.g.next[to] == 0 {
			b.g.next[to] = b.node()
		}
		node = b.g.next[to]
	}
	return &b.g.ends[node]
}

func (b *gazetteerBuilder) word(s string) int32 {
	id, ok := b.ids[s]
	if !ok {
		id = int32(len(b.ids))
		b.ids[s] = id
		b.alone, b.first = append(b.alone, 0), append(b.first, 0)
	}
	return id
}

func (b *gazetteerBuilder) node() int32 {
	b.g.ends = append(b.g.ends, 0)
	return int32(len(b.g.ends) - 1)
}

// with is the set of lists with list added.
func (b *gazetteerBuilder) with(set int32, list uint16) int32 {
	lists := b.g.sets[set]
	at, has := slices.BinarySearch(lists, list)
	if has {
		return set
	}
	return b.set(slices.Insert(slices.Clone(lists), at, list))
}

func (b *gazetteerBuilder) set(lists []uint16) int32 {
	key := make([]byte, 0, 2*len(lists))
	for _, l := range lists {
		key = append(key, byte(l>>8), byte(l))
	}
	id, ok := b.setIDs[string(key)]
	if !ok {
		id = int32(len(b.g.sets))
		b.g.sets = append(b.g.sets, lists)
		b.setIDs[string(key)] = id
	}
	return id
}

// done sorts the words and assigns final numbers.
func (b *gazetteerBuilder) done() *gazetteer {
	sorted := make([]string, 0, len(b.ids))
	for w := range b.ids {
		sorted = append(sorted, w)
	}
	slices.Sort(sorted)
	g, number := b.g, make([]int32, len(sorted))
	g.alone, g.first = make([]int32, len(sorted)), make([]int32, len(sorted))
	for i, w := range sorted {
		id := b.ids[w]
		number[id] = int32(i)
		g.alone[i], g.first[i] = b.alone[id], b.first[id]
	}
	g.words = intern.Pack(sorted)
	next := make(map[branch]int32, len(g.next))
	for from, to := range g.next {
		next[branch{from.node, number[from.word]}] = to
	}
	g.next = next
	return g
}

// isName reports whether a set contains one of the program's lists of names.
func (g *gazetteer) isName(set int32) bool {
	return slices.ContainsFunc(g.sets[set], func(list uint16) bool {
		return g.names[list] == ".given" || g.names[list] == ".surnames"
	})
}

// ownGazetteer has the program's own lists alone.
var ownGazetteer = sync.OnceValue(func() *gazetteer {
	return newGazetteer(dictionary.Own()).with(builtinClasses())
})

// with is g, or no list if it is nil, with tables of classes.
func (g *gazetteer) with(tables []*classes.Table) *gazetteer {
	if g == nil {
		g = newGazetteerBuilder(nil).done()
	}
	return &gazetteer{names: g.names, words: g.words, sets: g.sets, alone: g.alone, first: g.first, next: g.next, ends: g.ends, classes: tables}
}

// gazetteer has the lists of the options; nil for none.
func (o Options) gazetteer() *gazetteer {
	user := o.Dictionaries
	if o.Features&(Dictionary|Member) == 0 {
		user = nil
	}
	g := newGazetteer(user)
	if o.Features&List != 0 {
		g = NewLists(user).gazette
	}
	if o.Classes == nil {
		o.Classes = builtinClasses()
	}
	if o.Features&Classes == 0 || g == ownGazetteer() && slices.Equal(o.Classes, g.classes) {
		return g
	}
	return g.with(o.Classes)
}

// Lists are the program's own lists and a user's, ready for look-up. They are immutable
// and safe for concurrent use.
type Lists struct{ gazette *gazetteer }

// NewLists adds a user's lists, or nil, to the program's own.
func NewLists(user []dictionary.List) *Lists {
	if len(user) == 0 {
		return &Lists{ownGazetteer()}
	}
	return &Lists{newGazetteer(slices.Concat(dictionary.Own(), user))}
}

// Len is the number of lists; the program's own come first.
func (l *Lists) Len() int { return len(l.gazette.names) }

// Append adds the bytes of the lists to b: one byte if there are only the program's own.
// Equal lists give equal bytes.
func (l *Lists) Append(b []byte) []byte {
	if l.gazette == ownGazetteer() {
		return append(b, 0)
	}
	to := bytes.NewBuffer(b)
	e := newEncoder(to)
	e.gazetteer(l.gazette)
	_ = e.w.Flush() // a buffer cannot fail
	return to.Bytes()
}

// DecodeLists reads the output of [Lists.Append], and refuses anything else, such as
// lists of another program version. Memory is proportional to b.
func DecodeLists(b []byte) (*Lists, error) {
	d := &decoder{data: b}
	g := d.gazetteer()
	if d.err == nil && d.at < len(b) {
		d.fail("data follows the dictionaries")
	}
	if d.err != nil {
		return nil, d.err
	}
	if g == nil {
		return NewLists(nil), nil
	}
	own := ownGazetteer().names
	if len(g.names) <= len(own) || !slices.Equal(g.names[:len(own)], own) {
		return nil, fmt.Errorf("%w: it was made with other dictionaries of the program", ErrModel)
	}
	return &Lists{g}, nil
}
