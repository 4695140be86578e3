// SPDX-License-Identifier: Apache-2.0

// Package issuer signs people in at an OpenID Connect issuer, such as the single sign-on of a
// hospital: authorization code with PKCE, state and nonce.
//
//	i, err := issuer.New(issuer.Config{URL: "https://login.hospital.example", ...})
//	address, ticket, err := i.Begin(ctx, "/")
//	... the browser goes to address and comes back with a query ...
//	person, next, err := i.Finish(ctx, ticket, query)
//
// A person is the issuer and the subject, never a name or an e-mail address. The groups of the
// person give the role, at each sign-in.
//
// The only hosts that are called are those of the issuer and of its discovery document; a
// proxy of the environment is not used. An issuer that does not answer keeps nothing from
// starting: the next sign-in tries again, and [Issuer.Status] says when it was tried.
package issuer

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"hide/internal/account"
	"hide/internal/ticket"
)

// CallbackPath is where the issuer sends browsers back to.
const CallbackPath = "/sign-in/callback"

// Config says which issuer signs people in, and what its groups mean.
type Config struct {
	URL    string // of the issuer, as in its discovery document; https, or http on this machine
	Client string // id of this program at the issuer
	Secret string // "" for a public client
	Origin string // of this server; the issuer sends browsers back to Origin + CallbackPath

	Name        string              // on the button; "" means "Hospital sign-in"
	Scopes      []string            // asked for; nil means openid and profile
	GroupsClaim string              // where the groups are; "" means "groups"; "a.b" is claim b in claim a
	Roles       map[string][]string // role: groups that have it

	Now func() time.Time // nil means time.Now
}

// Issuer signs people in. It is safe for concurrent use.
type Issuer struct {
	cfg     Config
	gate    *gate
	client  *http.Client
	tickets *ticket.Box

	asking sync.Mutex // held while the issuer is asked, so that one visitor asks for all

	mu     sync.Mutex // guards the fields below
	found  *found     // nil before the issuer has answered
	status Status
}

// found is what the discovery document says.
type found struct {
	provider    *oidc.Provider
	oauth       oauth2.Config
	endSession  string // "" if the issuer has no sign-out
	namesItself bool   // answers carry the issuer's own name (RFC 9207)
}

// Status says whether the issuer answers.
type Status struct {
	Tried   time.Time // zero before the first try
	Problem string    // "" if it answered
}

// Person is somebody whom the issuer has signed in.
type Person struct {
	Issuer, Subject string
	Name            string       // for display only
	Role            account.Role // "" if no group has a role
	Groups          []string     // as the issuer sent them
	HasGroups       bool         // the claim with the groups was there
	IDToken         string       // for signing out
}

// New checks the configuration. It asks the issuer nothing.
func New(cfg Config) (*Issuer, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Name == "" {
		cfg.Name = "Hospital sign-in"
	}
	if cfg.GroupsClaim == "" {
		cfg.GroupsClaim = "groups"
	}
	if len(cfg.Scopes) == 0 {
		cfg.Scopes = []string{oidc.ScopeOpenID, "profile"}
	}
	if !slices.Contains(cfg.Scopes, oidc.ScopeOpenID) {
		cfg.Scopes = append([]string{oidc.ScopeOpenID}, cfg.Scopes...)
	}
	switch u, err := url.Parse(cfg.URL); {
	case err != nil || !safe(u) || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the issuer must be a URL like https://login.hospital.example, without a query")
	case cfg.Client == "":
		return nil, errors.New("the id of the client is missing")
	}
	for role := range cfg.Roles {
		if !slices.Contains(roles, account.Role(role)) {
			return nil, errors.New("unknown role " + role + "; roles are admin, broker, annotator and reviewer")
		}
	}
	if len(cfg.Roles) == 0 {
		return nil, errors.New("no group has a role, so nobody could sign in: name at least one")
	}
	i := &Issuer{cfg: cfg, gate: newGate(cfg.URL, cfg.Now), tickets: ticket.NewBox(cfg.Now)}
	i.client = &http.Client{Transport: i.gate, Timeout: answersWithin, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return i, nil
}

// Name is what people call the issuer.
func (i *Issuer) Name() string { return i.cfg.Name }

// roles from most to least allowed.
var roles = []account.Role{account.Admin, account.Broker, account.Annotator, account.Reviewer}

// GroupRole is a group that has a role.
type GroupRole struct {
	Group string
	Role  account.Role
}

// Groups are the groups that have a role, for people who have none.
func (i *Issuer) Groups() []GroupRole {
	var all []GroupRole
	for _, r := range roles {
		for _, g := range i.cfg.Roles[string(r)] {
			all = append(all, GroupRole{g, r})
		}
	}
	return all
}

func (i *Issuer) roleOf(groups []string) account.Role {
	for _, one := range i.Groups() {
		if slices.Contains(groups, one.Group) {
			return one.Role
		}
	}
	return ""
}

const (
	answersWithin = 10 * time.Second
	pause         = 3 * time.Second // between tries, so that visitors do not hammer an issuer that is down
	beginWithin   = 10 * time.Minute
	leeway        = time.Minute
	purpose       = "single sign-on"
)

// Status says whether the issuer answered when it was last asked. It does not wait for one
// that is being asked.
func (i *Issuer) Status() Status {
	_, status := i.known()
	return status
}

// Ready asks the issuer for its discovery document unless it has answered before.
func (i *Issuer) Ready(ctx context.Context) error {
	_, err := i.discover(ctx)
	return err
}

// ClockSkew is how far the issuer's clock is ahead of ours, as of its last answer.
func (i *Issuer) ClockSkew() time.Duration { return i.gate.clockSkew() }

func (i *Issuer) discover(ctx context.Context) (*found, error) {
	i.asking.Lock()
	defer i.asking.Unlock()
	f, status := i.known()
	if f != nil {
		return f, nil
	}
	if status.Problem != "" && i.cfg.Now().Sub(status.Tried).Abs() < pause {
		return nil, &Error{Kind: Unreachable, What: status.Problem, Next: nextUnreachable}
	}
	f, err := i.ask(ctx)
	if err != nil {
		return nil, i.unreachable(ctx, err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.found, i.status = f, Status{Tried: i.cfg.Now()}
	return f, nil
}

func (i *Issuer) known() (*found, Status) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.found, i.status
}

const nextUnreachable = "Try again in a minute. If it goes on, tell the people who run it"

// unreachable is the error about an issuer that does not answer the visitor of ctx. A visitor
// who hung up says nothing of the issuer: otherwise any stranger could hold up everybody's
// sign-in.
func (i *Issuer) unreachable(ctx context.Context, cause error) *Error {
	problem := &Error{Kind: Unreachable, What: i.cfg.Name + " does not answer", Next: nextUnreachable, cause: cause}
	if ctx.Err() == nil {
		i.forget(problem.What)
	}
	return problem
}

// forget makes the next sign-in read the discovery document again.
func (i *Issuer) forget(problem string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.found, i.status = nil, Status{Tried: i.cfg.Now(), Problem: problem}
}

func (i *Issuer) ask(ctx context.Context) (*found, error) {
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, i.client), i.cfg.URL)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Token       string `json:"token_endpoint"`
		Keys        string `json:"jwks_uri"`
		UserInfo    string `json:"userinfo_endpoint"`
		EndSession  string `json:"end_session_endpoint"`
		NamesItself bool   `json:"authorization_response_iss_parameter_supported"`
	}
	if err := provider.Claims(&doc); err != nil {
		return nil, err
	}
	for _, address := range []string{doc.Token, doc.Keys, doc.UserInfo, provider.Endpoint().AuthURL, doc.EndSession} {
		u, err := url.Parse(address)
		if address != "" && (err != nil || !safe(u)) {
			return nil, errors.New("an address in the discovery document is not https")
		}
	}
	i.gate.admit(doc.Token, doc.Keys, doc.UserInfo)
	return &found{provider: provider, endSession: doc.EndSession, namesItself: doc.NamesItself, oauth: oauth2.Config{
		ClientID: i.cfg.Client, ClientSecret: i.cfg.Secret, Endpoint: provider.Endpoint(), RedirectURL: i.cfg.Origin + CallbackPath, Scopes: i.cfg.Scopes,
	}}, nil
}

// begun is what a sign-in remembers while the browser is at the issuer.
type begun struct{ State, Nonce, Verifier, Next string }

// Begin returns the address at the issuer to send a browser to, and a ticket for Finish. next
// is where the sign-in leads.
func (i *Issuer) Begin(ctx context.Context, next string) (address, t string, err error) {
	f, err := i.discover(ctx)
	if err != nil {
		return "", "", err
	}
	b := begun{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Next: next}
	t, err = ticket.Seal(i.tickets, purpose, beginWithin, b)
	return f.oauth.AuthCodeURL(b.State, oidc.Nonce(b.Nonce), oauth2.S256ChallengeOption(b.Verifier)), t, err
}

// Finish checks what the browser brought back. It fails with an [*Error].
func (i *Issuer) Finish(ctx context.Context, t string, query url.Values) (p Person, next string, err error) {
	b, err := ticket.Open[begun](i.tickets, purpose, t)
	if err != nil || subtle.ConstantTimeCompare([]byte(b.State), []byte(query.Get("state"))) != 1 || b.State == "" {
		return p, "", &Error{Kind: Stale, What: "this sign-in took too long, or another one was begun meanwhile", Next: "Start again"}
	}
	if err := i.tickets.Spend(t); err != nil {
		return p, "", &Error{Kind: Stale, What: "this sign-in is over already", Next: "Start again"}
	}
	f, err := i.discover(ctx)
	if err != nil {
		return p, "", err
	}
	if iss := query.Get("iss"); iss != i.cfg.URL && (iss != "" || f.namesItself) {
		return p, "", &Error{Kind: Refused, What: "the answer came from another issuer", Next: askAdmin}
	}
	if code := query.Get("error"); code != "" {
		return p, "", i.denied(code)
	}
	asking, cancel := context.WithTimeout(oidc.ClientContext(ctx, i.client), answersWithin)
	defer cancel()
	token, err := f.oauth.Exchange(asking, query.Get("code"), oauth2.VerifierOption(b.Verifier))
	if err != nil {
		return p, "", i.exchangeFailed(ctx, err)
	}
	p, err = i.verify(asking, f, token, b.Nonce)
	return p, b.Next, err
}

// LogoutURL is where a browser signs out at the issuer, "" if the issuer has no such address.
// It asks the issuer nothing.
func (i *Issuer) LogoutURL(idToken string) string {
	f, _ := i.known()
	if f == nil || f.endSession == "" {
		return ""
	}
	u, err := url.Parse(f.endSession)
	if err != nil {
		return ""
	}
	q := u.Query()
	q.Set("client_id", i.cfg.Client)
	q.Set("post_logout_redirect_uri", i.cfg.Origin+"/sign-in")
	if idToken != "" {
		q.Set("id_token_hint", idToken)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// safe reports whether an address is https, or http on this machine.
func safe(u *url.URL) bool {
	return u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()))
}

func isLoopback(host string) bool {
	return host == "localhost" || strings.HasPrefix(host, "127.") || host == "::1"
}
