// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
)

// A one-time link is /welcome#TOKEN. What stands behind # is not sent to the
// server, kept in no log and no referrer; welcome.js posts it. Without
// JavaScript the person pastes it.

// WelcomeURL is the link for a one-time token of the account service.
func (s *Server) WelcomeURL(token string) string { return s.origin + "/welcome#" + token }

// welcomeView is the form that follows once it is known what the link is for.
type welcomeView struct {
	Code    string // the link's token, "" before it is known
	Kind    account.LinkKind
	Name    string
	Problem string
	Which   string // field at fault: "code", "name" or "password"
}

func (s *Server) welcome(c echo.Context) error {
	return s.showWelcome(c, http.StatusOK, welcomeView{})
}

func (s *Server) showWelcome(c echo.Context, status int, v welcomeView) error {
	p := Page{Title: "Welcome"}
	if v.Kind == "" {
		p.Scripts = []string{"welcome.js"}
	}
	return s.pageStatus(c, status, p, welcomePage(v))
}

// openLink shows the form that a link is for. A link that only signs in does so.
func (s *Server) openLink(c echo.Context) error {
	code := linkToken(c.FormValue("code"))
	l, err := s.accounts.Link(code)
	if errors.Is(err, account.ErrLink) {
		return s.showWelcome(c, http.StatusUnprocessableEntity, welcomeView{Problem: sentence(err.Error()), Which: "code"})
	}
	if err != nil {
		return err
	}
	if l.Kind == account.LinkSignIn {
		return s.redeem(c, welcomeView{Code: code, Kind: l.Kind}, account.Redemption{})
	}
	return s.showWelcome(c, http.StatusOK, welcomeView{Code: code, Kind: l.Kind, Name: l.Name})
}

// redeemLink takes the name and the password that go with a link.
func (s *Server) redeemLink(c echo.Context) error {
	v := welcomeView{Code: c.FormValue("code"), Kind: account.LinkInvite, Name: c.FormValue("name")}
	if l, err := s.accounts.Link(v.Code); err == nil {
		v.Kind = l.Kind
		if l.Kind == account.LinkInvite {
			v.Name = l.Name
		}
	}
	password := c.FormValue("password")
	if password != c.FormValue("again") {
		v.Problem, v.Which = "The two passwords differ.", "password"
		return s.showWelcome(c, http.StatusUnprocessableEntity, v)
	}
	if password == "" {
		v.Problem, v.Which = "Choose a password.", "password"
		return s.showWelcome(c, http.StatusUnprocessableEntity, v)
	}
	return s.redeem(c, v, account.Redemption{Name: v.Name, Password: password})
}

func (s *Server) redeem(c echo.Context, v welcomeView, with account.Redemption) error {
	token, _, err := s.accounts.Redeem(v.Code, with)
	switch {
	case err == nil:
		return s.enter(c, token, "/")
	case errors.Is(err, account.ErrLink):
		v = welcomeView{Which: "code"}
	case errors.Is(err, account.ErrName):
		v.Which = "name"
	case errors.Is(err, account.ErrWeak):
		v.Which = "password"
	default:
		return err
	}
	v.Problem = sentence(err.Error())
	return s.showWelcome(c, http.StatusUnprocessableEntity, v)
}
