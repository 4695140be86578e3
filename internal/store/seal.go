// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"

	"golang.org/x/crypto/chacha20poly1305"
)

// The first byte of every encrypted value is its format, which is part of its associated
// data.
const (
	sealFormat     = 1
	sealCompressed = 2 // the content was compressed, see compress
)

const (
	keySize      = chacha20poly1305.KeySize
	nonceSize    = chacha20poly1305.NonceSizeX
	tagSize      = chacha20poly1305.Overhead
	sealOverhead = 1 + nonceSize + tagSize
)

var errSeal = errors.New("the seal does not fit the content")

// sealKey encrypts and decrypts values.
type sealKey [keySize]byte

// bind returns the associated data of a place. Each part follows its length, so that no
// two places have the same encoding.
func bind(parts ...string) []byte {
	b := []byte{sealFormat}
	for _, p := range parts {
		b = binary.BigEndian.AppendUint32(b, uint32(len(p)))
		b = append(b, p...)
	}
	return b
}

// seal encrypts value for a place: format, nonce, ciphertext, tag.
func (k *sealKey) seal(place, value []byte) []byte { return k.encrypt(sealFormat, place, value) }

// sealShort compresses value, if that makes it shorter, and encrypts it.
func (k *sealKey) sealShort(place, value []byte) []byte {
	if short, ok := compress(value); ok {
		return k.encrypt(sealCompressed, place, short)
	}
	return k.seal(place, value)
}

func (k *sealKey) encrypt(format byte, place, value []byte) []byte {
	out := make([]byte, 1+nonceSize, sealOverhead+len(value))
	out[0] = format
	rand.Read(out[1:])
	return k.aead().Seal(out, out[1:1+nonceSize], value, inFormat(format, place))
}

// inFormat is a place in a format: the format is the first byte of what [bind] returns.
func inFormat(format byte, place []byte) []byte {
	if place[0] == format {
		return place
	}
	place = bytes.Clone(place)
	place[0] = format
	return place
}

func (k *sealKey) aead() cipher.AEAD {
	aead, err := chacha20poly1305.NewX(k[:])
	if err != nil {
		panic("store: " + err.Error()) // the type guarantees the size of the key
	}
	return aead
}

// open is the reverse of seal and sealShort. The result is a copy.
func (k *sealKey) open(place, sealed []byte) ([]byte, error) {
	if len(sealed) < sealOverhead || sealed[0] != sealFormat && sealed[0] != sealCompressed {
		return nil, errSeal
	}
	value, err := k.aead().Open(nil, sealed[1:1+nonceSize], sealed[1+nonceSize:], inFormat(sealed[0], place))
	if err != nil {
		return nil, errSeal
	}
	if sealed[0] == sealCompressed {
		return decompress(value)
	}
	return value, nil
}

// mark distinguishes one encryption from any other: its nonce and its tag.
func mark(sealed []byte) []byte {
	if len(sealed) < sealOverhead {
		return sealed
	}
	m := make([]byte, 0, nonceSize+tagSize)
	m = append(m, sealed[1:1+nonceSize]...)
	return append(m, sealed[len(sealed)-tagSize:]...)
}
