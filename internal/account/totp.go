// SPDX-License-Identifier: Apache-2.0

package account

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"hide/internal/store"
	"hide/internal/ticket"
)

// Codes of an app follow RFC 6238 with the values that every app knows.
const (
	totpPeriod = 30 * time.Second
	totpDigits = otp.DigitsSix
	totpSkew   = 1  // steps before and after the present one that count, for clocks that differ
	totpSecret = 20 // bytes

	recoveryCodes = 10
	recoveryBytes = 10 // 80 bits: nobody guesses one
)

// totpRecord is the app of a person as it is stored.
type totpRecord struct {
	Secret   string    `json:"secret"` // base 32
	Since    time.Time `json:"since"`
	LastStep int64     `json:"last_step"` // of the last code that was accepted: it and older ones are used up
}

// Enrolment is an app that is about to be set up.
type Enrolment struct {
	Ticket string // for confirming it
	Secret string // base 32, for typing
	URL    string // otpauth://..., for a QR code
}

// enrolment is what its ticket holds.
type enrolment struct{ User, Secret string }

const (
	enrolPurpose = "authenticator app"
	enrolWithin  = 15 * time.Minute
)

// appKey is what an app reads, of a new secret for nil. at names the server in the app.
func appKey(secret []byte, name, at string) (*otp.Key, error) {
	return totp.Generate(totp.GenerateOpts{Issuer: strings.TrimSpace("hide " + strings.ReplaceAll(at, ":", " ")), AccountName: name, Secret: secret, SecretSize: totpSecret, Digits: totpDigits})
}

// newEnrolment makes a secret.
func (s *Service) newEnrolment(u User, at string) (Enrolment, error) {
	key, err := appKey(nil, u.Name, at)
	if err != nil {
		return Enrolment{}, err
	}
	t, err := ticket.Seal(s.tickets, enrolPurpose, enrolWithin, enrolment{u.ID, key.Secret()})
	return Enrolment{Ticket: t, Secret: key.Secret(), URL: key.String()}, err
}

// NewApp begins to set up an app for codes. Nothing is stored before ConfirmApp. confirm is
// the password, if there is one. It fails with ErrPassword, ErrCode or a [*TooManyTriesError].
func (s *Service) NewApp(by User, confirm, at string) (e Enrolment, err error) {
	err = s.changeFactors(by, confirm, "account.app-begin", func(*store.Tx, *record) (string, error) {
		e, err = s.newEnrolment(by, at)
		return "", err
	})
	return e, err
}

// NewAppFor is NewApp for a sign-in whose role needs a second factor.
func (s *Service) NewAppFor(unfinished, at string) (Enrolment, error) {
	left, u, err := s.Unfinished(unfinished)
	if err != nil {
		return Enrolment{}, err
	}
	if left.Step != StepEnrol {
		return Enrolment{}, ticket.ErrExpired
	}
	return s.newEnrolment(u, at)
}

// Enrolment shows again what NewApp made, after a wrong code.
func (s *Service) Enrolment(t, name, at string) (Enrolment, error) {
	e, err := ticket.Open[enrolment](s.tickets, enrolPurpose, t)
	if err != nil {
		return Enrolment{}, err
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(e.Secret)
	if err != nil {
		return Enrolment{}, err
	}
	key, err := appKey(secret, name, at)
	if err != nil {
		return Enrolment{}, err
	}
	return Enrolment{Ticket: t, Secret: e.Secret, URL: key.String()}, nil
}

// ConfirmApp sets up the app of an enrolment with one of its codes, in place of an earlier
// app, and returns new recovery codes, which are shown once. It fails with ErrAppCode,
// with ticket.ErrExpired or with a [*TooManyTriesError].
func (s *Service) ConfirmApp(by User, t, code string) (recovery []string, err error) {
	if err := s.throttle.begin(s.now(), factorSubject(by.ID)); err != nil {
		return nil, err
	}
	err = s.update(func(tx *store.Tx) error {
		r, err := loadRecord(tx, by.ID)
		if err != nil {
			return err
		}
		if r.Disabled {
			return ErrForbidden
		}
		if recovery, err = s.setApp(tx, r, t, code); err != nil {
			return err
		}
		return errors.Join(r.save(tx), audit(tx, by.ID, "account.app-set", by.ID, ""))
	})
	if err != nil {
		return nil, err
	}
	s.throttle.succeed(factorSubject(by.ID))
	return recovery, nil
}

// FinishByEnrolling is ConfirmApp for a sign-in whose role needs a second factor: it also
// begins the session.
func (s *Service) FinishByEnrolling(unfinished, t, code string, from From) (token string, u User, recovery []string, err error) {
	_, u, err = s.Unfinished(unfinished)
	if err != nil {
		return "", User{}, nil, err
	}
	if err := s.throttle.begin(s.now(), factorSubject(u.ID)); err != nil {
		return "", User{}, nil, err
	}
	err = s.update(func(tx *store.Tx) error {
		p, r, err := s.resume(tx, unfinished)
		if err != nil {
			return err
		}
		if p.Step != StepEnrol {
			return ticket.ErrExpired
		}
		if recovery, err = s.setApp(tx, r, t, code); err != nil {
			return err
		}
		if err := audit(tx, r.ID, "account.app-set", r.ID, "at sign-in"); err != nil {
			return err
		}
		token, err = s.finish(tx, unfinished, p, r, "code", from)
		return err
	})
	if err != nil {
		return "", User{}, nil, err
	}
	s.throttle.succeed(factorSubject(u.ID))
	return token, u, recovery, nil
}

// setApp changes the record if code is one of the enrolment.
func (s *Service) setApp(tx *store.Tx, r *record, t, code string) ([]string, error) {
	e, err := ticket.Open[enrolment](s.tickets, enrolPurpose, t)
	if err != nil || e.User != r.ID {
		return nil, ticket.ErrExpired
	}
	app := &totpRecord{Secret: e.Secret, Since: s.now().UTC()}
	if !app.accept(code, s.now()) {
		return nil, ErrAppCode
	}
	if err := s.tickets.Spend(t); err != nil {
		return nil, err
	}
	r.TOTP = app
	return r.newRecovery(tx), nil
}

// RemoveApp removes the app for codes and the recovery codes. It fails with ErrPassword,
// ErrCode, ErrFactorNeeded or a [*TooManyTriesError].
func (s *Service) RemoveApp(by User, confirm string) error {
	return s.changeFactors(by, confirm, "account.app-remove", func(_ *store.Tx, r *record) (string, error) {
		r.TOTP, r.Recovery = nil, nil
		if s.needsFactor(r) && !r.hasFactor() {
			return "", ErrFactorNeeded
		}
		return "", nil
	})
}

// NewRecoveryCodes replaces the recovery codes. It fails like RemoveApp, and with ErrNotFound
// for a person without an app.
func (s *Service) NewRecoveryCodes(by User, confirm string) (codes []string, err error) {
	err = s.changeFactors(by, confirm, "account.recovery-codes", func(tx *store.Tx, r *record) (string, error) {
		if r.TOTP == nil {
			return "", ErrNotFound
		}
		codes = r.newRecovery(tx)
		return "", nil
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

// FinishByCode is the last step of a sign-in with a code of the app or a recovery code. It
// fails with ErrCode, with ticket.ErrExpired or with a [*TooManyTriesError].
func (s *Service) FinishByCode(unfinished, code string, from From) (token string, u User, err error) {
	_, u, err = s.Unfinished(unfinished)
	if err != nil {
		return "", User{}, err
	}
	if err := s.throttle.begin(s.now(), factorSubject(u.ID)); err != nil {
		return "", User{}, err
	}
	err = s.update(func(tx *store.Tx) error {
		p, r, err := s.resume(tx, unfinished)
		if err != nil {
			return err
		}
		used := "code"
		if len(digitsOf(code)) != totpDigits.Length() {
			used = "recovery code"
		}
		if !s.useCode(tx, r, code) {
			return audit(tx, operatorID, "session.refused", r.ID, "second factor"+from.words())
		}
		token, err = s.finish(tx, unfinished, p, r, used, from)
		return err
	})
	if err == nil && token == "" {
		err = ErrCode
	}
	if err != nil {
		return "", User{}, err
	}
	s.throttle.succeed(factorSubject(u.ID))
	return token, u, nil
}

// useCode uses up a code of the app, or a recovery code. The caller stores the record.
func (s *Service) useCode(tx *store.Tx, r *record, code string) bool {
	if r.TOTP == nil {
		return false
	}
	return r.TOTP.accept(code, s.now()) || r.useRecovery(tx, code)
}

// accept uses up a code: the same one, and all before it, are refused afterwards.
func (a *totpRecord) accept(code string, now time.Time) bool {
	code = digitsOf(code)
	step := now.Unix() / int64(totpPeriod/time.Second)
	for at := step - totpSkew; at <= step+totpSkew; at++ {
		want, err := hotp.GenerateCodeCustom(a.Secret, uint64(at), hotp.ValidateOpts{Digits: totpDigits})
		if err == nil && at > a.LastStep && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			a.LastStep = at
			return true
		}
	}
	return false
}

// digitsOf is a code without the spaces that apps show in it, "" if it is something else.
func digitsOf(code string) string {
	code = strings.ReplaceAll(strings.TrimSpace(code), " ", "")
	if len(code) > 2*totpDigits.Length() {
		return ""
	}
	if _, err := strconv.ParseUint(code, 10, 64); err != nil {
		return ""
	}
	return code
}

var recoveryAlphabet = base32.NewEncoding("abcdefghjkmnpqrstuvwxyz234567890").WithPadding(base32.NoPadding) // without i, l, o

// newRecovery replaces the recovery codes of the record and returns them: "abcd-efgh-jkmn-pqrs".
func (r *record) newRecovery(tx *store.Tx) []string {
	codes := make([]string, recoveryCodes)
	r.Recovery = make([][]byte, recoveryCodes)
	for i := range codes {
		b := make([]byte, recoveryBytes)
		rand.Read(b)
		code := recoveryAlphabet.EncodeToString(b)
		r.Recovery[i] = recoveryHash(tx, r.ID, code)
		codes[i] = strings.Join([]string{code[:4], code[4:8], code[8:12], code[12:]}, "-")
	}
	return codes
}

func recoveryHash(tx *store.Tx, id, code string) []byte {
	return tx.HMAC([]byte("recovery:" + id + ":" + code))
}

// useRecovery removes a recovery code.
func (r *record) useRecovery(tx *store.Tx, code string) bool {
	if len(code) > 64 {
		return false
	}
	code = strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code))
	hash := recoveryHash(tx, r.ID, code)
	for i, one := range r.Recovery {
		if hmac.Equal(one, hash) {
			r.Recovery = slices.Delete(r.Recovery, i, i+1)
			return true
		}
	}
	return false
}
