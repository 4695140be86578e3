// SPDX-License-Identifier: Apache-2.0

package webtest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/web"
)

// Bearer is the secret of an access token for the servers of [New] and [NewWith]: the person
// of the role, see [As], with these scopes, in all projects.
func Bearer(role account.Role, scopes ...account.Scope) string { return BearerIn("", role, scopes...) }

// BearerIn is [Bearer] for one project only.
func BearerIn(project string, role account.Role, scopes ...account.Scope) string {
	parts := []string{string(role), project}
	for _, s := range scopes {
		parts = append(parts, string(s))
	}
	return account.TokenPrefix + strings.Join(parts, "/")
}

// PeekToken finds the person of a [Bearer].
func (a Accounts) PeekToken(secret string) (account.User, account.Token, error) {
	rest, found := strings.CutPrefix(secret, account.TokenPrefix)
	parts := strings.Split(rest, "/")
	if !found || len(parts) < 2 {
		return account.User{}, account.Token{}, account.ErrToken
	}
	u, _, err := a.Peek(parts[0])
	if err != nil {
		return account.User{}, account.Token{}, account.ErrToken
	}
	t := account.Token{ID: "t-" + parts[0], Person: u.ID, Name: "a test", Project: parts[1], Ends: time.Now().Add(24 * time.Hour)}
	for _, s := range parts[2:] {
		t.Scopes = append(t.Scopes, account.Scope(s))
	}
	return u, t, nil
}

// ByToken is [Accounts.PeekToken].
func (a Accounts) ByToken(secret string, _ account.From) (account.User, account.Token, error) {
	return a.PeekToken(secret)
}

// RecordRequest keeps nothing.
func (Accounts) RecordRequest(account.User, string, string) error { return nil }

// Call sends a request to the API with the secret of a token, "" for none.
func (s *Server) Call(secret string, r *http.Request) *httptest.ResponseRecorder {
	if secret != "" {
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// Token makes an access token of a person for all projects, and gives its secret.
func (i *Installation) Token(u account.User, scopes ...account.Scope) string {
	i.t.Helper()
	secret, _, err := i.Accounts.CreateToken(account.Operator(), account.NewToken{Person: u.ID, Name: "a test", Scopes: scopes})
	if err != nil {
		i.t.Fatal(err)
	}
	return secret
}

// ServeAPI is a server with these parts of the API and no page, over the real accounts and
// services.
func (i *Installation) ServeAPI(t testing.TB, parts ...web.APIFeature) *Server {
	t.Helper()
	s, err := web.New(web.Config{Accounts: i.Accounts, Tokens: i.Accounts, Projects: i.Projects, PublicOrigin: Origin, API: parts})
	if err != nil {
		t.Fatal(err)
	}
	return &Server{s, Origin}
}

// Token makes an access token of the person, who is signed in, for all projects, and gives its secret.
func (p *Person) Token(scopes ...account.Scope) string {
	p.t.Helper()
	at, err := url.Parse(p.base)
	if err != nil {
		p.t.Fatal(err)
	}
	var u account.User
	for _, cookie := range p.Client.Jar.Cookies(at) {
		if cookie.Name == web.CookieName(p.base, false) {
			if u, _, err = p.house.Accounts.Peek(cookie.Value); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	secret, _, err := p.house.Accounts.CreateToken(u, account.NewToken{Name: "a test", Scopes: scopes, Confirm: p.password})
	if err != nil {
		p.t.Fatal(err)
	}
	return secret
}
