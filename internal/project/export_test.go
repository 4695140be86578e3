// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/job"
	"hide/internal/store"
)

// What tests outside the package look at.

func (s *Service) Submit(key string, fn func(context.Context) error) *job.Job {
	return s.jobs.Submit(key, fn)
}

// Opened is how many documents have been decoded.
func (s *Service) Opened() int64 { return s.opened.Load() }

func Drawn(ws *Workspace) []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return slices.Collect(ws.drawn.all())
}

// Redraw draws the order of the documents anew.
func Redraw(ws *Workspace, key uint64) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	old := ws.index
	ws.index = newIndex(key)
	ws.info.Draw = key
	for doc := range old.all.All() {
		st, _ := old.get(doc)
		ws.put(doc, &st)
	}
}

const (
	MostFinals    = mostFinals
	CountedAtOnce = countedAtOnce
)

// Since are the looks at documents that have been finished since, or that others than
// the user have in hand.
func Since(ws *Workspace, user string, looks map[annotate.DocumentID]bootstrap.Look) []bootstrap.Look {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.since(user, looks)
}

// Remembers says whether the open suggestions in a document are known.
func Remembers(ws *Workspace, doc annotate.DocumentID) bool {
	_, known := ws.remembered(doc)
	return known
}

// HalfImport writes a document of an import that is never committed, as a crash leaves it.
func (s *Service) HalfImport(ws *Workspace, by account.User, doc annotate.Annotated) error {
	in, err := s.beginImport(ws, by, ImportOptions{})
	if err == nil {
		err = in.take(doc)
	}
	if err == nil {
		err = in.flush()
	}
	if err == nil {
		err = in.writeNames(0)
	}
	return err
}

// DefectiveImport writes a document of an import without a project.
func (s *Service) DefectiveImport(ws *Workspace, by account.User) error {
	in, err := s.beginImport(ws, by, ImportOptions{})
	if err != nil {
		return err
	}
	in.ws, in.portion = nil, make([]annotate.Annotated, 1)
	return in.flush()
}

// HoldNames makes imports hold back so many names, and write so many at a time, until the
// returned function is called.
func HoldNames(held, portion int) (undo func()) {
	oldHeld, oldPortion := namesHeld, namesPortion
	namesHeld, namesPortion = held, portion
	return func() { namesHeld, namesPortion = oldHeld, oldPortion }
}

var ShortList = shortList

// Fill is a project of n documents without anything in them.
func Fill(n int, blind float64, draw uint64) *Workspace {
	ws := &Workspace{index: newIndex(draw), settings: Settings{Blind: blind}, info: Project{Draw: draw}}
	for doc := range annotate.DocumentID(n) {
		ws.put(doc+1, &Status{})
	}
	return ws
}

func SetBlind(ws *Workspace, share float64) { ws.settings.Blind = share }

func DrawnBlind(ws *Workspace, doc annotate.DocumentID) bool {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.drawnBlind(doc)
}

// Unlist takes a document out of the index and leaves it in the store, as it is between the
// end of a transaction and the entry of what it brought.
func Unlist(ws *Workspace, doc annotate.DocumentID) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.drop(doc)
}

// StoreAsEarlier stores the statuses of a project as earlier versions of hide did. The project
// must be opened again.
func (s *Service) StoreAsEarlier(id ID) error {
	return s.Update(id, store.Event{Actor: "system", Action: "test", Object: id.Object()}, func(tx *store.Tx) error {
		var failed error
		err := eachStatus(tx, func(doc annotate.DocumentID, st *Status) {
			old := *st.clone()
			old.Labels, old.Counted = nil, false
			failed = errors.Join(failed, store.PutJSON(tx, bucketEarlierStatus, docKey(doc), old))
		})
		return errors.Join(err, failed, tx.DeletePrefix(bucketStatuses, nil))
	})
}
