// SPDX-License-Identifier: Apache-2.0

// Package importing shows the pages that import notes and export annotations.
//
// Files are uploaded once. They wait on a [shelf], encrypted, while a person looks at the
// preview, changes how they are read, and imports or drops them.
package importing

import (
	"context"
	"io"
	"time"

	"hide/internal/account"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	ui.Projects
	CheckRoom() error // an error while the disk is almost full
	Preview(ctx context.Context, by account.User, id project.ID, files []format.File, opts project.ImportOptions) (project.ImportPreview, error)
	Import(ctx context.Context, by account.User, id project.ID, files []format.File, opts project.ImportOptions) (project.ImportReport, error)
	Mappings(ctx context.Context, by account.User, id project.ID) ([]project.LabelMapping, error)
	Export(ctx context.Context, by account.User, id project.ID, opts project.ExportOptions, w io.Writer) error
	ExportLosses(ctx context.Context, by account.User, id project.ID, opts project.ExportOptions) ([]string, error)
}

// Accounts tells when a person may have lost rights, or has signed out.
type Accounts interface {
	Changes(fn func(userID string)) (stop func())
}

// Handlers answers for these pages.
type Handlers struct {
	projects Projects
	shelf    *shelf
	patience time.Duration // how long a form waits for a preview or an import before it shows the progress
	forget   func()        // stops listening to accounts
}

// New makes the handlers of these pages. Close drops the uploads that wait.
func New(projects Projects, accounts Accounts) *Handlers {
	h := &Handlers{projects: projects, shelf: newShelf(keptFor), patience: 3 * time.Second}
	h.forget = accounts.Changes(h.shelf.dropOf)
	return h
}

// Close stops what is being read and drops all uploads.
func (h *Handlers) Close(ctx context.Context) error {
	h.forget()
	return h.shelf.close(ctx)
}

// Routes lists the pages, their forms, and the files of annotations.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/import", account.ManageWork, h.showImport),
		ui.Post("/p/:project/import", account.ManageWork, h.upload).Uploading(),
		ui.Get("/p/:project/import/:upload", account.ManageWork, h.show),
		ui.Post("/p/:project/import/:upload", account.ManageWork, h.confirm),
		ui.Post("/p/:project/import/:upload/again", account.ManageWork, h.again),
		ui.Post("/p/:project/import/:upload/drop", account.ManageWork, h.drop),
		ui.Get("/p/:project/export", account.ManageWork, h.showExport),
		ui.Get("/p/:project/download/notes/:format", account.ManageWork, h.download).Streaming(),
	}
}

// Parts is nil: nothing on these pages changes by itself.
func (h *Handlers) Parts() []ui.LivePart { return nil }
