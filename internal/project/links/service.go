// SPDX-License-Identifier: Apache-2.0

package links

import (
	"context"
	"errors"
	"sync"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/store"
)

// Service links the records of projects. Its methods may be called concurrently.
//
// People who may see figures see the figures. Those who sanitize start runs and set thresholds.
// Identities and decisions are for people who may do that and read notes too.
type Service struct {
	projects *project.Service
	states   project.PerProject[*workspace]
}

// New makes the service.
func New(projects *project.Service) *Service { return &Service{projects: projects} }

// workspace is a project with its linkage.
type workspace struct {
	*project.Workspace
	task *project.Task[Progress]

	deciding sync.Mutex // held while the linkage is replaced or changed

	mu     sync.Mutex // guards loaded, not what it points to
	loaded *loaded    // never changes; nil while nobody needed it
}

func (s *Service) of(ws *project.Workspace) *workspace {
	return s.states.Of(ws, func(ws *project.Workspace) *workspace {
		return &workspace{Workspace: ws, task: project.NewTask[Progress](ws, "links", project.TopicLinks)}
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

// enterToRead is for what shows identities of patients.
func (s *Service) enterToRead(by account.User, id project.ID) (*workspace, error) {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return nil, err
	}
	return s.enter(by, account.ReadNotes, id)
}

// openToRead is enterToRead with the linkage.
func (s *Service) openToRead(by account.User, id project.ID) (*workspace, *loaded, error) {
	ws, err := s.enterToRead(by, id)
	if err != nil {
		return nil, nil, err
	}
	l, err := s.load(ws)
	return ws, l, err
}

// lock loads the linkage of an entered project to change it. Nobody else changes it before unlock
// is called.
func (s *Service) lock(ws *workspace, err error) (_ *workspace, l *loaded, unlock func(), _ error) {
	if err != nil {
		return nil, nil, nil, err
	}
	ws.deciding.Lock()
	if l, err = s.load(ws); err != nil {
		ws.deciding.Unlock()
		return nil, nil, nil, err
	}
	return ws, l, ws.deciding.Unlock, nil
}

// errNone is the error about records that were never linked.
var errNone = &project.Error{Kind: project.NotFound, Message: "the records of the project were never linked", Hint: "link them first"}

// Linking is the state of the running or the last run.
func (s *Service) Linking(_ context.Context, by account.User, id project.ID) (Progress, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return Progress{}, err
	}
	p, running := ws.task.State()
	p.Running = running
	return p, nil
}

// CancelLinking ends the running run. The links before it stay.
func (s *Service) CancelLinking(_ context.Context, by account.User, id project.ID) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	ws.task.Cancel()
	return nil
}

// LinkState is the project's linkage, the zero value if there was none.
func (s *Service) LinkState(_ context.Context, by account.User, id project.ID) (State, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return State{}, err
	}
	l, err := s.load(ws)
	if errors.Is(err, errNone) {
		return State{}, nil
	}
	if err != nil {
		return State{}, err
	}
	f := l.figures
	f.Near = nil // they name records
	return State{Linked: true, Figures: f, Run: l.run, ImportedSince: f.ImportedSince(ws.Workspace)}, nil
}

// SetLinkThresholds moves the probabilities from which pairs are linked and reviewed. Links and
// figures follow at once.
func (s *Service) SetLinkThresholds(_ context.Context, by account.User, id project.ID, link, floor float64) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if !(keptFrom <= floor && floor <= link && link < 1 && floor <= .5) {
		return project.Invalidf("choose a probability of at least 0.02 for the review, at most 0.5, and at least the same and less than 1 for links",
			"the thresholds %v and %v do not fit", floor, link)
	}
	ws, l, unlock, err := s.lock(ws, nil)
	if err != nil {
		return err
	}
	defer unlock()
	next := *l
	next.Link, next.Floor = link, floor
	next.regroup()
	return s.change(ws, &next, func(tx *store.Tx) (store.Event, error) {
		ev := project.EventBy(by, "set link thresholds", object(id), thresholdWords(link, floor))
		return ev, store.PutJSON(tx, bucketLinkage, recordKey, next.record)
	})
}

// TryLinkThreshold says what a threshold would give, with the decisions of people, and changes
// nothing.
func (s *Service) TryLinkThreshold(_ context.Context, by account.User, id project.ID, link float64) (Threshold, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return Threshold{}, err
	}
	if !(keptFrom <= link && link < 1) {
		return Threshold{}, project.Invalidf("choose a probability from 0.02 to less than 1", "the threshold %v does not fit", link)
	}
	l, err := s.load(ws)
	if err != nil {
		return Threshold{}, err
	}
	return l.groups.threshold(link, l.figures.Unseen, l.Below), nil
}
