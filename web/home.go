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
			o, err := s.projects.Project(ctx, u, id)
			if err != nil {
				return nil, err
			}
			return projectSteps(o), nil
		},
	}}
}

func (s *Server) projectHome(c echo.Context) error {
	o, err := s.project(c)
	if err != nil {
		return err
	}
	return s.page(c, Page{Title: o.Name, Project: &o, Tab: "overview", Live: []string{"steps"}}, projectHome(o))
}

func (s *Server) projectList(c echo.Context) error {
	list, err := s.projects.Projects(c.Request().Context(), user(c))
	if err != nil {
		return err
	}
	return s.page(c, Page{Title: "Projects"}, projectList(list))
}

func (s *Server) projectCreate(c echo.Context) error { return echo.ErrNotFound }
