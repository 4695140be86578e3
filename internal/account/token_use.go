// SPDX-License-Identifier: Apache-2.0

package account

import (
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"time"

	"hide/internal/store"
)

// ByToken returns the person of a token's secret and the token, as they are now, and counts
// as a use of the token. It fails with ErrToken, or with a [*TooManyTriesError] after wrong
// tokens from the address. A valid token never waits: nobody guesses 256 bits, and one
// forgotten program with an old token must not stop the others at its address.
func (s *Service) ByToken(secret string, from From) (User, Token, error) {
	u, t, known, err := s.findToken(secret)
	if errors.Is(err, ErrToken) {
		if err := s.throttle.begin(s.now(), tokenPeers(from.Peer)...); err != nil {
			return User{}, Token{}, err
		}
	}
	if err != nil {
		return User{}, Token{}, err
	}
	now, key, address := s.now().UTC(), tokenKey(secret), from.address()
	if isNew := address != "" && !slices.Contains(known, address); s.tokensSeen.due(key, now) || isNew {
		if err := s.writeTokenUse(key, now, address); err != nil {
			return User{}, Token{}, err
		}
	}
	return u, t, nil
}

// PeekToken is ByToken without counting as use, and without a wait after wrong tokens: for
// looking again during a request.
func (s *Service) PeekToken(secret string) (User, Token, error) {
	u, t, _, err := s.findToken(secret)
	return u, t, err
}

// findToken also returns the addresses that have used the token.
func (s *Service) findToken(secret string) (u User, t Token, addresses []string, err error) {
	if len(secret) > maxSecretSize || !strings.HasPrefix(secret, TokenPrefix) {
		return User{}, Token{}, nil, ErrToken
	}
	err = s.view(func(tx *store.Tx) error {
		key := tokenKey(secret)
		var rec tokenRecord
		ok, err := load(tx, bucketTokens, key, &rec)
		if err != nil {
			return err
		}
		now := s.now()
		if t, addresses = rec.token(key), rec.Addresses; !ok || t.Ended(now) || s.tokensSeen.hasEnded(key) {
			if ok {
				s.tokensSeen.end(key)
			}
			return ErrToken
		}
		r, err := loadRecord(tx, rec.User)
		if errors.Is(err, ErrNotFound) || err == nil && (r.Disabled || s.localOff && !r.External) {
			return ErrToken
		}
		if err != nil {
			return err
		}
		u = r.User
		s.tokensSeen.found(key, rec.Used)
		return nil
	})
	if err != nil {
		return User{}, Token{}, nil, err
	}
	return u, t, addresses, nil
}

// writeTokenUse stores the last use and its address, with an audit row.
func (s *Service) writeTokenUse(key []byte, now time.Time, address string) error {
	err := writeUse(s, bucketTokens, key, ErrToken, func(r *tokenRecord) (user, action, detail string) {
		r.Used = now
		if address != "" {
			rest := slices.DeleteFunc(r.Addresses, func(a string) bool { return a == address })
			r.Addresses = append([]string{address}, rest[:min(len(rest), maxAddresses-1)]...)
		}
		return r.User, "token.use", "token " + tokenID(key) + From{Peer: address}.words()
	})
	if err == nil {
		s.tokensSeen.wrote(key, now)
	}
	return err
}

// RecordRequest writes the audit row of a request to the API. object is what the request was
// about, as rows of other actions name it.
func (s *Service) RecordRequest(by User, object, detail string) error {
	return s.update(func(tx *store.Tx) error { return audit(tx, by.ID, "api.request", object, detail) })
}

// tokenPeers counts wrong tokens of an address. They are counted apart from sign-ins: a
// program with an old token must not make the people at its address wait.
func tokenPeers(peer string) []subject {
	subjects := peerSubjects(peer)
	for i := range subjects {
		subjects[i].hash = sha256.Sum256(append([]byte("token:"), subjects[i].hash[:]...))
	}
	return subjects
}
