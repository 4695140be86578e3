// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/ui"
)

func (h *Handlers) modelRoutes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/model", account.SeeFigures, h.showModel),
		ui.Get("/p/:project/download/model", account.ManageWork, h.modelDownload).Streaming(),
		ui.Post("/p/:project/training", account.Annotate, h.startTraining),
		ui.Post("/p/:project/training/all", account.Annotate, h.trainOnAll),
		ui.Post("/p/:project/training/check", account.Annotate, h.checkNow),
		ui.Post("/p/:project/training/cancel", account.Annotate, h.cancelTraining),
	}
}

func (h *Handlers) modelParts() []ui.LivePart {
	return []ui.LivePart{
		{
			Name: "training", Topics: []project.Topic{project.TopicTraining}, Needs: account.ReadNotes,
			Target: "#training", Render: h.renderTraining, Ignores: []string{"doc", "from"},
		},
		{
			Name: "model", Topics: []project.Topic{project.TopicTraining}, Needs: account.SeeFigures,
			Target: "#model-newest", Render: h.renderModelNewest,
		},
	}
}

// modelView is the card of a project's newest model.
type modelView struct {
	training Training
	training.ModelCard
}

func (h *Handlers) showModel(c ui.Context) error {
	overview, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	id := ui.ProjectID(c)
	card, err := h.projects.ModelCard(c.Request().Context(), ui.User(c), id)
	if err != nil {
		return err
	}
	p := ui.Page{
		Title: "The model · " + overview.Name, Project: &overview, Tab: "overview", Wide: true, Live: []string{"model"},
		Query: url.Values{"model": {strconv.Itoa(card.Model)}, "checked": {stamp(card.Scores.At)}},
	}
	return ui.ShowPage(c, p, modelPage(modelView{Training{id, card.Status, time.Now()}, card}))
}

// renderModelNewest says when there is a newer model than the one on the page, or a
// newer check of it.
func (h *Handlers) renderModelNewest(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
	t, err := h.projects.Training(ctx, u, id)
	if err != nil {
		return nil, err
	}
	return modelNewest(id, modelNews(t, q), t.Running || t.Queued), nil
}

// modelNews says what is newer than the page with the query q; "" for nothing.
func modelNews(t training.Status, q url.Values) string {
	switch {
	case q.Get("model") == "0" && t.Model > 0:
		return "The first model is ready."
	case strconv.Itoa(t.Model) != q.Get("model"):
		return fmt.Sprintf("There is a newer model: model %s.", ui.Number(t.Model))
	case t.Scores.Documents > 0 && stamp(t.Scores.At) != q.Get("checked"):
		return "The model has been checked again."
	}
	return ""
}

// modelDownload sends the model's file, which contains words of notes.
func (h *Handlers) modelDownload(c ui.Context) error {
	return ui.Attach(c, "application/octet-stream", string(ui.ProjectID(c))+"-model", func(w io.Writer) error {
		return h.projects.WriteModel(c.Request().Context(), ui.User(c), ui.ProjectID(c), w)
	})
}
