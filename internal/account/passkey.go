// SPDX-License-Identifier: Apache-2.0

package account

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"hide/internal/store"
	"hide/internal/ticket"
)

// Passkey is a passkey of a person. Package passkey knows what its credential means.
type Passkey struct {
	ID         []byte          `json:"id"` // of the credential
	Name       string          `json:"name"`
	Added      time.Time       `json:"added"`
	Used       time.Time       `json:"used"`       // last sign-in with it; zero when never
	Suspect    bool            `json:"suspect"`    // its counter went back: it may have been copied, and is refused
	Credential json.RawMessage `json:"credential"` // public key, counter and flags
}

// Key names the passkey in forms.
func (p Passkey) Key() string { return hex.EncodeToString(p.ID) }

// MaxPasskeys is how many passkeys a person may have.
const MaxPasskeys = 20

var (
	// ErrPasskey is returned for a passkey that is not one of an account that may sign in.
	ErrPasskey = errors.New("this passkey is not known here, or its account is disabled")

	// ErrCopied is returned for a passkey whose counter went back.
	ErrCopied = errors.New("the counter of this passkey went back, so it may have been copied: it is refused from now on. Tell an administrator, who can reset your second factors")

	// ErrPasskeyRaced is returned for one of two uses of a passkey at the same moment: both were
	// checked against the same counter.
	ErrPasskeyRaced = errors.New("this passkey was used twice at the same moment: try again")

	// ErrPasskeys is returned for one passkey too many.
	ErrPasskeys = errors.New("you have 20 passkeys: remove one first")
)

func (r *record) usablePasskeys() []Passkey {
	return slices.DeleteFunc(slices.Clone(r.Passkeys), func(p Passkey) bool { return p.Suspect })
}

func (r *record) passkey(id []byte) *Passkey {
	for i, p := range r.Passkeys {
		if bytes.Equal(p.ID, id) {
			return &r.Passkeys[i]
		}
	}
	return nil
}

// PasskeysOf lists the passkeys that may sign a person in, for the package that asks the
// browser. It checks no permission, and fails with ErrPasskey.
func (s *Service) PasskeysOf(id string) (User, []Passkey, error) {
	var u User
	var all []Passkey
	err := s.view(func(tx *store.Tx) error {
		r, err := loadRecord(tx, id)
		if errors.Is(err, ErrNotFound) || err == nil && r.Disabled {
			return ErrPasskey
		}
		if err == nil {
			u, all = r.User, r.usablePasskeys()
		}
		return err
	})
	return u, all, err
}

// ConfirmPerson checks the password, or, without one, a code, before a passkey is added. It
// fails with ErrPassword, ErrCode or a [*TooManyTriesError].
func (s *Service) ConfirmPerson(by User, confirm string) error {
	return s.changeFactors(by, confirm, "account.passkey-begin", func(*store.Tx, *record) (string, error) { return "", nil })
}

// AddPasskey stores a passkey that the browser has just made for a person.
func (s *Service) AddPasskey(by User, p Passkey) error {
	return s.update(func(tx *store.Tx) error {
		r, err := loadRecord(tx, by.ID)
		if err != nil {
			return err
		}
		if r.Disabled {
			return ErrForbidden
		}
		return s.addPasskey(tx, r, p)
	})
}

func (s *Service) addPasskey(tx *store.Tx, r *record, p Passkey) error {
	if len(r.Passkeys) >= MaxPasskeys {
		return ErrPasskeys
	}
	if r.passkey(p.ID) != nil {
		return ErrPasskey
	}
	p.Name, p.Added = passkeyName(p.Name), s.now().UTC()
	r.Passkeys = append(r.Passkeys, p)
	return errors.Join(r.save(tx), audit(tx, r.ID, "account.passkey-add", r.ID, ""))
}

// passkeyName is a name for a list: short, visible, never empty.
func passkeyName(name string) string {
	shown := []rune(strings.Map(func(r rune) rune {
		if r != ' ' && !visible(r) {
			return -1
		}
		return r
	}, strings.TrimSpace(name)))
	if len(shown) > MaxName {
		shown = shown[:MaxName]
	}
	if len(shown) == 0 {
		return "Passkey"
	}
	return string(shown)
}

// FinishByAddingPasskey adds a passkey in a sign-in whose role needs a second factor, and
// begins the session.
func (s *Service) FinishByAddingPasskey(unfinished string, p Passkey, from From) (token string, u User, err error) {
	err = s.update(func(tx *store.Tx) error {
		step, r, err := s.resume(tx, unfinished)
		if err != nil {
			return err
		}
		if step.Step != StepEnrol {
			return ticket.ErrExpired
		}
		if err := s.addPasskey(tx, r, p); err != nil {
			return err
		}
		u = r.User
		token, err = s.finish(tx, unfinished, step, r, "passkey", from)
		return err
	})
	return token, u, err
}

// RenamePasskey gives one's own passkey another name.
func (s *Service) RenamePasskey(by User, key, name string) error {
	return s.update(func(tx *store.Tx) error {
		r, p, err := ownPasskey(tx, by, key)
		if err != nil {
			return err
		}
		p.Name = passkeyName(name)
		return errors.Join(r.save(tx), audit(tx, by.ID, "account.passkey-rename", by.ID, ""))
	})
}

func ownPasskey(tx *store.Tx, by User, key string) (*record, *Passkey, error) {
	r, err := loadRecord(tx, by.ID)
	if err != nil {
		return nil, nil, err
	}
	id, err := hex.DecodeString(key)
	if err != nil {
		return nil, nil, ErrNotFound
	}
	p := r.passkey(id)
	if p == nil {
		return nil, nil, ErrNotFound
	}
	return r, p, nil
}

// RemovePasskey removes one's own passkey. It fails with ErrPassword, ErrCode, ErrNotFound,
// ErrFactorNeeded or a [*TooManyTriesError].
func (s *Service) RemovePasskey(by User, key, confirm string) error {
	return s.changeFactors(by, confirm, "account.passkey-remove", func(_ *store.Tx, r *record) (string, error) {
		before := len(r.Passkeys)
		r.Passkeys = slices.DeleteFunc(r.Passkeys, func(p Passkey) bool { return p.Key() == key })
		if len(r.Passkeys) == before {
			return "", ErrNotFound
		}
		if s.needsFactor(r) && !r.hasFactor() {
			return "", ErrFactorNeeded
		}
		return "", nil
	})
}

// PasskeyUse is a passkey that has just proved itself.
type PasskeyUse struct {
	ID         []byte
	Before     json.RawMessage // the credential that it was checked against
	Credential json.RawMessage // as it is afterwards
	Copied     bool            // its counter went back
}

// SignInByPasskey signs a person in by a passkey alone, which has verified the person: two
// factors in one. It fails with ErrPasskey, ErrCopied or ErrPasskeyRaced.
func (s *Service) SignInByPasskey(id string, use PasskeyUse, from From) (token string, u User, err error) {
	if s.localOff {
		return "", User{}, ErrLocalOff
	}
	return s.byPasskey(use, from, func(tx *store.Tx) (*record, func(*record) (string, error), error) {
		r, err := loadRecord(tx, id)
		if errors.Is(err, ErrNotFound) || err == nil && r.Disabled {
			err = ErrPasskey
		}
		return r, func(r *record) (string, error) {
			return s.begin(tx, r, entry{how: "passkey", detail: "by passkey", from: from})
		}, err
	})
}

// FinishByPasskey is the last step of a sign-in with a passkey. It fails with ErrPasskey,
// ErrCopied, ErrPasskeyRaced or ticket.ErrExpired.
func (s *Service) FinishByPasskey(unfinished string, use PasskeyUse, from From) (token string, u User, err error) {
	return s.byPasskey(use, from, func(tx *store.Tx) (*record, func(*record) (string, error), error) {
		p, r, err := s.resume(tx, unfinished)
		return r, func(r *record) (string, error) { return s.finish(tx, unfinished, p, r, "passkey", from) }, err
	})
}

func (s *Service) byPasskey(use PasskeyUse, from From, find func(*store.Tx) (*record, func(*record) (string, error), error)) (token string, u User, err error) {
	copied := false
	err = s.update(func(tx *store.Tx) error {
		r, begin, err := find(tx)
		if err != nil {
			return err
		}
		p := r.passkey(use.ID)
		if p == nil || p.Suspect {
			return ErrPasskey
		}
		if use.Copied {
			copied, p.Suspect = true, true
			return errors.Join(r.save(tx), audit(tx, operatorID, "session.refused", r.ID, "the counter of a passkey went back"+from.words()))
		}
		if !bytes.Equal(p.Credential, use.Before) {
			return ErrPasskeyRaced
		}
		p.Credential, p.Used, u = use.Credential, s.now().UTC(), r.User
		token, err = begin(r)
		return err
	})
	if err == nil && copied {
		err = ErrCopied
	}
	if err != nil {
		return "", User{}, err
	}
	return token, u, nil
}
