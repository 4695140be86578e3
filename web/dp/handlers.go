// SPDX-License-Identifier: Apache-2.0

// Package dp publishes with differential privacy: counts, sequences and answers, and the
// budget that all of them spend.
package dp

import (
	"context"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/release"
	"hide/internal/publish/ledger"
	"hide/web/publishing"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	publishing.Projects
	Budget(ctx context.Context, by account.User, id project.ID) (dp.Budget, error)
	EstimateCube(ctx context.Context, by account.User, id project.ID, set dp.CubeSettings) (dp.CubeEstimate, error)
	EstimateQuery(ctx context.Context, by account.User, id project.ID, set dp.QuerySettings) (dp.QueryEstimate, error)
	EstimateSequences(ctx context.Context, by account.User, id project.ID, set dp.SequenceSettings) (dp.SequenceEstimate, error)
	Identifiers(ctx context.Context, by account.User, id project.ID) (release.Identifiers, error)
	OpenBudget(ctx context.Context, by account.User, id project.ID, o dp.BudgetOpening) error
	SeparateBudget(ctx context.Context, by account.User, id project.ID, reason string) error
	RaiseBudget(ctx context.Context, by account.User, id project.ID, limit ledger.Micro, reason string) error
	StartPublishCube(ctx context.Context, by account.User, id project.ID, ending release.Ending, set dp.CubeSettings) error
	StartPublishSequences(ctx context.Context, by account.User, id project.ID, ending release.Ending, set dp.SequenceSettings) error
	StartQuery(ctx context.Context, by account.User, id project.ID, ending release.Ending, set dp.QuerySettings) error
}

// Handlers answers for these pages.
type Handlers struct {
	projects Projects
}

// New makes the handlers of these pages.
func New(projects Projects) *Handlers { return &Handlers{projects} }

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return slices.Concat(h.countsRoutes(), h.budgetRoutes(), h.sequencesRoutes(), h.queriesRoutes())
}

// Parts are what changes on the pages while somebody looks.
func (h *Handlers) Parts() []ui.LivePart { return slices.Concat(h.countsParts(), h.queriesParts()) }
