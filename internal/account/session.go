// SPDX-License-Identifier: Apache-2.0

package account

import (
	"errors"
	"sync"
	"time"

	"hide/internal/store"
)

// How long a session lasts.
const (
	IdleFor     = 15 * time.Minute // without use
	AbsoluteFor = 12 * time.Hour   // in any case

	writeSeen  = 5 * time.Minute // how often a use is written, with its audit row
	clockSlack = time.Minute     // how far a clock may be set back without effect
)

// sessionRecord is a session as it is stored.
type sessionRecord struct {
	User    string    `json:"user"`
	Created time.Time `json:"created"`
	Seen    time.Time `json:"seen"` // last use, as far as written
	How     string    `json:"how,omitempty"`
	Browser string    `json:"browser,omitempty"`
	Address string    `json:"address,omitempty"`

	External  bool      `json:"external,omitempty"`  // an issuer signed the person in
	IDToken   string    `json:"id_token,omitempty"`  // of the issuer
	Emergency string    `json:"emergency,omitempty"` // the reason of an emergency access
	Ends      time.Time `json:"ends,omitzero"`       // earlier than others do
}

// Session is one sign-in of a person.
type Session struct {
	ID      string    // names it in lists; it is not the token and gives no access
	Began   time.Time // when the person signed in
	Seen    time.Time // use before the current one
	Idle    time.Time // when it ends without further use
	Ends    time.Time // when it ends in any case
	How     string    // how the person signed in: "password"; "" for a session of an earlier version
	Browser string    // kind of browser in words; "" if it is not known
	Address string    // where it came from; "" if it is not known, as behind a proxy

	Emergency string // the reason of an emergency access; "" for any other session
}

func (r sessionRecord) session(key []byte, idleFor time.Duration) Session {
	expires := r.Created.Add(AbsoluteFor)
	if !r.Ends.IsZero() && r.Ends.Before(expires) {
		expires = r.Ends
	}
	idle := r.Seen.Add(idleFor)
	if idle.After(expires) {
		idle = expires
	}
	return Session{ID: sessionID(key), Began: r.Created, Seen: r.Seen, Idle: idle, Ends: expires, How: r.How, Browser: r.Browser, Address: r.Address, Emergency: r.Emergency}
}

// live is also false if the clock was set back before the last use: an ended session must
// not become valid again.
func (s Session) live(now time.Time) bool {
	return now.Before(s.Idle) && !now.Before(s.Seen.Add(-clockSlack))
}

// IdleFor is how long a session lasts without use.
func (s *Service) IdleFor() time.Duration { return s.idleFor }

// entry is how a person came in.
type entry struct {
	how    string // in words: "password"
	detail string // for the audit row, before the address
	from   From

	idToken   string    // of an issuer that signed the person in
	emergency string    // the reason of an emergency access
	ends      time.Time // zero: like other sessions
}

// begin starts a session in the transaction, audits it, and deletes ended sessions and
// links.
func (s *Service) begin(tx *store.Tx, r *record, e entry) (string, error) {
	now := s.now().UTC()
	r.SignedIn = now
	token, key := newToken()
	rec := sessionRecord{User: r.ID, Created: now, Seen: now, How: e.how, Browser: e.from.browser(), Address: e.from.address(), External: r.External && e.emergency == "", IDToken: e.idToken, Emergency: e.emergency, Ends: e.ends}
	err := errors.Join(
		s.sweep(tx, now),
		save(tx, bucketSessions, key, rec),
		r.save(tx),
		audit(tx, r.ID, "session.begin", r.ID, e.detail+e.from.words()))
	return token, err
}

func (s *Service) sweep(tx *store.Tx, now time.Time) error {
	err := each(tx, bucketSessions, func(key []byte, r sessionRecord) error {
		r.Seen = s.seen.latest(key, r.Seen)
		if s.seen.hasEnded(key) || !r.session(key, s.idleFor).live(now) {
			s.seen.forget(key)
			return tx.Delete(bucketSessions, key)
		}
		return nil
	})
	return errors.Join(err, dropLinks(tx, func(l link) bool { return !l.good(now) }))
}

// Session returns the person of a session's token, and counts as use: the idle time
// starts again. It fails with ErrSession.
func (s *Service) Session(token string) (User, Session, error) {
	user, ses, err := s.Peek(token)
	if err != nil {
		return User{}, Session{}, err
	}
	now, key := s.now().UTC(), tokenKey(token)
	s.seen.note(key, now)
	if s.seen.due(key, now) {
		if err := s.writeSeen(key, now); err != nil {
			return User{}, Session{}, err
		}
	}
	return user, ses, nil
}

// Peek is Session without counting as use: for automatic requests of a page.
func (s *Service) Peek(token string) (User, Session, error) {
	var user User
	var ses Session
	err := s.view(func(tx *store.Tx) error {
		key := tokenKey(token)
		var rec sessionRecord
		ok, err := load(tx, bucketSessions, key, &rec)
		if err != nil {
			return err
		}
		written := rec.Seen
		rec.Seen = s.seen.latest(key, rec.Seen)
		now := s.now()
		if ses = rec.session(key, s.idleFor); !ok || s.localOff && rec.isLocal() || s.seen.hasEnded(key) || !ses.live(now) {
			if ok && !now.Before(ses.Idle) {
				s.seen.end(key)
			}
			return ErrSession
		}
		r, err := loadRecord(tx, rec.User)
		if errors.Is(err, ErrNotFound) || err == nil && r.Disabled {
			return ErrSession
		}
		if err != nil {
			return err
		}
		user = r.User
		s.seen.found(key, written)
		return nil
	})
	if err != nil {
		return User{}, Session{}, err
	}
	return user, ses, nil
}

func (s *Service) writeSeen(key []byte, now time.Time) error {
	err := writeUse(s, bucketSessions, key, ErrSession, func(r *sessionRecord) (user, action, detail string) {
		r.Seen = now
		return r.User, "session.active", ""
	})
	if err == nil {
		s.seen.wrote(key, now)
	}
	return err
}

// writeUse stores the use of a session or a token, with its audit row. If it has ended in the
// meantime, it fails with gone.
func writeUse[T any](s *Service, bucket string, key []byte, gone error, use func(*T) (user, action, detail string)) error {
	return s.update(func(tx *store.Tx) error {
		var r T
		ok, err := load(tx, bucket, key, &r)
		if err != nil {
			return err
		}
		if !ok {
			return gone
		}
		user, action, detail := use(&r)
		return errors.Join(save(tx, bucket, key, r), audit(tx, user, action, user, detail))
	})
}

// Logout ends a session. A session that has already ended is not an error.
func (s *Service) Logout(token string) error {
	key := tokenKey(token)
	s.seen.forget(key)
	var rec sessionRecord
	err := s.update(func(tx *store.Tx) error {
		ok, err := load(tx, bucketSessions, key, &rec)
		if err != nil || !ok {
			return err
		}
		return errors.Join(
			tx.Delete(bucketSessions, key),
			audit(tx, rec.User, "session.end", rec.User, ""))
	})
	if err == nil && rec.User != "" {
		s.changes.tell(rec.User)
	}
	return err
}

// RevokeAll ends all sessions of a person: one's own, or, by an admin, anybody's.
func (s *Service) RevokeAll(by User, id string) error {
	err := s.update(func(tx *store.Tx) error {
		if by.ID != id {
			if err := mayManage(tx, by); err != nil {
				return err
			}
		}
		if _, err := loadRecord(tx, id); err != nil {
			return err
		}
		return errors.Join(dropSessions(tx, id), audit(tx, by.ID, "session.revoke-all", id, ""))
	})
	if err == nil {
		s.changes.tell(id)
	}
	return err
}

func dropSessions(tx *store.Tx, id string) error {
	return each(tx, bucketSessions, func(key []byte, r sessionRecord) error {
		if r.User == id {
			return tx.Delete(bucketSessions, key)
		}
		return nil
	})
}

// seen remembers each session's last use between two writes of it.
type seen struct {
	mu   sync.Mutex // guards last
	last map[string]use
}

type use struct {
	at, written time.Time
	ended       bool // it was refused as too old: a clock that is set back must not revive it
}

func newSeen() *seen { return &seen{last: map[string]use{}} }

func (s *seen) latest(key []byte, written time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.last[string(key)].at; at.After(written) {
		return at
	}
	return written
}

// found records the stored last use of a live session.
func (s *seen) found(key []byte, written time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.last[string(key)]
	u.written = written
	s.last[string(key)] = u
}

func (s *seen) note(key []byte, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.last[string(key)]
	u.at = now
	s.last[string(key)] = u
}

// due reports whether the last use should be written, to one caller only.
func (s *seen) due(key []byte, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.last[string(key)]
	if now.Sub(u.written) < writeSeen {
		return false
	}
	s.wroteLocked(key, now)
	return true
}

func (s *seen) wrote(key []byte, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wroteLocked(key, now)
}

func (s *seen) wroteLocked(key []byte, now time.Time) {
	u := s.last[string(key)]
	u.written = now
	s.last[string(key)] = u
}

func (s *seen) end(key []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.last[string(key)]
	u.ended = true
	s.last[string(key)] = u
}

func (s *seen) hasEnded(key []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last[string(key)].ended
}

func (s *seen) forget(key []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.last, string(key))
}
