// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"hide/internal/annotate"
	"hide/internal/store"
)

// Status is what the queue knows about a document without opening it.
type Status struct {
	Name        string         `json:"name"`
	Group       string         `json:"group"` // annotate.Document.Record
	State       annotate.State `json:"state"`
	Annotations int            `json:"annotations"`
	Tokens      int            `json:"tokens"`
	Random      bool           `json:"random"` // imported as part of a random sample
	Import      uint64         `json:"import"`
	Revision    int            `json:"revision"` // of its layer
	Help        Help           `json:"help,omitempty"`
	Same        int            `json:"same,omitempty"`    // 1 + the first revision with the same spans; 0 means Revision
	Finals      []final        `json:"finals,omitempty"`  // its contents when it was finished, oldest first
	Labels      []LabelCount   `json:"labels,omitempty"`  // of its spans, under their names at Revision
	Counted     bool           `json:"counted,omitempty"` // Labels is known

	linked string // the record that stands for the patient, set by the index; empty where nothing is linked
}

// Unit is the person that the document counts for: see [annotate.Document.Group].
func (st Status) Unit() string { return cmp.Or(st.linked, st.Group) }

// Workspace is a project in use: an in-memory index of its documents, and the state of
// its model and jobs.
type Workspace struct {
	ID      ID
	service *Service
	info    Project

	model Model

	names    atomic.Pointer[Names] // read without mu, also inside transactions
	links    atomic.Pointer[Links] // likewise
	counting *Task[error]          // its state is why the last count failed

	edits   sync.Mutex // held from the start of an edit to its entry in the index
	imports sync.Mutex // one import at a time; edits continue

	mu       sync.RWMutex // guards everything below
	settings Settings
	rule     Rule
	index
	marks    marks
	hands    map[string]hand // person -> the document they opened last
	releases int

	suggestions map[annotate.DocumentID]openSuggestions
}

// Workspace finds a project in memory or loads it, for the program itself: it checks no
// permission, as [Service.Enter] does. Loading holds no lock: other projects,
// and other uses of this service, go on meanwhile. Those who want the same project wait
// for one load.
func (s *Service) Workspace(id ID) (*Workspace, error) {
	if ws := s.inUse(id); ws != nil {
		return ws, nil
	}
	ws, err, _ := s.loads.Do(string(id), func() (any, error) {
		if ws := s.inUse(id); ws != nil { // loaded since the look above
			return ws, nil
		}
		ws, err := s.load(id)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.spaces[id] = ws
		s.mu.Unlock()
		ws.noteArrival()
		return ws, nil
	})
	if err != nil {
		return nil, err
	}
	return ws.(*Workspace), nil
}

func (s *Service) inUse(id ID) *Workspace {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spaces[id]
}

func (s *Service) load(id ID) (*Workspace, error) {
	spaces, err := s.store.Spaces()
	if err != nil {
		return nil, err
	}
	if err := s.closed(id); err != nil {
		return nil, err
	}
	if !validID(id) || !slices.Contains(spaces, string(id)) {
		return nil, NoProject(id)
	}
	for _, mend := range []func(ID) error{s.moveStatuses, s.dropUnfinishedImports} {
		if err := mend(id); err != nil {
			return nil, err
		}
	}
	ws := &Workspace{ID: id, service: s, hands: map[string]hand{}, model: nothing{}}
	ws.counting = NewTask[error](ws, "labels", TopicLabels)
	err = s.View(id, ws.read)
	if errors.Is(err, store.ErrNotFound) {
		return nil, NoProject(id)
	}
	return ws, err
}

// Refuse lets nobody open a project that is not in use yet, because of a problem that an
// administrator has to solve first. nil ends that.
func (s *Service) Refuse(id ID, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.refused, id)
	if why != nil {
		s.refused[id] = why
	}
}

// Refusal is nil, or why nobody can open a project (see [Service.Refuse]). It is a NotFound
// error, so that lists of projects go without this one.
func (s *Service) Refusal(id ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if why := s.refused[id]; why != nil {
		return &Error{Kind: NotFound, Message: fmt.Sprintf("project %s cannot be opened: notes are half removed, and the removal cannot be finished", id),
			Hint: "an administrator finds the cause in what the server prints, and can bring back a backup", Err: why}
	}
	return nil
}

func (ws *Workspace) read(tx *store.Tx) error {
	var err error
	if ws.info, err = store.GetJSON[Project](tx, bucketProject, infoKey); err != nil {
		return err
	}
	ws.index = newIndex(ws.info.Draw)
	ws.setNames()
	if ws.releases, err = tx.Count(bucketReleases); err != nil {
		return err
	}
	if err := errors.Join(ws.readSettings(tx), ws.readRule(tx), ws.readLinks(tx)); err != nil {
		return err
	}
	if err := eachStatus(tx, ws.put); err != nil {
		return err
	}
	if l := ws.service.learner; l != nil {
		ws.model, err = l.OpenModel(ws, tx)
	}
	return err
}

// Find returns a copy of a document's entry.
func (ws *Workspace) Find(doc annotate.DocumentID) (Status, error) {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	st, found := ws.get(doc)
	if !found {
		return Status{}, ws.noNote(doc, nil)
	}
	return st, nil
}

// noNote is the error about a note that does not exist, or not any more.
func (ws *Workspace) noNote(doc annotate.DocumentID, err error) error {
	return &Error{Kind: NotFound, Message: fmt.Sprintf("project %s has no note %d", ws.ID, doc),
		Hint: "it may have been deleted: a broker can restore a deleted note for 30 days, on the page “Delete and undo” of the project", Err: err}
}

// Has reports whether the project has a document, other than in its bin.
func (ws *Workspace) Has(doc annotate.DocumentID) bool {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.all.Has(doc)
}

// Finished lists the finished documents, ascending.
func (ws *Workspace) Finished() []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.states[stateDone].Slice()
}

// Overview counts documents and releases. The caller holds no lock.
func (ws *Workspace) Overview() Overview {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return Overview{
		Project: ws.info, Documents: ws.all.Len(), Done: ws.index.finished(), InProgress: ws.states[stateInProgress].Len(),
		Annotations: ws.annotations, Releases: ws.releases, Rule: ws.rule,
	}
}

func docKey(doc annotate.DocumentID) []byte { return store.Key(uint64(doc)) }

func compareIDs(a, b ID) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// Unfinished selects the unfinished documents.
func (ws *Workspace) Unfinished(docs []annotate.DocumentID) []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return slices.DeleteFunc(slices.Clone(docs), func(doc annotate.DocumentID) bool {
		r := ws.row(doc)
		return r == nil || r.state == stateDone
	})
}

// Newest is the document imported last, 0 if there is none.
func (ws *Workspace) Newest() annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	if ws.all.Len() == 0 {
		return 0
	}
	return ws.all.At(ws.all.Len() - 1)
}

// ImportedAfter is how many documents were imported after this one, 0 when it is 0.
func (ws *Workspace) ImportedAfter(newest annotate.DocumentID) int {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	if newest == 0 {
		return 0
	}
	return ws.importedAfter(newest)
}

// FinishedCounts counts the finished documents, their groups (patients) and their
// spans.
func (ws *Workspace) FinishedCounts() (documents, groups, spans int) {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.index.finished(), ws.finishedGroups, ws.finishedSpans
}

// AddRelease counts a recorded release.
func (ws *Workspace) AddRelease() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.releases++
}
