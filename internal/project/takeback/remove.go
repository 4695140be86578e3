// SPDX-License-Identifier: Apache-2.0

package takeback

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/parallel"
	"hide/internal/project"
	"hide/internal/store"
)

// DeleteNote moves a note into the bin. name confirms it: the note's name.
func (s *Service) DeleteNote(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID, name string) error {
	ws, err := s.projects.Enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	st, err := ws.Find(doc)
	if err != nil {
		return err
	}
	if err := typed(st.Name, name, "the name of the note"); err != nil {
		return err
	}
	return s.toBin(ctx, ws, removal{
		Removed: Removed{Kind: KindNote, By: by.ID},
		choose: func() ([]annotate.DocumentID, []project.Binned, error) {
			_, err := ws.Find(doc)
			return []annotate.DocumentID{doc}, nil, err
		},
		event: func(int) store.Event {
			return project.EventBy(by, "delete note", id.Object("documents", doc), "into the bin")
		},
	})
}

func (s *Service) toBin(ctx context.Context, ws *project.Workspace, m removal) error {
	resume, err := s.hold(ctx, ws)
	if err != nil {
		return err
	}
	defer resume(false)
	r, err := s.begin(ws, m)
	if err != nil {
		return err
	}
	_, err = s.carryOut(ws.ID, r)
	return err
}

// RestoreNote takes a note out of the bin, with its spans.
func (s *Service) RestoreNote(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID) error {
	ws, err := s.projects.Enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	return ws.Restore(func(b project.Binned) bool { return b.Document == doc }, func(int) store.Event {
		return project.EventBy(by, "restore note", id.Object("documents", doc))
	})
}

// EraseNote erases a note of the bin now. name confirms it.
func (s *Service) EraseNote(ctx context.Context, by account.User, id project.ID, doc annotate.DocumentID, name string) error {
	ws, err := s.projects.Enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	m := s.ofBin(id, by.ID, func(b project.Binned) bool { return b.Document == doc }, func(int) store.Event {
		return project.EventBy(by, "erase note", id.Object("documents", doc))
	})
	_, bin, err := m.choose()
	if project.KindOf(err) == project.NotFound {
		return &project.Error{Kind: project.NotFound, Message: fmt.Sprintf("note %d is not in the bin of project %s", doc, id), Hint: "it was restored or erased in the meantime"}
	}
	if err != nil {
		return err
	}
	if err := typed(bin[0].Status.Name, name, "the name of the note"); err != nil {
		return err
	}
	_, err = s.erase(ctx, ws, m)
	return err
}

// ofBin is the removal of some notes of the bin.
func (s *Service) ofBin(id project.ID, by string, which func(project.Binned) bool, event func(int) store.Event) removal {
	return removal{Removed{Kind: KindErased, By: by}, func() ([]annotate.DocumentID, []project.Binned, error) {
		bin, err := s.projects.Bin(id)
		bin = slices.DeleteFunc(bin, func(b project.Binned) bool { return !which(b) })
		if err == nil && len(bin) == 0 {
			err = &project.Error{Kind: project.NotFound, Message: fmt.Sprintf("nothing in the bin of project %s is to be erased", id), Hint: "it was restored or erased in the meantime"}
		}
		return nil, bin, err
	}, event}
}

// enter fills in the notes of a removal, when the first of them came, and whether models
// may have been trained on one of them.
func (s *Service) enter(ws *project.Workspace, r *Removed, docs []annotate.DocumentID, binned []project.Binned) error {
	var all []project.Status
	for _, doc := range docs {
		if st, err := ws.Find(doc); err == nil {
			r.Docs, all = append(r.Docs, doc), append(all, st)
		}
	}
	for _, b := range binned {
		r.Docs, all = append(r.Docs, b.Document), append(all, b.Status)
		if b.Status.EverFinished() && b.At.After(r.Binned) {
			r.Binned = b.At
		}
	}
	return s.projects.View(ws.ID, func(tx *store.Tx) error {
		imported := map[uint64]time.Time{}
		for _, st := range all {
			r.Trained = r.Trained || st.EverFinished()
			at, known := imported[st.Import]
			if !known {
				var err error
				if at, err = project.ImportedAt(tx, st.Import); err != nil {
					return err
				}
				imported[st.Import] = at
			}
			if r.Since.IsZero() || at.Before(r.Since) {
				r.Since = at
			}
		}
		return nil
	})
}

// erase removes notes for good, and returns the record of that.
func (s *Service) erase(ctx context.Context, ws *project.Workspace, m removal) (Removed, error) {
	resume, err := s.hold(ctx, ws)
	if err != nil {
		return m.Removed, err
	}
	drop := false
	defer func() {
		resume(drop)
		s.projects.Store().Wipe() // again, now that readers have ended; an error comes back at the next call
	}()
	r, err := s.begin(ws, m)
	if err != nil {
		return r, err
	}
	r, err = s.carryOut(ws.ID, r)
	drop = r.Trained && r.Kind == KindPatient || r.Models > 0
	return r, err
}

// RemovePatient erases all notes of a patient, in the bin or not, and everything that was
// made of them: models, runs' classifiers and words, redaction models, audits, links and
// re-identification maps. key is the patient's key in the files, and typed confirms it. Notes
// of linked records are the patient's too, see [Patient].
func (s *Service) RemovePatient(ctx context.Context, by account.User, id project.ID, key, confirm string) (Removed, error) {
	ws, err := s.projects.Enter(by, account.ManageWork, id)
	if err != nil {
		return Removed{}, err
	}
	r, err := s.ofPatient(ws, key)
	if err != nil {
		return r, err
	}
	if err := typed(key, confirm, "the key of the patient"); err != nil {
		return r, err
	}
	mark, err := s.mark(id, key)
	if err != nil {
		return r, err
	}
	return s.erase(ctx, ws, removal{
		Removed: Removed{Kind: KindPatient, By: by.ID},
		choose:  func() ([]annotate.DocumentID, []project.Binned, error) { return s.notesOf(ws, key) },
		event: func(notes int) store.Event {
			return project.EventBy(by, "remove patient", id.Object("patients", mark), fmt.Sprintf("%d notes", notes))
		},
	})
}

// ofPatient describes the removal of a patient before it is made.
func (s *Service) ofPatient(ws *project.Workspace, key string) (Removed, error) {
	r := Removed{Kind: KindPatient}
	docs, bin, err := s.notesOf(ws, key)
	if err != nil {
		return r, err
	}
	err = s.enter(ws, &r, docs, bin)
	r.Notes = len(r.Docs)
	return r, err
}

// notesOf finds the notes of a patient, in the project and in the bin.
func (s *Service) notesOf(ws *project.Workspace, key string) ([]annotate.DocumentID, []project.Binned, error) {
	bin, err := s.projects.Bin(ws.ID)
	if err != nil {
		return nil, nil, err
	}
	links, record := ws.Links(), annotate.Document{Patient: key}.Record()
	person := cmp.Or(links.Of[record], record)
	bin = slices.DeleteFunc(bin, func(b project.Binned) bool { return cmp.Or(links.Of[b.Status.Group], b.Status.Group) != person })
	docs := ws.OfPerson(person)
	if len(ws.OfPatient(key)) == 0 && !slices.ContainsFunc(bin, func(b project.Binned) bool { return b.Status.Group == record }) {
		docs, bin = nil, nil
	}
	if key == "" || len(docs)+len(bin) == 0 {
		return nil, nil, &project.Error{Kind: project.NotFound, Message: fmt.Sprintf("project %s has no note of a patient with this key", ws.ID), Hint: "the key is the patient's number in the imported files, with the same capitals and blanks"}
	}
	return docs, bin, nil
}

// mark stands for a patient's key in the audit trail: the start of its keyed hash.
func (s *Service) mark(id project.ID, key string) (string, error) {
	return project.Read(s.projects, id, func(tx *store.Tx) (string, error) {
		return hex.EncodeToString(tx.HMAC([]byte("removed patient " + key))[:8]), nil
	})
}

// DestroyProject destroys a project: its key, its secret, its content and the pages of the
// file that held it. name confirms it: the project's name, or the id of a project that
// cannot be opened, because its name cannot be read either. If its secret is missing, nor can
// its members: then only an administrator can destroy it.
func (s *Service) DestroyProject(ctx context.Context, by account.User, id project.ID, name string) error {
	if s.projects.Closed(id) && s.projects.May(by, id, account.ManageWork) {
		return s.destroyClosed(by, id, name)
	}
	ws, err := s.projects.Enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	if err := typed(ws.Overview().Name, name, "the name of the project"); err != nil {
		return err
	}
	resume, err := s.hold(ctx, ws)
	if err != nil {
		return err
	}
	destroyed, err := s.projects.Destroy(by, id)
	if !destroyed {
		resume(false)
		return err
	}
	s.training.ForgetProject(ws)
	s.release.ForgetProject(id)
	s.sanitize.ForgetProject(id)
	s.review.ForgetProject(id)
	s.drafts.ForgetProject(id)
	s.links.ForgetProject(id)
	s.search.ForgetProject(id)
	return err
}

func (s *Service) destroyClosed(by account.User, id project.ID, confirm string) error {
	err := typed(string(id), confirm, "the id of the project")
	if err == nil {
		_, err = s.projects.Destroy(by, id)
	}
	return err
}

// Sweep erases the notes that have been in the bin for too long, in all projects, and
// overwrites the pages that held erased notes, if that had to wait. A project that is busy
// is swept the next time. Removals that could not be finished are tried again.
func (s *Service) Sweep(ctx context.Context) error {
	ids, err := s.projects.IDs()
	if err != nil {
		return err
	}
	var failed error
	for _, id := range ids {
		if err := s.sweep(ctx, id); err != nil && project.KindOf(err) == "" {
			failed = errors.Join(failed, fmt.Errorf("project %s: %w", id, err))
		}
	}
	return errors.Join(failed, s.projects.Store().Wipe())
}

func (s *Service) sweep(ctx context.Context, id project.ID) error {
	if s.projects.Refusal(id) != nil {
		if err := s.resume(id); err != nil {
			return fmt.Errorf("nobody can open it, because notes are half removed: %w", err)
		}
	}
	now := s.projects.Now()
	m := s.ofBin(id, "system", func(b project.Binned) bool { return !now.Before(b.Until()) }, func(notes int) store.Event {
		return project.SystemEvent("empty bin", id.Object(), fmt.Sprintf("%d notes, deleted %d days ago", notes, project.BinDays))
	})
	if _, _, err := m.choose(); err != nil { // nothing is stopped while nothing is to be erased
		return err
	}
	ws, err := s.projects.Workspace(id)
	if err != nil {
		return err
	}
	_, err = s.erase(ctx, ws, m)
	return err
}

// sweepEvery is how often the bins are looked at while a server runs.
const sweepEvery = time.Hour

// KeepSweeping sweeps now and every hour. Errors go to failed. stop ends it and waits.
func (s *Service) KeepSweeping(ctx context.Context, failed func(error)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	tick := time.NewTicker(sweepEvery)
	var sweeping sync.WaitGroup
	sweeping.Go(func() {
		for {
			err := parallel.Guard(func() error { return s.Sweep(ctx) })
			if err != nil && ctx.Err() == nil {
				failed(err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	return func() {
		tick.Stop()
		cancel()
		sweeping.Wait()
	}
}
