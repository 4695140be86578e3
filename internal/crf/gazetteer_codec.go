// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bytes"
	"crypto/sha256"
	"iter"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"hide/internal/annotate/dictionary"
	"hide/internal/crf/intern"
	"hide/internal/crf/kernel"
)

// gazetteer writes each phrase once in comparable form, whichever lists it is in: its
// words separated by one space. Sets of lists are numbered in order of their first
// phrase.
func (e *encoder) gazetteer(g *gazetteer) {
	if g == nil || len(g.names) == 0 {
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

// phrases returns each phrase and its set of lists, in increasing order.
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
				if !below(g.next[branch{node, word}], phrase+" "+g.words.At(int(word))) {
					return false
				}
			}
			return true
		}
		for w := range g.alone {
			word := g.words.At(w)
			if g.alone[w] != 0 && !yield(word, g.alone[w]) || g.first[w] != 0 && !below(g.first[w], word) {
				return
			}
		}
	}
}

// written is the form of a gazetteer in files.
type written struct {
	size int
	sum  [sha256.Size]byte
}

// ownWritten is that of the program's own lists.
var ownWritten = sync.OnceValue(func() written {
	var b bytes.Buffer
	e := newEncoder(&b)
	e.gazetteer(ownGazetteer())
	_ = e.w.Flush() // a buffer cannot fail
	return written{b.Len(), sha256.Sum256(b.Bytes())}
})

// own skips the program's own lists, if they come next.
func (d *decoder) own(start, lists int) bool {
	if d.err != nil || lists != len(ownGazetteer().names) {
		return false
	}
	own := ownWritten()
	if len(d.data)-start < own.size || sha256.Sum256(d.data[start:start+own.size]) != own.sum {
		return false
	}
	d.at = start + own.size
	return true
}

// gazetteer reads lists. Models with equal lists share them, and with them what readers know
// of documents.
func (d *decoder) gazetteer() *gazetteer {
	start := d.at
	n := d.count("number of dictionaries", maxLists-1, 1)
	if n == 0 {
		return nil
	}
	if d.own(start, n) {
		return ownGazetteer()
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
	return readLists.Of(sha256.Sum256(d.data[start:d.at]), b.done())
}

// readLists are the gazetteers read from files and still in use, by the hash of their form in
// files.
var readLists intern.Shared[[sha256.Size]byte, gazetteer]

// listSets reads the sets of lists, all different, and returns their numbers in b.
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

// nameIndex finds the weights of attributes by a 64-bit hash of their names. Most
// look-ups of a tagger are of missing names, each in another part of memory: a hash needs
// one memory access where a map must read the name as well. A false hit needs two names
// with one hash: among a million attributes, one look-up in 10^13.
//
// Names that differ only before their first '_' or '=' are adjacent, with their weights:
// TERM_Ana, PREV0_Ana and NEXT3_Ana are looked up together.
//
// First one bit of a table is checked that is small enough for the cache.
type nameIndex struct {
	entries []nameEntry // a power of two of them, at least half free
	likely  []uint64    // 8 bits for each entry; that of each hash is set, near where it would be
	parts   []part32    // weights of attributes with more than one, in the order of entries
}

// nameEntry is free if its hash is 0. Most attributes have one weight, which is in the
// entry itself.
type nameEntry struct {
	hash  uint64
	count uint16 // of weights
	place uint16 // of the only one,
	what  uint32 // whose bits these are; with more weights, where they begin in parts
}

// cluster is the number of adjacent places for names with the same ending.
const cluster = 16

func newNameIndex(m *Model) nameIndex {
	size := max(1<<bits.Len(uint(2*m.attrs.Len()+7)), cluster)
	n := nameIndex{entries: make([]nameEntry, size), likely: make([]uint64, size/8)}
	for a := range m.attrs.Len() {
		h := hashName([]byte(m.attrs.At(a))).in(&n)
		n.entries[n.place(h)] = nameEntry{hash: h.whole, what: uint32(a)} // the attribute, for now
		n.likely[h.home/8] |= 1 << (h.whole % 64)
	}
	layout := m.layout()
	for i := range n.entries {
		if e := &n.entries[i]; e.hash != 0 {
			n.setWeights(e, m, layout)
		}
	}
	return n
}

// setWeights gives the entry of an attribute its weights.
func (n *nameIndex) setWeights(e *nameEntry, m *Model, layout kernel.Layout) {
	from, to := m.rows[e.what], m.rows[e.what+1]
	if e.count = uint16(to - from); e.count == 1 {
		e.place, e.what = uint16(layout.Place(int(m.pairs[from]))), math.Float32bits(m.weights[from])
		return
	}
	e.what = uint32(len(n.parts))
	for k := from; k < to; k++ {
		n.parts = append(n.parts, part32{uint32(layout.Place(int(m.pairs[k]))), m.weights[k]})
	}
}

// addTo adds the weights, times value, to a row.
func (n *nameIndex) addTo(row []float32, e *nameEntry, value float32) {
	if e.count == 1 {
		row[e.place] += value * math.Float32frombits(e.what)
		return
	}
	for _, p := range n.parts[e.what:][:e.count] {
		row[p.place] += value * p.weight
	}
}

// knownName is a known attribute, by its index among the requested ones.
type knownName struct {
	nameEntry
	home int
	at   int
}

// knows reports whether a name is known.
func (n *nameIndex) knows(h nameHash) bool {
	h = h.in(n)
	return n.likely[h.home/8]>>(h.whole%64)&1 != 0 && n.entries[n.place(h)].hash != 0
}

// find appends the known ones of some hashed attributes, in order.
func (n *nameIndex) find(a *attributes, to []knownName) []knownName {
	for i, h := range a.hashes {
		h = h.in(n)
		if n.likely[h.home/8]>>(h.whole%64)&1 != 0 {
			e := n.entries[h.home] // correct unless its place is taken
			if e.hash != h.whole {
				e = nameEntry{hash: h.whole}
			}
			to = append(to, knownName{e, h.home, i})
		}
	}
	known := to[:0]
	for _, k := range to {
		if k.count == 0 {
			k.nameEntry = n.entries[n.place(nameHash{k.hash, k.home})]
		}
		if k.hash != 0 {
			known = append(known, k)
		}
	}
	return known
}

// nameHash is the nonzero hash of a name, and its place in an empty table: of any size,
// until that of an index is known.
type nameHash struct {
	whole uint64
	home  int
}

func hashName(name []byte) nameHash {
	head := 0
	for i, c := range name {
		if c == '_' || c == '=' {
			head = i + 1
			break
		}
	}
	return joinHashes(intern.Hash(name[:head]), intern.Hash(name[head:]))
}

// joinHashes is the hash of a name by those of its head and its rest.
func joinHashes(first, rest uint64) nameHash {
	home := int(rest>>32)&^(cluster-1) | int(first%cluster)
	return nameHash{max(intern.Mix(first^bits.RotateLeft64(rest, 32)), 1), home}
}

// in is the hash with its place in n.
func (h nameHash) in(n *nameIndex) nameHash { return nameHash{h.whole, h.home & (len(n.entries) - 1)} }

// place is the place of a hash, existing or new.
func (n *nameIndex) place(h nameHash) int {
	at := h.home
	for e := n.entries[at].hash; e != h.whole && e != 0; e = n.entries[at].hash {
		at = (at + 1) & (len(n.entries) - 1)
	}
	return at
}
