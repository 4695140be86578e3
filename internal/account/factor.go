// SPDX-License-Identifier: Apache-2.0

package account

import (
	"errors"
	"slices"
	"time"

	"hide/internal/store"
	"hide/internal/ticket"
)

// Step is what a sign-in still needs after the password or the link.
type Step string

// The steps.
const (
	StepFactor Step = "second factor" // a code, a recovery code or a passkey
	StepEnrol  Step = "enrol"         // the role needs a second factor, and there is none yet
)

// UnfinishedError says that the password or the link was right and that the sign-in goes on
// with another step. Nobody is signed in yet.
type UnfinishedError struct {
	Ticket  string // for the next step, good for [UnfinishedFor]
	Step    Step
	Code    bool // the person can enter a code of an app
	Passkey bool // the person can use a passkey
}

func (e *UnfinishedError) Error() string { return "signing in needs one more step: " + string(e.Step) }

// UnfinishedFor is how long a sign-in may take between its steps.
const UnfinishedFor = 10 * time.Minute

var (
	// ErrCode is returned for a code that is wrong, old or used.
	ErrCode = errors.New("this code is wrong, too old, or was used before: enter the newest code of your app, or a recovery code that you have not used")

	// ErrAppCode is returned for a wrong code of an app that is being set up.
	ErrAppCode = errors.New("this is not the code of the new app: enter the six digits that it shows now; if they are refused again, check the clock of the phone")

	// ErrFactorNeeded is returned if the last second factor of a person whose role needs one
	// should be removed.
	ErrFactorNeeded = errors.New("your role needs a second factor: set up another one first")
)

// pending is a sign-in between two steps.
type pending struct {
	User     string
	Password []byte // the salt of the password at that time: a new one ends the sign-in
	How      string
	Detail   string
	Step     Step
}

const pendingPurpose = "sign-in"

// hasFactor counts a refused passkey, too: without it the password alone would do.
func (r *record) hasFactor() bool { return r.TOTP != nil || len(r.Passkeys) > 0 }

// confirmsByCode reports whether the person confirms changes of the account by a code of the
// app, having no password.
func (r *record) confirmsByCode() bool { return r.Password == nil && r.TOTP != nil }

// needsFactor reports whether the role of the person needs a second factor.
func (s *Service) needsFactor(r *record) bool { return slices.Contains(s.secondFactor, r.Role) }

func (p *passwordHash) version() []byte {
	if p == nil {
		return nil
	}
	return p.Salt
}

// admit begins a session, or says which step is left.
func (s *Service) admit(tx *store.Tx, r *record, e entry) (token string, left *UnfinishedError, err error) {
	p := pending{User: r.ID, Password: r.Password.version(), How: e.how, Detail: e.detail, Step: StepFactor}
	switch {
	case r.hasFactor():
	case s.needsFactor(r):
		p.Step = StepEnrol
	default:
		token, err = s.begin(tx, r, e)
		return token, nil, err
	}
	t, err := ticket.Seal(s.tickets, pendingPurpose, UnfinishedFor, p)
	return "", &UnfinishedError{Ticket: t, Step: p.Step, Code: r.TOTP != nil, Passkey: len(r.usablePasskeys()) > 0}, err
}

// Unfinished describes a sign-in between its steps, and its person. It fails with
// ticket.ErrExpired.
func (s *Service) Unfinished(t string) (*UnfinishedError, User, error) {
	var left *UnfinishedError
	var u User
	err := s.view(func(tx *store.Tx) error {
		p, r, err := s.resume(tx, t)
		if err != nil {
			return err
		}
		u, left = r.User, &UnfinishedError{Ticket: t, Step: p.Step, Code: r.TOTP != nil, Passkey: len(r.usablePasskeys()) > 0}
		return nil
	})
	return left, u, err
}

// resume finds the person of a sign-in between its steps, if nothing has changed meanwhile.
func (s *Service) resume(tx *store.Tx, t string) (pending, *record, error) {
	p, err := ticket.Open[pending](s.tickets, pendingPurpose, t)
	if err != nil {
		return p, nil, err
	}
	r, err := loadRecord(tx, p.User)
	if errors.Is(err, ErrNotFound) {
		return p, nil, ticket.ErrExpired
	}
	if err == nil && (r.Disabled || !slices.Equal(r.Password.version(), p.Password) || p.Step == StepEnrol && r.hasFactor()) {
		err = ticket.ErrExpired
	}
	return p, r, err
}

// finish begins the session of a sign-in whose last step was taken.
func (s *Service) finish(tx *store.Tx, t string, p pending, r *record, by string, from From) (string, error) {
	if err := s.tickets.Spend(t); err != nil {
		return "", err
	}
	return s.begin(tx, r, entry{how: p.How + " and " + by, detail: p.Detail + " and " + by, from: from})
}

// Factors are the second factors of a person.
type Factors struct {
	App      bool      // codes of an app are set up
	AppSince time.Time // zero if not
	Recovery int       // unused recovery codes
	Passkeys []Passkey // oldest first
	Password bool      // the person has a password, which confirms changes
	Required bool      // the role needs a second factor
}

// Factors are one's own, or, for an admin, anybody's.
func (s *Service) Factors(by User, id string) (Factors, error) {
	var f Factors
	err := s.view(func(tx *store.Tx) error {
		if by.ID != id {
			if err := mayManage(tx, by); err != nil {
				return err
			}
		}
		r, err := loadRecord(tx, id)
		if err != nil {
			return err
		}
		f = Factors{App: r.TOTP != nil, Recovery: len(r.Recovery), Passkeys: r.Passkeys, Password: r.Password != nil, Required: s.needsFactor(r)}
		if r.TOTP != nil {
			f.AppSince = r.TOTP.Since
		}
		return nil
	})
	return f, err
}

// ResetFactors removes all second factors of a person who has lost them, and ends their
// sessions. If the role needs a second factor, the next sign-in leads to setting up a new one.
func (s *Service) ResetFactors(by User, id string) error {
	return s.manage(by, id, "account.factors-reset", func(tx *store.Tx, r *record) (string, error) {
		r.TOTP, r.Recovery, r.Passkeys = nil, nil, nil
		return "", errors.Join(r.save(tx), dropSessions(tx, id))
	})
}

// changeFactors changes one's own second factors. confirm is as for confirmed. It fails with
// ErrExternal, ErrPassword, ErrCode or a [*TooManyTriesError].
func (s *Service) changeFactors(by User, confirm, action string, change func(tx *store.Tx, r *record) (detail string, err error)) error {
	return s.confirmed(by, confirm, action, func(tx *store.Tx, r *record) (string, error) {
		if r.External {
			return "", ErrExternal
		}
		return change(tx, r)
	})
}

// confirmed changes one's own account. confirm is the password, or, without one, a code of the
// app; a person who has neither confirms nothing. It fails with ErrForbidden, ErrPassword,
// ErrCode or a [*TooManyTriesError].
func (s *Service) confirmed(by User, confirm, action string, change func(tx *store.Tx, r *record) (detail string, err error)) error {
	before, err := s.confirm(by, by.ID, confirm)
	if err != nil {
		return err
	}
	err = s.update(func(tx *store.Tx) error {
		r, err := loadRecord(tx, by.ID)
		if err != nil {
			return err
		}
		if r.Disabled || !r.Password.equal(before.Password) {
			return ErrForbidden
		}
		if r.confirmsByCode() && !s.useCode(tx, r, confirm) {
			return ErrCode
		}
		detail, err := change(tx, r)
		if err != nil {
			return err
		}
		return errors.Join(r.save(tx), audit(tx, by.ID, action, by.ID, detail))
	})
	if err == nil && before.confirmsByCode() {
		s.throttle.succeed(factorSubject(by.ID))
	}
	return err
}
