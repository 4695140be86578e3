// SPDX-License-Identifier: Apache-2.0

package account

import (
	"crypto/rand"
	"crypto/subtle"
	"sync"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// Limits of a password, in characters.
const (
	MinPassword = 12
	MaxPassword = 256
)

const (
	argonTime    = 2
	argonMemory  = 19 << 10 // KiB
	argonThreads = 1
	argonSize    = 32
	maxHashes    = 2 // at once: each takes 19 MiB and a core
)

// passwordHash is an Argon2id hash with what it was made with, so that the
// parameters can be raised later.
type passwordHash struct {
	Salt    []byte `json:"salt"`
	Hash    []byte `json:"hash"`
	Time    uint32 `json:"time"`
	Memory  uint32 `json:"memory"` // KiB
	Threads uint8  `json:"threads"`
}

// checkPassword gives the password in the form that is hashed, or ErrWeak.
func checkPassword(password, name string) (string, error) {
	if !utf8.ValidString(password) || len(password) > 16*MaxPassword {
		return "", ErrWeak
	}
	p := norm.NFKC.String(password)
	different := map[rune]bool{}
	for _, r := range p {
		different[r] = true
	}
	n := utf8.RuneCountInString(p)
	if n < MinPassword || n > MaxPassword || len(different) < 5 || foldName(p) == foldName(name) {
		return "", ErrWeak
	}
	return p, nil
}

// hasher computes Argon2id, a few at once.
type hasher struct {
	memory uint32 // KiB of new hashes
	places chan struct{}
	decoy  *passwordHash // what the passwords of unknown people are compared with

	mu      sync.Mutex // guards what follows
	running int
	most    int // that ever ran at once
	done    int
}

func newHasher(memory uint32) *hasher {
	h := &hasher{memory: memory, places: make(chan struct{}, maxHashes)}
	h.decoy = h.hash(rand.Text())
	return h
}

func (h *hasher) hash(password string) *passwordHash {
	p := &passwordHash{Salt: make([]byte, 16), Time: argonTime, Memory: h.memory, Threads: argonThreads}
	rand.Read(p.Salt)
	p.Hash = h.run(p, password, argonSize)
	return p
}

// matches compares in constant time. With no hash it does the same work and says
// no.
func (h *hasher) matches(p *passwordHash, password string) bool {
	known := p != nil
	if !known {
		p = h.decoy
	}
	if len(password) > 16*MaxPassword {
		password = ""
	}
	got := h.run(p, norm.NFKC.String(password), uint32(len(p.Hash)))
	return subtle.ConstantTimeCompare(got, p.Hash) == 1 && known
}

func (h *hasher) run(p *passwordHash, password string, size uint32) []byte {
	h.places <- struct{}{}
	h.tally(1)
	defer func() { h.tally(-1); <-h.places }()
	return argon2.IDKey([]byte(password), p.Salt, p.Time, p.Memory, p.Threads, size)
}

func (h *hasher) tally(started int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running += started
	h.most = max(h.most, h.running)
	if started < 0 {
		h.done++
	}
}
