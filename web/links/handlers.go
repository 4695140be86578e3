// SPDX-License-Identifier: Apache-2.0

// Package links shows which records of a project are of one patient. Brokers start the linkage,
// decide about pairs of records, move the thresholds, and read the identifier view.
package links

import (
	"context"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	ui.Projects

	StartLinking(ctx context.Context, by account.User, id project.ID, o links.Options) error
	Linking(ctx context.Context, by account.User, id project.ID) (links.Progress, error)
	CancelLinking(ctx context.Context, by account.User, id project.ID) error
	LinkState(ctx context.Context, by account.User, id project.ID) (links.State, error)

	LinkQueue(ctx context.Context, by account.User, id project.ID, offset, limit int) (links.Queue, error)
	LinkPair(ctx context.Context, by account.User, id project.ID, pair links.PairID) (links.Pair, error)
	DecideLink(ctx context.Context, by account.User, id project.ID, pair links.PairID, same, replace bool) error
	UndoLinkDecision(ctx context.Context, by account.User, id project.ID, number uint64) error
	LinkDecisions(ctx context.Context, by account.User, id project.ID) ([]links.Decision, error)

	SetLinkThresholds(ctx context.Context, by account.User, id project.ID, link, floor float64) error
	TryLinkThreshold(ctx context.Context, by account.User, id project.ID, link float64) (links.Threshold, error)
	LinkClusters(ctx context.Context, by account.User, id project.ID, offset, limit int) (links.Clusters, error)
	LinkedPatients(ctx context.Context, by account.User, id project.ID, offset, limit int, query string) (links.View, error)
}

// Handlers answers for these pages.
type Handlers struct{ projects Projects }

// New makes the handlers of these pages.
func New(projects Projects) *Handlers { return &Handlers{projects} }

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/links", account.Sanitize, h.show),
		ui.Post("/p/:project/links", account.Sanitize, h.start),
		ui.Post("/p/:project/links/cancel", account.Sanitize, h.cancel),
		ui.Get("/p/:project/links/pair", account.Sanitize, h.showPair),
		ui.Post("/p/:project/links/decide", account.Sanitize, h.decide),
		ui.Post("/p/:project/links/undo", account.Sanitize, h.undo),
		ui.Get("/p/:project/links/thresholds", account.Sanitize, h.thresholds),
		ui.Post("/p/:project/links/thresholds", account.Sanitize, h.setThresholds),
		ui.Get("/p/:project/links/clusters", account.Sanitize, h.clusters),
		ui.Get("/p/:project/links/patients", account.Sanitize, h.patients),
		ui.Get("/p/:project/links/decisions", account.Sanitize, h.decisions),
	}
}

// Parts lists the live parts of the pages.
func (h *Handlers) Parts() []ui.LivePart {
	return []ui.LivePart{h.statePart(), h.pairPart()}
}
