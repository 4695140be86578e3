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

// addGroups counts a document that came after others, for those of its attributes
// that no other one of its group has.
func (s *census) addGroups(c *collector, d keptDoc, before []keptDoc) {
	known := map[int32]bool{}
	each := func(d keptDoc, do func(a int32)) {
		for _, b := range d.lines().items {
			for _, a := range c.bundles.row(int(b)) {
				do(a)
			}
		}
	}
	for _, other := range before {
		if d.group != "" && other.group == d.group {
			each(other, func(a int32) { known[a] = true })
		}
	}
	each(d, func(a int32) {
		if !known[a] {
			known[a] = true
			s.groups[a]++
		}
	})
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

// countGroups is how many documents and patients there are.
func countGroups(docs ...[]keptDoc) int {
	n, known := 0, map[string]bool{}
	for _, part := range docs {
		for _, d := range part {
			if !known[d.group] {
				n++
				known[d.group] = d.group != ""
			}
		}
	}
	return n
}
