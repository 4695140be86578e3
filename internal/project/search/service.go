// SPDX-License-Identifier: Apache-2.0

// Package search finds words in the text of a project's notes. It keeps an index of the
// words, encrypted like everything else in the store, see package fulltext for its form.
//
// Notes are indexed after they were imported, by a task. Until it ends, a search covers the
// notes up to some number, and says so. An index that is missing, or has the form of an
// earlier version, is made by the first search.
//
// The index is several segments: each covers a range of notes. Notes in the bin stay in it,
// and no search shows them. A note that is erased leaves the index with its words.
package search

import (
	"context"
	"sync"

	"hide/internal/account"
	"hide/internal/project"
)

// Service searches the text of notes. Its methods may be called concurrently.
type Service struct {
	projects *project.Service
	states   project.PerProject[*workspace]
}

// New makes the service.
func New(projects *project.Service) *Service { return &Service{projects: projects} }

// workspace is a project with the task that indexes it.
type workspace struct {
	*project.Workspace
	task *project.Task[Progress]

	mu      sync.Mutex // guards stopped
	stopped bool       // a person has stopped the task
}

// Progress is the state of the indexing task.
type Progress struct{ Error string }

func (s *Service) of(ws *project.Workspace) *workspace {
	return s.states.Of(ws, func(ws *project.Workspace) *workspace {
		return &workspace{Workspace: ws, task: project.NewTask[Progress](ws, "search", project.TopicSearch)}
	})
}

func (s *Service) enter(by account.User, p account.Permission, id project.ID) (*workspace, error) {
	ws, err := s.projects.Enter(by, p, id)
	if err != nil {
		return nil, err
	}
	return s.of(ws), nil
}

// Coverage is how many of a project's notes the index has.
type Coverage struct {
	Notes, Total int
	Running      bool   // it grows
	Stopped      bool   // a person has stopped that
	Error        string // why it does not grow any more
}

// Complete reports whether all notes are in the index.
func (c Coverage) Complete() bool { return c.Notes >= c.Total }

// SearchCoverage is how many of a project's notes the index has.
func (s *Service) SearchCoverage(_ context.Context, by account.User, id project.ID) (Coverage, error) {
	ws, err := s.enter(by, account.ReadNotes, id)
	if err != nil {
		return Coverage{}, err
	}
	r, err := s.record(id)
	return s.coverage(ws, r), err
}

func (s *Service) coverage(ws *workspace, r record) Coverage {
	c := Coverage{Total: ws.Overview().Documents}
	if c.Notes = c.Total - ws.ImportedAfter(r.Covered); r.Covered == 0 {
		c.Notes = 0
	}
	var p Progress
	p, c.Running = ws.task.State()
	c.Error = p.Error
	ws.mu.Lock()
	defer ws.mu.Unlock()
	c.Stopped = ws.stopped && !c.Running
	return c
}

// KeepIndexing indexes the notes of a project when it is opened, and those of each import at
// its end. It is called before any project is used. Without it, searches do that.
func (s *Service) KeepIndexing() {
	s.projects.OnNotes(func(ws *project.Workspace) { s.start(s.of(ws)) })
}

// StartIndexing lets the index grow after somebody has stopped that, or it failed.
func (s *Service) StartIndexing(_ context.Context, by account.User, id project.ID) error {
	ws, err := s.enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	ws.stop(false)
	s.start(ws)
	return nil
}

// StopIndexing stops the indexing. A search covers the notes that are in the index.
func (s *Service) StopIndexing(_ context.Context, by account.User, id project.ID) error {
	ws, err := s.enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	ws.stop(true)
	ws.task.Cancel()
	return nil
}

func (ws *workspace) stop(yes bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.stopped = yes
}

// start runs the task, unless it runs or a person has stopped it.
func (s *Service) start(ws *workspace) {
	ws.mu.Lock()
	stopped := ws.stopped
	ws.mu.Unlock()
	if stopped || !ws.task.Claim(Progress{}) {
		return
	}
	ws.task.Start(
		func(ctx context.Context) error { return s.build(ctx, ws) },
		func(p *Progress, err error) { p.Error = project.Failure(err, "", "the notes cannot be indexed: ") },
	)
}

// Hold stops the indexing, and lets nobody start it, while notes are removed. release lets it
// go on.
func (s *Service) Hold(ctx context.Context, p *project.Workspace) (release func(), err error) {
	ws := s.of(p)
	ran := false
	for !ws.task.Claim(Progress{}) {
		ran = true
		if err := ws.task.Stop(ctx); err != nil {
			return nil, err
		}
	}
	return func() {
		ws.task.Drop()
		if ran {
			s.start(ws)
		}
	}, nil
}

// ForgetProject drops what is in memory of a destroyed project.
func (s *Service) ForgetProject(id project.ID) { s.states.Forget(id) }
