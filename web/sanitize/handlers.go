// SPDX-License-Identifier: Apache-2.0

// Package sanitize shows the runs of a project: the figures of each L/C, missed PHI and
// over-redacted words, whether the figures hold for other notes, and the form that starts
// a run.
package sanitize

import (
	"context"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/greedy/target"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	ui.Projects
	Runs(ctx context.Context, by account.User, id project.ID) ([]sanitize.Run, error)
	// NewestRun is the number of the newest run, 0 if there is none.
	NewestRun(ctx context.Context, by account.User, id project.ID) (int, error)
	Run(ctx context.Context, by account.User, id project.ID, number int) (*sanitize.Run, error)
	StartSanitize(ctx context.Context, by account.User, id project.ID, p sanitize.Params) (int, error)
	ResumeSanitize(ctx context.Context, by account.User, id project.ID, number int) error
	CancelSanitize(ctx context.Context, by account.User, id project.ID) error
	NameRun(ctx context.Context, by account.User, id project.ID, number int, name string) error
	Choose(ctx context.Context, by account.User, id project.ID, run int, lc float64) (sanitize.Bundle, error)
	// ChooseTarget freezes the threshold that a run chose for its target.
	ChooseTarget(ctx context.Context, by account.User, id project.ID, run int) (sanitize.Bundle, error)
	// TargetPlan says how many notes a target needs, and how many there are; also with the
	// error that there are too few.
	TargetPlan(ctx context.Context, by account.User, id project.ID, t target.Target) (target.Plan, error)
	Bundles(ctx context.Context, by account.User, id project.ID) ([]sanitize.Bundle, error)
	SampleRead(ctx context.Context, by account.User, id project.ID, about release.About) (release.Sampled, error)
}

// Handlers answers for these pages.
type Handlers struct{ projects Projects }

// New makes the handlers of these pages.
func New(projects Projects) *Handlers { return &Handlers{projects} }

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/sanitize", account.SeeFigures, h.showNewest),
		ui.Post("/p/:project/sanitize", account.Sanitize, h.start),
		ui.Post("/p/:project/sanitize/cancel", account.Sanitize, h.cancel),
		ui.Post("/p/:project/sanitize/:run/resume", account.Sanitize, h.resume),
		ui.Get("/p/:project/sanitize/:run", account.SeeFigures, h.showNumbered),
		ui.Post("/p/:project/sanitize/:run/choose", account.Sanitize, h.choose),
		ui.Post("/p/:project/sanitize/:run/name", account.Sanitize, h.name),
	}
}

// Parts are what changes on the page while a run goes on.
func (h *Handlers) Parts() []ui.LivePart {
	topics := []project.Topic{project.TopicSanitize, project.TopicRuns, project.TopicDocument, project.TopicQueue}
	return []ui.LivePart{
		{
			Name: "sanitize-progress", Target: "#sanitize-progress", Needs: account.SeeFigures, Topics: topics[:2],
			Render: h.runPart(progress),
		},
		{
			Name: "sanitize-title", Target: "#sanitize-title", Needs: account.SeeFigures, Topics: []project.Topic{project.TopicRuns, project.TopicDocument, project.TopicQueue},
			Render: h.runPart(title),
		},
		{
			// Rendering reads all runs: too much for every step of one.
			Name: "sanitize-runs", Target: "#sanitize-runs", Needs: account.SeeFigures, Topics: []project.Topic{project.TopicRuns},
			Render: h.runsPart,
		},
		{
			Name: "start-waits", Target: "#start-waits", Needs: account.Sanitize, Topics: []project.Topic{project.TopicRuns},
			Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
				all, err := h.projects.Runs(ctx, u, id)
				return startWaits(all), err
			},
		},
		{
			Name: "sanitize-holds", Target: "#sanitize-holds", Needs: account.SeeFigures, Topics: []project.Topic{project.TopicRuns, project.TopicPublish},
			Render: h.holdsPart,
		},
		{
			Name: "sanitize-lead", Target: "#sanitize-lead", Needs: account.SeeFigures, Topics: topics,
			Render: h.runPart(lead),
		},
		{
			Name: "sanitize-sliders", Target: "#sliders", Needs: account.SeeFigures, Topics: []project.Topic{project.TopicRuns},
			Render: h.runPart(sliders),
		},
		{
			Name: "sanitize-results", Target: "#sanitize-results", Pause: 3 * time.Second, Needs: account.SeeFigures, Topics: topics,
			Render: h.runPart(results),
		},
	}
}
