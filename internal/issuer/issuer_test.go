// SPDX-License-Identifier: Apache-2.0

package issuer

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/issuer/issuertest"
)

const origin = "https://hide.example"

// desk is an issuer and its client, with a clock that tests move.
type desk struct {
	*Issuer
	t    *testing.T
	at   *issuertest.Issuer
	skew atomic.Int64 // of the client's clock
}

func open(t *testing.T, is issuertest.Behaviour, change func(*Config)) *desk {
	t.Helper()
	if is.Subject == "" {
		is.Subject = "4711"
	}
	d := &desk{t: t, at: issuertest.Start(t, is)}
	cfg := Config{
		URL: d.at.URL, Client: issuertest.Client, Secret: issuertest.Secret, Origin: origin,
		Roles: map[string][]string{"admin": {"hide-admins"}, "broker": {"hide-brokers", "brokers"}, "reviewer": {"board"}},
		Now:   func() time.Time { return time.Now().Add(time.Duration(d.skew.Load())) },
	}
	if change != nil {
		change(&cfg)
	}
	var err error
	if d.Issuer, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	return d
}

// visit follows a browser to the issuer and gives what it brings back.
func (d *desk) visit(address string) url.Values {
	d.t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get(address)
	if err != nil {
		d.t.Fatal(err)
	}
	answer.Body.Close()
	back, err := answer.Location()
	if err != nil || !strings.HasPrefix(back.String(), origin+CallbackPath+"?") {
		d.t.Fatalf("sent back to %v, %v", back, err)
	}
	return back.Query()
}

func (d *desk) signIn() (Person, error) {
	d.t.Helper()
	address, ticket, err := d.Begin(d.t.Context(), "/people")
	if err != nil {
		return Person{}, err
	}
	p, next, err := d.Finish(d.t.Context(), ticket, d.visit(address))
	if err == nil && next != "/people" {
		d.t.Errorf("leads to %q", next)
	}
	return p, err
}

func TestGroupsGiveTheStrongestRole(t *testing.T) {
	for _, c := range []struct {
		groups []string
		want   account.Role
	}{
		{[]string{"staff", "board"}, account.Reviewer},
		{[]string{"board", "brokers", "hide-admins"}, account.Admin},
		{[]string{"brokers"}, account.Broker},
		{[]string{"Brokers", "hide-admin", "staff"}, ""}, // a renamed group is another one
		{[]string{}, ""},
		{nil, ""},
	} {
		d := open(t, issuertest.Behaviour{Name: "Ada", Groups: c.groups}, nil)
		p, err := d.signIn()
		if err != nil || p.Role != c.want || p.Subject != "4711" || p.Issuer != d.at.URL || p.Name != "Ada" || p.HasGroups != (c.groups != nil) {
			t.Errorf("%q: got %+v, %v", c.groups, p, err)
		}
	}
}

func TestGroupsAreFoundWhereTheIssuerHasThem(t *testing.T) {
	d := open(t, issuertest.Behaviour{Groups: []string{"board"}, InUserInfo: true}, nil)
	if p, err := d.signIn(); err != nil || p.Role != account.Reviewer {
		t.Errorf("from userinfo: %+v, %v", p, err)
	}
	nested := func(claims map[string]any) {
		claims["realm_access"] = map[string]any{"roles": []string{"board", "x"}}
		claims["one"] = "board"
	}
	for _, claim := range []string{"realm_access.roles", "one"} {
		d := open(t, issuertest.Behaviour{Change: nested}, func(c *Config) { c.GroupsClaim = claim })
		if p, err := d.signIn(); err != nil || p.Role != account.Reviewer {
			t.Errorf("from %s: %+v, %v", claim, p, err)
		}
	}
}

// TestWhatIsWrongWithAnIssuerIsSaid: each fault has words of its own, and signs nobody in.
func TestWhatIsWrongWithAnIssuerIsSaid(t *testing.T) {
	set := func(name string, v any) func(map[string]any) { return func(c map[string]any) { c[name] = v } }
	for _, c := range []struct {
		name string
		is   issuertest.Behaviour
		kind Kind
		says string
	}{
		{"signed with another key", issuertest.Behaviour{OtherKey: true}, Refused, "not signed with a key"},
		{"another audience", issuertest.Behaviour{Change: set("aud", "payroll")}, Refused, "is for another program"},
		{"another authorized party", issuertest.Behaviour{Change: set("azp", "payroll")}, Refused, "is for another program"},
		{"another issuer", issuertest.Behaviour{Change: set("iss", "https://evil.example")}, Refused, "comes from another issuer"},
		{"another nonce", issuertest.Behaviour{Change: set("nonce", "x")}, Refused, "belongs to another sign-in"},
		{"no nonce", issuertest.Behaviour{Change: func(c map[string]any) { delete(c, "nonce") }}, Refused, "belongs to another sign-in"},
		{"nobody", issuertest.Behaviour{Change: set("sub", "")}, Refused, "names nobody"},
		{"expired", issuertest.Behaviour{Lifetime: -time.Hour}, Refused, "has expired"},
		{"a clock an hour fast", issuertest.Behaviour{Skew: time.Hour}, Clock, "differ by 60 minutes"},
		{"a clock an hour slow", issuertest.Behaviour{Skew: -time.Hour}, Clock, "differ by 60 minutes"},
		{"groups of somebody else", issuertest.Behaviour{Groups: []string{"board"}, InUserInfo: true, InfoSubject: "4712"}, Refused, "of somebody else"},
		{"groups that are not told", issuertest.Behaviour{Groups: []string{"board"}, InUserInfo: true, InfoDown: true}, Unreachable, "did not say which groups"},
		{"access denied", issuertest.Behaviour{Deny: "access_denied"}, Denied, "did not let you in"},
		{"another refusal", issuertest.Behaviour{Deny: "server_error"}, Denied, "refused the sign-in"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, c.is, nil)
			p, err := d.signIn()
			refused, ok := errors.AsType[*Error](err)
			if !ok || refused.Kind != c.kind || !strings.Contains(refused.What, c.says) || refused.Next == "" {
				t.Errorf("got %+v, %#v", p, err)
			}
			if p.Subject != "" {
				t.Errorf("signed in %+v", p)
			}
		})
	}
}

func TestOurOwnClockIsNamedToo(t *testing.T) {
	d := open(t, issuertest.Behaviour{Groups: []string{"board"}}, nil)
	d.skew.Store(int64(-time.Hour))
	_, err := d.signIn()
	if refused, ok := errors.AsType[*Error](err); !ok || refused.Kind != Clock || !strings.Contains(refused.What, "The clock") && !strings.Contains(refused.What, "the clock of this server says") {
		t.Errorf("got %v", err)
	}
}

func TestAnAnswerIsGoodOnceForTheBrowserThatBegan(t *testing.T) {
	d := open(t, issuertest.Behaviour{Groups: []string{"board"}}, nil)
	address, ticket, err := d.Begin(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := d.Begin(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	back := d.visit(address)
	stale := func(what, ticket string, q url.Values) {
		t.Helper()
		if _, _, err := d.Finish(t.Context(), ticket, q); err == nil {
			t.Errorf("%s: accepted", what)
		} else if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Stale {
			t.Errorf("%s: %v", what, err)
		}
	}
	stale("the ticket of another browser", other, back)
	stale("no ticket", "", back)
	stale("another state", ticket, url.Values{"code": back["code"], "state": {"x"}})
	stale("no state", ticket, url.Values{"code": back["code"]})
	if _, _, err := d.Finish(t.Context(), ticket, back); err != nil {
		t.Fatal(err)
	}
	stale("a second time", ticket, back)
}

func TestIssuerThatIsDownIsTriedAgain(t *testing.T) {
	d := open(t, issuertest.Behaviour{Groups: []string{"board"}, Down: true}, nil)
	if s := d.Status(); !s.Tried.IsZero() {
		t.Errorf("tried before anybody came: %+v", s)
	}
	_, err := d.signIn()
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Unreachable || !strings.Contains(e.What, "Hospital sign-in does not answer") {
		t.Fatalf("got %v", err)
	}
	if s := d.Status(); s.Tried.IsZero() || s.Problem == "" {
		t.Errorf("status %+v", s)
	}
	_ = d.Ready(t.Context()) // within the pause: the issuer is left alone
	if n := d.at.Asked("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	d.at.Set(func(b *issuertest.Behaviour) { b.Down = false })
	d.skew.Store(int64(pause))
	if p, err := d.signIn(); err != nil || p.Role != account.Reviewer {
		t.Errorf("afterwards: %+v, %v", p, err)
	}
	if s := d.Status(); s.Problem != "" {
		t.Errorf("status %+v", s)
	}
}

// TestAVisitorWhoHangsUpHoldsUpNobody: neither while the issuer is asked for its addresses nor
// for a code. Everybody's sign-in would stand still otherwise.
func TestAVisitorWhoHangsUpHoldsUpNobody(t *testing.T) {
	d := open(t, issuertest.Behaviour{Groups: []string{"board"}}, nil)
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	wantGoingOn := func(err error) {
		t.Helper()
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Unreachable {
			t.Errorf("the visitor who hung up: %v", err)
		}
		if s := d.Status(); s.Problem != "" {
			t.Errorf("others read: %s", s.Problem)
		}
		if p, err := d.signIn(); err != nil || p.Role != account.Reviewer {
			t.Errorf("another visitor: %+v, %v", p, err)
		}
	}
	wantGoingOn(d.Ready(gone))
	address, ticket, err := d.Begin(t.Context(), "/")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = d.Finish(gone, ticket, d.visit(address))
	wantGoingOn(err)
}

// An issuer that accepts connections and says nothing is given up.
func TestSlowIssuerIsGivenUp(t *testing.T) {
	stop, begun := make(chan struct{}), make(chan struct{}, 1)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}))
	defer slow.Close()
	defer close(stop)
	for _, gaveUp := range []bool{true, false} {
		i, err := New(Config{URL: slow.URL, Client: "hide", Roles: map[string][]string{"admin": {"a"}}})
		if err != nil {
			t.Fatal(err)
		}
		if gaveUp {
			i.client.Timeout = 50 * time.Millisecond
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		asked := make(chan error, 1)
		go func() { asked <- i.Ready(ctx) }()
		<-begun
		i.Status() // the page of the sign-in does not wait
		i.LogoutURL("")
		if !gaveUp {
			cancel()
		}
		if err := <-asked; err == nil {
			t.Error("a silent issuer is ready")
		}
	}
}

// TestOnlyHostsOfTheIssuerAreCalled: neither a host that its answers name elsewhere, nor a
// redirect, nor a proxy of the environment.
func TestOnlyHostsOfTheIssuerAreCalled(t *testing.T) {
	var calls atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	defer elsewhere.Close()
	t.Setenv("HTTP_PROXY", elsewhere.URL)
	t.Setenv("http_proxy", elsewhere.URL)
	d := open(t, issuertest.Behaviour{Groups: []string{"board"}}, nil)
	if _, err := d.signIn(); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{elsewhere.URL, "http://192.0.2.1/", "https://example.com/"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := d.client.Do(r); err == nil {
			answer.Body.Close()
			t.Errorf("%s was called", address)
		}
	}
	if _, err := d.gate.transport.DialContext(t.Context(), "tcp", strings.TrimPrefix(elsewhere.URL, "http://")); err == nil {
		t.Error("a connection to another host was opened")
	}
	redirecting := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer redirecting.Close()
	i, err := New(Config{URL: redirecting.URL, Client: "hide", Roles: map[string][]string{"admin": {"a"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Ready(t.Context()); err == nil || calls.Load() != 0 {
		t.Errorf("a redirect was followed: %v, %d calls", err, calls.Load())
	}
	plain := open(t, issuertest.Behaviour{Discovered: func(doc map[string]any) { doc["token_endpoint"] = "http://login.example/token" }}, nil)
	if err := plain.Ready(t.Context()); err == nil {
		t.Error("an address without https was accepted")
	}
}

func TestConfigurationsThatMakeNoSenseAreRefused(t *testing.T) {
	good := Config{URL: "https://login.example", Client: "hide", Roles: map[string][]string{"admin": {"a"}}}
	for name, change := range map[string]func(*Config){
		"no issuer":       func(c *Config) { c.URL = "" },
		"without https":   func(c *Config) { c.URL = "http://login.example" },
		"with a query":    func(c *Config) { c.URL = "https://login.example?x=1" },
		"no client":       func(c *Config) { c.Client = "" },
		"no roles":        func(c *Config) { c.Roles = nil },
		"an unknown role": func(c *Config) { c.Roles = map[string][]string{"king": {"a"}} },
	} {
		cfg := good
		change(&cfg)
		if _, err := New(cfg); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := New(good); err != nil {
		t.Error(err)
	}
}

func TestSignOutLeadsToTheIssuer(t *testing.T) {
	d := open(t, issuertest.Behaviour{Groups: []string{"board"}}, nil)
	if got := d.LogoutURL("x"); got != "" {
		t.Errorf("before the issuer answered: %q", got)
	}
	p, err := d.signIn()
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(d.LogoutURL(p.IDToken))
	if err != nil || !strings.HasPrefix(u.String(), d.at.URL+"/end?") || u.Query().Get("id_token_hint") != p.IDToken || u.Query().Get("post_logout_redirect_uri") != origin+"/sign-in" {
		t.Errorf("got %v, %v", u, err)
	}
	without := open(t, issuertest.Behaviour{Groups: []string{"board"}, NoSignOut: true}, nil)
	if p, err := without.signIn(); err != nil || without.LogoutURL(p.IDToken) != "" {
		t.Errorf("an issuer without a sign-out: %v", err)
	}
}
