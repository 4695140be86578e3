// SPDX-License-Identifier: Apache-2.0

// Package note is the annotation pages: a note with its spans and suggestions, and the
// queue of notes.
package note

import (
	"context"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/search"
	"hide/internal/project/training"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	ui.Projects
	Earlier(ctx context.Context, by account.User, id project.ID, n *project.Note, revision int) (earlier *project.Note, ok bool, err error)
	EditNote(ctx context.Context, by account.User, id project.ID, n *project.Note, revision int, e annotate.Edit) (*project.Note, error)
	Next(ctx context.Context, by account.User, id project.ID, after annotate.DocumentID) (project.Choice, error)
	Note(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID) (*project.Note, error)
	NoteState(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID) (project.NoteState, error)
	Queue(ctx context.Context, by account.User, id project.ID, f project.QueueFilter) (project.QueuePage, error)
	SearchCoverage(ctx context.Context, by account.User, id project.ID) (search.Coverage, error)
	SearchNotes(ctx context.Context, by account.User, id project.ID, q search.Query) (search.Found, error)
	StartIndexing(ctx context.Context, by account.User, id project.ID) error
	StopIndexing(ctx context.Context, by account.User, id project.ID) error
	Training(ctx context.Context, by account.User, id project.ID) (training.Status, error)
}

// Handlers answers for these pages.
type Handlers struct {
	projects Projects
	people   ui.Names
}

// New makes the handlers of these pages; people finds the names of people.
func New(projects Projects, people ui.Names) *Handlers { return &Handlers{projects, people} }

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/annotate", account.ReadNotes, h.annotateNext),
		ui.Get("/p/:project/notes", account.ReadNotes, h.showQueue),
		ui.Post("/p/:project/notes", account.ReadNotes, h.findNotes),
		ui.Post("/p/:project/notes/index/start", account.ManageWork, h.startIndexing),
		ui.Post("/p/:project/notes/index/stop", account.ManageWork, h.stopIndexing),
		ui.Get("/p/:project/notes/:doc", account.ReadNotes, h.showNote),
		ui.Post("/p/:project/notes/:doc/edit", account.Annotate, h.editNote),
		ui.Post("/p/:project/notes/:doc/undo", account.Annotate, h.undoNote),
		ui.Post("/p/:project/notes/:doc/redo", account.Annotate, h.redoNote),
		ui.Post("/p/:project/notes/:doc/matches", account.Annotate, h.showMatches),
	}
}

// Parts are what changes on the pages while somebody looks.
func (h *Handlers) Parts() []ui.LivePart {
	return []ui.LivePart{
		{
			Name: "queue", Topics: []project.Topic{project.TopicQueue}, Needs: account.ReadNotes,
			Target: "#queue-list", Pause: time.Second, Render: h.renderQueueSide, Ignores: []string{"doc"},
		},
		{
			Name: "queue-best", Topics: []project.Topic{project.TopicQueue}, Needs: account.ReadNotes,
			Target: "#queue-best", Pause: 5 * time.Second, Render: h.renderNext, Personal: true, Ignores: []string{"from"},
		},
		{
			Name: "search", Topics: []project.Topic{project.TopicSearch, project.TopicQueue}, Needs: account.ReadNotes,
			Target: "#search-state", Pause: time.Second, Render: h.renderCoverage,
		},
		{
			Name: "note", Topics: []project.Topic{project.TopicDocument}, Needs: account.ReadNotes,
			Target: "#note-newest", Render: h.renderNewest, OfNote: true, Ignores: []string{"from"},
		},
	}
}
