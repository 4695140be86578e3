// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/web/ui"
)

func (s *Server) publishRoutes() []route {
	return []route{
		{http.MethodGet, "/p/:project/publish", account.SeeFigures, s.publishShow},
		{http.MethodPost, "/p/:project/publish", account.Sanitize, s.publishStart},
		{http.MethodPost, "/p/:project/publish/cancel", account.Sanitize, s.publishCancel},
		{http.MethodGet, "/p/:project/bundles/:number", account.Sanitize, s.bundleDownload},
		{http.MethodGet, "/p/:project/releases/:number", account.SeeFigures, s.releaseShow},
		{http.MethodGet, "/p/:project/releases/:number/zip", account.SeeFigures, s.releaseDownload},
		{http.MethodGet, "/p/:project/releases/:number/mapping", account.ManageWork, s.releaseSealed("mapping", s.projects.WriteMapping)},
		{http.MethodGet, "/p/:project/releases/:number/originals", account.ManageWork, s.releaseSealed("originals", s.projects.WriteOriginals)},
	}
}

func (s *Server) publishParts() []livePart {
	return []livePart{{
		name: "publish", target: "#publish-state", needs: account.SeeFigures,
		topics: []project.Topic{project.TopicPublish},
		render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			o, err := s.projects.Project(ctx, u, id)
			if err != nil {
				return nil, err
			}
			v := releasesView{Project: o}
			if err := fillReleases(ctx, s.projects, u, &v); err != nil {
				return nil, err
			}
			return publishState(v), nil
		},
	}}
}

func (s *Server) publishShow(c echo.Context) error {
	v, err := s.publishProject(c, c.QueryParam("bundle"))
	if err != nil {
		return err
	}
	return s.showPublish(c, http.StatusOK, v)
}

func (s *Server) showPublish(c echo.Context, status int, v publishView) error {
	p := Page{Title: "Publish · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"publish"}}
	return s.pageStatus(c, status, p, publishPage(v))
}

// publishProject is the page for the bundle with this number, for "" the newest.
func (s *Server) publishProject(c echo.Context, bundle string) (publishView, error) {
	ctx, u := c.Request().Context(), user(c)
	o, err := s.project(c)
	if err != nil {
		return publishView{}, err
	}
	v := publishView{releasesView: releasesView{Project: o}}
	bundles, err := s.projects.Bundles(ctx, u, o.ID)
	if err != nil {
		return v, err
	}
	if v.Beside, err = s.projects.Beside(ctx, u, o.ID, release.KindText); err != nil {
		return v, err
	}
	v.Bundles = newestFirst(bundles, func(b sanitize.Bundle) int { return b.Number })
	if err := v.choose(bundle); err != nil {
		return v, err
	}
	if err := s.fillOutcome(ctx, u, &v); err != nil {
		return v, err
	}
	if err := s.fillStanding(ctx, u, &v); err != nil {
		return v, err
	}
	return v, fillReleases(ctx, s.projects, u, &v.releasesView)
}

// fillStanding finds what a release with the bundle would knowingly leave readable.
func (s *Server) fillStanding(ctx context.Context, u account.User, v *publishView) (err error) {
	if v.Bundle == nil {
		return nil
	}
	if v.Open, err = s.projects.OpenFindings(ctx, u, v.Project.ID, v.Bundle.Number); err != nil {
		return err
	}
	v.Readable, err = s.projects.Readable(ctx, u, v.Project.ID, v.Bundle.Number)
	return err
}

// fillOutcome finds the figures that the bundle was chosen by.
func (s *Server) fillOutcome(ctx context.Context, u account.User, v *publishView) error {
	if v.Bundle == nil {
		return nil
	}
	r, err := s.projects.Run(ctx, u, v.Project.ID, v.Bundle.Run)
	if project.KindOf(err) == project.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	v.Run = sofar(r)
	if c := resultAt(v.Run, v.Bundle.LC); hasFigures(c) {
		v.Outcome = &c.Outcome
	}
	return s.fillAudit(ctx, u, v)
}

// fillAudit finds what an audit says of the bundle.
func (s *Server) fillAudit(ctx context.Context, u account.User, v *publishView) error {
	audits, _, err := s.projects.SampleAudits(ctx, u, v.Project.ID)
	for i, a := range audits {
		if v.Audit == nil && a.Bundle == v.Bundle.Number && a.Result != nil && !a.Changed {
			v.Audit = &audits[i]
		}
	}
	return err
}

// readableChanged is said to who confirms that other labels stay readable than do now.
const readableChanged = "What stays readable has changed since you opened this page. Nothing was published: look again and confirm."

// publishStart publishes after the person has confirmed the number of documents
// that the page named. When there are others by now it asks again.
func (s *Server) publishStart(c echo.Context) error {
	v, err := s.publishProject(c, c.FormValue("bundle"))
	if err != nil {
		return err
	}
	bundle, err := runNumber(c.FormValue("bundle"))
	if err != nil {
		return err
	}
	if c.FormValue("documents") != strconv.Itoa(v.Project.Documents) {
		v.Error = "The number of documents has changed since you opened this page. Nothing was published: look again and confirm."
		return s.showPublish(c, http.StatusConflict, v)
	}
	if c.FormValue("confirm") == "" {
		v.Error = "Tick the box to confirm. Nothing was published."
		return s.showPublish(c, http.StatusUnprocessableEntity, v)
	}
	if c.FormValue("readable") != v.readableValue() {
		v.Error = readableChanged
		return s.showPublish(c, http.StatusConflict, v)
	}
	found, _ := strconv.Atoi(c.FormValue("found")) // what is no number is no tick
	if v.Error = openRefused(v.Open, found); v.Error != "" {
		return s.showPublish(c, http.StatusUnprocessableEntity, v)
	}
	if v.unaudited() && strings.TrimSpace(c.FormValue("unaudited")) == "" {
		v.Error = "Say why you publish without an audit, or audit first. Nothing was published."
		return s.showPublish(c, http.StatusUnprocessableEntity, v)
	}
	despite := release.Despite{Unaudited: c.FormValue("unaudited"), Found: found, Readable: v.Readable}
	if err := s.projects.StartPublish(c.Request().Context(), user(c), v.Project.ID, bundle, despite); project.KindOf(err) == project.Stale {
		v.Error = ui.Problem(err) + " Nothing was published."
		return s.showPublish(c, http.StatusConflict, v)
	} else if err != nil {
		return err
	}
	return s.back(c, string(publishURL(v.Project.ID, bundle)))
}

func (s *Server) publishCancel(c echo.Context) error {
	if err := s.projects.CancelPublish(c.Request().Context(), user(c), projectID(c)); err != nil {
		return err
	}
	return s.back(c, string(projectURL(projectID(c), "/publish")))
}
