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
	"hide/internal/project/release"
	"hide/web/ui"
)

func (s *Server) jointRoutes() []route {
	return []route{
		{http.MethodGet, "/p/:project/publish/joint", account.Sanitize, s.jointShow},
		{http.MethodPost, "/p/:project/publish/joint/preview", account.Sanitize, s.jointPreview},
		{http.MethodPost, "/p/:project/publish/joint/cancel", account.Sanitize, s.jointCancel},
		{http.MethodPost, "/p/:project/publish/joint", account.Sanitize, s.jointPublish},
	}
}

func (s *Server) jointParts() []livePart {
	return []livePart{{
		name: "joint", target: "#joint-preview", needs: account.Sanitize,
		topics: []project.Topic{project.TopicPublish},
		render: func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
			v, err := s.jointView(ctx, u, id, q)
			return jointPreviewPart(v), err
		},
	}}
}

func (s *Server) jointShow(c echo.Context) error {
	v, err := s.jointView(c.Request().Context(), user(c), projectID(c), c.QueryParams())
	if err != nil {
		return err
	}
	return s.showJoint(c, http.StatusOK, v)
}

func (s *Server) showJoint(c echo.Context, status int, v jointView) error {
	p := Page{Title: "Publish notes with fields · " + v.Project.Name, Project: &v.Project, Tab: "publish", Live: []string{"joint-released"}, Query: v.at.query(), Scripts: []string{"js/options.js"}}
	if !v.nothingFinished() {
		p.Live = append(p.Live, "joint") // else there is nowhere to show it
	}
	return s.pageStatus(c, status, p, jointPage(v))
}

// jointView is everything the page shows; q is what is looked at.
func (s *Server) jointView(ctx context.Context, u account.User, id project.ID, q url.Values) (jointView, error) {
	var v jointView
	var err error
	if v.Project, err = s.projects.Project(ctx, u, id); err != nil {
		return v, err
	}
	if v.Identifiers, err = s.projects.Identifiers(ctx, u, id); err != nil {
		return v, err
	}
	if v.Released, err = releasesOf(ctx, s.projects, u, v.Project, release.KindJoint); err != nil {
		return v, err
	}
	if v.Bundles, err = s.projects.Bundles(ctx, u, id); err != nil {
		return v, err
	}
	if v.Open, err = s.projects.OpenInFinished(ctx, u, id); err != nil {
		return v, err
	}
	v.at = v.known(readJointAt(q))
	if v.Beside, err = s.projects.Beside(ctx, u, id, release.KindJoint); err != nil {
		return v, err
	}
	if v.Preview, err = s.projects.JointPreview(ctx, u, id, v.at.Bundle); err != nil {
		return v, err
	}
	v.form = jointFormOf(v.Preview.Settings)
	v.choose()
	return v, nil
}

// jointPreview starts a preview, or shows what is wrong with what was asked.
func (s *Server) jointPreview(c echo.Context) error {
	ctx, u, id := c.Request().Context(), user(c), projectID(c)
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	form, set := readJointForm(values)
	if form.OK() {
		err = s.projects.StartJointPreview(ctx, u, id, set)
		if err == nil {
			return s.back(c, string(jointURL(id))+"#preview")
		}
		if project.KindOf(err) != project.Invalid {
			return err
		}
		form.problem = ui.Problem(err)
	}
	v, viewErr := s.jointView(ctx, u, id, nil)
	if viewErr != nil {
		return viewErr
	}
	v.form = form
	return s.showJoint(c, http.StatusUnprocessableEntity, v)
}

func (s *Server) jointCancel(c echo.Context) error {
	if err := s.projects.CancelJointPreview(c.Request().Context(), user(c), projectID(c)); err != nil {
		return err
	}
	return s.back(c, string(jointURL(projectID(c)))+"#preview")
}

// jointPublish releases the notes with the setting that was looked at.
func (s *Server) jointPublish(c echo.Context) error {
	ctx, u, id := c.Request().Context(), user(c), projectID(c)
	values, err := c.FormParams()
	if err != nil {
		return err
	}
	v, err := s.jointView(ctx, u, id, values)
	if err != nil {
		return err
	}
	notes, err := runNumber(values.Get("notes"))
	if err != nil {
		return err
	}
	open, _ := strconv.Atoi(values.Get("open")) // what is no number is no tick
	switch {
	case v.Point == nil || !v.at.named(values):
		v.Refused = "This setting has not been previewed. Nothing was published."
	case values.Get("confirm") == "":
		v.Refused = "Tick the box to confirm. Nothing was published."
	case v.Preview.Changed:
		v.Refused = "Notes or roles have changed since the preview. Nothing was published: preview again."
	case values.Get("preview") != v.Preview.Version():
		v.Refused = previewedAgain
	case v.Open.Found != open:
		v.Refused = openRefused(v.Open, open)
	default:
		if err := s.projects.StartPublishJoint(ctx, u, id, v.choice(), notes, open); err != nil {
			return err
		}
		return s.back(c, string(jointURL(id))+"#publish-state")
	}
	return s.showJoint(c, http.StatusUnprocessableEntity, v)
}

func jointURL(id project.ID) templ.SafeURL { return projectURL(id, "/publish/joint") }
