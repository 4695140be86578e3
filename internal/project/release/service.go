// SPDX-License-Identifier: Apache-2.0

// Package release publishes a project's data: redacted text, k-anonymous tables, and
// tables together with their notes. A [Service] previews, publishes and hands out
// releases.
package release

import (
	"context"
	"errors"
	"sync"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/links"
	"hide/internal/project/sanitize"
	"hide/internal/publish/idview"
)

// Budgets are notified of every release that costs no epsilon.
type Budgets interface {
	// RecordWeak records such a release next to the debits of the project. It is called
	// before the release itself is recorded; an error removes the release.
	RecordWeak(id project.ID, r Release) error
}

// Service publishes a project's data. Its methods may be called concurrently.
type Service struct {
	projects *project.Service
	sanitize *sanitize.Service
	audit    *audit.Service
	budgets  Budgets   // nil without privacy budgets
	decided  Decisions // nil without reviews
	states   project.PerProject[*workspace]
}

// New makes the service. It removes the files of releases that a killed process did not
// finish.
func New(projects *project.Service, s *sanitize.Service, a *audit.Service) (*Service, error) {
	made := &Service{projects: projects, sanitize: s, audit: a}
	return made, made.sweepReleases()
}

// SetBudgets sets the keeper of the privacy budgets. It is called before any project is
// used.
func (s *Service) SetBudgets(b Budgets) { s.budgets = b }

// The buckets of a project's space that this package writes.
const (
	bucketReleases   = "releases"     // release number -> Release
	bucketMappings   = "mappings"     // release number -> re-identification map
	bucketOriginals  = "originals"    // number of a joint release -> the notes with their sensitive terms
	bucketPlaces     = "joint-places" // number of a joint release -> where its notes come from, see mapped
	bucketPopulation = "population"   // "file" -> CSV, "info" -> Population
	bucketProject    = "project"      // "identifiers" -> decisions; package project owns the rest
)

// workspace is a project with its publishing, its previews and the data that was last
// read for them.
type workspace struct {
	*project.Workspace
	publish *project.Task[Status]
	tables  *project.Task[TablePreview]
	joint   *project.Task[JointPreview]

	gathering sync.Mutex     // held while notes are read for people
	mark      string         // fingerprint of the notes behind people
	people    *idview.People // nil before the first

	agreement  sync.Mutex // held while records are compared
	agreedMark string     // fingerprint of what is behind agreed
	agreed     links.Agreement
}

func (s *Service) of(ws *project.Workspace) *workspace {
	return s.states.Of(ws, func(ws *project.Workspace) *workspace {
		return &workspace{
			Workspace: ws,
			publish:   project.NewTask[Status](ws, "publish", project.TopicPublish),
			tables:    project.NewTask[TablePreview](ws, "preview", project.TopicPublish),
			joint:     project.NewTask[JointPreview](ws, "joint", project.TopicPublish),
		}
	})
}

// enter checks the role and finds the project.
func (s *Service) enter(by account.User, p account.Permission, id project.ID) (*workspace, error) {
	ws, err := s.projects.Enter(by, p, id)
	if err != nil {
		return nil, err
	}
	return s.of(ws), nil
}

// Start runs work as the project's only publication, if the project's rule lets it.
func (s *Service) Start(ws *project.Workspace, ending Ending, begun Status, work func(context.Context) error) error {
	if err := gate(ws, ending); err != nil {
		return err
	}
	return s.start(s.of(ws), begun, work)
}

// start runs work as the project's only publication.
func (s *Service) start(w *workspace, begun Status, work func(context.Context) error) error {
	if err := errors.Join(s.projects.CheckRoom(), s.projects.CheckOutgoing()); err != nil {
		return err
	}
	if !w.publish.Claim(begun) {
		return &project.Error{Kind: project.Stale, Message: "a release is being written already", Hint: "wait for it, or cancel it first"}
	}
	w.publish.Start(work, func(p *Status, err error) {
		p.Error = project.Failure(err, "publishing was cancelled; nothing was released", "publishing failed, nothing was released: ")
	})
	return nil
}

// Remark sets the note of a publication that ended well, and the earlier release that
// already answers it, if any.
func (s *Service) Remark(ws *project.Workspace, note string, before int) {
	s.of(ws).publish.Change(func(p *Status) { p.Note, p.Before = note, before })
}
