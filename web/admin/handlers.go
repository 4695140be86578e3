// SPDX-License-Identifier: Apache-2.0

// Package admin shows the pages about people and the server: signing in and out,
// accounts, the audit trail, a backup.
package admin

import (
	"context"
	"io"
	"time"

	"hide/internal/account"
	"hide/internal/backup"
	"hide/internal/project"
	"hide/web/ui"
)

// Accounts is what these pages ask about people.
type Accounts interface {
	// Signing in and out.
	Empty() (bool, error)
	Login(name, password string, from account.From) (token string, u account.User, err error)
	Device(id string) (token string, err error)
	Link(token string) (account.Link, error)
	Redeem(link string, with account.Redemption) (token string, u account.User, err error)
	SetPassword(by account.User, id, current, password string) (token string, err error)
	Logout(token string) error

	// Other people.
	List(by account.User) ([]account.Account, error)
	Create(by account.User, name string, role account.Role) (u account.User, link string, err error)
	Invite(by account.User, id string) (link string, err error)
	SetRole(by account.User, id string, role account.Role) error
	Disable(by account.User, id string) error
	Enable(by account.User, id string) error
	RevokeAll(by account.User, id string) error
}

// Projects is what these pages ask about all projects.
type Projects interface {
	TrailProjects(ctx context.Context, by account.User) ([]project.Overview, error)
	Audit(ctx context.Context, by account.User, id project.ID, before uint64, limit int) ([]project.AuditRow, error)
	Backup(ctx context.Context, by account.User, w io.Writer) error
}

// Config is what these pages depend on.
type Config struct {
	Accounts Accounts
	Projects Projects
	Origin   string // of the server, for one-time links

	// Proxied says that a reverse proxy is in front of the server whose address is not
	// known, so that all requests come from one address. Failed sign-ins are then counted
	// by name only: counted by address, those of one person would slow down everybody.
	Proxied bool
	// NewLink is a sentence about where a person whose session has ended gets a new link, for
	// a demo, whose own people have no passwords; "" for nowhere.
	NewLink string

	Now func() time.Time // nil means time.Now

	Backups Backups // backups on a schedule; nil means none
}

// Backups says how backups on a schedule go.
type Backups interface{ Status() backup.Status }

// Handlers answers for these pages.
type Handlers struct {
	accounts Accounts
	projects Projects
	origin   string
	proxied  bool
	linkHint string
	now      func() time.Time
	backups  Backups
}

// New makes the handlers of these pages.
func New(cfg Config) *Handlers {
	h := &Handlers{accounts: cfg.Accounts, projects: cfg.Projects, origin: cfg.Origin, proxied: cfg.Proxied, linkHint: cfg.NewLink, now: cfg.Now, backups: cfg.Backups}
	if h.now == nil {
		h.now = time.Now
	}
	return h
}

// Parts is empty: none of these pages refreshes itself.
func (h *Handlers) Parts() []ui.LivePart { return nil }

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		// signing in and out
		ui.Get("/sign-in", ui.Anyone, h.signInForm),
		ui.Post("/sign-in", ui.Anyone, h.signIn),
		ui.Get("/welcome", ui.Anyone, h.welcome),
		ui.Post("/welcome", ui.Anyone, h.openLink),
		ui.Post("/welcome/enter", ui.Anyone, h.redeemLink),
		ui.Post("/sign-out", ui.SignedIn, h.signOut),
		ui.Get("/password", ui.SignedIn, h.passwordForm),
		ui.Post("/password", ui.SignedIn, h.setPassword),

		// other people
		ui.Get("/people", account.ManagePeople, h.people),
		ui.Post("/people", account.ManagePeople, h.invite),
		ui.Post("/people/:id/link", account.ManagePeople, h.newLink),
		ui.Post("/people/:id/role", account.ManagePeople, h.setRole),
		ui.Post("/people/:id/disable", account.ManagePeople, h.personAct(h.accounts.Disable)),
		ui.Post("/people/:id/enable", account.ManagePeople, h.personAct(h.accounts.Enable)),
		ui.Post("/people/:id/sign-out", account.ManagePeople, h.personAct(h.accounts.RevokeAll)),

		ui.Get("/audit", ui.SignedIn, h.audit), // the service knows whose projects' rows these may read
		ui.Get("/backup", account.ManagePeople, h.backupForm),
		ui.Post("/backup/download/hide.backup", account.ManagePeople, h.backup).Streaming(),
	}
}

// welcomeURL is the link for a one-time token of the account service.
func (h *Handlers) welcomeURL(token string) string { return h.origin + "/welcome#" + token }
