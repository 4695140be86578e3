// SPDX-License-Identifier: Apache-2.0

package crf

import "slices"

// census is what the choice of weights rests on, by the corpus's number of an
// attribute.
type census struct {
	counts []int32   // tokens that have it
	seen   stateSets // states that it may have weights for: at least those of these tokens
	groups []int32   // documents, or patients, that have it; nil when that does not count
}

// grow makes room for n attributes.
func (s *census) grow(n int) {
	s.counts = append(s.counts, make([]int32, n-len(s.counts))...)
	s.seen.bits = append(s.seen.bits, make([]uint64, n*s.seen.words-len(s.seen.bits))...)
	if s.groups != nil {
		s.groups = append(s.groups, make([]int32, n-len(s.groups))...)
	}
}

// often reports whether an attribute that a document has is seen often enough to have
// weights.
func (s *census) often(a int32, o Options) bool {
	return int(s.counts[a]) >= o.MinCount && (s.groups == nil || int(s.groups[a]) >= o.MinDocuments)
}

// add counts a document's tokens, and appends the attributes that they have.
func (s *census) add(c *collector, d keptDoc, had []int32) []int32 {
	lines := d.lines()
	for i, state := range d.gold {
		for _, b := range lines.row(i) {
			for _, a := range c.bundles.row(int(b)) {
				s.counts[a]++
				s.seen.add(int(a), int(state))
				had = append(had, a)
			}
		}
	}
	return had
}

// addGroups counts the documents from first on, for those of their attributes that no
// earlier one of their group has.
func (s *census) addGroups(c *collector, docs []keptDoc, groups [][]int, first int) {
	marks := newMarks(c)
	for _, members := range groups {
		late, _ := slices.BinarySearch(members, first)
		if late == len(members) {
			continue
		}
		marks.next()
		for i, doc := range members {
			marks.add(docs[doc].lines().items, func(a int32) {
				if i >= late {
					s.groups[a]++
				}
			})
		}
	}
}

// keptDoc is what tells a document from one with the same words: how it is labelled,
// what training skips of it, whose it is.
type keptDoc struct {
	seen  *occurrences
	gold  []uint16 // states of the tokens that are not skipped
	skip  []bool   // nil for none
	group string
}

func (d keptDoc) lines() table { return d.seen.bundles.without(d.skip) }

func (d keptDoc) equals(e keptDoc) bool {
	return d.seen == e.seen && d.group == e.group && slices.Equal(d.gold, e.gold) && slices.Equal(d.skip, e.skip)
}
