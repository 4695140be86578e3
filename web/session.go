// SPDX-License-Identifier: Apache-2.0

package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
)

// cookieName differs between two servers on one computer: browsers share cookies
// between ports. The __Host- prefix ties the cookie to https and this very host.
func cookieName(origin string, secure bool) string {
	sum := sha256.Sum256([]byte(origin))
	name := "hide-" + hex.EncodeToString(sum[:4])
	if secure {
		return "__Host-" + name
	}
	return name
}

// session finds out who asks. Opening a live connection does not count as use:
// browsers do it again and again without anybody there.
func (s *Server) session(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		v := visitFrom(c.Request().Context())
		find := s.accounts.Session
		if c.IsWebSocket() {
			find = s.accounts.Peek
		}
		v.token = cookieValue(c.Request(), s.cookie)
		u, _, err := find(v.token)
		switch {
		case err == nil:
			v.user, v.csrf = u, csrfToken(v.token)
		case errors.Is(err, account.ErrSession):
			v.token, v.csrf = "", csrfToken(s.anonymous(c))
		default:
			return fmt.Errorf("find session: %w", err)
		}
		s.visiting(c, v)
		return next(c)
	}
}

// anonymous is the cookie that forms for people who are not signed in derive
// their token from. It is not the session's: a page that is opened from another
// site comes without that one, and must not replace it.
func (s *Server) anonymous(c echo.Context) string {
	name := s.cookie + "-guest"
	value := cookieValue(c.Request(), name)
	if value == "" {
		value = rand.Text()
		s.setCookie(c, name, value)
	}
	return value
}

func cookieValue(r *http.Request, name string) string {
	cookie, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie gives the browser a token until it is closed; the server decides how
// long the token means anything. An empty one is taken away.
func (s *Server) setCookie(c echo.Context, name, token string) {
	cookie := &http.Cookie{
		Name: name, Value: token, Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.secure,
	}
	if token == "" {
		cookie.MaxAge = -1
	}
	c.SetCookie(cookie)
}

// enter begins a session in the browser and leads to a page. What the browser had
// before is not reused.
func (s *Server) enter(c echo.Context, token, next string) error {
	if old := cookieValue(c.Request(), s.cookie); old != "" {
		if err := s.accounts.Logout(old); err != nil && !errors.Is(err, account.ErrSession) {
			return fmt.Errorf("end the session before: %w", err)
		}
	}
	s.setCookie(c, s.cookie, token)
	return s.back(c, safeNext(next))
}

// ownPath is what sign-in may lead back to: paths of projects and nothing that a
// browser could take for another site.
var ownPath = regexp.MustCompile(`^/(p/[a-z0-9]+(/[a-z0-9-]+)*|people|audit)?$`)

func signInURL(next string) string {
	if !ownPath.MatchString(next) || next == "/" {
		return "/sign-in"
	}
	return "/sign-in?next=" + url.QueryEscape(next)
}

func safeNext(next string) string {
	if !ownPath.MatchString(next) {
		return "/"
	}
	return next
}
