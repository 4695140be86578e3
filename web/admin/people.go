// SPDX-License-Identifier: Apache-2.0

package admin

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/web/ui"
)

// peopleView is the list of accounts. A new link is shown once, on the page that answers
// the form, and is not stored.
type peopleView struct {
	People      []account.Account
	Emergencies []account.Emergency // newest first
	Now         time.Time

	Open    map[string]int // sessions by id of the person
	Self    string         // id of the reader
	Link    string         // for LinkFor, to be handed over
	LinkFor string
	Name    string // typed into the form for a new person
	Role    account.Role
	Problem string
}

// showEmergencies is how long administrators see that there was emergency access.
const showEmergencies = 7 * 24 * time.Hour

// roles explains each role to the person who assigns it.
var roles = []struct {
	Role account.Role
	Says string
}{
	{account.Annotator, "reads notes and marks PHI"},
	{account.Broker, "also creates projects, imports, sanitizes and publishes"},
	{account.Reviewer, "sees figures and released text, never an identified note"},
	{account.Admin, "can do everything and manages accounts"},
}

func personURL(id, act string) templ.SafeURL {
	return templ.SafeURL("/people/" + url.PathEscape(id) + "/" + act)
}

func (h *Handlers) people(c ui.Context) error {
	return h.showPeople(c, http.StatusOK, peopleView{Role: account.Annotator})
}

func (h *Handlers) showPeople(c ui.Context, status int, v peopleView) error {
	all, err := h.accounts.List(ui.User(c))
	if err != nil {
		return err
	}
	if v.Open, err = h.accounts.SessionCounts(ui.User(c)); err != nil {
		return err
	}
	if v.Emergencies, err = h.accounts.Emergencies(ui.User(c), showEmergencies); err != nil {
		return err
	}
	v.People, v.Self, v.Now = all, ui.User(c).ID, h.now()
	return ui.ShowPageStatus(c, status, ui.Page{Title: "People", Scripts: []string{"js/copy.js"}}, peoplePage(v))
}

// invite makes an account and shows its link.
func (h *Handlers) invite(c ui.Context) error {
	v := peopleView{Name: c.FormValue("name"), Role: account.Role(c.FormValue("role"))}
	u, token, err := h.accounts.Create(ui.User(c), v.Name, v.Role)
	if errors.Is(err, account.ErrName) || errors.Is(err, account.ErrNameTaken) {
		v.Problem = ui.Sentence(err.Error())
		return h.showPeople(c, http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return err
	}
	return h.showPeople(c, http.StatusOK, peopleView{Role: account.Annotator, Link: h.welcomeURL(token), LinkFor: u.Name})
}

// newLink makes a link for a person who lost the first link or the password.
func (h *Handlers) newLink(c ui.Context) error {
	token, err := h.accounts.Invite(ui.User(c), c.Param("id"))
	if err != nil {
		return err
	}
	return h.showPeople(c, http.StatusOK, peopleView{Role: account.Annotator, Link: h.welcomeURL(token), LinkFor: c.FormValue("name")})
}

func (h *Handlers) setRole(c ui.Context) error {
	if err := h.accounts.SetRole(ui.User(c), c.Param("id"), account.Role(c.FormValue("role"))); err != nil {
		return err
	}
	return ui.Back(c, "/people")
}

// personAct is a handler that does one thing to an account.
func (h *Handlers) personAct(act func(by account.User, id string) error) func(ui.Context) error {
	return func(c ui.Context) error {
		if err := act(ui.User(c), c.Param("id")); err != nil {
			return err
		}
		return ui.Back(c, "/people")
	}
}
