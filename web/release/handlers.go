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
)

// Projects is the part of the project service that these pages need. Each method checks
// the permission of by first.
type Projects interface {
	publishing.Asked
	Beside(ctx context.Context, by account.User, id project.ID, kind release.Kind) (release.Beside, error)
	Bundles(ctx context.Context, by account.User, id project.ID) ([]sanitize.Bundle, error)
	CancelPublish(ctx context.Context, by account.User, id project.ID) error
	OpenFindings(ctx context.Context, by account.User, id project.ID, bundle int) (audit.OpenFindings, error)
	Readable(ctx context.Context, by account.User, id project.ID, bundle int) ([]annotate.Label, error)
	Release(ctx context.Context, by account.User, id project.ID, number int) (release.Release, error)
	ReleaseSample(ctx context.Context, by account.User, id project.ID, number, n int) ([]audit.ReleasedText, error)
	ReleasedCounts(ctx context.Context, by account.User, id project.ID, number int, names []string) ([]dp.CountedTable, error)
	ReleasedSequences(ctx context.Context, by account.User, id project.ID, number int) (dp.ReleasedSequences, error)
	Run(ctx context.Context, by account.User, id project.ID, number int) (*sanitize.Run, error)
	SampleAudits(ctx context.Context, by account.User, id project.ID) ([]audit.Audit, audit.Drawing, error)
	StartPublish(ctx context.Context, by account.User, id project.ID, bundle int, despite release.Despite) error
	WriteBundle(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	WriteMapping(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	WriteOriginals(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
	WriteRelease(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
}

// Handlers serves the pages of releases.
type Handlers struct {
	projects Projects
}

// New makes the handlers.
func New(projects Projects) *Handlers { return &Handlers{projects} }
