// SPDX-License-Identifier: Apache-2.0

// Package intern gives numbers to what is looked up often: keys by an open-addressed table,
// sorted strings by their place. [Shared] gives equal values one place in memory. Nothing else
// is safe for concurrent use while it changes.
package intern

import (
	"encoding/binary"
	"math/bits"
)

// Keys numbers keys of 128 bits, dense from 0: an open-addressed table, at most three quarters full.
type Keys struct {
	places []keyPlace
	size   int
}

type keyPlace struct {
	first, second uint64
	number        int32 // plus one; 0 for a free place
}

// NewKeys returns an empty table.
func NewKeys() Keys { return Keys{places: make([]keyPlace, 1<<8)} }

// Len is the number of keys.
func (k *Keys) Len() int { return k.size }

// Number is the number of a key, old or new.
func (k *Keys) Number(first, second uint64) int32 {
	at := k.place(first, second)
	if at.number == 0 {
		if 4*k.size >= 3*len(k.places) {
			k.double()
			at = k.place(first, second)
		}
		k.size++
		*at = keyPlace{first, second, int32(k.size)}
	}
	return at.number - 1
}

// place is the place of a key, or a free one.
func (k *Keys) place(first, second uint64) *keyPlace {
	last := uint64(len(k.places) - 1)
	for at := Mix(first ^ Mix(second)); ; at++ {
		if p := &k.places[at&last]; p.number == 0 || p.first == first && p.second == second {
			return p
		}
	}
}

func (k *Keys) double() {
	old := k.places
	k.places = make([]keyPlace, 2*len(old))
	for _, p := range old {
		if p.number != 0 {
			*k.place(p.first, p.second) = p
		}
	}
}

// Hash takes eight bytes at a time.
func Hash(name []byte) uint64 {
	h := Mix(uint64(len(name)))
	for ; len(name) >= 8; name = name[8:] {
		h = Mix(h ^ binary.LittleEndian.Uint64(name))
	}
	last := uint64(0)
	for i, c := range name {
		last |= uint64(c) << (8 * i)
	}
	return Mix(h ^ last)
}

// Mix spreads every bit over all others: the upper and lower half of a product with
// arbitrary odd constants.
func Mix(x uint64) uint64 {
	high, low := bits.Mul64(x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return high ^ low
}
