// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/store"
)

// BinDays is how many days a deleted note can be restored.
const BinDays = 30

// The buckets of deleted notes. A note in the bin has no entry in any other bucket, so
// nothing can read it by mistake.
const (
	bucketBin      = "bin"       // document number -> Binned
	bucketBinNotes = "bin-notes" // document number -> binnedNote
)

// Binned describes a deleted note in the bin.
type Binned struct {
	Document annotate.DocumentID `json:"document"`
	Status   Status              `json:"status"`
	At       time.Time           `json:"at"`
	By       string              `json:"by"`
	Import   uint64              `json:"import,omitzero"` // undone with this import; 0 if deleted alone
}

// Until is when the note is erased.
func (b Binned) Until() time.Time { return b.At.AddDate(0, 0, BinDays) }

// binnedNote is the content of a deleted note.
type binnedNote struct {
	Document annotate.Document `json:"document"`
	Layer    annotate.Layer    `json:"layer"`
}

// MoveToBin moves documents into the bin, in a transaction of the caller. Documents that
// are not in the project are skipped. b has everything but the document and its status.
func MoveToBin(tx *store.Tx, docs []annotate.DocumentID, b Binned) error {
	list := newStatuses(tx)
	for _, doc := range docs {
		st, err := list.get(doc)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		var note binnedNote
		if note.Document, err = store.GetJSON[annotate.Document](tx, bucketDocuments, docKey(doc)); err != nil {
			return err
		}
		if note.Layer, err = store.GetJSON[annotate.Layer](tx, bucketLayers, docKey(doc)); err != nil {
			return err
		}
		b.Document, b.Status = doc, st
		if err := errors.Join(dropDocuments(tx, list, doc, doc), store.PutJSON(tx, bucketBin, docKey(doc), b), store.PutJSON(tx, bucketBinNotes, docKey(doc), note)); err != nil {
			return err
		}
	}
	return list.flush()
}

// Erase deletes documents, in the bin or not, with their annotations and names, in a
// transaction of the caller. The pages that held them are overwritten afterwards, see
// [store.Store.Wipe].
func Erase(tx *store.Tx, docs []annotate.DocumentID) error {
	list := newStatuses(tx)
	for _, doc := range docs {
		if err := errors.Join(dropDocuments(tx, list, doc, doc), tx.Delete(bucketBin, docKey(doc)), tx.Delete(bucketBinNotes, docKey(doc))); err != nil {
			return err
		}
	}
	return errors.Join(list.flush(), tx.Wipe())
}

// Condemn takes documents out of the list of the bin, in a transaction of the caller, so
// that nobody can restore them any more. [Erase] deletes them.
func Condemn(tx *store.Tx, docs []annotate.DocumentID) (err error) {
	for _, doc := range docs {
		err = errors.Join(err, tx.Delete(bucketBin, docKey(doc)))
	}
	return err
}

// Bin lists the notes in a project's bin, in order of import.
func (s *Service) Bin(id ID) ([]Binned, error) { return ListJSON[Binned](s, id, bucketBin) }

// restorePortion bounds one transaction of a restoration, in notes.
const restorePortion = 200

// Restore takes notes out of the bin, with their annotations. It restores none if a note of
// the same name as one of them was imported since. Many are restored in portions, each with
// its event: if the program dies between two, the others are still in the bin.
func (ws *Workspace) Restore(which func(Binned) bool, event func(notes int) store.Event) error {
	if !ws.imports.TryLock() { // an import that runs may bring the same name
		return importing()
	}
	defer ws.imports.Unlock()
	docs, err := ws.restorable(which)
	if err != nil {
		return err
	}
	defer ws.tellNotes()
	for part := range slices.Chunk(docs, restorePortion) {
		if err := ws.restore(part, event(len(part))); err != nil {
			return err
		}
	}
	return nil
}

// restorable chooses notes of the bin, and refuses them if one of their names is taken. The
// caller holds ws.imports, so that nobody takes a name later.
func (ws *Workspace) restorable(which func(Binned) bool) ([]annotate.DocumentID, error) {
	bin, err := ws.service.Bin(ws.ID)
	if err != nil {
		return nil, err
	}
	bin = slices.DeleteFunc(bin, func(b Binned) bool { return !which(b) })
	if len(bin) == 0 {
		return nil, &Error{Kind: NotFound, Message: fmt.Sprintf("no such note is in the bin of project %s", ws.ID), Hint: "it was restored or erased in the meantime"}
	}
	var docs []annotate.DocumentID
	taken := 0
	err = ws.service.View(ws.ID, func(tx *store.Tx) error {
		for _, b := range bin {
			_, err := tx.Get(bucketNames, nameKey(tx, b.Status.Name))
			if err == nil {
				taken++
			} else if !errors.Is(err, store.ErrNotFound) {
				return err
			}
			docs = append(docs, b.Document)
		}
		return nil
	})
	if err == nil && taken > 0 {
		err = nameTaken(docs, taken)
	}
	return docs, err
}

func nameTaken(docs []annotate.DocumentID, taken int) error {
	if len(docs) == 1 {
		return Invalidf("delete the newer note first, or keep it and let this one be erased",
			"note %d cannot be restored: a note with the same name was imported since", docs[0])
	}
	return Invalidf("delete the newer notes first, or restore the others one by one",
		"none of the %d notes was restored: for %d of them, a note with the same name was imported since", len(docs), taken)
}

// restore restores notes in one transaction.
func (ws *Workspace) restore(docs []annotate.DocumentID, ev store.Event) error {
	ws.edits.Lock()
	defer ws.edits.Unlock()
	back := map[annotate.DocumentID]*Status{}
	err := ws.service.Update(ws.ID, ev, func(tx *store.Tx) error {
		list := newStatuses(tx)
		for _, doc := range docs {
			b, err := restoreNote(tx, list, doc)
			if err != nil {
				return err
			}
			back[doc] = &b.Status
		}
		return list.flush()
	})
	if err != nil {
		return err
	}
	finished := false
	ws.mu.Lock()
	for _, doc := range docs {
		finished = finished || back[doc].State == annotate.Done
		ws.put(doc, back[doc])
	}
	ws.mu.Unlock()
	if finished {
		ws.model.FinishedChanged()
	}
	return nil
}

func restoreNote(tx *store.Tx, list *statuses, doc annotate.DocumentID) (b Binned, err error) {
	if b, err = store.GetJSON[Binned](tx, bucketBin, docKey(doc)); err != nil {
		return b, err
	}
	note, err := store.GetJSON[binnedNote](tx, bucketBinNotes, docKey(doc))
	if err != nil {
		return b, err
	}
	return b, errors.Join(
		tx.Delete(bucketBin, docKey(doc)), tx.Delete(bucketBinNotes, docKey(doc)),
		store.PutJSON(tx, bucketDocuments, docKey(doc), note.Document),
		tx.Put(bucketNames, nameKey(tx, b.Status.Name), docKey(doc)),
		store.PutJSON(tx, bucketLayers, docKey(doc), note.Layer),
		list.put(doc, b.Status),
	)
}

// Remove runs remove, which removes documents from the store and returns them, and takes
// them out of the index. No edit, no import and no [Workspace.Restore] can come between, so
// remove chooses the documents too. It fails while an import is in progress.
func (ws *Workspace) Remove(remove func() ([]annotate.DocumentID, error)) error {
	if !ws.imports.TryLock() {
		return importing()
	}
	defer ws.imports.Unlock()
	ws.edits.Lock()
	defer ws.edits.Unlock()
	docs, err := remove()
	if err != nil {
		return err
	}
	ws.mu.Lock()
	ws.remove(docs)
	ws.mu.Unlock()
	ws.tellNotes()
	for _, doc := range docs {
		ws.service.TellDocument(ws.ID, doc)
	}
	return nil
}

func importing() error {
	return &Error{Kind: Stale, Message: "an import is in progress", Hint: "wait for its end, and try again"}
}

// tellNotes tells watchers that notes came or went.
func (ws *Workspace) tellNotes() {
	ws.service.Tell(ws.ID, TopicQueue)
	ws.service.Tell(ws.ID, TopicRuns)
}

// Removal says which notes leave a project for good, to the packages that keep data made
// from notes.
type Removal struct {
	Docs    map[annotate.DocumentID]bool
	Since   time.Time // when the first of them was imported
	Trained bool      // everything that may have been trained on one of them goes too
	// Finished says that one of them was ever finished, so that a release may hold it.
	Finished bool
	// Binned is when the last finished one of them went into the bin, the zero time if none
	// did: models that were trained later do not come from it.
	Binned time.Time
}

// remove takes documents out of the index. The caller holds ws.mu.
func (ws *Workspace) remove(docs []annotate.DocumentID) {
	for _, doc := range docs {
		delete(ws.suggestions, doc)
	}
	ws.drop(docs...)
	for person, h := range ws.hands {
		if !ws.all.Has(h.doc) {
			delete(ws.hands, person)
		}
	}
}

// Forget drops the value of a project.
func (p *PerProject[W]) Forget(id ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, id)
}
