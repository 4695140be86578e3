// SPDX-License-Identifier: Apache-2.0

// Package draft keeps the draft of a release of text: the frozen list of every identifier of
// the notes to be released, with what becomes of it. People look through it, decide what the
// program could not, and publish. It is stored encrypted in the project, so closing a page
// loses nothing.
//
//	err := drafts.PrepareDraft(ctx, broker, id, draft.Settings{Policy: safeHarbor})
//	rows, total, err := drafts.DraftRows(ctx, broker, id, draft.Filter{Problems: true}, 0, 50)
//	_, err = drafts.Decide(ctx, broker, id, draft.Which{Places: places}, transform.Choice{Action: policy.Placeholder})
//	err = drafts.PublishDraft(ctx, broker, id, release.Publish, draft.Answers{Statement: "Bea Broker"})
//
// A project has one draft at a time. Preparing again replaces it, and keeps what people
// decided about the same places. A draft never changes by itself: if the notes change, it is
// stale and cannot be published.
//
// Memory holds an index of the places without text. Text is read for the rows that are shown.
package draft

import (
	"context"
	"errors"
	"sync"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/transform"
)

// Service keeps drafts. Its methods may be called concurrently.
type Service struct {
	projects *project.Service
	sanitize *sanitize.Service
	release  *release.Service
	states   project.PerProject[*workspace]
}

// New makes the service.
func New(projects *project.Service, s *sanitize.Service, r *release.Service) *Service {
	return &Service{projects: projects, sanitize: s, release: r}
}

// workspace is a project with its draft.
type workspace struct {
	*project.Workspace
	task *project.Task[Status]

	deciding sync.Mutex // held while the draft is replaced or changed; guards what follows
	planner  *transform.Planner
	planned  uint64 // draft of the planner, 0 for none

	mu     sync.Mutex // guards loaded, not what it points to
	loaded *loaded    // never changes; nil while nobody needed it
}

func (s *Service) of(ws *project.Workspace) *workspace {
	return s.states.Of(ws, func(ws *project.Workspace) *workspace {
		return &workspace{Workspace: ws, task: project.NewTask[Status](ws, "draft", project.TopicPublish)}
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

// enterToRead is for what shows text of notes to people who publish.
func (s *Service) enterToRead(by account.User, id project.ID) (*workspace, error) {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return nil, err
	}
	return s.enter(by, account.ReadNotes, id)
}

// lock loads the draft of an entered project to change it. Nobody else changes it before unlock
// is called. It is refused while another draft is prepared.
func (s *Service) lock(ws *workspace, err error) (_ *workspace, l *loaded, unlock func(), _ error) {
	if err != nil {
		return nil, nil, nil, err
	}
	ws.deciding.Lock()
	if _, busy := ws.task.State(); busy {
		err = &project.Error{Kind: project.Stale, Message: "another draft is being prepared", Hint: "wait for it, or cancel it first"}
	} else {
		l, err = s.load(ws)
	}
	if err != nil {
		ws.deciding.Unlock()
		return nil, nil, nil, err
	}
	return ws, l, ws.deciding.Unlock, nil
}

// settled waits for a change of the draft that began before the preparation. No change begins
// during the preparation, see [Service.lock].
func (ws *workspace) settled() {
	ws.deciding.Lock()
	defer ws.deciding.Unlock()
}

// errNone is the error about a draft that does not exist.
var errNone = &project.Error{Kind: project.NotFound, Message: "the project has no draft of a release", Hint: "prepare one"}

// errChanged is the error about a draft that is not the one that the person saw.
var errChanged = &project.Error{Kind: project.Stale, Message: "the draft has changed since you saw it", Hint: "look at it again"}

// Preparing is the state of the running or the last preparation.
func (s *Service) Preparing(_ context.Context, by account.User, id project.ID) (Status, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return Status{}, err
	}
	st, running := ws.task.State()
	st.Running = running
	return st, nil
}

// CancelPreparing ends the running preparation. The draft before it stays.
func (s *Service) CancelPreparing(_ context.Context, by account.User, id project.ID) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	ws.task.Cancel()
	return nil
}

// Draft describes the project's draft.
func (s *Service) Draft(_ context.Context, by account.User, id project.ID) (Draft, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return Draft{}, err
	}
	l, err := s.load(ws)
	if err != nil {
		return Draft{}, err
	}
	return s.describe(ws, l)
}

func (s *Service) describe(ws *workspace, l *loaded) (Draft, error) {
	d := Draft{
		Settings: l.Settings, Version: l.version(), Created: l.Created, By: s.projects.PersonName(l.By),
		Notes: len(l.Docs), Patients: l.Patients, Removed: removed(l.resolved()), Undo: len(l.Undo),
	}
	d.Places, d.Problems, d.Chosen, d.ByLabel = l.index.counts()
	if l.Attack != nil {
		d.Attack = &Attack{*l.Attack, l.Attacked != l.Revision}
	}
	var err, err2 error
	d.Stale, err = s.stale(ws, l.record)
	d.Published, err2 = s.publishedAs(ws, l.Number)
	return d, errors.Join(err, err2)
}

// publishedAs is the name of the release that was made of a draft, "" if there is none.
func (s *Service) publishedAs(ws *workspace, number uint64) (string, error) {
	all, err := s.release.Recorded(ws.ID)
	for _, r := range all {
		if r.Draft == number {
			return r.Name, err
		}
	}
	return "", err
}

// DiscardDraft deletes the draft with all decisions of people about it. It is refused while
// another is prepared, because it would delete the places of that one too.
func (s *Service) DiscardDraft(_ context.Context, by account.User, id project.ID) error {
	ws, l, unlock, err := s.lock(s.enter(by, account.Sanitize, id))
	if err != nil {
		return err
	}
	defer unlock()
	err = s.projects.Update(id, project.EventBy(by, "discard draft", l.object(id)), discard)
	if err == nil {
		ws.planner, ws.planned = nil, 0 // it holds the key and the real values
		ws.use(nil)
	}
	s.projects.Tell(id, project.TopicPublish)
	return err
}
