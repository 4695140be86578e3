// SPDX-License-Identifier: Apache-2.0

package account

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hide/internal/store"
)

// token makes a token with the scope to read notes.
func (h *house) token(u User, days int) (secret string, t Token) {
	h.t.Helper()
	secret, t, err := h.CreateToken(Operator(), NewToken{Person: u.ID, Name: "nightly import", Scopes: []Scope{ScopeReadNotes}, Days: days})
	h.must(err)
	return secret, t
}

// details are those of audit rows with the action, oldest first.
func (h *house) details(action string) []string {
	h.t.Helper()
	all, err := h.store.AuditRows(0, 1000, func(r store.AuditRow) bool { return r.Action == action })
	h.must(err)
	var details []string
	for _, r := range slices.Backward(all) {
		details = append(details, r.Detail)
	}
	return details
}

func TestATokenIsItsPersonWithinItsTime(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	u, _ := h.person(admin, "Ben", Broker)
	secret, made := h.token(u, 10)
	if !strings.HasPrefix(secret, TokenPrefix) || strings.Contains(secret, made.ID) {
		t.Errorf("the secret is %q, of token %s", secret, made.ID)
	}
	got, token, err := h.ByToken(secret, From{})
	if h.must(err); got != u || token.ID != made.ID || !token.Allows(ScopeReadNotes) || token.Allows(ScopeWriteNotes) {
		t.Errorf("got %+v of %+v", token, got)
	}
	h.must(h.SetRole(admin, u.ID, Reviewer))
	if got, _, err = h.ByToken(secret, From{}); err != nil || got.Role != Reviewer {
		t.Errorf("after a change of the role: %v, %v", got.Role, err)
	}
	h.clock.Advance(10*24*time.Hour - time.Second)
	_, _, err = h.ByToken(secret, From{})
	h.must(err)
	h.clock.Advance(time.Second)
	if _, _, err = h.ByToken(secret, From{}); !errors.Is(err, ErrToken) {
		t.Errorf("at its end: %v", err)
	}
	h.clock.Advance(-time.Hour) // a clock that is set back
	if _, _, err = h.PeekToken(secret); !errors.Is(err, ErrToken) {
		t.Errorf("a clock that was set back revived the token: %v", err)
	}
}

func TestTokensEndWithRevocationAndTheAccount(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	u, _ := h.person(admin, "Ben", Broker)
	other, _ := h.person(admin, "Cleo", Broker)
	told := 0
	defer h.Changes(func(id string) {
		if id == u.ID {
			told++
		}
	})()
	for what, end := range map[string]func(id string) error{
		"revoked by its person": func(id string) error { return h.RevokeToken(u, id) },
		"revoked by an admin":   func(id string) error { return h.RevokeToken(admin, id) },
		"account disabled":      func(string) error { return errors.Join(h.Disable(admin, u.ID), h.Enable(admin, u.ID)) },
	} {
		secret, made := h.token(u, 1)
		if err := h.RevokeToken(other, made.ID); !errors.Is(err, ErrNoToken) {
			t.Errorf("revoked by somebody else: %v", err)
		}
		told = 0
		h.must(end(made.ID))
		if _, _, err := h.PeekToken(secret); !errors.Is(err, ErrToken) || told == 0 {
			t.Errorf("%s: %v, told %d times", what, err, told)
		}
		if err := h.RevokeToken(u, made.ID); !errors.Is(err, ErrNoToken) {
			t.Errorf("%s, and revoked again: %v", what, err)
		}
	}
	if _, err := h.Tokens(other, u.ID); !errors.Is(err, ErrForbidden) {
		t.Errorf("tokens of somebody else: %v", err)
	}
}

func TestNewTokensAreChecked(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	u, _ := h.person(admin, "Ben", Annotator)
	good := NewToken{Name: "nightly import", Scopes: []Scope{ScopeRuns, ScopeReadNotes, ScopeRuns}, Confirm: goodPassword}
	for what, c := range map[string]struct {
		by     User
		change func(*NewToken)
		want   error
	}{
		"no name":          {u, func(n *NewToken) { n.Name = " " }, ErrTokenName},
		"a long name":      {u, func(n *NewToken) { n.Name = strings.Repeat("é", MaxTokenName+1) }, ErrTokenName},
		"a line in a name": {u, func(n *NewToken) { n.Name = "a\nb" }, ErrTokenName},
		"no scope":         {u, func(n *NewToken) { n.Scopes = nil }, ErrScope},
		"unknown scope":    {u, func(n *NewToken) { n.Scopes = []Scope{ScopeRuns, "admin"} }, ErrScope},
		"too long":         {u, func(n *NewToken) { n.Days = MaxTokenDays + 1 }, ErrTokenDays},
		"no time":          {u, func(n *NewToken) { n.Days = -1 }, ErrTokenDays},
		"for another":      {admin, func(n *NewToken) { n.Person = u.ID }, ErrForbidden},
		"wrong password":   {u, func(n *NewToken) { n.Confirm = otherPassword }, ErrPassword},
		"nobody":           {Operator(), func(n *NewToken) { n.Person = "u0" }, ErrNotFound},
	} {
		n := good
		c.change(&n)
		if secret, _, err := h.CreateToken(c.by, n); !errors.Is(err, c.want) || secret != "" {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
	_, made, err := h.CreateToken(u, good)
	h.must(err)
	if want := []Scope{ScopeReadNotes, ScopeRuns}; !slices.Equal(made.Scopes, want) || made.Ends.Sub(made.Created) != TokenDays*24*time.Hour {
		t.Errorf("got %+v", made)
	}
	for range MaxTokens - 1 {
		h.token(u, 1)
	}
	if _, _, err := h.CreateToken(u, good); !errors.Is(err, ErrTokens) {
		t.Errorf("one more than %d: %v", MaxTokens, err)
	}
	h.clock.Advance(24*time.Hour + 2*keepEnded)
	h.token(u, 1)
	if all, err := h.Tokens(u, u.ID); err != nil || len(all) != 2 {
		t.Errorf("%d tokens are left when all have ended long ago, %v", len(all), err)
	}
}

func TestUseOfATokenIsWrittenNowAndThen(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	secret, made := h.token(admin, 10)
	use := func(peer string) {
		t.Helper()
		_, _, err := h.ByToken(secret, From{Peer: peer})
		h.must(err)
	}
	for range 3 {
		use("192.0.2.1")
	}
	use("192.0.2.2") // at once: it may be somebody else
	use("192.0.2.1")
	h.clock.Advance(writeSeen - time.Second)
	use("192.0.2.2")
	h.clock.Advance(time.Second)
	use("192.0.2.2")
	h.reopen()
	use("192.0.2.1")
	want := []string{"token " + made.ID + " from 192.0.2.1", "token " + made.ID + " from 192.0.2.2", "token " + made.ID + " from 192.0.2.2"}
	if got := h.details("token.use"); !slices.Equal(got, want) {
		t.Errorf("rows are %q, want %q", got, want)
	}
	all, err := h.Tokens(admin, admin.ID)
	if h.must(err); len(all) != 1 || all[0].Address != "192.0.2.2" || !all[0].Used.Equal(h.clock.Now()) {
		t.Errorf("listed as %+v", all)
	}
}

// TestWrongTokensWaitAndValidOnesDoNot: nor do sign-ins from the address.
func TestWrongTokensWaitAndValidOnesDoNot(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	secret, _ := h.token(admin, 10)
	wrong := func(peer string, i int) error {
		_, _, err := h.ByToken(TokenPrefix+strconv.Itoa(i), From{Peer: peer})
		return err
	}
	for i := range freePeerTries {
		if err := wrong("192.0.2.1", i); !errors.Is(err, ErrToken) {
			t.Fatalf("wrong token %d: %v", i+1, err)
		}
	}
	if slow, ok := errors.AsType[*TooManyTriesError](wrong("192.0.2.1", 0)); !ok || slow.Wait != firstWait {
		t.Errorf("one more: %v", slow)
	}
	if err := wrong("192.0.2.2", 0); !errors.Is(err, ErrToken) {
		t.Errorf("from another address: %v", err)
	}
	_, _, err := h.ByToken(secret, From{Peer: "192.0.2.1"})
	h.must(err)
	_, _, err = h.Login("Anna", goodPassword, From{Peer: "192.0.2.1"})
	h.must(err)
}

// TestSecretsOfTokensAreNotStored: neither in a row nor in the file.
func TestSecretsOfTokensAreNotStored(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	secret, _ := h.token(admin, 10)
	_, _, err := h.ByToken(secret, From{})
	h.must(err)
	h.must(h.store.View(store.System, func(tx *store.Tx) error {
		return tx.Scan(bucketTokens, nil, func(key, value []byte) error {
			if bytes.Contains(key, []byte(secret)) || bytes.Contains(value, []byte(secret)) || !bytes.Equal(key, tokenKey(secret)) {
				t.Error("the secret is stored")
			}
			return nil
		})
	}))
	for _, action := range []string{"token.create", "token.use"} {
		for _, detail := range h.details(action) {
			if strings.Contains(detail, secret) || strings.Contains(detail, "nightly import") {
				t.Errorf("%s: %s", action, detail)
			}
		}
	}
	h.must(fs.WalkDir(os.DirFS(h.opts.Dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(os.DirFS(h.opts.Dir), name)
		if bytes.Contains(b, []byte(secret)) || bytes.Contains(b, []byte("nightly import")) {
			t.Errorf("%s holds the token", name)
		}
		return err
	}))
}

// TestTokensOfAPersonWhomTheIssuerRefusesEnd: the issuer says that the person has left.
func TestTokensOfAPersonWhomTheIssuerRefusesEnd(t *testing.T) {
	h := newHouse(t)
	who := Identity{Issuer: "https://login.example", Subject: "7", Name: "Ben", Role: Broker}
	_, u, err := h.SignInExternal(who, From{})
	h.must(err)
	secret, _, err := h.CreateToken(u, NewToken{Name: "nightly import", Scopes: []Scope{ScopeReadNotes}})
	h.must(err)
	who.Role = ""
	if _, _, err := h.SignInExternal(who, From{}); !errors.Is(err, ErrNoRole) {
		t.Fatal(err)
	}
	if _, _, err := h.PeekToken(secret); !errors.Is(err, ErrToken) {
		t.Errorf("the token goes on: %v", err)
	}
}
