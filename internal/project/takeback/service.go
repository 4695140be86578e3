// SPDX-License-Identifier: Apache-2.0

// Package takeback deletes and undoes: a note (into a bin, from which it can be restored
// for some days), a whole import, a patient, and a project. See [Service].
package takeback

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/draft"
	"hide/internal/project/links"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/sanitize"
	"hide/internal/project/search"
	"hide/internal/project/training"
	"hide/internal/store"
)

// Service deletes notes, imports, patients and projects. Its methods may be called
// concurrently.
type Service struct {
	projects *project.Service
	training *training.Service
	sanitize *sanitize.Service
	audit    *audit.Service
	release  *release.Service
	review   *review.Service
	drafts   *draft.Service
	links    *links.Service
	search   *search.Service
}

// New makes the service, and finishes the removals that an earlier process left
// unfinished. It is called before any project is used. A project with a removal that cannot
// be finished is refused, and the others are not: [Service.Sweep] tries again, and reports
// it.
func New(p *project.Service, t *training.Service, s *sanitize.Service, a *audit.Service, r *release.Service, board *review.Service, d *draft.Service, l *links.Service, f *search.Service) (*Service, error) {
	made := &Service{projects: p, training: t, sanitize: s, audit: a, release: r, review: board, drafts: d, links: l, search: f}
	ids, err := p.IDs()
	for _, id := range ids {
		_ = made.resume(id) // Sweep reports it
	}
	return made, err
}

// resume finishes the removals of a project that nobody can open yet. The project is refused
// while that fails.
func (s *Service) resume(id project.ID) error {
	err := s.finish(id)
	s.projects.Refuse(id, err)
	return err
}

// bucketRemovals holds the removals of a project: number -> Removed.
const bucketRemovals = "removals"

// Kind is what was removed. Names are stored: do not change them.
type Kind string

// The kinds of removal.
const (
	KindNote    Kind = "note"    // one note, into the bin
	KindImport  Kind = "import"  // all notes of an import, into the bin
	KindErased  Kind = "erased"  // notes of the bin, for good
	KindPatient Kind = "patient" // all notes of a patient and what was made of them, for good
)

// Removed is the record of a removal: numbers only.
type Removed struct {
	Number uint64                `json:"number"` // from 1
	Kind   Kind                  `json:"kind"`
	At     time.Time             `json:"at"`
	By     string                `json:"by"`
	Notes  int                   `json:"notes"`
	Import uint64                `json:"import,omitzero"`
	Docs   []annotate.DocumentID `json:"docs,omitempty"` // still to be removed; nil at the end
	Since  time.Time             `json:"since"`          // when the first of them was imported
	// Trained says that one of them was ever finished: models may have been trained on it,
	// and releases may hold it.
	Trained bool `json:"trained,omitzero"`
	// Binned is when the last finished one of them went into the bin.
	Binned time.Time `json:"binned,omitzero"`
	Purged bool      `json:"purged,omitzero"` // what was made of the notes is deleted

	// What was deleted with a patient, and the releases whose originals are gone.
	Models   int   `json:"models,omitzero"`
	Runs     int   `json:"runs,omitzero"`
	Bundles  int   `json:"bundles,omitzero"`
	Audits   int   `json:"audits,omitzero"`
	Releases []int `json:"releases,omitempty"`
}

// portion bounds one transaction of a removal, in notes.
const portion = 200

// removal is one that is about to be made.
type removal struct {
	Removed
	// choose finds its notes: in the project, and in the bin. It is called when no import, no
	// edit and nobody who restores a note can come between.
	choose func() (notes []annotate.DocumentID, bin []project.Binned, err error)
	event  func(notes int) store.Event
}

// begin writes the record of a removal and takes its notes out of the index. From here on
// the removal cannot fail: what this process does not finish, the next one does.
func (s *Service) begin(ws *project.Workspace, m removal) (Removed, error) {
	r := m.Removed
	err := ws.Remove(func() ([]annotate.DocumentID, error) {
		notes, bin, err := m.choose()
		if err == nil {
			err = s.enter(ws, &r, notes, bin)
		}
		if err != nil {
			return nil, err
		}
		r.Notes, r.At = len(r.Docs), s.projects.Now().UTC()
		return r.Docs, s.projects.Update(ws.ID, m.event(r.Notes), func(tx *store.Tx) (err error) {
			if r.Number, err = tx.Next(bucketRemovals); err != nil {
				return err
			}
			if r.erases() {
				err = project.Condemn(tx, r.Docs)
			}
			return errors.Join(err, store.PutJSON(tx, bucketRemovals, store.Key(r.Number), r))
		})
	})
	return r, err
}

// finish carries out the unfinished removals of a project.
func (s *Service) finish(id project.ID) error {
	all, err := project.ListJSON[Removed](s.projects, id, bucketRemovals)
	for _, r := range all {
		if err == nil && len(r.Docs) > 0 {
			_, err = s.carryOut(id, r)
		}
	}
	return err
}

// carryOut does what the record of a removal says, in transactions of bounded size, and
// keeps in the record what is left to do.
func (s *Service) carryOut(id project.ID, r Removed) (Removed, error) {
	object := id.Object("removals", r.Number)
	if r.erases() && !r.Purged {
		err := s.projects.Update(id, project.SystemEvent("purge", object, ""), func(tx *store.Tx) error { return s.purge(tx, id, &r) })
		if err != nil {
			return r, fmt.Errorf("removal %d: %w", r.Number, err)
		}
	}
	if r.erases() {
		if err := s.search.EraseFromIndex(id, r.Docs); err != nil {
			return r, fmt.Errorf("removal %d: %w", r.Number, err)
		}
	}
	for len(r.Docs) > 0 {
		docs := r.Docs[:min(portion, len(r.Docs))]
		left := r
		left.Docs = r.Docs[len(docs):]
		err := s.projects.Update(id, project.SystemEvent("remove notes", object, fmt.Sprintf("%d notes", len(docs))), func(tx *store.Tx) error {
			return errors.Join(r.take(tx, docs), store.PutJSON(tx, bucketRemovals, store.Key(r.Number), left))
		})
		if err != nil {
			return r, fmt.Errorf("removal %d: %w", r.Number, err)
		}
		r = left
	}
	if !r.erases() {
		return r, nil
	}
	return r, s.projects.Store().Wipe()
}

func (r Removed) erases() bool { return r.Kind == KindErased || r.Kind == KindPatient }

// take moves notes into the bin or erases them.
func (r Removed) take(tx *store.Tx, docs []annotate.DocumentID) error {
	if r.erases() {
		return project.Erase(tx, docs)
	}
	return project.MoveToBin(tx, docs, project.Binned{At: r.At, By: r.By, Import: r.Import})
}

// purge deletes what was made of erased notes. Of single notes it deletes the places where
// their own words are kept, the originals of releases of notes with fields, and the model
// that suggests, if it is older than their deletion.
// Runs and redaction models go with a patient only: each mixes the words of all notes.
func (s *Service) purge(tx *store.Tx, id project.ID, r *Removed) error {
	gone := project.Removal{Docs: map[annotate.DocumentID]bool{}, Since: r.Since, Trained: r.Trained && r.Kind == KindPatient, Finished: r.Trained, Binned: r.Binned}
	for _, doc := range r.Docs {
		gone.Docs[doc] = true
	}
	now := s.projects.Now().UTC()
	models, err := s.training.Purge(tx, gone)
	if err != nil {
		return err
	}
	runs, bundles, err := s.sanitize.Purge(tx, gone, now)
	if err != nil {
		return err
	}
	audits, err := s.audit.Purge(tx, gone, bundles)
	if err != nil {
		return err
	}
	releases, err := s.release.Purge(tx, gone, now)
	if err != nil {
		return err
	}
	if err := errors.Join(s.review.Purge(tx, id), s.drafts.Purge(tx, gone), s.links.Purge(tx, gone)); err != nil {
		return err
	}
	r.Models, r.Runs, r.Bundles, r.Audits, r.Releases, r.Purged = models, runs, len(bundles), audits, releases, true
	return errors.Join(store.PutJSON(tx, bucketRemovals, store.Key(r.Number), *r), tx.Wipe())
}

// hold stops or refuses everything on a project that reads notes for long, while notes are
// removed. resume lets it go on; drop drops the model from memory.
func (s *Service) hold(ctx context.Context, ws *project.Workspace) (resume func(drop bool), err error) {
	var held []func()
	release := func() {
		for _, back := range slices.Backward(held) {
			back()
		}
	}
	for _, hold := range []func() (func(), error){
		func() (func(), error) { return s.sanitize.Hold(ws) },
		func() (func(), error) { return s.release.Hold(ctx, ws) },
		func() (func(), error) { return s.drafts.Hold(ctx, ws) },
		func() (func(), error) { return s.links.Hold(ws) },
		func() (func(), error) { return s.search.Hold(ctx, ws) },
	} {
		back, err := hold()
		if err != nil {
			release()
			return nil, err
		}
		held = append(held, back)
	}
	train, err := s.training.Hold(ctx, ws)
	if err != nil {
		release()
		return nil, err
	}
	return func(drop bool) { train(drop); release() }, nil
}

// typed refuses a removal unless the person has typed what is removed.
func typed(want, got, what string) error {
	if project.Confirms(want, got) {
		return nil
	}
	return project.Invalidf("type "+what+" as it is shown", "nothing was removed: the confirmation does not match")
}
