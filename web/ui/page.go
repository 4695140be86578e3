// SPDX-License-Identifier: Apache-2.0

// Package ui is what all pages of hide share: the frame around a page, answers of handlers,
// the person who makes a request, the words of errors, fields, numbers and times. A
// feature is a package beside this one:
//
//	func (h *Handlers) Routes() []ui.Route {
//		return []ui.Route{ui.Get("/p/:project/model", account.SeeFigures, h.show)}
//	}
//
//	func (h *Handlers) show(c ui.Context) error {
//		p, err := ui.Project(c, h.projects)
//		if err != nil {
//			return err
//		}
//		return ui.ShowPage(c, ui.Page{Title: "Model", Project: &p}, modelPage(p))
//	}
package ui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
)

// Page is what the frame around a page's own content needs to know.
type Page struct {
	Title   string            // of the browser tab; the page's h1 is its own
	Project *project.Overview // nil on pages outside a project
	Tab     string            // the current tab: "overview", "import", "annotate", "sanitize", "publish", or ""
	Wide    bool              // use the whole width of the window
	Scripts []string          // ES modules of the static folder: "note.js"
	Live    []string          // names of the live parts on the page
	Query   url.Values        // passed on to the live parts, for example which run is shown

	from string // the page whose form this answers, with what was wrong; "" for a page of its own
}

// ShowPage answers with a whole page, status 200.
func ShowPage(c Context, p Page, body templ.Component) error {
	return ShowPageStatus(c, http.StatusOK, p, body)
}

// ShowPageStatus is [ShowPage] with another status, for a form that is shown
// again with what was wrong (422).
func ShowPageStatus(c Context, status int, p Page, body templ.Component) error {
	p.from = AskedFrom(c.Request())
	return FragmentStatus(c, status, layout(p, body))
}

// Fragment answers with a component without the frame, status 200.
func Fragment(c Context, component templ.Component) error {
	return FragmentStatus(c, http.StatusOK, component)
}

// FragmentStatus renders before it writes, so that a template that fails ends as
// an error page and not as half a page.
func FragmentStatus(c Context, status int, component templ.Component) error {
	var b bytes.Buffer
	if err := component.Render(c.Request().Context(), &b); err != nil {
		return fmt.Errorf("render: %w", err)
	}
	return c.HTMLBlob(status, b.Bytes())
}

// Back answers a form: a browser is sent to path with a GET, so that reloading
// does not send the form again. htmx is told to go there as well.
func Back(c Context, path string) error {
	if IsFragment(c.Request()) {
		c.Response().Header().Set("HX-Redirect", path)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, path)
}

// Attach answers with a file to keep. When write fails before its first byte, the
// error is answered instead.
func Attach(c Context, kind, name string, write func(io.Writer) error) error {
	h := c.Response().Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	err := write(c.Response())
	if err != nil && !c.Response().Committed {
		h.Del("Content-Type")
		h.Del("Content-Disposition")
	}
	return err
}

// Projects finds the project of a page.
type Projects interface {
	Project(ctx context.Context, by account.User, id project.ID) (project.Overview, error)
}

// Project is the project of the path, as its pages need it.
func Project(c Context, projects Projects) (project.Overview, error) {
	return projects.Project(c.Request().Context(), User(c), ProjectID(c))
}

// AskedFrom is the path of the page whose form was sent, from the Referer header; "" for a
// page that was only opened.
func AskedFrom(r *http.Request) string {
	from, err := url.Parse(r.Referer())
	if err != nil || r.Method != http.MethodPost || from.Host != r.Host || !strings.HasPrefix(from.Path, "/") || strings.HasPrefix(from.Path, "//") {
		return ""
	}
	return (&url.URL{Path: from.Path, RawQuery: from.RawQuery}).String()
}
