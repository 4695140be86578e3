// SPDX-License-Identifier: Apache-2.0

package account

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hide/internal/store"
	"hide/internal/ticket"
)

// Service manages accounts and sessions. It is safe for concurrent use.
type Service struct {
	store      *store.Store
	now        func() time.Time
	hasher     *hasher
	throttle   *throttle
	seen       *seen
	tokensSeen *seen // uses of access tokens
	changes    changes
	idleFor    time.Duration
	tickets    *ticket.Box

	secondFactor []Role
	localOff     bool
}

// Options of a Service.
type Options struct {
	Now func() time.Time // nil means time.Now

	// IdleFor is how long a session lasts without use; 0 means [IdleFor]. Only demos, which
	// hold no real notes, have another.
	IdleFor time.Duration

	// SecondFactor are the roles whose people need a second factor to sign in with a password
	// or a link. Those who have none are led to set one up.
	SecondFactor []Role

	// LocalOff turns passwords, passkeys and one-time links off: only an issuer signs people
	// in, and emergency links do.
	LocalOff bool
}

// New returns the service for the accounts in st's system space.
func New(st *store.Store, opts Options) (*Service, error) {
	if st == nil {
		return nil, errors.New("account: no store")
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	s := &Service{store: st, now: opts.Now, idleFor: cmp.Or(opts.IdleFor, IdleFor), hasher: newHasher(argonMemory), throttle: newThrottle(), seen: newSeen(), tokensSeen: newSeen(), tickets: ticket.NewBox(opts.Now), secondFactor: opts.SecondFactor, localOff: opts.LocalOff}
	return s, nil
}

const operatorID = "system"

// Operator is the person at the command line with access to the data folder and its key.
// Operator may do what an admin may, and never signs in.
func Operator() User { return User{ID: operatorID, Name: "system", Role: Admin} }

func (s *Service) view(fn func(*store.Tx) error) error { return s.store.View(store.System, fn) }

func (s *Service) update(fn func(*store.Tx) error) error { return s.store.Update(store.System, fn) }

func audit(tx *store.Tx, actor, action, object, detail string) error {
	return tx.Audit(store.Event{Actor: actor, Action: action, Object: object, Detail: detail})
}

// mayManage fails with ErrForbidden unless by, as currently stored, may manage people.
func mayManage(tx *store.Tx, by User) error {
	if by.ID == operatorID {
		return nil
	}
	return hasRole(tx, by, ErrForbidden, Admin)
}

// mayInvite fails with ErrInvite unless by, as currently stored, may make accounts for a
// project.
func mayInvite(tx *store.Tx, by User) error { return hasRole(tx, by, ErrInvite, Admin, Broker) }

// hasRole fails with refusal unless by, as currently stored, has one of the roles.
func hasRole(tx *store.Tx, by User, refusal error, roles ...Role) error {
	r, err := loadRecord(tx, by.ID)
	if errors.Is(err, ErrNotFound) {
		return refusal
	}
	if err != nil {
		return err
	}
	if r.Disabled || !slices.Contains(roles, r.Role) {
		return refusal
	}
	return nil
}

// NameOf is the name of an account, even of a disabled one; "" if it does not exist. It
// is for people who work on the same notes.
func (s *Service) NameOf(id string) (string, error) {
	var name string
	err := s.view(func(tx *store.Tx) error {
		r, err := loadRecord(tx, id)
		if err == nil {
			name = r.Name
		}
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return "", nil
	}
	return name, err
}

// List returns all accounts by name, only to people who may manage them.
func (s *Service) List(by User) ([]Account, error) {
	var all []Account
	err := s.view(func(tx *store.Tx) error {
		if err := mayManage(tx, by); err != nil {
			return err
		}
		return each(tx, bucketUsers, func(_ []byte, r record) error {
			all = append(all, Account{r.User, r.Created, r.SignedIn, r.Password != nil, r.hasFactor()})
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b Account) int {
		return cmp.Or(strings.Compare(foldName(a.Name), foldName(b.Name)), strings.Compare(a.ID, b.ID))
	})
	return all, nil
}

// User returns the person with this id, disabled or not, or ErrNotFound.
func (s *Service) User(id string) (User, error) {
	var u User
	err := s.view(func(tx *store.Tx) error {
		r, err := loadRecord(tx, id)
		if err == nil {
			u = r.User
		}
		return err
	})
	return u, err
}

// Find returns the person with this name, ignoring case, or ErrNotFound. It is for the
// command line: on a page it would tell strangers who has an account.
func (s *Service) Find(name string) (User, error) {
	var u User
	err := s.view(func(tx *store.Tx) error {
		r, err := findName(tx, name)
		if err != nil {
			return err
		}
		if r == nil {
			return ErrNotFound
		}
		u = r.User
		return nil
	})
	return u, err
}

func knownRole(r Role) bool { return granted[r] != nil }

// Create makes an account and returns a token, valid for a day, for the first sign-in and
// setting a password. It fails with ErrForbidden, ErrName, ErrNameTaken or ErrRole.
func (s *Service) Create(by User, name string, role Role) (User, string, error) {
	if !knownRole(role) {
		return User{}, "", ErrRole
	}
	return s.create(by, name, role, creation{may: mayManage})
}

// creation is how an account is made.
type creation struct {
	may    func(tx *store.Tx, by User) error
	detail string // for the audit row
}

func (s *Service) create(by User, name string, role Role, how creation) (User, string, error) {
	if s.localOff {
		return User{}, "", ErrLocalOff
	}
	name, err := cleanName(name)
	if err != nil {
		return User{}, "", err
	}
	r := &record{User: User{ID: newID(), Name: name, Role: role}, Created: s.now().UTC()}
	var token string
	err = s.update(func(tx *store.Tx) error {
		if err := how.may(tx, by); err != nil {
			return err
		}
		if err := add(tx, r); err != nil {
			return err
		}
		if token, err = s.putLink(tx, link{Kind: LinkInvite, User: r.ID}, inviteFor); err != nil {
			return err
		}
		return audit(tx, by.ID, "account.create", r.ID, "role "+string(role)+how.detail)
	})
	if err != nil {
		return User{}, "", err
	}
	return r.User, token, nil
}

// Invite returns a new token for a person who lost the first one, or the password.
// Earlier ones become invalid.
func (s *Service) Invite(by User, id string) (string, error) {
	var token string
	err := s.manage(by, id, "account.invite", func(tx *store.Tx, r *record) (string, error) {
		if r.Disabled {
			return "", ErrNotFound
		}
		switch {
		case r.External:
			return "", ErrExternal
		case s.localOff:
			return "", ErrLocalOff
		}
		var err error
		token, err = s.putLink(tx, link{Kind: LinkInvite, User: id}, inviteFor)
		return "", err
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// manage changes another person's account, if by may, and audits it.
func (s *Service) manage(by User, id, action string, change func(*store.Tx, *record) (detail string, err error)) error {
	err := s.update(func(tx *store.Tx) error {
		if err := mayManage(tx, by); err != nil {
			return err
		}
		r, err := loadRecord(tx, id)
		if err != nil {
			return err
		}
		detail, err := change(tx, r)
		if err != nil {
			return err
		}
		return audit(tx, by.ID, action, id, detail)
	})
	if err == nil {
		s.changes.tell(id)
	}
	return err
}

// SetRole changes a person's role, and ends this person's sessions. It fails with
// ErrForbidden, ErrNotFound, ErrRole or ErrLastAdmin.
func (s *Service) SetRole(by User, id string, role Role) error {
	if !knownRole(role) {
		return ErrRole
	}
	return s.manage(by, id, "account.role", func(tx *store.Tx, r *record) (string, error) {
		if r.External {
			return "", ErrExternal
		}
		detail := fmt.Sprintf("from %s to %s", r.Role, role)
		r.Role = role
		return detail, s.settle(tx, r)
	})
}

// Disable ends a person's sessions, links and tokens and prevents new ones. The account is kept
// for the audit trail. It fails with ErrForbidden, ErrNotFound or ErrLastAdmin.
func (s *Service) Disable(by User, id string) error {
	return s.manage(by, id, "account.disable", func(tx *store.Tx, r *record) (string, error) {
		r.Disabled = true
		detail, err := dropTokens(tx, id)
		return detail, errors.Join(err, s.settle(tx, r), dropLinks(tx, func(l link) bool { return l.User == id }))
	})
}

// Enable is the reverse of Disable.
func (s *Service) Enable(by User, id string) error {
	return s.manage(by, id, "account.enable", func(tx *store.Tx, r *record) (string, error) {
		r.Disabled = false
		return "", s.settle(tx, r)
	})
}

// settle stores a changed account, ends its sessions, and checks that an admin remains.
func (s *Service) settle(tx *store.Tx, r *record) error {
	if err := r.save(tx); err != nil {
		return err
	}
	if err := dropSessions(tx, r.ID); err != nil {
		return err
	}
	n, err := activeAdmins(tx)
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrLastAdmin
	}
	return nil
}
