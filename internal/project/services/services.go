// SPDX-License-Identifier: Apache-2.0

// Package services opens the services of all use cases over one store:
//
//	all, err := services.New(st, project.Options{Releases: dir})
//	report, err := all.Core.Import(ctx, broker, id, files, project.ImportOptions{})
//	number, err := all.Sanitizer.StartSanitize(ctx, broker, id, params)
//
// A new kind of work on projects gets its own package below internal/project with a
// Service. It is constructed here from the services that it needs.
package services

import (
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/dp"
	"hide/internal/project/draft"
	"hide/internal/project/links"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/sanitize"
	"hide/internal/project/search"
	"hide/internal/project/takeback"
	"hide/internal/project/trail"
	"hide/internal/project/training"
	"hide/internal/project/webhooks"
	"hide/internal/store"
)

// The services, under names different from each other and from their methods.
type (
	Core       = project.Service
	Trainer    = training.Service
	Sanitizer  = sanitize.Service
	Auditor    = audit.Service
	Publisher  = release.Service
	Accountant = dp.Service
	Remover    = takeback.Service
	Board      = review.Service
	Drafter    = draft.Service
	Linker     = links.Service
	Finder     = search.Service
	Historian  = trail.Service
	Notifier   = webhooks.Service
)

// All holds the services of one store. Their methods can be called on it directly.
type All struct {
	*Core
	*Trainer
	*Sanitizer
	*Auditor
	*Publisher
	*Accountant
	*Remover
	*Board
	*Drafter
	*Linker
	*Finder
	*Historian
	*Notifier
}

// New makes the services over an open store. [project.Service.Close] ends the work of
// all of them.
func New(st *store.Store, opts project.Options) (*All, error) {
	projects, err := project.New(st, opts)
	if err != nil {
		return nil, err
	}
	t := training.New(projects)
	s, err := sanitize.New(projects, t)
	if err != nil {
		return nil, err
	}
	a := audit.New(projects, s, t)
	r, err := release.New(projects, s, a)
	if err != nil {
		return nil, err
	}
	board := review.New(projects, r, s)
	drafts := draft.New(projects, s, r)
	linker := links.New(projects)
	finder := search.New(projects)
	remover, err := takeback.New(projects, t, s, a, r, board, drafts, linker, finder)
	if err != nil {
		return nil, err
	}
	return &All{projects, t, s, a, r, dp.New(projects, r), remover, board, drafts, linker, finder, trail.New(projects), webhooks.New(projects)}, nil
}
