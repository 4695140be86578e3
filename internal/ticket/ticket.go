// SPDX-License-Identifier: Apache-2.0

// Package ticket seals values that a browser carries for some minutes between two requests,
// such as a sign-in that waits for its second step:
//
//	box := ticket.NewBox(time.Now)
//	t, err := ticket.Seal(box, "second step", 10*time.Minute, pending{User: id})
//	...
//	p, err := ticket.Open[pending](box, "second step", t)
//
// The browser can neither read nor change a ticket. Each purpose has tickets of its own. The
// key is in memory only: a restart makes all tickets invalid, and nothing has to be kept for
// strangers who begin and do not go on.
package ticket

import (
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"golang.org/x/crypto/chacha20poly1305"
)

// ErrExpired is returned for a ticket that is too old, was spent, was changed, was made before
// a restart or for another purpose.
var ErrExpired = errors.New("this took too long, or the server was restarted meanwhile: start again")

// maxTicket bounds a ticket in bytes, before anything is decoded.
const maxTicket = 8 << 10

// Box seals and opens tickets. It is safe for concurrent use.
type Box struct {
	aead cipher.AEAD
	now  func() time.Time

	mu    sync.Mutex // guards the fields below
	spent map[[sha256.Size]byte]time.Time
	swept time.Time
}

// NewBox makes a box with a key of its own.
func NewBox(now func() time.Time) *Box {
	key := make([]byte, chacha20poly1305.KeySize)
	rand.Read(key)
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		panic("ticket: " + err.Error()) // the size of the key is right
	}
	return &Box{aead: aead, now: now, spent: map[[sha256.Size]byte]time.Time{}}
}

type sealed[T any] struct {
	Made    time.Time
	Expires time.Time
	Value   T
}

// Seal makes a ticket for a purpose that is good for a while.
func Seal[T any](b *Box, purpose string, lifetime time.Duration, value T) (string, error) {
	now := b.now().UTC()
	plain, err := json.Marshal(sealed[T]{now, now.Add(lifetime), value})
	if err != nil {
		return "", fmt.Errorf("ticket: %w", err)
	}
	nonce := make([]byte, b.aead.NonceSize())
	rand.Read(nonce)
	return base64.RawURLEncoding.EncodeToString(b.aead.Seal(nonce, nonce, plain, []byte(purpose))), nil
}

// Open reads a ticket. It fails with ErrExpired. A clock that was set back does not make it
// good for longer.
func Open[T any](b *Box, purpose, ticket string) (value T, err error) {
	var s sealed[T]
	if len(ticket) > maxTicket {
		return value, ErrExpired
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(ticket)
	if err != nil || len(data) < b.aead.NonceSize() {
		return value, ErrExpired
	}
	nonce, rest := data[:b.aead.NonceSize()], data[b.aead.NonceSize():]
	plain, err := b.aead.Open(nil, nonce, rest, []byte(purpose))
	if err != nil || json.Unmarshal(plain, &s) != nil {
		return value, ErrExpired
	}
	now := b.now()
	if !now.Before(s.Expires) || now.Before(s.Made.Add(-time.Minute)) || b.isSpent(ticket) {
		return value, ErrExpired
	}
	return s.Value, nil
}

// forgetAfter is longer than any ticket is good for.
const forgetAfter = time.Hour

// Spend makes a ticket invalid. It fails with ErrExpired if it was spent before: of many at
// once, one succeeds.
func (b *Box) Spend(ticket string) error {
	key, now := sha256.Sum256([]byte(ticket)), b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Sub(b.swept).Abs() > time.Minute { // not each time: there may be many
		b.swept = now
		maps.DeleteFunc(b.spent, func(_ [sha256.Size]byte, at time.Time) bool { return now.Sub(at) > forgetAfter })
	}
	if _, spent := b.spent[key]; spent {
		return ErrExpired
	}
	b.spent[key] = now
	return nil
}

func (b *Box) isSpent(ticket string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, spent := b.spent[sha256.Sum256([]byte(ticket))]
	return spent
}
