// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
)

// peopleView lists who has an account. A new link is shown once, on the page that
// answers the form, and is nowhere afterwards.
type peopleView struct {
	People  []account.Account
	Self    string // id of the reader
	Link    string // for LinkFor, to be handed over
	LinkFor string
	Name    string // typed into the form for a new person
	Role    account.Role
	Problem string
}

// roles explains each role in the words of the person who gives it.
var roles = []struct {
	Role account.Role
	Says string
}{
	{account.Annotator, "reads notes and marks what identifies somebody"},
	{account.Broker, "also makes projects, imports, sanitizes and publishes"},
	{account.Reviewer, "sees figures and released text, never an identified note"},
	{account.Admin, "does everything, and gives accounts"},
}

func personURL(id, act string) templ.SafeURL {
	return templ.SafeURL("/people/" + url.PathEscape(id) + "/" + act)
}

func (s *Server) people(c echo.Context) error {
	return s.showPeople(c, http.StatusOK, peopleView{Role: account.Annotator})
}

func (s *Server) showPeople(c echo.Context, status int, v peopleView) error {
	all, err := s.accounts.List(user(c))
	if err != nil {
		return err
	}
	v.People, v.Self = all, user(c).ID
	return s.pageStatus(c, status, Page{Title: "People"}, peoplePage(v))
}

// invite makes an account and shows its link.
func (s *Server) invite(c echo.Context) error {
	v := peopleView{Name: c.FormValue("name"), Role: account.Role(c.FormValue("role"))}
	u, token, err := s.accounts.Create(user(c), v.Name, v.Role)
	if errors.Is(err, account.ErrName) || errors.Is(err, account.ErrNameTaken) {
		v.Problem = sentence(err.Error())
		return s.showPeople(c, http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return err
	}
	return s.showPeople(c, http.StatusOK, peopleView{Role: account.Annotator, Link: s.WelcomeURL(token), LinkFor: u.Name})
}

// newLink replaces the link of somebody who lost it, or the password.
func (s *Server) newLink(c echo.Context) error {
	token, err := s.accounts.Invite(user(c), c.Param("id"))
	if err != nil {
		return err
	}
	return s.showPeople(c, http.StatusOK, peopleView{Role: account.Annotator, Link: s.WelcomeURL(token), LinkFor: c.FormValue("name")})
}

func (s *Server) setRole(c echo.Context) error {
	if err := s.accounts.SetRole(user(c), c.Param("id"), account.Role(c.FormValue("role"))); err != nil {
		return err
	}
	return s.back(c, "/people")
}

// personAct is a handler that does one thing to an account.
func (s *Server) personAct(act func(by account.User, id string) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := act(user(c), c.Param("id")); err != nil {
			return err
		}
		return s.back(c, "/people")
	}
}
