// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"
)

// checkOrigin refuses what pages of other sites send: every method that changes
// something, and every upgrade to a websocket, which browsers let cross origins.
func (s *Server) checkOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		upgrade := r.Header.Get("Upgrade") != ""
		safe := r.Method == http.MethodGet || r.Method == http.MethodHead
		if safe && !upgrade {
			return next(c)
		}
		if !s.sameOrigin(r, upgrade) {
			return errOtherSite
		}
		return next(c)
	}
}

// sameOrigin reports whether r comes from a page of ours. Browsers send
// Sec-Fetch-Site to trustworthy addresses only, so on a plain http network Origin
// decides. Without either the request comes from no browser, which the form token
// judges; a websocket has no form token and needs an Origin.
func (s *Server) sameOrigin(r *http.Request, upgrade bool) bool {
	origin := r.Header.Get("Origin")
	site := r.Header.Get("Sec-Fetch-Site")
	if site != "" && site != "same-origin" && site != "none" {
		return false
	}
	if origin == "" {
		return !upgrade
	}
	if origin == s.origin {
		return true
	}
	u, err := url.Parse(origin)
	// Host has passed checkHost. The scheme must be ours, too.
	return err == nil && u.Host == r.Host && u.Scheme == s.scheme()
}

func (s *Server) scheme() string {
	if s.secure {
		return "https"
	}
	return "http"
}
