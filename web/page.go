// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/project"
)

// Page is what the frame around a page's own content needs to know.
type Page struct {
	Title   string            // of the browser tab; the page's h1 is its own
	Project *project.Overview // nil on pages outside a project
	Tab     string            // the current tab: "overview", "import", "annotate", "sanitize", "publish", or ""
	Wide    bool              // use the whole width of the window
	Scripts []string          // ES modules of the static folder: "note.js"
	Live    []string          // names of the live parts on the page, see live.go
	Query   url.Values        // passed on to the live parts, for example which run is shown

	from string // the page whose form this answers, with what was wrong; "" for a page of its own
}

// page answers with a whole page, status 200.
func (s *Server) page(c echo.Context, p Page, body templ.Component) error {
	return s.pageStatus(c, http.StatusOK, p, body)
}

// pageStatus is page with another status, for a form that is shown again with
// what was wrong (422).
func (s *Server) pageStatus(c echo.Context, status int, p Page, body templ.Component) error {
	p.from = askedFrom(c.Request())
	return s.fragmentStatus(c, status, layout(p, body))
}

// fragment answers with a component without the frame, status 200.
func (s *Server) fragment(c echo.Context, component templ.Component) error {
	return s.fragmentStatus(c, http.StatusOK, component)
}

// fragmentStatus renders before it writes, so that a template that fails ends as
// an error page and not as half a page.
func (s *Server) fragmentStatus(c echo.Context, status int, component templ.Component) error {
	var b bytes.Buffer
	if err := component.Render(c.Request().Context(), &b); err != nil {
		return fmt.Errorf("render: %w", err)
	}
	return c.HTMLBlob(status, b.Bytes())
}

// back answers a form: a browser is sent to path with a GET, so that reloading
// does not send the form again. htmx is told to go there as well.
func (s *Server) back(c echo.Context, path string) error {
	if isFragment(c.Request()) {
		c.Response().Header().Set("HX-Redirect", path)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, path)
}

// projectPage is the project of the path, as its pages need it.
func (s *Server) project(c echo.Context) (project.Overview, error) {
	return s.projects.Project(c.Request().Context(), user(c), projectID(c))
}

// projectID is the project of the path. It is not checked: the service answers
// not found.
func projectID(c echo.Context) project.ID { return project.ID(c.Param("project")) }
