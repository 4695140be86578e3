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
type nameIndex struct {
	hashes []uint64 // 0 is free; a power of two of them, at least half free
	ids    []int32
}

func newNameIndex(attrs map[string]int32) nameIndex {
	size := 1 << bits.Len(uint(2*len(attrs)))
	n := nameIndex{make([]uint64, size), make([]int32, size)}
	for name, id := range attrs {
		h := hashOf([]byte(name))
		at := n.place(h)
		n.hashes[at], n.ids[at] = h, id
	}
	return n
}

// find is the number of an attribute.
func (n nameIndex) find(name []byte) (id int32, ok bool) {
	h := hashOf(name)
	at := n.place(h)
	return n.ids[at], n.hashes[at] == h
}

// place is where a hash is, or would be.
func (n nameIndex) place(h uint64) int {
	mask := len(n.hashes) - 1
	at := int(h>>32) & mask
	for n.hashes[at&mask] != h && n.hashes[at&mask] != 0 {
		at++
	}
	return at & mask
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
