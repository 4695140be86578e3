// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"iter"
	"math"
	"math/bits"
)

// table has the counts of keys and the columns that they give. It is an ordered hash
// table (Amble and Knuth 1974): a key stands at the place of its high bits or after it,
// and keys increase with the place. A search takes about two steps. One pass over sorted
// keys makes a table, whatever the keys are.
type table struct {
	homes  uint64
	slots  []slot // of homes, and of what keys at the end displace
	counts []rated
}

// slot has a key and the index of its count; 0, the count of no tokens, if it is empty.
type slot struct {
	key   uint64
	count uint32
}

// rated is a count with its columns.
type rated struct {
	count
	rate, log float32
}

// emptyKey is above or equal to each key, so that a search ends at an empty slot.
const emptyKey = math.MaxUint64

// tableBuilder makes a table of at most n keys.
type tableBuilder struct {
	table
	share float64
	index map[count]uint32
	at    int // where the next key stands at the earliest
}

func newTableBuilder(n int, share float64) *tableBuilder {
	b := &tableBuilder{table: table{homes: uint64(2*n + 1)}, share: share, index: map[count]uint32{}}
	b.slots = make([]slot, b.homes, b.homes+8)
	for i := range b.slots {
		b.slots[i].key = emptyKey
	}
	b.number(count{})
	return b
}

func (b *tableBuilder) number(c count) uint32 {
	i, known := b.index[c]
	if !known {
		i = uint32(len(b.counts))
		b.index[c] = i
		b.counts = append(b.counts, rated{c, rate(c, b.share), logCount(c)})
	}
	return i
}

// logCount is the column of a count.
func logCount(c count) float32 { return float32(math.Log1p(float64(c.n))) }

// add adds a key above all keys before it, with the count of some tokens.
func (b *tableBuilder) add(key uint64, c count) {
	at := max(b.at, b.home(key))
	for at >= len(b.slots) {
		b.slots = append(b.slots, slot{key: emptyKey})
	}
	b.slots[at], b.at = slot{key, b.number(c)}, at+1
}

// done is the table, which ends with an empty slot.
func (b *tableBuilder) done() *table {
	b.slots = append(b.slots, slot{key: emptyKey})
	t := b.table
	return &t
}

// home increases with the key.
func (t *table) home(key uint64) int {
	high, _ := bits.Mul64(key, t.homes)
	return int(high)
}

// find is the index of the count of a key.
func (t *table) find(key uint64) uint32 { return t.findFrom(t.home(key), key) }

func (t *table) findFrom(at int, key uint64) uint32 {
	for t.slots[at].key < key {
		at++
	}
	if s := &t.slots[at]; s.key == key {
		return s.count
	}
	return 0
}

// all lists the keys in increasing order, with their counts.
func (t *table) all() iter.Seq2[uint64, count] {
	return func(yield func(uint64, count) bool) {
		for _, s := range t.slots {
			if s.count > 0 && !yield(s.key, t.counts[s.count].count) {
				return
			}
		}
	}
}

// len is the number of keys.
func (t *table) len() int {
	n := 0
	for _, s := range t.slots {
		if s.count > 0 {
			n++
		}
	}
	return n
}
