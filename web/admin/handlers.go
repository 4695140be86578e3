// SPDX-License-Identifier: Apache-2.0

// Package admin shows the pages about people and the server: accounts, their sessions, the
// audit trail, a backup.
package admin

import (
	"context"
	"io"
	"time"

	"hide/internal/account"
	"hide/internal/auditsink"
	"hide/internal/backup"
	"hide/internal/project"
	"hide/internal/project/trail"
	"hide/web/ui"
)

// Accounts is what these pages ask about people.
type Accounts interface {
	List(by account.User) ([]account.Account, error)
	Create(by account.User, name string, role account.Role) (u account.User, link string, err error)
	Invite(by account.User, id string) (link string, err error)
	SetRole(by account.User, id string, role account.Role) error
	Disable(by account.User, id string) error
	Enable(by account.User, id string) error
	RevokeAll(by account.User, id string) error
	User(id string) (account.User, error)
	Sessions(by account.User, id string) ([]account.Session, error)
	SessionCounts(by account.User) (map[string]int, error)
	EndSession(by account.User, id, session string) error
	Tokens(by account.User, person string) ([]account.Token, error)
	RevokeToken(by account.User, id string) error
	Factors(by account.User, id string) (account.Factors, error)
	ResetFactors(by account.User, id string) error
	Emergencies(by account.User, since time.Duration) ([]account.Emergency, error)
}

// Projects is what these pages ask about all projects.
type Projects interface {
	TrailProjects(ctx context.Context, by account.User) ([]project.Overview, error)
	Trail(ctx context.Context, by account.User, f trail.Filter, before uint64, limit int) (trail.Page, error)
	WriteTrail(ctx context.Context, by account.User, f trail.Filter, format string, w io.Writer) error
	PersonID(name string) string
	Backup(ctx context.Context, by account.User, w io.Writer) error
}

// Config is what these pages depend on.
type Config struct {
	Accounts Accounts
	Projects Projects
	Origin   string // of the server, for one-time links

	Now func() time.Time // nil means time.Now

	Backups Backups // backups on a schedule; nil means none
	Copies  Copies  // of the audit trail in other places; nil means none
}

// Backups says how backups on a schedule go.
type Backups interface{ Status() backup.Status }

// Copies says how the copies of the audit trail are doing.
type Copies interface{ Status() []auditsink.Status }

// Handlers answers for these pages.
type Handlers struct {
	accounts Accounts
	projects Projects
	origin   string
	now      func() time.Time
	backups  Backups
	copies   Copies
}

// New makes the handlers of these pages.
func New(cfg Config) *Handlers {
	h := &Handlers{accounts: cfg.Accounts, projects: cfg.Projects, origin: cfg.Origin, now: cfg.Now, backups: cfg.Backups, copies: cfg.Copies}
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
		ui.Get("/people", account.ManagePeople, h.people),
		ui.Post("/people", account.ManagePeople, h.invite),
		ui.Post("/people/:id/link", account.ManagePeople, h.newLink),
		ui.Post("/people/:id/role", account.ManagePeople, h.setRole),
		ui.Post("/people/:id/disable", account.ManagePeople, h.personAct(h.accounts.Disable)),
		ui.Post("/people/:id/enable", account.ManagePeople, h.personAct(h.accounts.Enable)),
		ui.Post("/people/:id/sign-out", account.ManagePeople, h.personAct(h.accounts.RevokeAll)),
		ui.Post("/people/:id/reset-factors", account.ManagePeople, h.resetFactors),
		ui.Get("/people/:id/sessions", account.ManagePeople, h.sessions),
		ui.Post("/people/:id/sessions/end", account.ManagePeople, h.endSession),
		ui.Post("/people/:id/tokens/revoke", account.ManagePeople, h.revokeToken),

		ui.Get("/audit", ui.SignedIn, h.audit), // the service knows whose projects' rows these may read
		ui.Post("/audit/download", ui.SignedIn, h.exportAudit).Streaming(),
		ui.Get("/backup", account.ManagePeople, h.backupForm),
		ui.Post("/backup/download/hide.backup", account.ManagePeople, h.backup).Streaming(),
	}
}

// welcomeURL is the link for a one-time token of the account service.
func (h *Handlers) welcomeURL(token string) string { return h.origin + "/welcome#" + token }
