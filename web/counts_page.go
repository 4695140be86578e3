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
	"hide/internal/project/dp"
	"hide/internal/project/release"
	"hide/internal/publish/table"
	"hide/web/ui"
)

func (s *Server) countsRoutes() []route {
	return []route{
		{http.MethodGet, "/p/:project/publish/counts", account.Sanitize, s.countsShow},
		{http.MethodPost, "/p/:project/publish/counts", account.Sanitize, s.countsPublish},
	}
}

func (s *Server) countsParts() []livePart {
	return []livePart{{
		name: "counts", target: "#counts-state", needs: account.Sanitize,
		topics: []project.Topic{project.TopicPublish},
		render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			v, err := s.countsView(ctx, u, id)
			return countsState(v), err
		},
	}}
}

// countsView is everything the page of counts shows.
type countsView struct {
	Project  project.Overview
	Budget   dp.Budget
	Status   release.Status
	Releases []release.Release    // of counts, newest first
	Known    []release.Identifier // attributes that are not left out
	Alone    int
	Estimate *dp.CubeEstimate
	page     string // "counts", "sequences" or "questions": which page shows it
	budget   budgetForm
	form     countsForm
}

func (s *Server) countsView(ctx context.Context, u account.User, id project.ID) (countsView, error) {
	v := countsView{page: "counts", form: countsForm{epsilon: "0.1"}}
	var err error
	if v.Project, err = s.projects.Project(ctx, u, id); err != nil {
		return v, err
	}
	if v.Budget, err = s.projects.Budget(ctx, u, id); err != nil {
		return v, err
	}
	if v.Status, err = s.projects.Publishing(ctx, u, id); err != nil {
		return v, err
	}
	all, err := s.projects.Identifiers(ctx, u, id)
	if err != nil {
		return v, err
	}
	v.Alone = all.Alone
	for _, a := range all.Attributes {
		if a.Role != table.Direct {
			v.Known = append(v.Known, a)
		}
	}
	releases, err := s.projects.Releases(ctx, u, id)
	for _, r := range newestFirst(releases, func(r release.Release) int { return r.Number }) {
		if r.Strong != nil {
			v.Releases = append(v.Releases, r)
		}
	}
	return v, err
}

// unanswered reports whether what was last asked for has not been published, so that it
// stands in the form again.
func (v countsView) unanswered() bool { return v.Status.Running || v.Status.Error != "" }

// names are those of the attributes that can be counted by.
func (v countsView) names() []string {
	all := make([]string, len(v.Known))
	for i, a := range v.Known {
		all[i] = a.Name
	}
	return all
}

func (s *Server) countsShow(c echo.Context) error {
	v, err := s.countsView(c.Request().Context(), user(c), projectID(c))
	if err != nil {
		return err
	}
	if asked, _ := v.Status.Asked.(*dp.CubeSettings); asked != nil && v.unanswered() {
		v.form = countsFormOf(*asked)
	}
	return s.showCounts(c, http.StatusOK, v)
}

func (s *Server) showCounts(c echo.Context, status int, v countsView) error {
	p := Page{Title: "Publish counts · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"counts"}, Scripts: []string{"js/carry.js"}}
	return s.pageStatus(c, status, p, countsPage(v))
}

// countsPublish says what a request would come to, or makes it.
func (s *Server) countsPublish(c echo.Context) error {
	ctx, u, id := c.Request().Context(), user(c), projectID(c)
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	form := readCountsForm(values)
	set, err := form.settings()
	var estimate dp.CubeEstimate
	if err == nil {
		estimate, err = s.projects.EstimateCube(ctx, u, id, set)
	}
	published, err := publishAsked(values, err, func() error { return s.projects.StartPublishCube(ctx, u, id, set) })
	if published {
		return s.back(c, string(countsURL(id))+"#budget")
	}
	if err != nil && project.KindOf(err) != project.Invalid && project.KindOf(err) != project.Stale {
		return err
	}
	v, viewErr := s.countsView(ctx, u, id)
	if viewErr != nil {
		return viewErr
	}
	v.form = form
	if err != nil {
		v.form.problem = ui.Problem(err)
		return s.showCounts(c, http.StatusUnprocessableEntity, v)
	}
	v.Estimate = &estimate
	return s.showCounts(c, http.StatusOK, v)
}

// publishAsked starts to publish when the form asks for that, confirms it, and has
// nothing wrong, which is err.
func publishAsked(values url.Values, err error, start func() error) (published bool, _ error) {
	if err != nil || values.Get("do") != "publish" {
		return false, err
	}
	if values.Get("confirm") == "" {
		return false, &project.Error{Kind: project.Invalid, Message: "tick the box to confirm", Hint: "nothing was published and nothing spent"}
	}
	err = start()
	return err == nil, err
}

func countsURL(id project.ID) templ.SafeURL { return projectURL(id, "/publish/counts") }
