// SPDX-License-Identifier: Apache-2.0

package web

import (
	"net/http"
	"path"
	"strings"

	"github.com/labstack/echo/v4"

	"hide/internal/project"
	"hide/web/ui"
)

// Feature is a part of hide in the browser: pages, what their forms do, and the
// fragments of them that refresh themselves. A feature that works outside of requests has a
// method Close(context.Context) error, which the server calls when it stops.
type Feature interface {
	Routes() []ui.Route
	Parts() []ui.LivePart
}

// permit wraps the handler of a route: only people with its permission reach it. Below a
// project it is the role in the project that counts, and who has none gets the same answer as
// for a project that does not exist, whatever the route needs.
func (s *Server) permit(r ui.Route) echo.HandlerFunc {
	return func(c echo.Context) error {
		if inProject(r) {
			if err := s.takeRole(c, ui.ProjectID(c)); err != nil {
				return err
			}
		}
		v := ui.VisitOf(c.Request().Context())
		if v.Allowed(r.Needs) {
			return r.Handle(c)
		}
		if !v.SignedIn() {
			return s.askToSignIn(c)
		}
		return forbidden(v.User.Role, r.Needs)
	}
}

// inProject reports whether a route is below a project.
func inProject(r ui.Route) bool { return strings.Contains(r.Path, "/:project") }

// takeRole gives the visitor the role in a project for the rest of the request.
func (s *Server) takeRole(c echo.Context, id project.ID) error {
	v := ui.VisitOf(c.Request().Context())
	if !v.SignedIn() {
		return nil
	}
	role, err := s.frame.RoleIn(v.User, id)
	if err != nil {
		return err
	}
	v.User.Role = role
	ui.SetVisit(c, v)
	return nil
}

// askToSignIn sends a browser to the sign-in page, and back afterwards; a script gets a
// fragment that says so. A browser that follows a link from another site does not send the
// strict cookie, although the person may be signed in: it is sent to the same address again,
// this time from a page of hide.
func (s *Server) askToSignIn(c echo.Context) error {
	r := c.Request()
	if ui.IsFragment(r) || r.Method != http.MethodGet || c.IsWebSocket() {
		return errSignedOut
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" && ui.IsOwnPath(r.URL.Path) {
		return ui.Fragment(c, ui.Onward(r.URL.Path))
	}
	return c.Redirect(http.StatusSeeOther, ui.SignInURL(r.URL.Path))
}

// reopened are GET routes for addresses that only accept forms. The page that answers a
// form has such an address: a reader who opens it from the address bar or a bookmark sends
// no form, and is redirected to the nearest page above it.
func reopened(all []ui.Route) []ui.Route {
	pages := map[string]ui.Route{}
	for _, r := range all {
		if r.Method == http.MethodGet {
			pages[r.Path] = r
		}
	}
	var out []ui.Route
	for _, r := range all {
		if _, isPage := pages[r.Path]; isPage {
			continue
		}
		at, up := r.Path, 0
		for pages[at].Handle == nil && at != "/" {
			at, up = path.Dir(at), up+1
		}
		needs := pages[at].Needs
		if needs == "" {
			needs = ui.SignedIn
		}
		out = append(out, ui.Get(r.Path, needs, leadUp(up)))
	}
	return out
}

// leadUp redirects to the address that many steps above.
func leadUp(steps int) func(ui.Context) error {
	return func(c ui.Context) error {
		to := c.Request().URL.EscapedPath()
		for range steps {
			to = path.Dir(to)
		}
		return c.Redirect(http.StatusSeeOther, to)
	}
}
