// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/store"
)

// OnNotes calls fn when a project is opened, and at the end of each import. It is called
// before any project is used.
func (s *Service) OnNotes(fn func(*Workspace)) { s.onNotes = append(s.onNotes, fn) }

// noteArrival calls the functions of [Service.OnNotes].
func (ws *Workspace) noteArrival() {
	for _, fn := range ws.service.onNotes {
		fn(ws)
	}
}

// NewestText is the last document of the project and its bin, 0 if both are empty.
func (ws *Workspace) NewestText() (annotate.DocumentID, error) {
	newest := ws.Newest()
	err := ws.service.View(ws.ID, func(tx *store.Tx) error {
		return tx.Keys(bucketBin, nil, func(key []byte) error {
			newest = max(newest, annotate.DocumentID(store.Number(key)))
			return nil
		})
	})
	return newest, err
}

// Texts calls fn with the text of each document from first to last, in order, also of those
// in the bin. Each comes from its own transaction.
func (ws *Workspace) Texts(ctx context.Context, first, last annotate.DocumentID, fn func(annotate.DocumentID, string) error) error {
	for doc := first; doc <= last; doc++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		d, err := ws.documentOrBinned(doc)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err == nil {
			err = fn(doc, d.Text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// documentOrBinned reads a document. Of an import that is not complete it finds none. It looks
// at both places in one transaction: a document that is restored meanwhile is in one of them.
func (ws *Workspace) documentOrBinned(doc annotate.DocumentID) (d annotate.Document, err error) {
	err = ws.service.View(ws.ID, func(tx *store.Tx) (err error) {
		d, err = store.GetJSON[annotate.Document](tx, bucketDocuments, docKey(doc))
		if errors.Is(err, store.ErrNotFound) {
			b, err := store.GetJSON[binnedNote](tx, bucketBinNotes, docKey(doc))
			d = b.Document
			return err
		}
		if err != nil || ws.Has(doc) {
			return err
		}
		return committed(tx, doc)
	})
	return d, err
}

// committed is store.ErrNotFound unless the import of a document is complete. Between that and
// its entry in the index, only the store tells.
func committed(tx *store.Tx, doc annotate.DocumentID) error {
	st, err := newStatuses(tx).get(doc)
	if err != nil {
		return err
	}
	r, err := store.GetJSON[importRecord](tx, bucketImports, store.Key(st.Import))
	if err == nil && !r.Committed {
		err = fmt.Errorf("import %d: %w", st.Import, store.ErrNotFound)
	}
	return err
}

// Text reads the text of a document of the project, which is not in the bin.
func (ws *Workspace) Text(doc annotate.DocumentID) (string, error) {
	d, err := GetJSON[annotate.Document](ws.service, ws.ID, bucketDocuments, docKey(doc))
	if errors.Is(err, store.ErrNotFound) || !ws.Has(doc) {
		return "", ws.noNote(doc, err)
	}
	return d.Text, err
}

// Select keeps those of some ascending documents that the project has, and of these the ones
// in a state; "" stands for any. It changes the slice.
func (ws *Workspace) Select(docs []annotate.DocumentID, state annotate.State) []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	set := ws.set(state)
	return slices.DeleteFunc(docs, func(doc annotate.DocumentID) bool { return !set.Has(doc) })
}
