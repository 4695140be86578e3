// SPDX-License-Identifier: Apache-2.0

// Package note is the annotation pages: a note with its spans and suggestions, and the
// queue of notes.
package note

import (
	"context"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	ui.Projects
	EditNote(ctx context.Context, by account.User, id project.ID, n *project.Note, revision int, e annotate.Edit) (*project.Note, error)
	Next(ctx context.Context, by account.User, id project.ID, after annotate.DocumentID) (project.Choice, error)
	Note(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID) (*project.Note, error)
	NoteState(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID) (project.NoteState, error)
	Queue(ctx context.Context, by account.User, id project.ID, f project.QueueFilter) (project.QueuePage, error)
	Training(ctx context.Context, by account.User, id project.ID) (training.Status, error)
}

// Handlers answers for these pages.
type Handlers struct {
	projects Projects
	accounts ui.Names
}

// New makes the handlers of these pages; names finds the names of people.
func New(projects Projects, names ui.Names) *Handlers { return &Handlers{projects, names} }
