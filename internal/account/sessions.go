// SPDX-License-Identifier: Apache-2.0

package account

import (
	"encoding/hex"
	"errors"
	"slices"

	"hide/internal/store"
)

// ErrNoSession is returned if a listed session has ended meanwhile.
var ErrNoSession = errors.New("this session has already ended")

// sessionID names a session in lists. The key is the hash of 256 random bits: part of it
// finds the session and leads nowhere near the token.
func sessionID(key []byte) string { return hex.EncodeToString(key[:10]) }

// SessionID is the name in lists of the session with this token.
func SessionID(token string) string { return sessionID(tokenKey(token)) }

// Sessions lists the sessions of a person that have not ended, last used first: one's own,
// or, to an admin, anybody's. It fails with ErrForbidden or ErrNotFound.
func (s *Service) Sessions(by User, id string) ([]Session, error) {
	var all []Session
	err := s.view(func(tx *store.Tx) error {
		if by.ID != id {
			if err := mayManage(tx, by); err != nil {
				return err
			}
		}
		if _, err := loadRecord(tx, id); err != nil {
			return err
		}
		return s.eachLive(tx, func(_ []byte, r sessionRecord, ses Session) error {
			if r.User == id {
				all = append(all, ses)
			}
			return nil
		})
	})
	slices.SortFunc(all, func(a, b Session) int { return b.Seen.Compare(a.Seen) })
	return all, err
}

// SessionCounts is how many sessions each person has, by id, for people who may manage
// accounts.
func (s *Service) SessionCounts(by User) (map[string]int, error) {
	counts := map[string]int{}
	err := s.view(func(tx *store.Tx) error {
		if err := mayManage(tx, by); err != nil {
			return err
		}
		return s.eachLive(tx, func(_ []byte, r sessionRecord, _ Session) error {
			counts[r.User]++
			return nil
		})
	})
	return counts, err
}

// eachLive calls fn with every session that has not ended.
func (s *Service) eachLive(tx *store.Tx, fn func(key []byte, r sessionRecord, ses Session) error) error {
	now := s.now()
	return each(tx, bucketSessions, func(key []byte, r sessionRecord) error {
		r.Seen = s.seen.latest(key, r.Seen)
		ses := r.session(key, s.idleFor)
		if s.seen.hasEnded(key) || !ses.live(now) {
			return nil
		}
		return fn(key, r, ses)
	})
}

// EndSession ends one session of a person: one's own, or, by an admin, anybody's. It fails
// with ErrForbidden, or with ErrNoSession.
func (s *Service) EndSession(by User, id, session string) error {
	return s.endSessions(by, id, func(one string) bool { return one == session }, ErrNoSession)
}

// EndOtherSessions ends all one's own sessions but the one with this token.
func (s *Service) EndOtherSessions(by User, token string) error {
	keep := SessionID(token)
	return s.endSessions(by, by.ID, func(one string) bool { return one != keep }, nil)
}

// endSessions ends those of a person whose name in lists which chooses; none is what it
// fails with if there are none.
func (s *Service) endSessions(by User, id string, which func(session string) bool, none error) error {
	var ended [][]byte
	err := s.update(func(tx *store.Tx) error {
		ended = nil
		if by.ID != id {
			if err := mayManage(tx, by); err != nil {
				return err
			}
		}
		err := each(tx, bucketSessions, func(key []byte, r sessionRecord) error {
			if r.User != id || !which(sessionID(key)) {
				return nil
			}
			ended = append(ended, slices.Clone(key))
			return errors.Join(tx.Delete(bucketSessions, key), audit(tx, by.ID, "session.revoke", id, "signed in "+r.Created.UTC().Format("2006-01-02 15:04")+" UTC"+From{Peer: r.Address}.words()))
		})
		if err == nil && len(ended) == 0 {
			err = none
		}
		return err
	})
	if err != nil || len(ended) == 0 {
		return err
	}
	for _, key := range ended {
		s.seen.forget(key)
	}
	s.changes.tell(id)
	return nil
}
