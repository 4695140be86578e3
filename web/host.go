// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// hostSet holds the Host values that are answered, in lower case.
func hostSet(public string, more []string) map[string]bool {
	set := map[string]bool{strings.ToLower(public): true}
	for _, h := range more {
		set[strings.ToLower(h)] = true
	}
	return set
}

// checkHost refuses names that are not ours. A page of another site can point a
// name of its own at 127.0.0.1 (DNS rebinding), and would then be same-origin
// with us; only the Host header gives it away.
func (s *Server) checkHost(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !s.hosts[strings.ToLower(c.Request().Host)] {
			return &pageError{
				status: http.StatusMisdirectedRequest,
				title:  "This is not the address of hide",
				what:   "The server was asked for under a name that it does not go by.",
				next:   "Open " + s.origin + " instead.",
			}
		}
		return next(c)
	}
}
