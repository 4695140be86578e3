// SPDX-License-Identifier: Apache-2.0

package store

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"

	"golang.org/x/crypto/chacha20poly1305"
)

// sealFormat is the first byte of every sealed value and part of what is bound
// to it.
const sealFormat = 1

const (
	keySize      = chacha20poly1305.KeySize
	nonceSize    = chacha20poly1305.NonceSizeX
	tagSize      = chacha20poly1305.Overhead
	sealOverhead = 1 + nonceSize + tagSize
)

var errSeal = errors.New("the seal does not fit the content")

// sealKey seals and opens values.
type sealKey [keySize]byte

// bind is the associated data of a place: each part with its length before it,
// so that no two places share one encoding.
func bind(parts ...string) []byte {
	b := []byte{sealFormat}
	for _, p := range parts {
		b = binary.BigEndian.AppendUint32(b, uint32(len(p)))
		b = append(b, p...)
	}
	return b
}

// seal encrypts value for a place: format, nonce, ciphertext, tag.
func (k *sealKey) seal(place, value []byte) []byte {
	out := make([]byte, 1+nonceSize, sealOverhead+len(value))
	out[0] = sealFormat
	rand.Read(out[1:])
	aead, err := chacha20poly1305.NewX(k[:])
	if err != nil {
		panic("store: " + err.Error()) // the key has the right size by its type
	}
	return aead.Seal(out, out[1:1+nonceSize], value, place)
}

// open is the reverse of seal. The result is a copy.
func (k *sealKey) open(place, sealed []byte) ([]byte, error) {
	if len(sealed) < sealOverhead || sealed[0] != sealFormat {
		return nil, errSeal
	}
	aead, err := chacha20poly1305.NewX(k[:])
	if err != nil {
		panic("store: " + err.Error())
	}
	value, err := aead.Open(nil, sealed[1:1+nonceSize], sealed[1+nonceSize:], place)
	if err != nil {
		return nil, errSeal
	}
	return value, nil
}

// mark is what tells one sealing from any other: its nonce and its tag.
func mark(sealed []byte) []byte {
	if len(sealed) < sealOverhead {
		return sealed
	}
	m := make([]byte, 0, nonceSize+tagSize)
	m = append(m, sealed[1:1+nonceSize]...)
	return append(m, sealed[len(sealed)-tagSize:]...)
}

// derive makes the key for one purpose from another key (HKDF-SHA-256).
func derive(secret []byte, purpose string) [keySize]byte {
	b, err := hkdf.Key(sha256.New, secret, nil, "hide store 1: "+purpose, keySize)
	if err != nil {
		panic("store: " + err.Error()) // only for lengths that are out of range
	}
	return [keySize]byte(b)
}

func mac(key *[keySize]byte, data []byte) []byte {
	h := hmac.New(sha256.New, key[:])
	h.Write(data)
	return h.Sum(nil)
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}

// spaceKeys are the keys of one space, all derived from its data key.
type spaceKeys struct {
	value  sealKey
	digest [keySize]byte
	hmac   [keySize]byte
}

func deriveSpace(dataKey []byte) *spaceKeys {
	return &spaceKeys{
		value:  derive(dataKey, "values"),
		digest: derive(dataKey, "digest"),
		hmac:   derive(dataKey, "index"),
	}
}

// rootKeys are the keys of the store, all derived from the root key.
type rootKeys struct {
	check  sealKey // proves that the root key is the right one
	wrap   sealKey // data keys of spaces
	state  sealKey
	audit  sealKey
	digest [keySize]byte
	head   [keySize]byte
}

func deriveRoot(root []byte) *rootKeys {
	return &rootKeys{
		check:  derive(root, "check"),
		wrap:   derive(root, "wrap"),
		state:  derive(root, "state"),
		audit:  derive(root, "audit"),
		digest: derive(root, "digest"),
		head:   derive(root, "head"),
	}
}
