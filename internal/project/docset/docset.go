// SPDX-License-Identifier: Apache-2.0

// Package docset keeps sets of the documents of one project as bits. A change, a place and a
// count cost O(log n), and a document costs one bit in each set.
//
// The numbers of documents are dense: a project counts them from 1. A [Set] is as long as its
// highest number, whatever the number of its members.
package docset

import (
	"iter"
	"math/bits"
	"slices"

	"hide/internal/annotate"
)

// A Set is a set of documents. The zero value is empty. Changes must not run beside other
// calls.
//
// The bits are in chunks. A Fenwick tree (Fenwick 1994) has the counts of the chunks: node i,
// from 1, counts the chunks i-lowbit(i) to i-1.
type Set struct {
	words []uint64
	tree  []uint32 // tree[0] is not used
	count int
}

const (
	wordBits   = 64
	chunkWords = 8
	chunkBits  = chunkWords * wordBits
)

// Len is how many documents are in the set.
func (s *Set) Len() int { return s.count }

// Has reports whether the document is in the set.
func (s *Set) Has(doc annotate.DocumentID) bool {
	at := uint64(doc) / wordBits
	return at < uint64(len(s.words)) && s.words[at]>>(uint64(doc)%wordBits)&1 != 0
}

// Put adds the document, or takes it out. It reports whether that changed the set.
func (s *Set) Put(doc annotate.DocumentID, is bool) bool {
	if s.Has(doc) == is {
		return false
	}
	s.grow(doc)
	s.words[uint64(doc)/wordBits] ^= 1 << (uint64(doc) % wordBits)
	by := 1
	if !is {
		by = -1
	}
	s.count += by
	for i := int(uint64(doc)/chunkBits) + 1; i < len(s.tree); i += lowbit(i) {
		s.tree[i] += uint32(by) // wraps around for -1
	}
	return true
}

func lowbit(i int) int { return i & -i }

// grow makes the set long enough for a document.
func (s *Set) grow(doc annotate.DocumentID) {
	if s.tree == nil {
		s.tree = make([]uint32, 1)
	}
	for chunks := int(uint64(doc)/chunkBits) + 1; len(s.tree) <= chunks; {
		i, sum := len(s.tree), uint32(0)
		for j := i - 1; j > i-lowbit(i); j -= lowbit(j) {
			sum += s.tree[j]
		}
		s.tree = append(s.tree, sum)
	}
	if need := (len(s.tree) - 1) * chunkWords; need > len(s.words) {
		s.words = append(s.words, make([]uint64, need-len(s.words))...)
	}
}

// Rank is how many documents of the set have a lower number.
func (s *Set) Rank(doc annotate.DocumentID) (n int) {
	if uint64(doc) >= uint64(len(s.words))*wordBits {
		return s.count
	}
	chunk := int(uint64(doc) / chunkBits)
	for i := chunk; i > 0; i -= lowbit(i) {
		n += int(s.tree[i])
	}
	last := int(uint64(doc) / wordBits)
	for _, w := range s.words[chunk*chunkWords : last] {
		n += bits.OnesCount64(w)
	}
	return n + bits.OnesCount64(s.words[last]&(1<<(uint64(doc)%wordBits)-1))
}

// At is the document at a place of the ascending order, from 0. There must be one.
func (s *Set) At(place int) annotate.DocumentID {
	if place < 0 || place >= s.count {
		panic("docset: no document at this place")
	}
	chunk := 0
	for step := 1 << (bits.Len(uint(len(s.tree))) - 1); step > 0; step /= 2 {
		if next := chunk + step; next < len(s.tree) && int(s.tree[next]) <= place {
			chunk, place = next, place-int(s.tree[next])
		}
	}
	at := chunk * chunkWords
	for n := bits.OnesCount64(s.words[at]); n <= place; n = bits.OnesCount64(s.words[at]) {
		at, place = at+1, place-n
	}
	w := s.words[at]
	for range place {
		w &= w - 1
	}
	return annotate.DocumentID(at*wordBits + bits.TrailingZeros64(w))
}

// From yields the documents from a number on, ascending. The set must not change meanwhile.
func (s *Set) From(doc annotate.DocumentID) iter.Seq[annotate.DocumentID] {
	return func(yield func(annotate.DocumentID) bool) {
		mask := ^uint64(0) << (uint64(doc) % wordBits)
		for at := uint64(doc) / wordBits; at < uint64(len(s.words)); at++ {
			for w := s.words[at] & mask; w != 0; w &= w - 1 {
				if !yield(annotate.DocumentID(at*wordBits + uint64(bits.TrailingZeros64(w)))) {
					return
				}
			}
			mask = ^uint64(0)
		}
	}
}

// All yields the documents, ascending.
func (s *Set) All() iter.Seq[annotate.DocumentID] { return s.From(0) }

// Slice lists the documents, ascending.
func (s *Set) Slice() []annotate.DocumentID {
	return slices.AppendSeq(make([]annotate.DocumentID, 0, s.count), s.All())
}

// Window lists at most limit documents from a place of the ascending order.
func (s *Set) Window(place, limit int) (docs []annotate.DocumentID) {
	if place >= s.count || limit <= 0 {
		return nil
	}
	for doc := range s.From(s.At(place)) {
		if docs = append(docs, doc); len(docs) == limit {
			break
		}
	}
	return docs
}

// And is the set of documents in both.
func (s *Set) And(t *Set) *Set { return s.each(t, func(a, b uint64) uint64 { return a & b }) }

// But is the set of documents that are not in t.
func (s *Set) But(t *Set) *Set { return s.each(t, func(a, b uint64) uint64 { return a &^ b }) }

// each combines the words of s with those of t.
func (s *Set) each(t *Set, f func(a, b uint64) uint64) *Set {
	out := &Set{words: make([]uint64, len(s.words)), tree: make([]uint32, len(s.tree))}
	for i, w := range s.words {
		var other uint64
		if i < len(t.words) {
			other = t.words[i]
		}
		out.words[i] = f(w, other)
		n := bits.OnesCount64(out.words[i])
		out.count += n
		out.tree[i/chunkWords+1] += uint32(n)
	}
	for i := 1; i < len(out.tree); i++ {
		if up := i + lowbit(i); up < len(out.tree) {
			out.tree[up] += out.tree[i]
		}
	}
	return out
}
