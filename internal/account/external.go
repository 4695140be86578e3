// SPDX-License-Identifier: Apache-2.0

package account

import (
	"errors"
	"fmt"
	"strings"

	"hide/internal/store"
)

// bucketIdentities leads from a keyed hash of issuer and subject to the id of the account.
const bucketIdentities = "account.identity"

// external is who a person is at an issuer. Name is what the issuer calls them.
type external struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
	Name    string `json:"name"`
}

// Identity is a person whom an issuer has signed in.
type Identity struct {
	Issuer, Subject string // together they are the person
	Name            string // for display; it never leads to an account
	Role            Role   // from the groups of the person; "" for none
	IDToken         string // kept with the session, for signing out at the issuer
}

var (
	// ErrNoRole is returned for a person of an issuer without a role.
	ErrNoRole = errors.New("none of your groups has a role in hide")

	// ErrDisabled is returned for a person of an issuer whose account is disabled.
	ErrDisabled = errors.New("your account in hide is disabled: ask an administrator")

	// ErrExternal is returned for what only an account with a password has.
	ErrExternal = errors.New("this person signs in with the hospital's sign-in: the password and the role are kept there")

	// ErrLocalOff is returned if only the issuer signs people in.
	ErrLocalOff = errors.New("people sign in with the hospital's sign-in only: passwords, passkeys and one-time links are off")
)

func identityKey(tx *store.Tx, issuer, subject string) []byte {
	return tx.HMAC(fmt.Appendf(nil, "identity:%d:%s:%s", len(issuer), issuer, subject))
}

// SignInExternal begins a session of a person whom an issuer has signed in. The first time it
// makes an account, whose name is free: an account that has the name already is somebody
// else's. The role is set anew each time. Without one all sessions and tokens of the person end, and
// it fails with ErrNoRole. It also fails with ErrDisabled.
func (s *Service) SignInExternal(e Identity, from From) (token string, u User, err error) {
	if e.Issuer == "" || e.Subject == "" || e.Role != "" && !knownRole(e.Role) {
		return "", User{}, ErrNoRole
	}
	var refused error
	var changed string
	err = s.update(func(tx *store.Tx) error {
		r, err := s.identified(tx, e)
		if err != nil {
			return err
		}
		switch {
		case r == nil:
			refused = ErrNoRole
			return audit(tx, operatorID, "session.refused", "", "no group with a role"+from.words())
		case r.Disabled:
			refused = ErrDisabled
			return audit(tx, operatorID, "session.refused", r.ID, "disabled"+from.words())
		case e.Role == "":
			refused, changed = ErrNoRole, r.ID
			_, err := dropTokens(tx, r.ID)
			return errors.Join(err, dropSessions(tx, r.ID), audit(tx, operatorID, "session.refused", r.ID, "no group with a role: all sessions and tokens ended"+from.words()))
		}
		if r.Role != e.Role {
			detail := fmt.Sprintf("from %s to %s, by groups", r.Role, e.Role)
			r.Role, changed = e.Role, r.ID
			if err := errors.Join(dropSessions(tx, r.ID), audit(tx, operatorID, "account.role", r.ID, detail)); err != nil {
				return err
			}
		}
		u = r.User
		token, err = s.begin(tx, r, entry{how: "single sign-on", detail: "by single sign-on", from: from, idToken: e.IDToken})
		return err
	})
	if err == nil {
		err = refused
	}
	if changed != "" && (err == nil || refused != nil) {
		s.changes.tell(changed)
	}
	if err != nil {
		return "", User{}, err
	}
	return token, u, nil
}

// identified finds the account of an identity, or makes it if the person has a role; nil if
// there is none.
func (s *Service) identified(tx *store.Tx, e Identity) (*record, error) {
	key := identityKey(tx, e.Issuer, e.Subject)
	id, err := tx.Get(bucketIdentities, key)
	switch {
	case err == nil:
		r, err := loadRecord(tx, string(id))
		if err != nil {
			return nil, err
		}
		return r, s.renamed(tx, r, e.Name)
	case !errors.Is(err, store.ErrNotFound):
		return nil, err
	case e.Role == "":
		return nil, nil
	}
	r := &record{User: User{ID: newID(), Role: e.Role, External: true}, Created: s.now().UTC(), Issuer: &external{e.Issuer, e.Subject, e.Name}}
	if r.Name, err = freeName(tx, e.Name); err != nil {
		return nil, err
	}
	return r, errors.Join(add(tx, r), tx.Put(bucketIdentities, key, []byte(r.ID)), audit(tx, operatorID, "account.create", r.ID, "role "+string(e.Role)+", by single sign-on"))
}

// renamed follows another name at the issuer.
func (s *Service) renamed(tx *store.Tx, r *record, name string) error {
	if r.Issuer == nil || r.Issuer.Name == name || name == "" {
		return nil
	}
	r.Issuer.Name = name
	if err := tx.Delete(bucketNames, nameKey(tx, r.Name)); err != nil {
		return err
	}
	old := r.Name
	r.Name = "" // its own old name does not stand in the way
	if err := r.save(tx); err != nil {
		return err
	}
	var err error
	if r.Name, err = freeName(tx, name); err != nil {
		return err
	}
	if err := errors.Join(tx.Put(bucketNames, nameKey(tx, r.Name), []byte(r.ID)), r.save(tx)); err != nil || r.Name == old {
		return err
	}
	return audit(tx, operatorID, "account.rename", r.ID, "by single sign-on")
}

// maxAlike is how many people may have one name.
const maxAlike = 1000

// freeName is a name for display that no account has: the wanted one, or one with a number.
func freeName(tx *store.Tx, wanted string) (string, error) {
	name, err := cleanName(shown(wanted))
	if err != nil {
		name = "Colleague"
	}
	for n := 1; n < maxAlike; n++ {
		one := name
		if n > 1 {
			one = fmt.Sprintf("%s (%d)", name, n)
		}
		taken, err := findName(tx, one)
		if err != nil {
			return "", err
		}
		if taken != nil {
			continue
		}
		if err := checkUnlike(tx, one); errors.Is(err, ErrNameTaken) {
			continue
		} else if err != nil {
			return "", err
		}
		return one, nil
	}
	return "", ErrNameTaken
}

// shown is a name with what cannot be shown left out, short enough for a number behind it.
func shown(name string) string {
	runes := []rune(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || !visible(r) }), " "))
	if most := MaxName - len(" (999)"); len(runes) > most {
		runes = runes[:most]
	}
	return strings.TrimSpace(string(runes))
}

// IDToken is what the issuer gave with the session of a token, "" for none.
func (s *Service) IDToken(token string) (string, error) {
	var rec sessionRecord
	err := s.view(func(tx *store.Tx) error {
		_, err := load(tx, bucketSessions, tokenKey(token), &rec)
		return err
	})
	return rec.IDToken, err
}

// LocalOff reports whether only an issuer signs people in.
func (s *Service) LocalOff() bool { return s.localOff }

// isLocal reports whether a session came about without an issuer and without an emergency.
func (r sessionRecord) isLocal() bool { return !r.External && r.Emergency == "" }
