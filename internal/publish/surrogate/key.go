// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
)

// Key makes the surrogates of a release. A person with it and the originals can link them with
// the surrogates: keep it encrypted, and destroy it when links are no longer needed. No usual
// way of printing or encoding shows it; [Key.Bytes] does.
type Key [sha256.Size]byte

// NewKey makes a key from a source of randomness.
func NewKey(random io.Reader) (Key, error) {
	var k Key
	if _, err := io.ReadFull(random, k[:]); err != nil {
		return Key{}, fmt.Errorf("make a key of surrogates: %w", err)
	}
	return k, nil
}

// KeyOf is the key with these bytes.
func KeyOf(b []byte) (Key, error) {
	if len(b) != len(Key{}) {
		return Key{}, fmt.Errorf("a key of surrogates has %d bytes, not %d", len(Key{}), len(b))
	}
	return Key(b), nil
}

// Bytes are the bytes of the key, for encrypted storage.
func (k Key) Bytes() []byte { return k[:] }

// Format hides the key from every verb of package fmt.
func (k Key) Format(s fmt.State, _ rune) { io.WriteString(s, k.String()) }

// String hides the key.
func (k Key) String() string { return "surrogate.Key(hidden)" }

// GoString hides the key.
func (k Key) GoString() string { return k.String() }

// MarshalText refuses to write the key.
func (k Key) MarshalText() ([]byte, error) {
	return nil, errors.New("a key of surrogates is not written as text: use Bytes and encrypt it")
}

// sum is the keyed hash of parts. The length of each part is hashed too, so that "a", "bc"
// and "ab", "c" differ.
func (k Key) sum(parts ...string) [sha256.Size]byte {
	h := hmac.New(sha256.New, k[:])
	var length [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		io.WriteString(h, p)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// random is a stream of choices that follows from the key and the parts.
func (k Key) random(parts ...string) *rand.Rand { return rand.New(rand.NewChaCha8(k.sum(parts...))) }
