// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"net/url"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/ui"
)

func (h *Handlers) classRoutes() []ui.Route {
	return []ui.Route{ui.Post("/p/:project/dictionaries/classes", account.ManageWork, h.classesChange)}
}

func (h *Handlers) classParts() []ui.LivePart {
	return []ui.LivePart{{
		Name: "classes", Target: "#classes", Needs: account.ReadNotes, Topics: []project.Topic{project.TopicTraining},
		Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			st, err := h.projects.WordClasses(ctx, u, id, training.ShowClasses)
			return wordClasses(id, st), err
		},
	}}
}

func (h *Handlers) classesChange(c ui.Context) error {
	action := training.ClassAction(c.FormValue("action"))
	if _, err := h.projects.WordClasses(c.Request().Context(), ui.User(c), ui.ProjectID(c), action); err != nil {
		return err
	}
	return ui.Back(c, string(dictionariesURL(ui.ProjectID(c)))+"#classes")
}
