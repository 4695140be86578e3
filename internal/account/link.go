// SPDX-License-Identifier: Apache-2.0

package account

import (
	"errors"
	"time"

	"hide/internal/store"
)

// LinkKind is what a one-time link is for. Names are stored: do not change them.
type LinkKind string

// The kinds of links.
const (
	LinkFirst  LinkKind = "first"   // creates the first admin
	LinkInvite LinkKind = "invite"  // signs a person in, who may set a password
	LinkSignIn LinkKind = "sign-in" // signs a person in
)

const (
	firstFor  = 15 * time.Minute
	inviteFor = 24 * time.Hour
)

// link is a one-time link as it is stored.
type link struct {
	Kind    LinkKind  `json:"kind"`
	User    string    `json:"user"` // id; "" for LinkFirst
	Made    time.Time `json:"made"`
	Expires time.Time `json:"expires"`

	Emergency []byte `json:"emergency,omitempty"` // key of the emergency access, for LinkEmergency
}

func (l link) good(now time.Time) bool {
	return now.Before(l.Expires) && !now.Before(l.Made.Add(-clockSlack))
}

// Link is the part of a link that its page shows before use.
type Link struct {
	Kind LinkKind
	Name string // of the person; "" for LinkFirst, where it is not chosen yet

	Ends time.Time // of the session, for LinkEmergency; zero for others
}

// putLink stores a new link and replaces earlier ones of the same kind.
func (s *Service) putLink(tx *store.Tx, l link, lifetime time.Duration) (string, error) {
	if err := dropLinks(tx, func(o link) bool { return o.Kind == l.Kind && o.User == l.User }); err != nil {
		return "", err
	}
	l.Made = s.now().UTC()
	l.Expires = l.Made.Add(lifetime)
	token, key := newToken()
	return token, save(tx, bucketLinks, key, l)
}

func dropLinks(tx *store.Tx, which func(link) bool) error {
	return each(tx, bucketLinks, func(key []byte, l link) error {
		if which(l) {
			return tx.Delete(bucketLinks, key)
		}
		return nil
	})
}

// dropSignInLinks deletes the links that sign a person in, except for emergency access.
func dropSignInLinks(tx *store.Tx, person string) error {
	return dropLinks(tx, func(l link) bool { return l.User == person && l.Kind != LinkEmergency })
}

// Empty reports whether there is no account yet.
func (s *Service) Empty() (bool, error) {
	n := 0
	err := s.view(func(tx *store.Tx) (err error) {
		n, err = tx.Count(bucketUsers)
		return err
	})
	return n == 0, err
}

// FirstRun returns the token for creating the first admin: valid once, for 15 minutes.
// Another call replaces it. It fails with ErrNotFirst if an account exists.
func (s *Service) FirstRun() (string, error) {
	var token string
	err := s.update(func(tx *store.Tx) error {
		n, err := tx.Count(bucketUsers)
		if err != nil {
			return err
		}
		if n > 0 {
			return ErrNotFirst
		}
		if token, err = s.putLink(tx, link{Kind: LinkFirst}, firstFor); err != nil {
			return err
		}
		return audit(tx, operatorID, "account.first-link", "", "")
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// SignInLink returns a token that signs this person in, once, within lifetime. It checks
// no permission: it is for the command line, not for a page.
func (s *Service) SignInLink(id string, lifetime time.Duration) (string, error) {
	var token string
	err := s.manage(Operator(), id, "account.sign-in-link", func(tx *store.Tx, r *record) (string, error) {
		if r.Disabled {
			return "", ErrNotFound
		}
		var err error
		token, err = s.putLink(tx, link{Kind: LinkSignIn, User: id}, lifetime)
		return "for " + lifetime.String(), err
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// Link describes a link without using it, or fails with ErrLink.
func (s *Service) Link(token string) (Link, error) {
	var out Link
	err := s.view(func(tx *store.Tx) error {
		l, r, err := s.resolve(tx, token)
		if err != nil {
			return err
		}
		out = Link{Kind: l.Kind}
		if l.Kind == LinkEmergency {
			out.Ends = l.Expires
		}
		if r != nil {
			out.Name = r.Name
		}
		return nil
	})
	return out, err
}

// resolve finds a valid link, and its person.
func (s *Service) resolve(tx *store.Tx, token string) (link, *record, error) {
	var l link
	ok, err := load(tx, bucketLinks, tokenKey(token), &l)
	if err != nil {
		return l, nil, err
	}
	if !ok || !l.good(s.now()) {
		return l, nil, ErrLink
	}
	if s.localOff && l.Kind != LinkEmergency {
		return l, nil, ErrLocalOff
	}
	if l.Kind == LinkFirst {
		n, err := tx.Count(bucketUsers)
		if err == nil && n > 0 {
			err = ErrLink
		}
		return l, nil, err
	}
	r, err := loadRecord(tx, l.User)
	if errors.Is(err, ErrNotFound) || err == nil && r.Disabled {
		return l, nil, ErrLink
	}
	return l, r, err
}

// Redemption is the input of a person who uses a link.
type Redemption struct {
	Name     string // LinkFirst only: the name of the first admin
	Password string // "" to leave it as it is, or to set it later; not for LinkSignIn
	From     From
}

// Redeem uses a link: it returns a new session's token and the person who is signed in.
// It fails with ErrLink or, leaving the link valid, with ErrName or ErrWeak. A new
// password ends the person's other sessions. An [*UnfinishedError] says that the link was
// used and another step follows.
func (s *Service) Redeem(token string, with Redemption) (string, User, error) {
	hash, err := s.prepare(token, &with)
	if err != nil {
		return "", User{}, err
	}
	var session string
	var user User
	var left *UnfinishedError
	err = s.update(func(tx *store.Tx) error {
		l, r, err := s.resolve(tx, token)
		if err != nil {
			return err
		}
		if l.Kind == LinkFirst {
			r = &record{User: User{ID: newID(), Name: with.Name, Role: Admin}, Created: s.now().UTC()}
			if err := errors.Join(add(tx, r), audit(tx, operatorID, "account.create", r.ID, "role admin, first")); err != nil {
				return err
			}
		}
		user = r.User
		if l.Kind == LinkEmergency {
			if err := tx.Delete(bucketLinks, tokenKey(token)); err != nil {
				return err
			}
			session, err = s.useEmergency(tx, l, r, with.From)
			return err
		}
		session, left, err = s.enter(tx, token, r, hash, entry{how: "one-time link", detail: "by link, " + string(l.Kind), from: with.From})
		return err
	})
	if err != nil {
		return "", User{}, err
	}
	if hash != nil {
		s.changes.tell(user.ID)
	}
	if left != nil {
		return "", User{}, left
	}
	return session, user, nil
}

// prepare checks the input, and hashes the password outside any transaction.
func (s *Service) prepare(token string, with *Redemption) (*passwordHash, error) {
	l, err := s.Link(token)
	if err != nil {
		return nil, err
	}
	if l.Kind == LinkFirst {
		if with.Name, err = cleanName(with.Name); err != nil {
			return nil, err
		}
		l.Name = with.Name
	}
	if with.Password == "" || l.Kind == LinkSignIn || l.Kind == LinkEmergency {
		return nil, nil
	}
	password, err := checkPassword(with.Password, l.Name)
	if err != nil {
		return nil, err
	}
	return s.hasher.hash(password), nil
}

// enter marks the link as used and begins a session, or says which step is left.
func (s *Service) enter(tx *store.Tx, token string, r *record, hash *passwordHash, e entry) (string, *UnfinishedError, error) {
	if err := tx.Delete(bucketLinks, tokenKey(token)); err != nil {
		return "", nil, err
	}
	if hash != nil {
		r.Password = hash
		if err := errors.Join(r.save(tx), dropSessions(tx, r.ID), dropSignInLinks(tx, r.ID), audit(tx, r.ID, "account.password", r.ID, "")); err != nil {
			return "", nil, err
		}
	}
	return s.admit(tx, r, e)
}
