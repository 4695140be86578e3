// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
)

// linkToken is the token of a pasted link, or of a pasted token.
func linkToken(pasted string) string {
	pasted = strings.TrimSpace(pasted)
	if _, token, found := strings.Cut(pasted, "#"); found {
		return token
	}
	return pasted
}

// passwordView is the form for one's own password.
type passwordView struct {
	Problem string
	Which   string // field at fault: "current" or "password"
	Changed bool
}

func (s *Server) passwordForm(c echo.Context) error {
	return s.showPassword(c, http.StatusOK, passwordView{})
}

func (s *Server) showPassword(c echo.Context, status int, v passwordView) error {
	return s.pageStatus(c, status, Page{Title: "Change password"}, passwordPage(v))
}

// setPassword ends all sessions of the person and begins a new one here.
func (s *Server) setPassword(c echo.Context) error {
	password := c.FormValue("password")
	if password != c.FormValue("again") {
		return s.showPassword(c, http.StatusUnprocessableEntity, passwordView{Problem: "The two passwords differ.", Which: "password"})
	}
	u := user(c)
	token, err := s.accounts.SetPassword(u, u.ID, c.FormValue("current"), password)
	switch {
	case errors.Is(err, account.ErrPassword):
		return s.showPassword(c, http.StatusUnprocessableEntity, passwordView{Problem: sentence(err.Error()), Which: "current"})
	case errors.Is(err, account.ErrWeak):
		return s.showPassword(c, http.StatusUnprocessableEntity, passwordView{Problem: sentence(err.Error()), Which: "password"})
	case err != nil:
		return err
	}
	s.setCookie(c, s.cookie, token)
	v := visitFrom(c.Request().Context())
	v.token, v.csrf = token, csrfToken(token)
	s.visiting(c, v)
	return s.showPassword(c, http.StatusOK, passwordView{Changed: true})
}
