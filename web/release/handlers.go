// SPDX-License-Identifier: Apache-2.0

// Package release publishes notes with a redaction model and shows releases: their content,
// claims, warnings and files.
package release

import (
	"context"
	"io"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/dp"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/web/publishing"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	publishing.Projects
	Bundles(ctx context.Context, by account.User, id project.ID) ([]sanitize.Bundle, error)
	CancelPublish(ctx context.Context, by account.User, id project.ID) error
	EarlierReleases(ctx context.Context, by account.User, id project.ID, kind release.Kind) (release.Earlier, error)
	OpenFindings(ctx context.Context, by account.User, id project.ID, bundle int) (audit.OpenFindings, error)
	// PublishWarnings are the warnings that a release with the redaction model would carry now.
	PublishWarnings(ctx context.Context, by account.User, id project.ID, bundle int) ([]string, error)
	Readable(ctx context.Context, by account.User, id project.ID, bundle int) ([]annotate.Label, error)
	Release(ctx context.Context, by account.User, id project.ID, number int) (release.Release, error)
	ReleaseSample(ctx context.Context, by account.User, id project.ID, number, n int) ([]audit.ReleasedText, error)
	ReleasedCounts(ctx context.Context, by account.User, id project.ID, number int, names []string) ([]dp.CountedTable, error)
	ReleasedSequences(ctx context.Context, by account.User, id project.ID, number int) (dp.ReleasedSequences, error)
	Run(ctx context.Context, by account.User, id project.ID, number int) (*sanitize.Run, error)
	SampleRead(ctx context.Context, by account.User, id project.ID, about release.About) (release.Sampled, error)
	StartPublish(ctx context.Context, by account.User, id project.ID, ending release.Ending, bundle int, despite release.Despite) error
	WriteBundle(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	WriteOriginals(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	WriteRelease(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
}

// Handlers answers for these pages.
type Handlers struct {
	projects Projects
	out      Outgoing
}

// New makes the handlers of these pages.
func New(projects Projects, out Outgoing) *Handlers { return &Handlers{projects, out} }

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return append(h.outgoingRoutes(), []ui.Route{
		ui.Get("/p/:project/publish", account.SeeFigures, h.publishShow),
		ui.Post("/p/:project/publish", account.Sanitize, h.publishStart),
		ui.Post("/p/:project/publish/cancel", account.Sanitize, h.publishCancel),
		ui.Get("/p/:project/bundles/:number", account.Sanitize, h.bundleDownload).Streaming(),
		ui.Get("/p/:project/releases/:number", account.SeeFigures, h.releaseShow),
		ui.Get("/p/:project/releases/:number/zip", account.SeeFigures, h.releaseDownload).Streaming(),
		ui.Get("/p/:project/releases/:number/mapping", account.ManageWork, h.releaseSecret("mapping", h.out.WriteMapping)),
		ui.Get("/p/:project/releases/:number/originals", account.ManageWork, h.releaseSecret("originals", h.projects.WriteOriginals)),
	}...)
}

// Parts lists the live parts of the pages.
func (h *Handlers) Parts() []ui.LivePart {
	return []ui.LivePart{
		publishing.EarlierPart("publish-earlier", h.projects, release.KindText),
		publishing.ReleasesPart("publish", h.projects, "", account.SeeFigures),
	}
}
