// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"io"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/project/training"
	"hide/internal/publish/stream"
	"hide/web/ui"
)

// Projects is what the API asks about projects and their notes. Each method of the services
// checks the permission of by first.
type Projects interface {
	ui.Projects
	Audit(ctx context.Context, by account.User, id project.ID, before uint64, limit int) ([]project.AuditRow, error)
	CheckRoom() error
	EditNote(ctx context.Context, by account.User, id project.ID, n *project.Note, revision int, e annotate.Edit) (*project.Note, error)
	Export(ctx context.Context, by account.User, id project.ID, opts project.ExportOptions, w io.Writer) error
	ExportLosses(ctx context.Context, by account.User, id project.ID, opts project.ExportOptions) ([]string, error)
	Import(ctx context.Context, by account.User, id project.ID, files []format.File, opts project.ImportOptions) (project.ImportReport, error)
	Next(ctx context.Context, by account.User, id project.ID, after annotate.DocumentID) (project.Choice, error)
	Note(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID) (*project.Note, error)
	Preview(ctx context.Context, by account.User, id project.ID, files []format.File, opts project.ImportOptions) (project.ImportPreview, error)
	Projects(ctx context.Context, by account.User) ([]project.Overview, error)
	Queue(ctx context.Context, by account.User, id project.ID, f project.QueueFilter) (project.QueuePage, error)
}

// Runs is what the API asks about training, runs and redaction models.
type Runs interface {
	Bundles(ctx context.Context, by account.User, id project.ID) ([]sanitize.Bundle, error)
	CancelSanitize(ctx context.Context, by account.User, id project.ID) error
	CancelTraining(ctx context.Context, by account.User, id project.ID) error
	Choose(ctx context.Context, by account.User, id project.ID, run int, lc float64) (sanitize.Bundle, error)
	ChooseTarget(ctx context.Context, by account.User, id project.ID, run int) (sanitize.Bundle, error)
	RedactionWarnings(ctx context.Context, by account.User, id project.ID, bundle int) ([]string, error)
	RedactNote(ctx context.Context, by account.User, id project.ID, with sanitize.Redaction, note []byte) (sanitize.RedactedNote, error)
	RedactStream(ctx context.Context, by account.User, id project.ID, with sanitize.Redaction, in io.Reader, w io.Writer, o stream.Options) (stream.Counts, error)
	ResumeSanitize(ctx context.Context, by account.User, id project.ID, number int) error
	RunFigures(ctx context.Context, by account.User, id project.ID, number int) (*sanitize.Run, error)
	Runs(ctx context.Context, by account.User, id project.ID) ([]sanitize.Run, error)
	StartSanitize(ctx context.Context, by account.User, id project.ID, p sanitize.Params) (int, error)
	Train(ctx context.Context, by account.User, id project.ID) error
	Training(ctx context.Context, by account.User, id project.ID) (training.Status, error)
}

// Releases is what the API asks about publishing.
type Releases interface {
	CancelPublish(ctx context.Context, by account.User, id project.ID) error
	Candidate(ctx context.Context, by account.User, id project.ID, number int) (release.Candidate, error)
	Candidates(ctx context.Context, by account.User, id project.ID) ([]release.Candidate, error)
	CandidateStale(ctx context.Context, by account.User, id project.ID, number int) (string, error)
	Counted(ctx context.Context, by account.User, id project.ID) (release.Counted, error)
	OpenFindings(ctx context.Context, by account.User, id project.ID, bundle int) (audit.OpenFindings, error)
	Publishing(ctx context.Context, by account.User, id project.ID) (release.Status, error)
	PublishWarnings(ctx context.Context, by account.User, id project.ID, bundle int) ([]string, error)
	Readable(ctx context.Context, by account.User, id project.ID, bundle int) ([]annotate.Label, error)
	Release(ctx context.Context, by account.User, id project.ID, number int) (release.Release, error)
	Releases(ctx context.Context, by account.User, id project.ID) ([]release.Release, error)
	SampleRead(ctx context.Context, by account.User, id project.ID, about release.About) (release.Sampled, error)
	StartPublish(ctx context.Context, by account.User, id project.ID, ending release.Ending, bundle int, despite release.Despite) error
	StartPublishCandidate(ctx context.Context, by account.User, id project.ID, number int, recipients []string, despite release.Despite) error
	WriteRelease(ctx context.Context, by account.User, id project.ID, number int, w io.Writer) error
}

// Handlers answers the API.
type Handlers struct {
	projects Projects
	runs     Runs
	releases Releases
	imports  slots
	streams  slots
}

// New makes the handlers of the API.
func New(projects Projects, runs Runs, releases Releases) *Handlers {
	return &Handlers{projects: projects, runs: runs, releases: releases, imports: make(slots, mostImports), streams: make(slots, mostStreams)}
}

// How many imports and streams run at a time, in all. Further requests get 503.
const (
	mostImports = 4 // each may keep 4 GiB on disk while it is read
	mostStreams = 8 // of redaction
)

// slots bounds how many requests of a kind are answered at a time.
type slots chan struct{}

// take takes a slot. The error is nil if one was free; done gives it back.
func (s slots) take() (done func(), err error) {
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	default:
		return nil, errBusy
	}
}
