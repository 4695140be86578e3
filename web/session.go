// SPDX-License-Identifier: Apache-2.0

package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/labstack/echo/v4"
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

// session finds out who asks. Whoever is not signed in gets an anonymous cookie,
// which sign-in forms derive their token from.
func (s *Server) session(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		v := visitFrom(c.Request().Context())
		v.token = s.cookieValue(c.Request())
		if v.token != "" {
			if u, err := s.accounts.Session(v.token); err == nil {
				v.user = u
			}
		}
		if v.token == "" {
			v.token = rand.Text()
			s.setCookie(c, v.token)
		}
		v.csrf = csrfToken(v.token)
		s.visiting(c, v)
		return next(c)
	}
}

func (s *Server) cookieValue(r *http.Request) string {
	cookie, err := r.Cookie(s.cookie)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie gives the browser a token until it is closed; the server decides how
// long the token means anything.
func (s *Server) setCookie(c echo.Context, token string) {
	c.SetCookie(&http.Cookie{
		Name: s.cookie, Value: token, Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.secure,
	})
}

// idleAfter is how long a session lasts without a person doing anything. The
// account service enforces it; pages warn before.
const idleAfter = 15 * time.Minute

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
