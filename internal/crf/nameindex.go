// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"encoding/binary"
	"math/bits"
)

// nameIndex finds the numbers of attributes by a hash of 64 bits of their names. Most
// look-ups of a tagger are of names that are not there, each in another corner of
// memory: a hash is one access where a map has to look at the name as well. A
// wrong hit needs two names of one hash: among a million attributes, one look-up in
// 10^13.
//
// Before that comes a look at one bit of a table that is small enough to stay near.
type nameIndex struct {
	entries []nameEntry // a power of two of them, at least half free
	likely  []uint64    // 8 bits for each entry; that of each hash is set
}

// nameEntry is free when its hash is 0.
type nameEntry struct {
	hash     uint64
	from, to int32 // its weights in the model
}

func newNameIndex(attrs map[string]int32, rows []int32) nameIndex {
	size := 1 << bits.Len(uint(2*len(attrs)+7))
	n := nameIndex{make([]nameEntry, size), make([]uint64, size/8)}
	for name, id := range attrs {
		h := hashOf([]byte(name))
		n.entries[n.place(h)] = nameEntry{h, rows[id], rows[id+1]}
		n.likely[n.word(h)] |= 1 << (h % 64)
	}
	return n
}

// knownName is an attribute, by where it is among those asked about, with its
// weights in the model.
type knownName struct {
	at       int
	from, to int32
	hash     uint64
}

// find appends those of some attributes that there are, in order.
func (n nameIndex) find(a *attributes, to []knownName) []knownName {
	for i := range a.ends {
		h := hashOf(a.name(i))
		if n.likely[n.word(h)]>>(h%64)&1 != 0 {
			e := &n.entries[int(h>>32)&(len(n.entries)-1)]
			to = append(to, knownName{i, e.from, e.to, h}) // what it is if nothing else is in its place
		}
	}
	known := to[:0]
	for _, k := range to {
		if e := &n.entries[n.place(k.hash)]; e.hash == k.hash {
			known = append(known, knownName{k.at, e.from, e.to, k.hash})
		}
	}
	return known
}

// word is where the bit of a hash is.
func (n nameIndex) word(h uint64) int { return int(h>>6) & (len(n.likely) - 1) }

// place is where a hash is, or would be.
func (n nameIndex) place(h uint64) int {
	mask := len(n.entries) - 1
	at := int(h>>32) & mask
	for e := n.entries[at].hash; e != h && e != 0; e = n.entries[at].hash {
		at = (at + 1) & mask
	}
	return at
}

// hashOf is never 0. It takes eight bytes at a time.
func hashOf(name []byte) uint64 {
	h := mix(uint64(len(name)))
	for ; len(name) >= 8; name = name[8:] {
		h = mix(h ^ binary.LittleEndian.Uint64(name))
	}
	last := uint64(0)
	for i, c := range name {
		last |= uint64(c) << (8 * i)
	}
	return max(mix(mix(h^last)), 1)
}

// mix spreads every bit over all others: the product's upper and lower half, of two
// odd numbers of which nothing is special.
func mix(x uint64) uint64 {
	high, low := bits.Mul64(x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return high ^ low
}
