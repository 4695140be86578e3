// SPDX-License-Identifier: Apache-2.0

// Package signin shows the pages of the door: signing in and out, one-time links, and what
// belongs to one's own account, the password, second factors, open sessions and access tokens.
package signin

import (
	"context"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

// Accounts is what these pages ask about people.
type Accounts interface {
	Empty() (bool, error)
	Login(name, password string, from account.From) (token string, u account.User, err error)
	Device(id string) (token string, err error)
	Link(token string) (account.Link, error)
	Redeem(link string, with account.Redemption) (token string, u account.User, err error)
	SetPassword(by account.User, id, current, password string, from account.From) (token string, err error)
	Logout(token string) error
	SignInExternal(e account.Identity, from account.From) (token string, u account.User, err error)
	IDToken(token string) (string, error)
	LocalOff() bool

	Sessions(by account.User, id string) ([]account.Session, error)
	EndSession(by account.User, id, session string) error
	EndOtherSessions(by account.User, token string) error

	Tokens(by account.User, person string) ([]account.Token, error)
	CreateToken(by account.User, t account.NewToken) (secret string, made account.Token, err error)
	RevokeToken(by account.User, id string) error
}

// Projects lists the projects that an access token may be for.
type Projects interface {
	Projects(ctx context.Context, by account.User) ([]project.Overview, error)
}

// Factors is what these pages ask about second factors.
type Factors interface {
	Unfinished(ticket string) (*account.UnfinishedError, account.User, error)
	FinishByCode(unfinished, code string, from account.From) (token string, u account.User, err error)
	NewAppFor(unfinished, at string) (account.Enrolment, error)
	FinishByEnrolling(unfinished, enrolment, code string, from account.From) (token string, u account.User, recovery []string, err error)

	Factors(by account.User, id string) (account.Factors, error)
	NewApp(by account.User, confirm, at string) (account.Enrolment, error)
	Enrolment(ticket, name, at string) (account.Enrolment, error)
	ConfirmApp(by account.User, enrolment, code string) (recovery []string, err error)
	RemoveApp(by account.User, confirm string) error
	NewRecoveryCodes(by account.User, confirm string) ([]string, error)
	RenamePasskey(by account.User, key, name string) error
	RemovePasskey(by account.User, key, confirm string) error
}

// Config is what these pages depend on.
type Config struct {
	Accounts Accounts
	Factors  Factors
	Projects Projects // nil: tokens are for all projects
	Origin   string   // of the server; its host is the name of the server in apps for codes

	Keys   Keys         // nil: no passkeys
	NoKeys string       // why there are no passkeys
	Issuer Issuer       // nil: no single sign-on
	Log    *slog.Logger // nil means no log

	Now func() time.Time // nil means time.Now

	// Proxied says that a reverse proxy is in front of the server whose address is not
	// known, so that all requests come from one address. Failed sign-ins are then counted
	// by name only: counted by address, those of one person would slow down everybody.
	Proxied bool
	// NewLink is a sentence about where a person whose session has ended gets a new link, for
	// a demo, whose own people have no passwords; "" for nowhere.
	NewLink string
}

// Handlers answers for these pages.
type Handlers struct {
	accounts Accounts
	factors  Factors
	projects Projects
	now      func() time.Time
	keys     Keys
	noKeys   string
	issuer   Issuer
	log      *slog.Logger
	host     string
	proxied  bool
	linkHint string
}

// New makes the handlers of these pages.
func New(cfg Config) *Handlers {
	h := &Handlers{accounts: cfg.Accounts, factors: cfg.Factors, projects: cfg.Projects, now: cfg.Now, keys: cfg.Keys, noKeys: cfg.NoKeys, issuer: cfg.Issuer, log: cfg.Log, proxied: cfg.Proxied, linkHint: cfg.NewLink}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if h.now == nil {
		h.now = time.Now
	}
	if origin, err := url.Parse(cfg.Origin); err == nil {
		h.host = origin.Host
	}
	return h
}

// Parts is empty: none of these pages refreshes itself.
func (h *Handlers) Parts() []ui.LivePart { return nil }

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return slices.Concat(h.keyRoutes(), h.hospitalRoutes(), []ui.Route{
		ui.Get("/sign-in", ui.Anyone, h.signInForm),
		ui.Post("/sign-in", ui.Anyone, h.signIn),
		ui.Get("/sign-in/step", ui.Anyone, h.step),
		ui.Post("/sign-in/step", ui.Anyone, h.finishStep),
		ui.Post("/sign-in/enrol", ui.Anyone, h.finishEnrolment),
		ui.Get("/welcome", ui.Anyone, h.welcome),
		ui.Post("/welcome", ui.Anyone, h.openLink),
		ui.Post("/welcome/enter", ui.Anyone, h.redeemLink),
		ui.Post("/sign-out", ui.SignedIn, h.signOut),

		ui.Get("/password", ui.SignedIn, h.passwordForm),
		ui.Post("/password", ui.SignedIn, h.setPassword),
		ui.Get("/second-factor", ui.SignedIn, h.secondFactor),
		ui.Post("/second-factor/app", ui.SignedIn, h.newApp),
		ui.Post("/second-factor/app/confirm", ui.SignedIn, h.confirmApp),
		ui.Post("/second-factor/app/remove", ui.SignedIn, h.removeApp),
		ui.Post("/second-factor/recovery", ui.SignedIn, h.newRecovery),
		ui.Get("/sessions", ui.SignedIn, h.sessions),
		ui.Post("/sessions/end", ui.SignedIn, h.endSession),
		ui.Post("/sessions/end-others", ui.SignedIn, h.endOthers),
		ui.Post("/sessions/tokens", ui.SignedIn, h.createToken),
		ui.Post("/sessions/tokens/revoke", ui.SignedIn, h.revokeToken),
	})
}
