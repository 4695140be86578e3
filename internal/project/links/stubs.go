// SPDX-License-Identifier: Apache-2.0

package links

import (
	"context"
	"errors"
	"fmt"

	"hide/internal/account"
	"hide/internal/project"
)

const bucketLinkage = "linkage"

var figuresKey = []byte("figures")

type workspace struct{ *project.Workspace }

func (s *Service) enter(by account.User, p account.Permission, id project.ID) (*workspace, error) {
	ws, err := s.projects.Enter(by, p, id)
	if err != nil {
		return nil, err
	}
	return &workspace{ws}, nil
}

// enterToRead is for what shows identities of patients.
func (s *Service) enterToRead(by account.User, id project.ID) (*workspace, error) {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return nil, err
	}
	return s.enter(by, account.ReadNotes, id)
}

// errNone is the error about a linkage that was never run.
var errNone = &project.Error{Kind: project.NotFound, Message: "the records of the project were never linked", Hint: "link them first"}

func (e *ContradictionError) Error() string {
	return fmt.Sprintf("the decision about records %d and %d contradicts %d earlier decisions", e.Pair.A, e.Pair.B, len(e.Earlier))
}

// StartLinking starts a run. The links before it stay until it is complete.
func (s *Service) StartLinking(_ context.Context, by account.User, id project.ID, o Options) error {
	_, err := s.enter(by, account.Sanitize, id)
	return errors.Join(err)
}

// Linking is the state of the running or the last run.
func (s *Service) Linking(_ context.Context, by account.User, id project.ID) (Progress, error) {
	_, err := s.enter(by, account.SeeFigures, id)
	return Progress{}, err
}

// CancelLinking ends the running run. The links before it stay.
func (s *Service) CancelLinking(_ context.Context, by account.User, id project.ID) error {
	_, err := s.enter(by, account.Sanitize, id)
	return err
}

// LinkState is the project's linkage, the zero value if there was none.
func (s *Service) LinkState(_ context.Context, by account.User, id project.ID) (State, error) {
	_, err := s.enter(by, account.SeeFigures, id)
	return State{}, err
}

// LinkQueue lists pairs to review from an offset on.
func (s *Service) LinkQueue(_ context.Context, by account.User, id project.ID, offset, limit int) (Queue, error) {
	_, err := s.enterToRead(by, id)
	return Queue{}, err
}

// LinkPair is one pair with both identities.
func (s *Service) LinkPair(_ context.Context, by account.User, id project.ID, pair PairID) (Pair, error) {
	if _, err := s.enterToRead(by, id); err != nil {
		return Pair{}, err
	}
	return Pair{}, errNone
}

// DecideLink records whether two records are of one person. A decision that contradicts earlier
// ones fails with a [ContradictionError], or replaces them if replace is set.
func (s *Service) DecideLink(_ context.Context, by account.User, id project.ID, pair PairID, same, replace bool) error {
	if _, err := s.enterToRead(by, id); err != nil {
		return err
	}
	return errNone
}

// UndoLinkDecision withdraws a decision by its number.
func (s *Service) UndoLinkDecision(_ context.Context, by account.User, id project.ID, number uint64) error {
	if _, err := s.enterToRead(by, id); err != nil {
		return err
	}
	return errNone
}

// LinkDecisions lists the decisions, newest first.
func (s *Service) LinkDecisions(_ context.Context, by account.User, id project.ID) ([]Decision, error) {
	_, err := s.enterToRead(by, id)
	return nil, err
}

// SetLinkThresholds moves the probabilities from which pairs are linked and reviewed.
func (s *Service) SetLinkThresholds(_ context.Context, by account.User, id project.ID, link, floor float64) error {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return err
	}
	return errNone
}

// TryLinkThreshold says what a threshold would give, with the decisions of people, and changes
// nothing.
func (s *Service) TryLinkThreshold(_ context.Context, by account.User, id project.ID, link float64) (Threshold, error) {
	if _, err := s.enter(by, account.SeeFigures, id); err != nil {
		return Threshold{}, err
	}
	return Threshold{}, errNone
}

// LinkClusters lists the patients of several records.
func (s *Service) LinkClusters(_ context.Context, by account.User, id project.ID, offset, limit int) (Clusters, error) {
	_, err := s.enterToRead(by, id)
	return Clusters{}, err
}

// LinkedPatients is the identifier view. A query selects patients with it in a value, ignoring
// case.
func (s *Service) LinkedPatients(_ context.Context, by account.User, id project.ID, offset, limit int, query string) (View, error) {
	_, err := s.enterToRead(by, id)
	return View{}, err
}
