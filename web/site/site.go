// SPDX-License-Identifier: Apache-2.0

// Package site makes one server of all features of hide.
package site

import (
	"errors"
	"log/slog"
	"net/netip"
	"time"

	"hide/internal/account"
	"hide/internal/disk"
	"hide/internal/issuer"
	"hide/internal/project/services"
	"hide/web"
	"hide/web/admin"
	"hide/web/api"
	"hide/web/audit"
	"hide/web/candidate"
	"hide/web/dp"
	"hide/web/draft"
	"hide/web/home"
	"hide/web/importing"
	"hide/web/links"
	"hide/web/members"
	"hide/web/model"
	"hide/web/note"
	"hide/web/release"
	"hide/web/review"
	"hide/web/sanitize"
	"hide/web/tables"
	"hide/web/takeback"
	"hide/web/webhooks"
)

// Config says what a site serves, to whom, and under which name. See [web.Config].
type Config struct {
	Accounts *account.Service
	Projects *services.All

	PublicOrigin string
	Hosts        []string
	Secure       bool
	Proxied      bool           // a reverse proxy is in front of the server
	Proxies      []netip.Prefix // its addresses, as far as known

	Backups admin.Backups // backups on a schedule; nil means none
	Copies  Copies        // of the audit trail; nil means none
	Disk    *disk.Guard   // of the data; nil means that nobody watches it

	Guide   home.Guide // what the first page of a demo says; nil means no demo
	NewLink string     // where a person whose session has ended gets a new link; "" for nowhere

	Ready   []web.Readiness // see [web.Config]
	Traffic web.Traffic

	Issuer *issuer.Issuer // signs people in; nil: hide alone does

	Log *slog.Logger     // nil means no log
	Now func() time.Time // nil means time.Now
}

// Copies are the copies of the audit trail in other places.
type Copies interface {
	admin.Copies
	Warning() string
}

// unknownProxy reports whether all requests have the address of a proxy.
func (c Config) unknownProxy() bool { return c.Proxied && len(c.Proxies) == 0 }

// New makes the server with every feature.
func New(cfg Config) (*web.Server, error) {
	if cfg.Accounts == nil || cfg.Projects == nil {
		return nil, errors.New("site: no accounts or no projects to serve")
	}
	return web.New(web.Config{
		Accounts: cfg.Accounts, Projects: cfg.Projects, Tokens: cfg.Accounts, SharedAddress: cfg.unknownProxy(), Proxies: cfg.Proxies, Ready: cfg.Ready, Traffic: cfg.Traffic,
		PublicOrigin: cfg.PublicOrigin, Hosts: cfg.Hosts, Secure: cfg.Secure, IdleFor: cfg.Accounts.IdleFor(), Log: cfg.Log, Now: cfg.Now,
		API: []web.APIFeature{api.New(cfg.Projects, cfg.Projects, cfg.Projects)},
		Features: []web.Feature{
			firstPage(cfg),
			importing.New(cfg.Projects, cfg.Accounts),
			note.New(cfg.Projects, cfg.Accounts),
			model.New(cfg.Projects),
			sanitize.New(cfg.Projects),
			audit.New(cfg.Projects),
			release.New(cfg.Projects, cfg.Projects),
			candidate.New(cfg.Projects),
			draft.New(cfg.Projects),
			links.New(cfg.Projects),
			tables.New(cfg.Projects, cfg.Accounts),
			dp.New(cfg.Projects),
			takeback.New(cfg.Projects),
			members.New(cfg.Projects, cfg.PublicOrigin),
			webhooks.New(cfg.Projects),
			review.New(cfg.Projects, cfg.Projects, cfg.Projects, cfg.Accounts, cfg.PublicOrigin),
			signIn(cfg),
			admin.New(admin.Config{Accounts: cfg.Accounts, Projects: cfg.Projects, Origin: cfg.PublicOrigin, Now: cfg.Now, Backups: cfg.Backups, Copies: cfg.Copies}),
		},
	})
}

// firstPage warns administrators of backups and copies of the audit trail that fail, and of a disk that
// fills up.
func firstPage(cfg Config) *home.Handlers {
	page := home.New(cfg.Projects, cfg.Guide)
	if cfg.Disk != nil {
		page.Warn(cfg.Disk.Warning)
	}
	if cfg.Copies != nil {
		page.Warn(cfg.Copies.Warning)
	}
	if cfg.Backups == nil {
		return page
	}
	now := cfg.Now
	if now == nil {
		now = time.Now
	}
	return page.Warn(func() string { return cfg.Backups.Status().Warning(now()) })
}
