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
	"hide/internal/project/sanitize"
	"hide/internal/project/training"
)

func (s *Server) projectRoutes() []route {
	return []route{
		{http.MethodGet, "/", signedIn, s.projectList},
		{http.MethodPost, "/projects", account.ManageWork, s.projectCreate},
		{http.MethodGet, "/p/:project", signedIn, s.projectHome},
		{http.MethodGet, "/p/:project/live", signedIn, s.liveSocket},
	}
}

func (s *Server) homeParts() []livePart {
	return []livePart{{
		name: "steps", target: "#steps", needs: signedIn,
		topics: []project.Topic{project.TopicQueue, project.TopicDocument, project.TopicTraining, project.TopicSanitize, project.TopicPublish},
		render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			h, err := s.home(ctx, u, id)
			if err != nil {
				return nil, err
			}
			return projectSteps(h.steps()), nil
		},
	}}
}

func (s *Server) projectHome(c echo.Context) error {
	h, err := s.home(c.Request().Context(), user(c), projectID(c))
	if err != nil {
		return err
	}
	p := Page{Title: h.Name, Project: &h.Overview, Tab: "overview", Live: []string{"steps"}}
	return s.page(c, p, projectHome(h))
}

// home is how far a project is, as far as the person may know.
type home struct {
	project.Overview
	role     account.Role
	training training.Status // zero without the permission to read notes
	runs     []sanitize.Run  // newest first; nil without the permission to see figures
	toAudit  int             // notes of an audit that wait for a reader
}

func (s *Server) home(ctx context.Context, u account.User, id project.ID) (h home, err error) {
	h.role = u.Role
	if h.Overview, err = s.projects.Project(ctx, u, id); err != nil {
		return h, err
	}
	if u.Role.Can(account.ReadNotes) {
		if h.training, err = s.projects.Training(ctx, u, id); err != nil {
			return h, err
		}
	}
	if u.Role.Can(account.Annotate) {
		if h.toAudit, err = s.projects.SampleAuditWaiting(ctx, u, id); err != nil {
			return h, err
		}
	}
	if u.Role.Can(account.SeeFigures) {
		h.runs, err = s.projects.Runs(ctx, u, id)
	}
	return h, err
}
