// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// digest is the digest of a set of sealed entries: their number, and the sum
// modulo 2^256 of a keyed hash of each (key, mark). It does not depend on the
// order, entries can be added and taken away, and who does not know the key
// cannot make two sets with the same sum. Because the mark is different for every
// sealing, an old value put back at its own place changes the sum.
type digest struct {
	count uint64
	sum   [4]uint64 // least significant word first
}

const digestSize = 8 + 32

func item(key *[keySize]byte, k, sealed []byte) [4]uint64 {
	h := mac(key, bind(string(k), string(mark(sealed))))
	var w [4]uint64
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(h[8*i:])
	}
	return w
}

func (d *digest) add(key *[keySize]byte, k, sealed []byte) {
	var carry uint64
	for i, w := range item(key, k, sealed) {
		d.sum[i], carry = bits.Add64(d.sum[i], w, carry)
	}
	d.count++
}

func (d *digest) remove(key *[keySize]byte, k, sealed []byte) {
	var borrow uint64
	for i, w := range item(key, k, sealed) {
		d.sum[i], borrow = bits.Sub64(d.sum[i], w, borrow)
	}
	d.count--
}

func (d *digest) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, d.count)
	for _, w := range d.sum {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

var errStateSize = errors.New("a state record has the wrong size")

func (d *digest) decode(b []byte) error {
	if len(b) != digestSize {
		return errStateSize
	}
	d.count = binary.BigEndian.Uint64(b)
	for i := range d.sum {
		d.sum[i] = binary.LittleEndian.Uint64(b[8+8*i:])
	}
	return nil
}
