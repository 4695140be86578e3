// SPDX-License-Identifier: Apache-2.0

package account

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hide/internal/store"
)

// bucketTokens holds each access token: SHA-256 of the secret: tokenRecord.
const bucketTokens = "account.token"

// TokenPrefix begins every secret, so that programs which look for leaked secrets find it.
const TokenPrefix = "hide_"

// Limits of access tokens.
const (
	TokenDays     = 90  // how long a token lasts by default
	MaxTokenDays  = 366 // at most
	MaxTokenName  = 60  // characters
	MaxTokens     = 50  // of one person that have not ended
	keepEnded     = 30 * 24 * time.Hour
	maxAddresses  = 32 // remembered for a token
	maxSecretSize = 100
)

var (
	// ErrToken is returned by ByToken for a token that is unknown, has ended or was revoked,
	// and for one of a disabled account.
	ErrToken = errors.New("this token is unknown, has ended or was revoked: its person makes a new one on the page Your sessions and tokens")

	// ErrNoToken is returned by RevokeToken if there is no such token, or not for this person.
	ErrNoToken = errors.New("there is no such token, or it was revoked already")

	// ErrTokenName is returned for a name of a token that is empty, too long or not visible.
	ErrTokenName = fmt.Errorf("the name of a token has 1 to %d visible characters: say what uses it", MaxTokenName)

	// ErrTokenDays is returned for a time that is too short or too long.
	ErrTokenDays = fmt.Errorf("a token lasts from 1 to %d days", MaxTokenDays)

	// ErrTokens is returned for one more token of a person who has too many.
	ErrTokens = fmt.Errorf("a person has at most %d tokens: revoke one that nothing uses any more", MaxTokens)
)

// Token lets a program use the HTTP API as a person, within its scopes and its time. The
// secret is not part of it.
type Token struct {
	ID      string    `json:"id"`     // names it in lists and in the audit trail; it gives no access
	Person  string    `json:"person"` // id of the person whose rights it has
	Name    string    `json:"name"`   // what uses it
	Scopes  []Scope   `json:"scopes"`
	Project string    `json:"project,omitempty"` // id of the only project that it opens; "" for all of the person's projects
	Created time.Time `json:"created"`           // when it was made
	Ends    time.Time `json:"ends"`              // from then on it is refused
	Used    time.Time `json:"used,omitzero"`     // last use, as far as written: every 5 minutes at most; zero for never
	Address string    `json:"address,omitempty"` // of the last use; "" if it is not known, as behind a proxy
}

// Allows reports whether the token has the scope.
func (t Token) Allows(s Scope) bool { return slices.Contains(t.Scopes, s) }

// Ended reports whether the time of the token is over.
func (t Token) Ended(now time.Time) bool { return !now.Before(t.Ends) }

// NewToken says what a new token is for.
type NewToken struct {
	Person  string // id; "" means the acting person, and only Operator may name another
	Name    string // required
	Scopes  []Scope
	Project string // id of the only project that it opens; "" for all. It is not checked here
	Days    int    // 0 means TokenDays

	// Confirm is the password of the person, or, without one, a code of the app. It is not
	// needed for people who have neither, nor for Operator.
	Confirm string
}

// tokenRecord is a token as it is stored.
type tokenRecord struct {
	User      string    `json:"user"`
	Name      string    `json:"name"`
	Scopes    []Scope   `json:"scopes"`
	Project   string    `json:"project,omitempty"`
	Created   time.Time `json:"created"`
	Ends      time.Time `json:"ends"`
	Used      time.Time `json:"used,omitzero"`
	Addresses []string  `json:"addresses,omitempty"` // of uses, the last one first
}

func tokenID(key []byte) string { return "t" + hex.EncodeToString(key[:10]) }

func (r tokenRecord) token(key []byte) Token {
	t := Token{ID: tokenID(key), Person: r.User, Name: r.Name, Scopes: r.Scopes, Project: r.Project, Created: r.Created, Ends: r.Ends, Used: r.Used}
	if len(r.Addresses) > 0 {
		t.Address = r.Addresses[0]
	}
	return t
}

// cleanToken checks what a new token is for, and fills in defaults.
func cleanToken(t NewToken) (NewToken, error) {
	t.Name, t.Days = strings.TrimSpace(t.Name), cmp.Or(t.Days, TokenDays)
	if !utf8.ValidString(t.Name) || t.Name == "" || utf8.RuneCountInString(t.Name) > MaxTokenName || strings.ContainsFunc(t.Name, func(r rune) bool { return r != ' ' && !visible(r) }) {
		return t, ErrTokenName
	}
	if t.Days < 1 || t.Days > MaxTokenDays {
		return t, ErrTokenDays
	}
	var err error
	t.Scopes, err = cleanScopes(t.Scopes)
	return t, err
}

// CreateToken makes an access token and returns its secret, which is not stored and cannot be
// shown again. A person makes their own tokens; Operator makes anybody's. It fails with
// ErrTokenName, ErrScope, ErrTokenDays, ErrTokens, ErrForbidden, ErrNotFound, ErrLocalOff, and,
// where t.Confirm is wrong, with ErrPassword, ErrCode or a [*TooManyTriesError].
func (s *Service) CreateToken(by User, t NewToken) (secret string, made Token, err error) {
	if t, err = cleanToken(t); err != nil {
		return "", Token{}, err
	}
	t.Person = cmp.Or(t.Person, by.ID)
	if by.ID != operatorID && by.ID != t.Person {
		return "", Token{}, ErrForbidden
	}
	create := func(tx *store.Tx, r *record) (string, error) {
		secret, made, err = s.putToken(tx, r, t)
		return made.detail(), err
	}
	if by.ID == operatorID {
		err = s.manage(by, t.Person, "token.create", create)
	} else {
		err = s.confirmed(by, t.Confirm, "token.create", create)
	}
	if err != nil {
		return "", Token{}, err
	}
	return secret, made, nil
}

// detail describes a token in the audit trail, without its name.
func (t Token) detail() string {
	where := "all projects"
	if t.Project != "" {
		where = "project " + t.Project
	}
	return fmt.Sprintf("token %s, %s, %s, until %s UTC", t.ID, ScopeText(t.Scopes, " "), where, t.Ends.Format("2006-01-02 15:04"))
}

// putToken stores a new token of the person, and deletes those that ended long ago.
func (s *Service) putToken(tx *store.Tx, r *record, t NewToken) (secret string, made Token, err error) {
	if r.Disabled {
		return "", Token{}, ErrNotFound
	}
	if s.localOff && !r.External {
		return "", Token{}, ErrLocalOff
	}
	now, live := s.now().UTC(), 0
	err = eachToken(tx, func(key []byte, rec tokenRecord) error {
		switch old := rec.token(key); {
		case old.Ended(now.Add(-keepEnded)):
			s.tokensSeen.forget(key)
			return tx.Delete(bucketTokens, key)
		case rec.User == r.ID && !old.Ended(now):
			live++
		}
		return nil
	})
	if err != nil {
		return "", Token{}, err
	}
	if live >= MaxTokens {
		return "", Token{}, ErrTokens
	}
	random, _ := newToken()
	secret = TokenPrefix + random
	key := tokenKey(secret)
	rec := tokenRecord{User: r.ID, Name: t.Name, Scopes: t.Scopes, Project: t.Project, Created: now, Ends: now.Add(time.Duration(t.Days) * 24 * time.Hour)}
	return secret, rec.token(key), save(tx, bucketTokens, key, rec)
}

func eachToken(tx *store.Tx, fn func(key []byte, r tokenRecord) error) error {
	return each(tx, bucketTokens, fn)
}

// Tokens lists the tokens of a person, the newest first: one's own, or, to an admin,
// anybody's. Those that have ended stay in the list for at least 30 days. It fails with
// ErrForbidden or ErrNotFound.
func (s *Service) Tokens(by User, person string) ([]Token, error) {
	var all []Token
	err := s.view(func(tx *store.Tx) error {
		if by.ID != person {
			if err := mayManage(tx, by); err != nil {
				return err
			}
		}
		if _, err := loadRecord(tx, person); err != nil {
			return err
		}
		return eachToken(tx, func(key []byte, r tokenRecord) error {
			if r.User == person {
				all = append(all, r.token(key))
			}
			return nil
		})
	})
	slices.SortFunc(all, func(a, b Token) int {
		return cmp.Or(b.Created.Compare(a.Created), strings.Compare(a.ID, b.ID))
	})
	return all, err
}

// OwnedToken is a token with the name of its person.
type OwnedToken struct {
	Token
	User string `json:"user"`
}

// TokensOf lists the tokens of the person with a name, or, for "", of everybody, for the command
// line: it checks no permission. It fails with ErrNotFound.
func (s *Service) TokensOf(name string) ([]OwnedToken, error) {
	people, err := s.named(name)
	if err != nil {
		return nil, err
	}
	all := []OwnedToken{}
	for _, u := range people {
		tokens, err := s.Tokens(Operator(), u.ID)
		if err != nil {
			return nil, err
		}
		for _, t := range tokens {
			all = append(all, OwnedToken{t, u.Name})
		}
	}
	return all, nil
}

// named is the person with a name, or everybody for "".
func (s *Service) named(name string) ([]User, error) {
	if name == "" {
		return s.All()
	}
	u, err := s.Find(name)
	return []User{u}, err
}

// RevokeToken ends a token at once, with the transfers that use it: one's own, or, by an
// admin, anybody's. It fails with ErrNoToken.
func (s *Service) RevokeToken(by User, id string) error {
	var revoked tokenRecord
	var at []byte
	err := s.update(func(tx *store.Tx) error {
		at = nil
		if err := eachToken(tx, func(key []byte, r tokenRecord) error {
			if tokenID(key) == id {
				at, revoked = slices.Clone(key), r
			}
			return nil
		}); err != nil {
			return err
		}
		if at == nil || by.ID != revoked.User && mayManage(tx, by) != nil {
			return ErrNoToken
		}
		return errors.Join(tx.Delete(bucketTokens, at), audit(tx, by.ID, "token.revoke", revoked.User, "token "+id))
	})
	if err == nil {
		s.tokensSeen.forget(at)
		s.changes.tell(revoked.User)
	}
	return err
}

// dropTokens deletes the tokens of a person, and says so for an audit row.
func dropTokens(tx *store.Tx, person string) (detail string, err error) {
	n := 0
	err = eachToken(tx, func(key []byte, r tokenRecord) error {
		if r.User != person {
			return nil
		}
		n++
		return tx.Delete(bucketTokens, key)
	})
	if n > 0 {
		detail = fmt.Sprintf("%d tokens ended", n)
	}
	return detail, err
}
