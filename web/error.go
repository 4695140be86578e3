// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

var (
	errSignedOut = &ui.Error{
		Status: http.StatusUnauthorized, Title: "You are signed out",
		What: "Nothing was changed.", Next: "Sign in again and repeat your last step.",
	}
	// live.js asks for a live connection in this way after a websocket has failed.
	errNoWebSocket = &ui.Error{
		Status: http.StatusUpgradeRequired, Title: "No live connection",
		What: "The server would open a live connection, and the request did not ask for a websocket. A proxy between the browser and hide may not pass websockets on.",
		Next: "Let the proxy pass the headers Upgrade and Connection on. The page itself works without them and does not refresh itself.",
	}
	errOtherSite = &ui.Error{
		Status: http.StatusForbidden, Title: "Request from another site",
		What: "hide accepts changes from its own pages only. Nothing was changed.", Next: "Open hide directly and try again.",
	}
)

func forbidden(role account.Role, needs account.Permission) error {
	return &ui.Error{
		Status: http.StatusForbidden, Title: "Not allowed",
		What: "Your role, " + string(role) + ", does not include the permission to " + string(needs) + ".",
		Next: "Ask a broker of the project, or an administrator, if you need it.",
	}
}

// answerError is the one place where errors become pages, fragments in the messages
// region of the page that asked, or problem documents of the API. When part of the answer is out already it
// cuts the connection, because a client would take half a file for a complete one.
func (s *Server) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		s.log.Error("error after the answer had begun", slog.String("id", ui.VisitOf(c.Request().Context()).ID), slog.Any("error", err))
		panic(http.ErrAbortHandler)
	}
	show := s.showError
	if isAPI(c.Request()) {
		show = showProblem
	}
	p := s.explain(c, err)
	if renderErr := show(c, p); renderErr != nil {
		s.log.Error("error page", slog.String("id", ui.VisitOf(c.Request().Context()).ID), slog.Any("error", renderErr))
		if !c.Response().Committed { // the status says at least that it failed
			_ = c.NoContent(p.Status)
		}
	}
}

// showError answers with a page, or for htmx with a fragment for the messages region; the
// rest of the page stays as it is.
func (s *Server) showError(c echo.Context, p *ui.Error) error {
	if c.Request().Method == http.MethodHead {
		return c.NoContent(p.Status)
	}
	if !ui.IsFragment(c.Request()) {
		shown := *p
		shown.Back = ui.AskedFrom(c.Request())
		frame := ui.Page{Title: p.Title, Project: s.projectAround(c)}
		return ui.ShowPageStatus(c, p.Status, frame, errorPage(&shown, frame.Project))
	}
	h := c.Response().Header()
	h.Set("HX-Retarget", "#messages")
	h.Set("HX-Reswap", "innerHTML")
	return ui.FragmentStatus(c, p.Status, errorNotice(p))
}

// projectAround is the project of the address, so that the error page keeps its tabs; nil
// outside a project and for people who cannot see it.
func (s *Server) projectAround(c echo.Context) *project.Overview {
	rest, within := strings.CutPrefix(c.Request().URL.Path, "/p/")
	id, _, _ := strings.Cut(rest, "/")
	if !within || id == "" || !ui.VisitOf(c.Request().Context()).SignedIn() {
		return nil
	}
	o, err := s.frame.Project(c.Request().Context(), ui.User(c), project.ID(id))
	if err != nil || s.takeRole(c, o.ID) != nil {
		return nil
	}
	return &o
}

// pathOf is the path of an address of ours.
func pathOf(address string) string {
	path, _, _ := strings.Cut(address, "?")
	return path
}

// explain finds the words for an error. An unknown error is logged with the id of the
// request, and the answer shows only the id.
func (s *Server) explain(c echo.Context, err error) *ui.Error {
	known := explainPage
	if isAPI(c.Request()) {
		known = explainAPI
	}
	if p := known(c, err); p != nil {
		return p
	}
	id := ui.VisitOf(c.Request().Context()).ID
	s.log.Error("request failed", slog.String("id", id), slog.Any("error", err))
	return &ui.Error{
		Status: http.StatusInternalServerError, Title: "Something went wrong",
		What: "The server could not do this. The log has details under reference " + id + ".",
		Next: "Try again. If it happens again, give the reference to the administrator of hide.", Ref: id,
	}
}

// explainPage finds the words for an error of a page, or nil when it knows none.
func explainPage(_ echo.Context, err error) *ui.Error {
	if p := ui.Explain(err); p != nil {
		return p
	}
	return explainHTTP(err)
}

// explainHTTP is for errors of echo and net/http.
func explainHTTP(err error) *ui.Error {
	var size *http.MaxBytesError
	if errors.As(err, &size) {
		return &ui.Error{Status: http.StatusRequestEntityTooLarge, Title: "This is too large",
			What: "The server accepts at most " + ui.ByteWords(size.Limit) + " here.", Next: "Send less at once."}
	}
	var h *echo.HTTPError
	if !errors.As(err, &h) || h.Code >= 500 {
		return nil
	}
	switch h.Code {
	case http.StatusNotFound:
		return &ui.Error{Status: h.Code, Title: "Page not found", What: "There is no page at this address.", Next: "Start from the list of projects."}
	case http.StatusMethodNotAllowed:
		return &ui.Error{Status: h.Code, Title: "This cannot be done here", What: "The address does not accept this kind of request.", Next: "Start from the list of projects."}
	}
	return &ui.Error{Status: h.Code, Title: "The server could not read the request", What: http.StatusText(h.Code) + ".", Next: "Reload the page and try again."}
}

// observe gives the request its id and writes one log line when it has been
// answered. The line has the route's pattern and never the query, the form or
// the values in the path: a document's name may be a patient's.
func (s *Server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		v := ui.Visit{
			ID: rand.Text()[:8], Path: c.Request().URL.Path,
			Cookie: ui.Cookie{Name: s.cookie, Secure: s.secure}, Asset: s.assets.url, IdleFor: s.idleFor,
		}
		ui.SetVisit(c, v)
		start := time.Now()
		defer func() { s.logRequest(c, time.Since(start)) }() // of answers cut short, too
		if err := next(c); err != nil {
			c.Error(err)
		}
		return nil
	}
}

func (s *Server) logRequest(c echo.Context, took time.Duration) {
	pattern := c.Path()
	if pattern == "" {
		pattern = "no route"
	}
	v := ui.VisitOf(c.Request().Context())
	s.log.LogAttrs(context.Background(), slog.LevelInfo, "request",
		slog.String("id", v.ID), slog.String("method", c.Request().Method), slog.String("route", pattern),
		slog.Int("status", c.Response().Status), slog.Int64("bytes", c.Response().Size),
		slog.Duration("took", took), slog.String("user", v.User.ID))
	if s.traffic != nil {
		s.traffic.Request(c.Request().Method, pattern, c.Response().Status, took)
	}
}

// recoverPanic turns a panic into an error. The value of a panic may hold text of a note,
// so only errors of the runtime, which hold numbers, are kept. http.ErrAbortHandler goes on
// to net/http, which cuts the connection.
func (s *Server) recoverPanic(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			what := recover()
			if what == nil {
				return
			}
			if what == http.ErrAbortHandler { // as net/http compares it
				panic(what)
			}
			err = fmt.Errorf("panic with a %T\n%s", what, debug.Stack())
			if e, ok := what.(runtime.Error); ok {
				err = fmt.Errorf("panic: %w\n%s", e, debug.Stack())
			}
		}()
		return next(c)
	}
}
