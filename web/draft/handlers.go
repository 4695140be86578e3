// SPDX-License-Identifier: Apache-2.0

// Package draft shows the release table: every identifier of the notes to be released, with
// its context, what becomes of it and what stands in its place. Brokers choose a policy,
// decide what the program could not, and publish.
package draft

import (
	"context"
	"io"

	"hide/internal/account"
	"hide/internal/project/audit"
	"hide/internal/project/draft"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/transform"
	"hide/web/publishing"
	"hide/web/ui"

	"hide/internal/project"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	publishing.Projects
	Bundles(ctx context.Context, by account.User, id project.ID) ([]sanitize.Bundle, error)
	OpenFindings(ctx context.Context, by account.User, id project.ID, bundle int) (audit.OpenFindings, error)
	SampleRead(ctx context.Context, by account.User, id project.ID, about release.About) (release.Sampled, error)

	PrepareDraft(ctx context.Context, by account.User, id project.ID, s draft.Settings) error
	Preparing(ctx context.Context, by account.User, id project.ID) (draft.Status, error)
	CancelPreparing(ctx context.Context, by account.User, id project.ID) error
	Draft(ctx context.Context, by account.User, id project.ID) (draft.Draft, error)
	DiscardDraft(ctx context.Context, by account.User, id project.ID) error
	DraftRows(ctx context.Context, by account.User, id project.ID, f draft.Filter, from, n int) ([]draft.Row, int, error)
	Decide(ctx context.Context, by account.User, id project.ID, w draft.Which, c transform.Choice) (draft.Changed, error)
	UndoDecision(ctx context.Context, by account.User, id project.ID) (draft.Changed, error)
	DraftPeople(ctx context.Context, by account.User, id project.ID, patient string) ([]transform.Person, error)
	WriteDraftTable(ctx context.Context, by account.User, id project.ID, w io.Writer) error
	PublishDraft(ctx context.Context, by account.User, id project.ID, ending release.Ending, a draft.Answers) error
	SurrogateKeys(ctx context.Context, by account.User, id project.ID) ([]draft.Key, error)
	DestroySurrogateKey(ctx context.Context, by account.User, id project.ID, number int) error
}

// Handlers answers for these pages.
type Handlers struct{ projects Projects }

// New makes the handlers of these pages.
func New(projects Projects) *Handlers { return &Handlers{projects} }

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/draft", account.Sanitize, h.show),
		ui.Post("/p/:project/draft", account.Sanitize, h.prepare),
		ui.Post("/p/:project/draft/cancel", account.Sanitize, h.cancel),
		ui.Post("/p/:project/draft/discard", account.Sanitize, h.discard),
		ui.Post("/p/:project/draft/decide", account.Sanitize, h.decide),
		ui.Post("/p/:project/draft/undo", account.Sanitize, h.undo),
		ui.Post("/p/:project/draft/publish", account.Sanitize, h.publish),
		ui.Get("/p/:project/draft/people", account.Sanitize, h.people),
		ui.Post("/p/:project/draft/people", account.Sanitize, h.renumber),
		ui.Get("/p/:project/draft/table", account.ManageWork, h.table).Streaming(),
		ui.Post("/p/:project/draft/keys/:number/destroy", account.ManageWork, h.destroyKey),
	}
}

// Parts lists the live parts of the pages.
func (h *Handlers) Parts() []ui.LivePart {
	releases := publishing.ReleasesPart("draft-releases", h.projects, release.KindText, account.Sanitize)
	releases.Ignores = filterNames
	return []ui.LivePart{h.statePart(), h.standingPart(), releases}
}
