// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"context"
	"errors"
	"slices"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
)

// Hold ends a preparation and keeps drafts from being read and changed while notes are
// removed. done drops what is in memory of the notes.
func (s *Service) Hold(ctx context.Context, p *project.Workspace) (done func(), err error) {
	ws := s.of(p)
	if err := ws.task.Stop(ctx); err != nil {
		return nil, err
	}
	if !ws.task.Claim(Status{}) {
		return nil, &project.Error{Kind: project.Stale, Message: "a draft is being prepared", Hint: "wait for it, or cancel it, and try again"}
	}
	ws.deciding.Lock()
	return func() {
		ws.planner, ws.planned = nil, 0
		ws.use(nil)
		ws.deciding.Unlock()
		ws.task.Drop()
	}, nil
}

// ForgetProject drops what is in memory of a destroyed project.
func (s *Service) ForgetProject(id project.ID) { s.states.Forget(id) }

// Purge deletes what drafts and kept surrogates have of removed notes: their places, what
// people decided about them, and what was invented for their patients. The rest of the draft
// stays, but is stale.
func (s *Service) Purge(tx *store.Tx, gone project.Removal) error {
	r, err := store.FindJSON[record](tx, bucketDraft, recordKey)
	if err != nil {
		return err
	}
	for doc := range gone.Docs {
		err = errors.Join(err, tx.Delete(bucketChoices, docKey(doc)), tx.Delete(bucketPlaces, placeKey(r.Number, doc)))
	}
	hit := func(docs []annotate.DocumentID) bool {
		return slices.ContainsFunc(docs, func(doc annotate.DocumentID) bool { return gone.Docs[doc] })
	}
	return errors.Join(err, purgePatients(tx, hit), purgeUndo(tx, gone.Docs), purgeKeys(tx, hit))
}

// purgePatients deletes names and books of the patients of removed notes.
func purgePatients(tx *store.Tx, hit func([]annotate.DocumentID) bool) error {
	return tx.Scan(bucketPatients, nil, func(key, raw []byte) error {
		p, err := store.DecodeJSON[storedPatient](bucketPatients, raw)
		if err != nil || !hit(p.Docs) {
			return err
		}
		return store.PutJSON(tx, bucketPatients, key, storedPatient{Docs: p.Docs})
	})
}

func purgeUndo(tx *store.Tx, gone map[annotate.DocumentID]bool) error {
	return tx.Keys(bucketUndo, nil, func(key []byte) error {
		if !gone[annotate.DocumentID(store.Number(key[len(store.Key(0)):]))] {
			return nil
		}
		return tx.Delete(bucketUndo, slices.Clone(key))
	})
}

// purgeKeys deletes the books of patients of removed notes from what releases keep, and the
// key with the last of them.
func purgeKeys(tx *store.Tx, hit func([]annotate.DocumentID) bool) error {
	return tx.Scan(bucketBooks, nil, func(release, raw []byte) error {
		books, err := store.DecodeJSON[[]keptBook](bucketBooks, raw)
		if err != nil {
			return err
		}
		before := len(books)
		books = slices.DeleteFunc(books, func(b keptBook) bool { return hit(b.Docs) })
		switch {
		case len(books) == before:
			return nil
		case len(books) == 0:
			return dropKept(tx, release)
		}
		key, err := store.GetJSON[keptKey](tx, bucketKeys, release)
		key.Patients = len(books)
		return errors.Join(err, store.PutJSON(tx, bucketKeys, release, key), store.PutJSON(tx, bucketBooks, release, books))
	})
}
