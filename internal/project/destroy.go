// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"hide/internal/account"
	"hide/internal/store"
)

// bucketDestroyed is in the system space: project id -> Destroyed.
const bucketDestroyed = "destroyed"

// Destroyed is what remains on record of a destroyed project: numbers, no name.
type Destroyed struct {
	ID       ID        `json:"id"`
	At       time.Time `json:"at"`
	By       string    `json:"by"`
	Notes    int       `json:"notes"`
	Releases int       `json:"releases"`
}

// Destroyed lists the destroyed projects by number.
func (s *Service) Destroyed() (all []Destroyed, err error) {
	err = s.store.View(store.System, func(tx *store.Tx) (err error) {
		all, err = store.ListJSON[Destroyed](tx, bucketDestroyed)
		return err
	})
	slices.SortFunc(all, func(a, b Destroyed) int { return compareIDs(a.ID, b.ID) })
	return all, err
}

// Destroy deletes a project with its key and its secret. The record comes first: if the
// program dies in between, the next start destroys the project. destroyed is true once
// the record is on disk, even with an error.
func (s *Service) Destroy(by account.User, id ID) (destroyed bool, err error) {
	var o Overview
	if !s.Closed(id) { // of a closed project nothing is known
		ws, err := s.Workspace(id)
		if err != nil {
			return false, err
		}
		o = ws.Overview()
	}
	d := Destroyed{ID: id, At: s.opts.Now().UTC(), By: by.ID, Notes: o.Documents, Releases: o.Releases}
	ev := EventBy(by, "destroy project", id.Object(), fmt.Sprintf("%d notes, %d releases", d.Notes, d.Releases))
	err = s.store.Update(store.System, func(tx *store.Tx) error {
		if err := store.PutJSON(tx, bucketDestroyed, []byte(id), d); err != nil {
			return err
		}
		return tx.Audit(ev)
	})
	if err != nil {
		return false, err
	}
	err = s.store.DestroySpace(string(id), SystemEvent("destroy space", id.Object(), ""))
	s.forget(id)
	return true, partly(id, err)
}

// Closed reports whether a project cannot be opened: its secret is missing, or it is refused
// (see [Service.Refuse]).
func (s *Service) Closed(id ID) bool { return s.closed(id) != nil }

func (s *Service) closed(id ID) error { return cmp.Or(s.sealed(id), s.Refusal(id)) }

// partly says what is left to do of a destruction that is on record.
func partly(id ID, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Kind: Partly, Message: fmt.Sprintf("the destruction of project %s is on record and not finished", id), Hint: "stop hide and start it again: each start finishes it", Err: err}
	if left, ok := errors.AsType[*store.SecretLeftError](err); ok {
		e.Message = fmt.Sprintf("project %s is destroyed, but a secret could not be deleted: %v", id, left.Err)
		e.Hint = "delete the file " + left.File + " by hand; until then, a person with the root key and that file can read old backups of the project"
	}
	return e
}

// finishDestroying destroys the projects whose destruction was recorded and interrupted.
func (s *Service) finishDestroying() error {
	all, err := s.Destroyed()
	if err != nil {
		return err
	}
	spaces, err := s.store.Spaces()
	spaces = append(spaces, s.store.SealedSpaces()...) // a backup may have come back without secrets
	for _, d := range all {
		if err == nil && slices.Contains(spaces, string(d.ID)) {
			err = s.store.DestroySpace(string(d.ID), SystemEvent("destroy space", d.ID.Object(), "after an interruption"))
		}
		if _, left := errors.AsType[*store.SecretLeftError](err); left {
			err = nil // the space is destroyed; SecretsLeft lists the file
		}
	}
	return err
}

// unlessDestroyed is err, or that the project was destroyed while somebody worked on it.
func (s *Service) unlessDestroyed(id ID, err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if spaces, spacesErr := s.store.Spaces(); spacesErr != nil || slices.Contains(spaces, string(id)) {
		return err
	}
	return &Error{Kind: NotFound, Message: fmt.Sprintf("there is no project %s any more", id), Hint: "it was destroyed in the meantime", Err: err}
}

// forget takes a project out of memory.
func (s *Service) forget(id ID) {
	s.mu.Lock()
	delete(s.spaces, id)
	delete(s.members, id)
	for key := range s.reads {
		if id.Owns(key.object) {
			delete(s.reads, key)
		}
	}
	s.mu.Unlock()
	for _, topic := range []Topic{TopicQueue, TopicTraining, TopicRuns, TopicPublish} {
		s.Tell(id, topic)
	}
	s.TellDocument(id, 0)
}
