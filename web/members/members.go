// SPDX-License-Identifier: Apache-2.0

package members

import (
	"net/http"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

// view is the page. A new link is shown once, on the page that answers the form, and is not
// stored.
type view struct {
	project project.Overview
	members []project.Member
	self    string // id of the reader
	link    string // for linkFor, to be handed over
	linkFor string
	add     form
	invite  form
	asks    *question // nil mostly
}

// form is what was typed into one of the two forms, and what is wrong with it.
type form struct {
	name    string
	role    account.Role
	problem string
}

// question is asked before people give up rights of their own.
type question struct {
	act  string // "remove" or "role"
	role account.Role
}

// says explains each role in a project to the person who assigns it.
var says = map[account.Role]string{
	account.Annotator: "reads and marks notes",
	account.Reviewer:  "sees figures and released text, never an identified note",
	account.Broker:    "also imports, sanitizes, publishes and chooses members",
}

// invited are the roles that a new account can get here.
var invited = []account.Role{account.Annotator, account.Reviewer}

func (h *Handlers) show(c ui.Context) error { return h.showPage(c, http.StatusOK, view{}) }

func (h *Handlers) showPage(c ui.Context, status int, v view) error {
	ctx, by, id := c.Request().Context(), ui.User(c), ui.ProjectID(c)
	var err error
	if v.project, err = ui.Project(c, h.projects); err != nil {
		return err
	}
	if v.members, err = h.projects.Members(ctx, by, id); err != nil {
		return err
	}
	v.self = by.ID
	return ui.ShowPageStatus(c, status, ui.Page{Title: "Members · " + v.project.Name, Project: &v.project}, page(v))
}

func typed(c ui.Context) form {
	return form{name: c.FormValue("name"), role: account.Role(c.FormValue("role"))}
}

// add makes an account a member.
func (h *Handlers) add(c ui.Context) error {
	f := typed(c)
	_, err := h.projects.AddMember(c.Request().Context(), ui.User(c), ui.ProjectID(c), f.name, f.role)
	if refused := ui.Refused(err); refused != nil {
		f.problem = refused.What + " " + refused.Next
		return h.showPage(c, http.StatusUnprocessableEntity, view{add: f})
	}
	if err != nil {
		return err
	}
	return h.back(c)
}

// invite makes an account that is a member, and shows its link.
func (h *Handlers) invite(c ui.Context) error {
	f := typed(c)
	m, token, err := h.projects.InviteMember(c.Request().Context(), ui.User(c), ui.ProjectID(c), f.name, f.role)
	if f.problem = ui.RefusedName(err); f.problem != "" {
		return h.showPage(c, http.StatusUnprocessableEntity, view{invite: f})
	}
	if err != nil {
		return err
	}
	return h.showPage(c, http.StatusOK, view{link: h.origin + "/welcome#" + token, linkFor: m.Name})
}

func (h *Handlers) setRole(c ui.Context) error {
	role := account.Role(c.FormValue("role"))
	if h.asksFirst(c) && role != account.Broker {
		return h.showPage(c, http.StatusOK, view{asks: &question{act: "role", role: role}})
	}
	if _, err := h.projects.SetMember(c.Request().Context(), ui.User(c), ui.ProjectID(c), c.FormValue("person"), role); err != nil {
		return err
	}
	return h.back(c)
}

func (h *Handlers) remove(c ui.Context) error {
	if h.asksFirst(c) {
		return h.showPage(c, http.StatusOK, view{asks: &question{act: "remove"}})
	}
	if err := h.projects.RemoveMember(c.Request().Context(), ui.User(c), ui.ProjectID(c), c.FormValue("person")); err != nil {
		return err
	}
	return h.back(c)
}

// asksFirst reports whether people are about to give up their own rights, and have not been
// asked yet. Administrators keep theirs.
func (h *Handlers) asksFirst(c ui.Context) bool {
	u := ui.User(c)
	return c.FormValue("person") == u.ID && u.Role != account.Admin && c.FormValue("sure") != "yes"
}

// back leads to the page, or to where people can still go who have given up their rights.
func (h *Handlers) back(c ui.Context) error {
	_, err := h.projects.Members(c.Request().Context(), ui.User(c), ui.ProjectID(c))
	to := "/p/" + c.Param("project")
	switch project.KindOf(err) {
	case project.NotFound:
		to = "/"
	case "":
		to += "/members"
	}
	return ui.Back(c, to)
}
