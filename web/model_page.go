// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/training"
)

func (s *Server) modelRoutes() []route {
	return []route{
		{http.MethodGet, "/p/:project/model", account.SeeFigures, s.showModel},
		{http.MethodGet, "/p/:project/download/model", account.ManageWork, s.modelDownload},
	}
}

func (s *Server) modelParts() []livePart {
	return []livePart{{
		name: "model", topics: []project.Topic{project.TopicTraining}, needs: account.SeeFigures,
		target: "#model-newest", render: s.renderModelNewest,
	}}
}

// modelView is the card of a project's newest model.
type modelView struct {
	training trainingView
	training.ModelCard
}

func (s *Server) showModel(c echo.Context) error {
	overview, err := s.project(c)
	if err != nil {
		return err
	}
	id := projectID(c)
	card, err := s.projects.ModelCard(c.Request().Context(), user(c), id)
	if err != nil {
		return err
	}
	p := Page{
		Title: "The model", Project: &overview, Tab: "overview", Wide: true, Live: []string{"model"},
		Query: url.Values{"model": {strconv.Itoa(card.Model)}, "checked": {stamp(card.Scores.At)}},
	}
	return s.page(c, p, modelPage(modelView{trainingView{id, card.Status, s.now()}, card}))
}

// renderModelNewest says when there is a newer model than the one on the page, or a
// newer check of it.
func (s *Server) renderModelNewest(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
	t, err := s.projects.Training(ctx, u, id)
	if err != nil {
		return nil, err
	}
	return modelNewest(id, modelNews(t, q), t.Running || t.Queued), nil
}

// modelNews says what is newer than the page that q is of; "" for nothing.
func modelNews(t training.Status, q url.Values) string {
	switch {
	case q.Get("model") == "0" && t.Model > 0:
		return "The first model is there."
	case strconv.Itoa(t.Model) != q.Get("model"):
		return fmt.Sprintf("There is a newer model: model %s.", number(t.Model))
	case t.Scores.Documents > 0 && stamp(t.Scores.At) != q.Get("checked"):
		return "The model has been checked again."
	}
	return ""
}

// modelDownload sends the model's file: it holds words of notes.
func (s *Server) modelDownload(c echo.Context) error {
	return attach(c, "application/octet-stream", string(projectID(c))+"-model", func(w io.Writer) error {
		return s.projects.WriteModel(c.Request().Context(), user(c), projectID(c), w)
	})
}
