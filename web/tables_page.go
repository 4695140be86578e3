// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/web/ui"
)

func (s *Server) tableRoutes() []route {
	return []route{
		{http.MethodGet, "/p/:project/publish/table", account.Sanitize, s.tableShow},
		{http.MethodPost, "/p/:project/publish/table/preview", account.Sanitize, s.tablePreview},
		{http.MethodPost, "/p/:project/publish/table/cancel", account.Sanitize, s.tableCancel},
		{http.MethodPost, "/p/:project/publish/table", account.Sanitize, s.tablePublish},
		{http.MethodPost, populationUpload, account.Sanitize, s.populationAdd},
		{http.MethodPost, "/p/:project/publish/population/remove", account.Sanitize, s.populationRemove},
		{http.MethodGet, "/p/:project/publish/roles", account.Sanitize, s.roleShow},
		{http.MethodPost, "/p/:project/publish/roles", account.Sanitize, s.rolesSave},
		{http.MethodPost, "/p/:project/publish/role", account.Sanitize, s.roleSave},
	}
}

func (s *Server) tableParts() []livePart {
	return []livePart{{
		name: "table", target: "#table-preview", needs: account.Sanitize,
		topics: []project.Topic{project.TopicPublish},
		render: func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
			v, err := s.tableView(ctx, u, id)
			v.asked = q
			return tablePreviewPart(v), err
		},
	}}
}

func (s *Server) tableShow(c echo.Context) error {
	v, err := s.tableView(c.Request().Context(), user(c), projectID(c))
	if err != nil {
		return err
	}
	v.Saved, v.asked = c.QueryParam("saved") != "", url.Values{}
	for _, key := range []string{"levels", "from"} {
		if said := c.QueryParam(key); said != "" {
			v.asked.Set(key, said)
		}
	}
	return s.showTable(c, http.StatusOK, v)
}

func (s *Server) showTable(c echo.Context, status int, v tableView) error {
	p := Page{Title: "Publish a table · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"table-released"}, Query: v.asked, Scripts: []string{"js/options.js"}}
	if len(v.Identifiers.Attributes) > 0 {
		p.Live = append(p.Live, "table") // without one there is nowhere to show it
	}
	return s.pageStatus(c, status, p, tablePage(v))
}

// tableView is everything the page shows.
func (s *Server) tableView(ctx context.Context, u account.User, id project.ID) (tableView, error) {
	var v tableView
	var err error
	if v.Project, err = s.projects.Project(ctx, u, id); err != nil {
		return v, err
	}
	if v.Identifiers, err = s.projects.Identifiers(ctx, u, id); err != nil {
		return v, err
	}
	if v.Beside, err = s.projects.Beside(ctx, u, id, release.KindTable); err != nil {
		return v, err
	}
	if v.Released, err = releasesOf(ctx, s.projects, u, v.Project, release.KindTable); err != nil {
		return v, err
	}
	v.Preview, err = s.projects.TablePreview(ctx, u, id)
	v.form = formOf(v.Preview)
	return v, err
}

// tablePreview starts a preview, or shows what is wrong with what was asked.
func (s *Server) tablePreview(c echo.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	form, ask := readTableForm(values)
	all, err := s.projects.Identifiers(c.Request().Context(), user(c), projectID(c))
	if err != nil {
		return err
	}
	if changed, _ := sentRoles(all, values); len(changed) > 0 {
		if err := s.projects.SetIdentifiers(c.Request().Context(), user(c), projectID(c), changed); err != nil {
			return s.rolesRefused(c, values, err)
		}
	}
	if !form.OK() {
		return s.tableRefused(c, form)
	}
	sets, err := ask.settings()
	if err == nil {
		err = s.projects.StartTablePreview(c.Request().Context(), user(c), projectID(c), sets)
	}
	if err == nil {
		return s.back(c, string(tableURL(projectID(c)))+"#preview")
	}
	if project.KindOf(err) != project.Invalid {
		return err
	}
	form.problem = ui.Problem(err)
	return s.tableRefused(c, form)
}

// tableRefused shows the form again, with what is wrong.
func (s *Server) tableRefused(c echo.Context, form tableForm) error {
	v, err := s.tableView(c.Request().Context(), user(c), projectID(c))
	if err != nil {
		return err
	}
	v.form = form
	return s.showTable(c, http.StatusUnprocessableEntity, v)
}

func (s *Server) tableCancel(c echo.Context) error {
	if err := s.projects.CancelTablePreview(c.Request().Context(), user(c), projectID(c)); err != nil {
		return err
	}
	return s.back(c, string(tableURL(projectID(c)))+"#preview")
}

// previewedAgain is said to who publishes what another preview has taken the place of.
const previewedAgain = "Somebody has previewed again since this page was shown, with other settings or roles. Nothing was published: look at the figures as they are now, and confirm."

// tablePublish releases the chosen table as it was previewed.
func (s *Server) tablePublish(c echo.Context) error {
	ctx, u, id := c.Request().Context(), user(c), projectID(c)
	v, err := s.tableView(ctx, u, id)
	if err != nil {
		return err
	}
	people, err := runNumber(c.FormValue("people"))
	if err != nil {
		return err
	}
	chosen := v.named(c.FormValue("table"))
	v.asked = url.Values{"table": {c.FormValue("table")}}
	switch {
	case c.FormValue("confirm") == "":
		v.Refused = "Tick the box to confirm. Nothing was published."
	case v.Preview.Changed:
		v.Refused = "Notes or roles have changed since the preview. Nothing was published: preview again."
	case c.FormValue("preview") != v.Preview.Version():
		v.Refused = previewedAgain
	case chosen == nil:
		v.Refused = "This table is not in the preview any more. Nothing was published: choose again."
	default:
		if err := s.projects.StartPublishTable(ctx, u, id, *chosen, people); err != nil {
			return err
		}
		return s.back(c, string(tableURL(id))+"#publish-state")
	}
	return s.showTable(c, http.StatusUnprocessableEntity, v)
}

func tableURL(id project.ID) templ.SafeURL { return projectURL(id, "/publish/table") }
