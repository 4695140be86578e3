// SPDX-License-Identifier: Apache-2.0

// Package members shows who may work in a project, and lets its brokers add, invite and
// remove people and change their roles.
package members

import (
	"context"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

// Projects is what this page asks. Each method checks the permission of by first.
type Projects interface {
	ui.Projects
	Members(ctx context.Context, by account.User, id project.ID) ([]project.Member, error)
	AddMember(ctx context.Context, by account.User, id project.ID, name string, role account.Role) (project.Member, error)
	SetMember(ctx context.Context, by account.User, id project.ID, person string, role account.Role) (project.Member, error)
	RemoveMember(ctx context.Context, by account.User, id project.ID, person string) error
	InviteMember(ctx context.Context, by account.User, id project.ID, name string, role account.Role) (m project.Member, token string, err error)
}

// Handlers answers for this page.
type Handlers struct {
	projects Projects
	origin   string // of the server, for one-time links
}

// New makes the handlers of this page.
func New(projects Projects, origin string) *Handlers { return &Handlers{projects, origin} }

// Routes lists the page and its forms.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/members", account.ManageWork, h.show),
		ui.Post("/p/:project/members", account.ManageWork, h.add),
		ui.Post("/p/:project/members/invite", account.ManageWork, h.invite),
		ui.Post("/p/:project/members/role", account.ManageWork, h.setRole),
		ui.Post("/p/:project/members/remove", account.ManageWork, h.remove),
	}
}

// Parts: the page has none.
func (h *Handlers) Parts() []ui.LivePart { return nil }
