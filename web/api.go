// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

// APIRoute is one method and path of the HTTP API.
type APIRoute = ui.APIRoute

// APIFeature is a part of the HTTP API. Like a [Feature], it may have a method
// Close(context.Context) error.
type APIFeature interface {
	APIRoutes() []ui.APIRoute
}

// apiRoot is the beginning of the addresses that answer programs, never with a page.
const apiRoot = "/api"

// isAPI reports whether a request is one to the API, also to an address that does not exist.
func isAPI(r *http.Request) bool {
	return r.URL.Path == apiRoot || strings.HasPrefix(r.URL.Path, apiRoot+"/")
}

// collectAPI takes the routes of the API.
func (s *Server) collectAPI() error {
	for _, f := range s.api {
		s.calls = append(s.calls, f.APIRoutes()...)
	}
	for _, r := range s.calls {
		at := r.Method + " " + ui.APIBase + r.Path
		if _, twice := s.routeAt[at]; twice {
			return fmt.Errorf("web: two features answer %s", at)
		}
		if r.Needs == "" || r.Handle == nil || r.Scope != "" && r.Scope.Words() == "" {
			return fmt.Errorf("web: %s has no permission, no handler or an unknown scope", at)
		}
		s.routeAt[at] = r.Route
	}
	return nil
}

// APIRoutes are all routes of the API.
func (s *Server) APIRoutes() []APIRoute { return append([]APIRoute(nil), s.calls...) }

// addAPI adds the routes of the API. No handler on the way reads a cookie.
func (s *Server) addAPI(e *echo.Echo) {
	e.RouteNotFound(apiRoot, echo.NotFoundHandler)
	e.RouteNotFound(apiRoot+"/*", echo.NotFoundHandler)
	methods := map[string][]string{}
	for _, r := range s.calls {
		methods[r.Path] = append(methods[r.Path], r.Method)
	}
	for path, allowed := range methods {
		e.Any(ui.APIBase+path, otherMethod(allowed)) // echo would answer 404: another route matches every path
	}
	for _, r := range s.calls {
		e.Add(r.Method, ui.APIBase+r.Path, s.answerCall(r))
	}
}

// otherMethod refuses the methods that an address does not accept.
func otherMethod(allowed []string) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set("Allow", strings.Join(allowed, ", "))
		return echo.ErrMethodNotAllowed
	}
}

// answerCall is the way of a request to the API: its person and rights, its limits, its
// handler, and its row in the audit trail.
func (s *Server) answerCall(r APIRoute) echo.HandlerFunc {
	handle := s.limit(r.Handle)
	if r.Audited() {
		handle = s.recordCall(r, handle)
	}
	return func(c echo.Context) error {
		c.Response().Header().Set("Vary", "Authorization")
		if err := refuseTokenInAddress(c.Request()); err != nil {
			return err
		}
		if r.Needs == ui.Anyone {
			return handle(c)
		}
		secret, err := bearer(c.Request())
		if err != nil {
			return err
		}
		u, token, err := s.tokens.ByToken(secret, s.from(c))
		if err != nil {
			return err
		}
		v := ui.VisitOf(c.Request().Context())
		v.User, v.Access = u, token
		ui.SetVisit(c, v)
		if err := s.admitCall(c, r); err != nil {
			return s.refuseCall(c, r, err)
		}
		c.Set(personKey, func() (account.User, error) {
			u, _, err := s.tokens.PeekToken(secret)
			return u, err
		})
		return handle(c)
	}
}

// admitCall checks what the token allows, and what the person may do.
func (s *Server) admitCall(c echo.Context, r APIRoute) error {
	token := ui.VisitOf(c.Request().Context()).Access
	if r.Scope != "" && !token.Allows(r.Scope) {
		return insufficientScope(r.Scope)
	}
	switch id := ui.ProjectID(c); {
	case !inProject(r.Route):
		if token.Project != "" && !r.Narrows {
			return errTokenOfProject
		}
	case token.Project != "" && token.Project != string(id):
		return project.NoProject(id)
	default:
		if err := s.takeRole(c, id); err != nil {
			return err
		}
	}
	if v := ui.VisitOf(c.Request().Context()); !v.Allowed(r.Needs) {
		return forbidden(v.User.Role, r.Needs)
	}
	return nil
}

// refuseCall answers a request beyond its token or the role of its person. It has a row in the
// audit trail, too, because it may be the first sign of a stolen token.
func (s *Server) refuseCall(c echo.Context, r APIRoute, why error) error {
	if !r.Audited() {
		return why
	}
	object := ""
	if inProject(r.Route) && s.takeRole(c, ui.ProjectID(c)) == nil { // of another project, the id is only what the program sent
		object = objectOf(c, r)
	}
	c.Error(why)
	s.writeCall(c, r, object)
	return nil
}

// personKey is the place in a request for how its person is found again, by the token of the
// API.
const personKey = "hide.person"

// recordCall writes the audit row of a request when its status is known, also of one that
// panicked or was cut short.
func (s *Server) recordCall(r APIRoute, next echo.HandlerFunc) echo.HandlerFunc {
	next = s.recoverPanic(next)
	return func(c echo.Context) error {
		defer func() { s.writeCall(c, r, objectOf(c, r)) }()
		if err := next(c); err != nil {
			c.Error(err)
		}
		return nil
	}
}

// writeCall writes the audit row of a request that has been answered.
func (s *Server) writeCall(c echo.Context, r APIRoute, object string) {
	if r.Recorded && c.Response().Status < http.StatusBadRequest {
		return
	}
	v := ui.VisitOf(c.Request().Context())
	detail := fmt.Sprintf("%s %s, token %s, status %d", r.Method, r.Path, v.Access.ID, c.Response().Status)
	if err := s.tokens.RecordRequest(v.User, object, detail); err != nil {
		s.log.Error("audit row of a request", slog.String("id", v.ID), slog.Any("error", err))
	}
}

// numbered is a parameter that names a thing in the audit trail: nothing else that a program
// sends gets there.
var numbered = regexp.MustCompile(`^[0-9]{1,18}$`)

// objectOf is what a request is about, as the audit trail names it.
func objectOf(c echo.Context, r APIRoute) string {
	if !inProject(r.Route) {
		return ""
	}
	id := ui.ProjectID(c)
	names := c.ParamNames()
	if last := names[len(names)-1]; r.Object != "" && last != "project" && numbered.MatchString(c.Param(last)) {
		return id.Object(r.Object, c.Param(last))
	}
	return string(id)
}

// from is where a request to the API comes from.
func (s *Server) from(c echo.Context) account.From {
	if s.shared {
		return account.From{}
	}
	return account.From{Peer: c.RealIP()}
}

// bearer is the secret of the access token that a request carries.
func bearer(r *http.Request) (string, error) {
	given := r.Header.Values("Authorization")
	if len(given) == 0 {
		return "", errTokenNeeded
	}
	scheme, secret, _ := strings.Cut(given[0], " ")
	if len(given) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return "", errTokenNeeded
	}
	return strings.TrimSpace(secret), nil
}

// refuseTokenInAddress refuses a request whose address has a token: logs, histories and
// proxies keep addresses.
func refuseTokenInAddress(r *http.Request) error {
	for name, values := range r.URL.Query() {
		if strings.EqualFold(name, "access_token") {
			return errTokenInAddress
		}
		for _, v := range values {
			if strings.HasPrefix(strings.TrimSpace(v), account.TokenPrefix) {
				return errTokenInAddress
			}
		}
	}
	return nil
}
