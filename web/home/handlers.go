// SPDX-License-Identifier: Apache-2.0

// Package home shows the list of projects, the overview of one project (the state of each
// step, and what to do next) and its labels.
package home

import (
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/project/training"
	"hide/internal/project/webhooks"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	ui.Projects
	Labels
	Create(ctx context.Context, by account.User, name string, labels annotate.LabelSet) (project.Project, error)
	Projects(ctx context.Context, by account.User) ([]project.Overview, error)
	Destroyed() ([]project.Destroyed, error)
	Sealed(ctx context.Context, by account.User) ([]project.ID, error)
	Training(ctx context.Context, by account.User, id project.ID) (training.Status, error)
	SampleRead(ctx context.Context, by account.User, id project.ID, about release.About) (release.Sampled, error)
	Runs(ctx context.Context, by account.User, id project.ID) ([]sanitize.Run, error)
	Webhooks(ctx context.Context, by account.User, id project.ID) (webhooks.Webhooks, error)
}

// Handlers answers for these pages.
type Handlers struct {
	projects Projects
	guide    Guide    // nil outside a demo
	hidden   sync.Map // ids of people who have closed the guide
	warnings []func() string
}

// New makes the handlers of these pages. A demo has a guide on the first page; nil means
// none.
func New(projects Projects, guide Guide) *Handlers {
	return &Handlers{projects: projects, guide: guide}
}

// Warn adds a warning that administrators see on the first page. While warning returns "",
// there is none.
func (h *Handlers) Warn(warning func() string) *Handlers {
	h.warnings = append(h.warnings, warning)
	return h
}

// warningsFor is what a person is warned of now.
func (h *Handlers) warningsFor(u account.User) (all []string) {
	if !u.Role.Can(account.ManagePeople) {
		return nil
	}
	for _, warning := range h.warnings {
		if text := warning(); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return append([]ui.Route{
		ui.Get("/", ui.SignedIn, h.list),
		ui.Post("/projects", account.ManageWork, h.create),
		ui.Post("/guide", ui.SignedIn, h.setGuide),
		ui.Get("/p/:project", ui.SignedIn, h.showOverview),
	}, h.labelRoutes()...)
}

// Parts are the list of steps and the table of labels.
func (h *Handlers) Parts() []ui.LivePart {
	return append(h.labelParts(), ui.LivePart{
		Name: "steps", Target: "#steps", Pause: time.Second, Needs: ui.SignedIn,
		Topics: []project.Topic{project.TopicQueue, project.TopicDocument, project.TopicTraining, project.TopicSanitize, project.TopicPublish},
		Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			o, err := h.overview(ctx, u, id)
			if err != nil {
				return nil, err
			}
			return projectSteps(o.steps()), nil
		},
	})
}
