// SPDX-License-Identifier: Apache-2.0

package account

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/netip"
	"sync"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"hide/internal/store"
)

// From says where a request to sign in comes from.
type From struct {
	Peer    string // the address; "" if it does not identify the person, as behind a proxy
	Device  string // the token of [Service.Device] that the browser kept; "" for none
	Browser string // the kind of browser in words, for the list of sessions; "" if not known
}

// maxBrowser bounds the stored kind of browser in characters.
const maxBrowser = 64

func (f From) browser() string {
	if r := []rune(f.Browser); len(r) > maxBrowser {
		return string(r[:maxBrowser])
	}
	return f.Browser
}

// address is the peer without port and zone, "" if it is not an address.
func (f From) address() string {
	if a, err := netip.ParseAddr(f.Peer); err == nil {
		return a.WithZone("").String()
	}
	if a, err := netip.ParseAddrPort(f.Peer); err == nil {
		return a.Addr().WithZone("").String()
	}
	return ""
}

// words are the address for an audit row.
func (f From) words() string {
	if a := f.address(); a != "" {
		return " from " + a
	}
	return ""
}

// Login signs a person in with name and password, and returns a new session's token. The
// browser's earlier session is not reused, and should be ended. It fails with
// ErrCredentials, with ErrBusy, or with a [*TooManyTriesError] after failed tries for the
// name or the address, or from a known device. An [*UnfinishedError] says that the password
// was right and another step follows.
func (s *Service) Login(name, password string, from From) (string, User, error) {
	if s.localOff {
		return "", User{}, ErrLocalOff
	}
	if len(name) > maxNameBytes { // whom the program does not know anyway
		name, password = "", ""
	}
	subjects, known, err := s.tried(name, from)
	if err != nil {
		return "", User{}, err
	}
	if !s.hasher.enter(known) {
		return "", User{}, ErrBusy
	}
	defer s.hasher.leave()
	if err := s.throttle.begin(s.now(), subjects...); err != nil {
		return "", User{}, err
	}
	r, err := s.compare(name, password)
	if err != nil {
		return "", User{}, err
	}
	token, user, err := s.signIn(r, from)
	if _, unfinished := errors.AsType[*UnfinishedError](err); unfinished || err == nil {
		s.throttle.succeed(subjects...)
	}
	return token, user, err
}

// compare does the same work whether the person exists or not. It returns nil if the
// password is wrong or cannot be used.
func (s *Service) compare(name, password string) (*record, error) {
	var r *record
	if err := s.view(func(tx *store.Tx) (err error) {
		r, err = findName(tx, name)
		return err
	}); err != nil {
		return nil, err
	}
	if r == nil {
		r = new(record)
	}
	if !s.hasher.matches(r.Password, password) || r.Disabled {
		return &record{User: User{ID: r.ID}}, nil
	}
	return r, nil
}

// signIn begins the session, or audits the failure; both are one write. The account is
// read again, because it may have changed while the password was hashed.
func (s *Service) signIn(known *record, from From) (string, User, error) {
	var token string
	var user User
	var left *UnfinishedError
	err := s.update(func(tx *store.Tx) error {
		if known.Password == nil {
			return audit(tx, operatorID, "session.refused", known.ID, from.words())
		}
		r, err := loadRecord(tx, known.ID)
		if err != nil {
			return err
		}
		if r.Disabled || !r.Password.equal(known.Password) {
			return audit(tx, operatorID, "session.refused", known.ID, from.words())
		}
		user = r.User
		token, left, err = s.admit(tx, r, entry{how: "password", detail: "by password", from: from})
		return err
	})
	switch {
	case err != nil:
		return "", User{}, err
	case left != nil:
		return "", User{}, left
	case token == "":
		return "", User{}, ErrCredentials
	}
	return token, user, nil
}

// SetPassword sets one's own password. If there is one, current must match it; a person who
// has an app for codes instead gives one of its codes. All sessions of the person end, and the
// token of a new one is returned. Operator may set anybody's, without current, and gets no
// session. To help somebody who forgot a password an admin uses Invite. Links that were made
// before end, except for emergency access: one that somebody has stolen would set a password,
// too. It fails with ErrForbidden, ErrPassword, ErrCode, ErrWeak, ErrNotFound, or with a
// [*TooManyTriesError].
func (s *Service) SetPassword(by User, id, current, password string, from From) (string, error) {
	if by.ID != id && by.ID != operatorID {
		return "", ErrForbidden
	}
	before, err := s.confirm(by, id, current)
	if err != nil {
		return "", err
	}
	password, err = checkPassword(password, before.Name)
	if err != nil {
		return "", err
	}
	hash := s.hasher.hash(password)
	var token string
	err = s.update(func(tx *store.Tx) error {
		r, err := loadRecord(tx, id)
		if err != nil {
			return err
		}
		if r.Disabled && by.ID == id {
			return ErrForbidden
		}
		if r.External {
			return ErrExternal
		}
		if by.ID == id && !r.Password.equal(before.Password) { // reset while this one was hashed
			return ErrPassword
		}
		if by.ID == id && r.confirmsByCode() && !s.useCode(tx, r, current) {
			return ErrCode
		}
		r.Password = hash
		if err := errors.Join(dropSessions(tx, id), dropSignInLinks(tx, id), r.save(tx), audit(tx, by.ID, "account.password", id, "")); err != nil {
			return err
		}
		if by.ID == id {
			token, err = s.begin(tx, r, entry{how: "password", detail: "new password", from: from})
		}
		return err
	})
	if err != nil {
		return "", err
	}
	if before.confirmsByCode() {
		s.throttle.succeed(factorSubject(id))
	}
	s.changes.tell(id)
	return token, nil
}

// confirm checks the current password of a person who changes something of the account. For a
// person who confirms by a code it counts the try, and the caller checks the code.
func (s *Service) confirm(by User, id, current string) (*record, error) {
	var r *record
	if err := s.view(func(tx *store.Tx) (err error) {
		r, err = loadRecord(tx, id)
		return err
	}); err != nil {
		return nil, err
	}
	switch {
	case by.ID == operatorID:
		return r, nil
	case r.confirmsByCode():
		return r, s.throttle.begin(s.now(), factorSubject(id))
	case r.Password == nil:
		return r, nil
	}
	guesses := changeSubject(id)
	if err := s.throttle.begin(s.now(), guesses); err != nil {
		return nil, err
	}
	if !s.hasher.matches(r.Password, current) {
		return nil, ErrPassword
	}
	s.throttle.succeed(guesses)
	return r, nil
}

const (
	argonTime    = 2
	argonMemory  = 19 << 10 // KiB
	argonThreads = 1
	argonSize    = 32
	maxHashes    = 2  // at once: each takes 19 MiB and a core
	maxStrangers = 24 // sign-ins at once, with those that wait for a hash
	maxSignIns   = 32 // with those from known devices, whom a flood must not keep out
)

// passwordHash is an Argon2id hash with its parameters, so that these can be raised
// later.
type passwordHash struct {
	Salt    []byte `json:"salt"`
	Hash    []byte `json:"hash"`
	Time    uint32 `json:"time"`
	Memory  uint32 `json:"memory"` // KiB
	Threads uint8  `json:"threads"`
}

// equal reports whether both are the same hash, or none.
func (p *passwordHash) equal(other *passwordHash) bool {
	if p == nil || other == nil {
		return p == other
	}
	return bytes.Equal(p.Hash, other.Hash)
}

// hasher computes Argon2id, a few at once.
type hasher struct {
	memory uint32 // KiB, for new hashes
	places chan struct{}
	decoy  *passwordHash // compared with the passwords of unknown people

	mu      sync.Mutex // guards the fields below
	running int
	inside  int // sign-ins, waiting ones too
	most    int // highest number that ran at once
	done    int
}

func newHasher(memory uint32) *hasher {
	// No password has the random hash of the decoy: computing one would only delay every start.
	h := &hasher{memory: memory, places: make(chan struct{}, maxHashes)}
	h.decoy = h.salted()
	h.decoy.Hash = make([]byte, argonSize)
	rand.Read(h.decoy.Hash)
	return h
}

// enter reports whether there is room for another sign-in, from a known device or not: a
// flood is refused at once instead of waiting without end. After true the caller calls
// leave.
func (h *hasher) enter(known bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.inside >= maxSignIns || h.inside >= maxStrangers && !known {
		return false
	}
	h.inside++
	return true
}

func (h *hasher) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.inside--
}

func (h *hasher) hash(password string) *passwordHash {
	p := h.salted()
	p.Hash = h.run(p, password, argonSize)
	return p
}

// salted has a new salt and no hash.
func (h *hasher) salted() *passwordHash {
	p := &passwordHash{Salt: make([]byte, 16), Time: argonTime, Memory: h.memory, Threads: argonThreads}
	rand.Read(p.Salt)
	return p
}

// matches compares in constant time. Without a hash it does the same work and returns
// false.
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
