// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

func (s *Server) curvesRoutes() []route {
	return []route{
		{http.MethodGet, "/p/:project/curves", account.SeeFigures, s.curvesShow},
		{http.MethodPost, "/p/:project/curves", account.ManageWork, s.curvesStart},
		{http.MethodPost, "/p/:project/curves/cancel", account.ManageWork, s.curvesCancel},
		{http.MethodPost, "/p/:project/curves/use", account.ManageWork, s.curvesUse},
	}
}

func (s *Server) curvesParts() []livePart {
	return []livePart{{
		name: "curves", target: "#curves", needs: account.SeeFigures,
		topics: []project.Topic{project.TopicCurves, project.TopicQueue},
		render: func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
			v, err := s.curves(ctx, u, id)
			v.compareWith(q.Get("with"))
			return curvesState(v), err
		},
	}}
}

func (s *Server) curves(ctx context.Context, u account.User, id project.ID) (v curvesView, err error) {
	if v.Project, err = s.projects.Project(ctx, u, id); err != nil {
		return v, err
	}
	v.Status, err = s.projects.Curves(ctx, u, id)
	return v, err
}

func (s *Server) curvesShow(c echo.Context) error {
	v, err := s.curves(c.Request().Context(), user(c), projectID(c))
	if err != nil {
		return err
	}
	v.compareWith(c.QueryParam("with"))
	v.Form, v.Saved = newCurvesForm(v.Status.Last), c.QueryParam("saved") == "1"
	return s.showCurves(c, http.StatusOK, v)
}

func (s *Server) showCurves(c echo.Context, status int, v curvesView) error {
	p := Page{Title: "What sampling trades · " + v.Project.Name, Project: &v.Project, Tab: "overview", Live: []string{"curves"}}
	if v.With > 0 {
		p.Query = url.Values{"with": {strconv.Itoa(v.With + 1)}}
	}
	return s.pageStatus(c, status, p, curvesPage(v))
}

// curvesStart begins to measure. What is wrong is said in the form, with
// everything as it was typed.
func (s *Server) curvesStart(c echo.Context) error {
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	form, params := readCurvesForm(values)
	var refused *pageError
	if len(form.problems) == 0 {
		err = s.projects.StartCurves(c.Request().Context(), user(c), projectID(c), params)
		if err == nil {
			return s.back(c, string(curvesURL(projectID(c))))
		}
		if refused = ui.Refused(err); refused == nil {
			return err
		}
	}
	v, err := s.curves(c.Request().Context(), user(c), projectID(c))
	if err != nil {
		return err
	}
	v.Form = form
	if refused != nil {
		v.Error = refused.What + " " + refused.Next
	}
	return s.showCurves(c, http.StatusUnprocessableEntity, v)
}

func (s *Server) curvesCancel(c echo.Context) error {
	if err := s.projects.CancelCurves(c.Request().Context(), user(c), projectID(c)); err != nil {
		return err
	}
	return s.back(c, string(curvesURL(projectID(c))))
}

// curvesUse makes the project learn with a setting that was measured.
func (s *Server) curvesUse(c echo.Context) error {
	setting, err := strconv.Atoi(c.FormValue("setting"))
	if err != nil {
		return &project.Error{Kind: project.Invalid, Message: "the setting has no number", Hint: "reload the page and choose again"}
	}
	if err := s.projects.UseSampling(c.Request().Context(), user(c), projectID(c), setting); err != nil {
		return err
	}
	return s.back(c, string(curvesURL(projectID(c)))+"?saved=1")
}

func curvesURL(id project.ID) templ.SafeURL { return projectURL(id, "/curves") }
