// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
)

func (s *Server) accountRoutes() []route {
	return []route{
		// coming and going
		{http.MethodGet, "/sign-in", anyone, s.signInForm},
		{http.MethodPost, "/sign-in", anyone, s.signIn},
		{http.MethodGet, "/welcome", anyone, s.welcome},
		{http.MethodPost, "/welcome", anyone, s.openLink},
		{http.MethodPost, "/welcome/enter", anyone, s.redeemLink},
		{http.MethodPost, "/sign-out", signedIn, s.signOut},
		{http.MethodPost, "/session", signedIn, s.stay},
		{http.MethodGet, "/password", signedIn, s.passwordForm},
		{http.MethodPost, "/password", signedIn, s.setPassword},

		// other people
		{http.MethodGet, "/people", account.ManagePeople, s.people},
		{http.MethodPost, "/people", account.ManagePeople, s.invite},
		{http.MethodPost, "/people/:id/link", account.ManagePeople, s.newLink},
		{http.MethodPost, "/people/:id/role", account.ManagePeople, s.setRole},
		{http.MethodPost, "/people/:id/disable", account.ManagePeople, s.personAct(s.accounts.Disable)},
		{http.MethodPost, "/people/:id/enable", account.ManagePeople, s.personAct(s.accounts.Enable)},
		{http.MethodPost, "/people/:id/sign-out", account.ManagePeople, s.personAct(s.accounts.RevokeAll)},

		{http.MethodGet, "/audit", account.ReadAudit, s.audit},
	}
}

// signInView is the sign-in form.
type signInView struct {
	Name    string
	Next    string
	Problem string
	Empty   bool // nobody has an account yet
}

func (s *Server) signInForm(c echo.Context) error {
	if visitFrom(c.Request().Context()).signedIn() {
		return s.back(c, safeNext(c.QueryParam("next")))
	}
	return s.showSignIn(c, http.StatusOK, signInView{Next: safeNext(c.QueryParam("next"))})
}

func (s *Server) showSignIn(c echo.Context, status int, v signInView) error {
	var err error
	if v.Empty, err = s.accounts.Empty(); err != nil {
		return err
	}
	return s.pageStatus(c, status, Page{Title: "Sign in"}, signInPage(v))
}

// signIn says the same for every reason why a name and a password do not go
// together.
func (s *Server) signIn(c echo.Context) error {
	v := signInView{Name: c.FormValue("name"), Next: safeNext(c.FormValue("next"))}
	token, _, err := s.accounts.Login(v.Name, c.FormValue("password"), s.peer(c))
	var locked *account.LockoutError
	switch {
	case err == nil:
		return s.enter(c, token, v.Next)
	case errors.Is(err, account.ErrCredentials):
		v.Problem = sentence(err.Error())
		return s.showSignIn(c, http.StatusUnauthorized, v)
	case errors.As(err, &locked):
		v.Problem = sentence(err.Error())
		return s.showSignIn(c, http.StatusTooManyRequests, v)
	}
	return err
}

// peer is the address that failed sign-ins are counted for, "" behind a proxy,
// whose address it would be. What the proxy says of the address is not asked: the
// header can be made up wherever the proxy can be passed by.
func (s *Server) peer(c echo.Context) string {
	if s.proxied {
		return ""
	}
	return c.RealIP()
}

// signOut also asks the browser to forget what it kept of pages.
func (s *Server) signOut(c echo.Context) error {
	if err := s.accounts.Logout(visitFrom(c.Request().Context()).token); err != nil {
		return err
	}
	s.setCookie(c, s.cookie, "")
	c.Response().Header().Set("Clear-Site-Data", `"cache", "storage"`)
	return s.back(c, "/sign-in")
}

// stay counts as use of the session, by having been asked.
func (s *Server) stay(c echo.Context) error { return c.NoContent(http.StatusNoContent) }
