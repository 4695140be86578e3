// SPDX-License-Identifier: Apache-2.0

// Package importing shows the page that imports notes and exports annotations.
package importing

import (
	"context"
	"io"

	"hide/internal/account"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	ui.Projects
	Import(ctx context.Context, by account.User, id project.ID, files []format.File, opts project.ImportOptions) (project.ImportReport, error)
	Export(ctx context.Context, by account.User, id project.ID, formatName string, w io.Writer) error
}

// Handlers answers for these pages.
type Handlers struct{ projects Projects }

// New makes the handlers of these pages.
func New(projects Projects) *Handlers { return &Handlers{projects} }

// Routes lists the page, its form, and the files of annotations.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/import", account.ManageWork, h.showImport).Streaming(),
		ui.Post("/p/:project/import", account.ManageWork, h.runImport).Uploading(),
		ui.Get("/p/:project/download/annotations.jsonl", account.ManageWork, h.exportJSONL).Streaming(),
		ui.Get("/p/:project/download/brat.zip", account.ManageWork, h.exportBrat).Streaming(),
	}
}

// Parts is nil: nothing on these pages changes by itself.
func (h *Handlers) Parts() []ui.LivePart { return nil }
