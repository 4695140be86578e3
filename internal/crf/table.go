// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"slices"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

// table is a ragged array: row i is items[start[i]:start[i+1]].
type table struct {
	start []int32
	items []int32
}

func newTable(rows, items int) table {
	return table{start: append(make([]int32, 0, rows+1), 0), items: make([]int32, 0, items)}
}

func (t table) row(i int) []int32 { return t.items[t.start[i]:t.start[i+1]] }
func (t table) len() int          { return len(t.start) - 1 }

// lists are the rows for the kernel, which must not change any more.
func (t table) lists() kernel.Lists { return kernel.NewLists(t.start, t.items) }

// inPieces are the same for those who claim bundlePiece rows at a time.
func (t table) inPieces() kernel.Lists {
	return t.lists().Ordered(kernel.Windows(t.len(), bundlePiece))
}

// end closes the row that is being appended to.
func (t *table) end() { t.start = append(t.start, int32(len(t.items))) }

// without is the table without some rows.
func (t table) without(skip []bool) table {
	if !slices.Contains(skip, true) {
		return t
	}
	kept := newTable(t.len(), len(t.items))
	for i, skipped := range skip {
		if !skipped {
			kept.items = append(kept.items, t.row(i)...)
			kept.end()
		}
	}
	return kept
}

// inverse lists, for each item below n, the rows that hold it, in order.
func (t table) inverse(ctx context.Context, n, workers int) (table, error) {
	cut := blocksOf(t.start, max(workers, 1))
	next := make([][]int32, len(cut)-1) // of each range of rows: how often it has each item, then where the next of these goes
	err := parallel.Do(ctx, workers, len(next), func(_, i int) {
		next[i] = make([]int32, n)
		for _, item := range t.items[t.start[cut[i]]:t.start[cut[i+1]]] {
			next[i][item]++
		}
	})
	if err != nil {
		return table{}, err
	}
	start, at := make([]int32, n+1), int32(0)
	for item := range n {
		for _, part := range next {
			part[item], at = at, at+part[item]
		}
		start[item+1] = at
	}
	rows := make([]int32, len(t.items))
	return table{start, rows}, parallel.Do(ctx, workers, len(next), func(_, i int) {
		part := next[i]
		for row := cut[i]; row < cut[i+1]; row++ {
			for _, item := range t.row(row) {
				rows[part[item]] = int32(row)
				part[item]++
			}
		}
	})
}

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
