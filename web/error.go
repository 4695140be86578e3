// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
)

// pageError is an error with everything that the person who caused it should
// read. None of it holds document text.
type pageError struct {
	status int
	title  string // "This form is too old"
	what   string // what happened, to which thing
	next   string // what to do next
	ref    string // found in the log; only for errors we did not expect
	back   string // path of the page that asked; "" when it is not known, or asking it again makes no sense
}

func (e *pageError) Error() string { return e.title + ": " + e.what }

var (
	errSignedOut = &pageError{http.StatusUnauthorized, "You are signed out", "Nothing was changed.", "Sign in again and repeat what you did.", "", ""}
	errOtherSite = &pageError{http.StatusForbidden, "This came from another site", "hide takes orders from its own pages only. Nothing was changed.", "Open hide directly and try again.", "", ""}
	errStaleForm = &pageError{http.StatusForbidden, "This form is too old", "It was opened before you signed in or out. Nothing was changed, and what stood in it is not kept.", "Reload the page and try again.", "", ""}
)

func forbidden(role account.Role, needs account.Permission) error {
	return &pageError{
		status: http.StatusForbidden, title: "This is not for you",
		what: "Your role, " + string(role) + ", does not include the permission to " + permissionWords(needs) + ".",
		next: "Ask an administrator if you should have it.",
	}
}

func permissionWords(p account.Permission) string {
	if p == account.SeeFigures || p == account.ReadNotes || p == account.ReadAudit || p == account.Annotate {
		return string(p)
	}
	return "use this page (" + string(p) + ")"
}

// answerError is the one place where errors become pages, or fragments in the
// messages region of the page that asked. When part of the answer is out already it
// cuts the connection: ended in good order, half a file would look whole.
func (s *Server) answerError(err error, c echo.Context) {
	if c.Response().Committed {
		s.log.Error("error after the answer had begun", slog.String("id", visitFrom(c.Request().Context()).id), slog.Any("error", err))
		panic(http.ErrAbortHandler)
	}
	p := s.explain(c.Request().Context(), err)
	if renderErr := s.showError(c, p); renderErr != nil {
		s.log.Error("error page", slog.String("id", visitFrom(c.Request().Context()).id), slog.Any("error", renderErr))
	}
}

// showError swaps a fragment into the messages region: whatever was to be
// replaced on the page stays as it is.
func (s *Server) showError(c echo.Context, p *pageError) error {
	if c.Request().Method == http.MethodHead {
		return c.NoContent(p.status)
	}
	if !isFragment(c.Request()) {
		shown := *p
		shown.back = askedFrom(c.Request())
		frame := Page{Title: p.title, Project: s.projectAround(c)}
		return s.pageStatus(c, p.status, frame, errorPage(&shown, frame.Project))
	}
	h := c.Response().Header()
	h.Set("HX-Retarget", "#messages")
	h.Set("HX-Reswap", "innerHTML")
	return s.fragmentStatus(c, p.status, errorNotice(p))
}

// projectAround is the project that the address is in, so that its pages stay at
// hand; nil outside one, and for whom it is not there.
func (s *Server) projectAround(c echo.Context) *project.Overview {
	rest, within := strings.CutPrefix(c.Request().URL.Path, "/p/")
	id, _, _ := strings.Cut(rest, "/")
	if !within || id == "" || !visitFrom(c.Request().Context()).signedIn() {
		return nil
	}
	o, err := s.projects.Project(c.Request().Context(), user(c), project.ID(id))
	if err != nil {
		return nil
	}
	return &o
}

// askedFrom is the path of the page whose form was sent; "" for a page that was only
// opened. Browsers tell it to their own site.
func askedFrom(r *http.Request) string {
	from, err := url.Parse(r.Referer())
	if err != nil || r.Method != http.MethodPost || from.Host != r.Host || !strings.HasPrefix(from.Path, "/") || strings.HasPrefix(from.Path, "//") {
		return ""
	}
	return (&url.URL{Path: from.Path, RawQuery: from.RawQuery}).String()
}

// pathOf is the path of an address of ours.
func pathOf(address string) string {
	path, _, _ := strings.Cut(address, "?")
	return path
}

// explain finds the words for an error. What it does not know is logged with the
// request's id and shown as that id only.
func (s *Server) explain(ctx context.Context, err error) *pageError {
	for _, explained := range []func(error) *pageError{explainOwn, explainProject, explainAccount, explainDisk, explainHTTP} {
		if p := explained(err); p != nil {
			return p
		}
	}
	id := visitFrom(ctx).id
	s.log.Error("request failed", slog.String("id", id), slog.Any("error", err))
	return &pageError{
		status: http.StatusInternalServerError, title: "Something went wrong",
		what: "The server could not do this. The log says more under reference " + id + ".",
		next: "Try again; if it happens again, tell whoever runs hide the reference.", ref: id,
	}
}

func explainOwn(err error) *pageError {
	var p *pageError
	if errors.As(err, &p) {
		return p
	}
	return nil
}

func explainProject(err error) *pageError {
	var conflict *project.ConflictError
	if errors.As(err, &conflict) {
		return &pageError{
			status: http.StatusConflict, title: "The note was changed meanwhile", what: "Nothing of yours was saved: " + conflict.Error() + ".",
			next: "Go back to see it as it stands now, then repeat what you did if it is still needed.",
		}
	}
	var e *project.Error
	if !errors.As(err, &e) {
		return nil
	}
	p := &pageError{what: sentence(e.Message), next: sentence(e.Hint)}
	switch e.Kind {
	case project.NotFound:
		p.status, p.title = http.StatusNotFound, "This is not there"
	case project.Forbidden:
		p.status, p.title = http.StatusForbidden, "This is not for you"
	case project.Invalid:
		p.status, p.title = http.StatusUnprocessableEntity, "This cannot be done"
	case project.Stale:
		p.status, p.title = http.StatusConflict, "Things have changed meanwhile"
	default:
		return nil
	}
	return p
}

// explainAccount is for what forms about people do not say in the form itself.
func explainAccount(err error) *pageError {
	var locked *account.LockoutError
	if errors.As(err, &locked) {
		return &pageError{status: http.StatusTooManyRequests, title: "Too many tries", what: sentence(locked.Error())}
	}
	for known, p := range map[error]*pageError{
		account.ErrForbidden: {status: http.StatusForbidden, title: "This is not for you"},
		account.ErrSession:   {status: http.StatusUnauthorized, title: "You are signed out"},
		account.ErrNotFound:  {status: http.StatusNotFound, title: "This is not there"},
		account.ErrLastAdmin: {status: http.StatusUnprocessableEntity, title: "This cannot be done"},
		account.ErrRole:      {status: http.StatusUnprocessableEntity, title: "This cannot be done"},
		account.ErrNameTaken: {status: http.StatusUnprocessableEntity, title: "This cannot be done"},
		account.ErrName:      {status: http.StatusUnprocessableEntity, title: "This cannot be done"},
		account.ErrWeak:      {status: http.StatusUnprocessableEntity, title: "This cannot be done"},
	} {
		if errors.Is(err, known) {
			p.what, p.next = sentence(known.Error()), "Go back to the page you came from."
			return p
		}
	}
	return nil
}

// explainDisk is for the one failure of the machine that people can do something
// about.
func explainDisk(err error) *pageError {
	if !errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return &pageError{
		status: http.StatusInsufficientStorage, title: "Not saved: the disk is full",
		what: "Everything that was saved before is safe.", next: "Make room on the disk and repeat what you did.",
	}
}

// explainHTTP is for errors of echo and net/http.
func explainHTTP(err error) *pageError {
	var size *http.MaxBytesError
	if errors.As(err, &size) {
		return &pageError{status: http.StatusRequestEntityTooLarge, title: "This is too large",
			what: "The server takes at most " + byteWords(size.Limit) + " here.", next: "Send less at once."}
	}
	var h *echo.HTTPError
	if !errors.As(err, &h) || h.Code >= 500 {
		return nil
	}
	switch h.Code {
	case http.StatusNotFound:
		return &pageError{status: h.Code, title: "There is no such page", what: "The address leads nowhere.", next: "Start from the list of projects."}
	case http.StatusMethodNotAllowed:
		return &pageError{status: h.Code, title: "This cannot be done here", what: "The address does not take this kind of request.", next: "Start from the list of projects."}
	}
	return &pageError{status: h.Code, title: "The server could not read this", what: http.StatusText(h.Code) + ".", next: "Reload the page and try again."}
}
