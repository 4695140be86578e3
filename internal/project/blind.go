// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/crf/score"
	"hide/internal/store"
)

// Which notes are annotated without suggestions? As with the drawn order, a keyed
// hash of a document's number decides, with another key: so a note is blind for
// reasons that have nothing to do with it, with its place in the drawn order or
// with who reads it, and nobody can tell beforehand. It counts as blind only when
// nobody was shown a suggestion in it before it was done.

// help is whether people were shown suggestions in a note before it was done.
// Values are stored: do not change them.
type help string

const (
	helpNone  help = ""        // not yet, as far as is known
	helpShown help = "shown"   // they were
	helpBlind help = "blind"   // it was finished as a blind note
	helpMixed help = "changed" // it was finished without being assisted, and reopened when suggestions could have been seen
)

// blindKey sets the draw of blind notes apart from the drawn order.
const blindKey = 0xb11d

// drawnBlind reports whether a document is among those that are annotated without
// suggestions. The caller holds ws.mu.
func (ws *workspace) drawnBlind(doc annotate.DocumentID) bool {
	const all = 1 << 64
	return float64(mix(mix(ws.info.Draw, blindKey), uint64(doc)))/all < ws.settings.Blind
}

// blind reports whether nobody may see a suggestion in a document now. The caller
// holds ws.mu.
func (ws *workspace) blind(doc annotate.DocumentID, st *status) bool {
	return st.State != annotate.Done && st.Help == helpNone && ws.drawnBlind(doc)
}

// isBlind is blind for who does not hold ws.mu.
func (ws *workspace) isBlind(doc annotate.DocumentID) bool {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	st := ws.docs[doc]
	return st != nil && ws.blind(doc, st)
}

// finishing is what becomes of a note's help when its state changes. What is shown
// in a finished note is not recorded, so one that is reopened is neither blind nor
// assisted unless it was assisted before.
func (h help) finishing(before, after annotate.State, blind bool) help {
	switch {
	case before != annotate.Done && after == annotate.Done && h == helpNone && blind:
		return helpBlind
	case before == annotate.Done && after != annotate.Done && h != helpShown:
		return helpMixed
	}
	return h
}

// recordShown notes that suggestions in a document are about to leave for a
// browser. Only the first time, and before it is done, matters.
func (s *Service) recordShown(ws *workspace, by account.User, doc annotate.DocumentID) error {
	if st, err := ws.find(doc); err != nil || st.Help != helpNone || st.State == annotate.Done {
		return err
	}
	ws.edits.Lock()
	defer ws.edits.Unlock()
	st, err := ws.find(doc)
	if err != nil || st.Help != helpNone || st.State == annotate.Done {
		return err
	}
	st.Help = helpShown
	err = s.update(ws.id, event(by, "show suggestions", ws.id.object("documents", doc)), func(tx *store.Tx) error {
		return put(tx, bucketStatus, docKey(doc), st)
	})
	if err != nil {
		return err
	}
	ws.mu.Lock()
	*ws.docs[doc] = st
	ws.mu.Unlock()
	return nil
}

// biasOf compares the two kinds of notes among the documents of a check.
func biasOf(c corpus, checked []score.Prediction) bootstrap.Bias {
	var reads []bootstrap.Read
	for i, d := range c.docs {
		if c.help[i] == helpShown || c.help[i] == helpBlind {
			reads = append(reads, bootstrap.Read{Group: d.Group(), Assisted: c.help[i] == helpShown, Document: checked[i]})
		}
	}
	return bootstrap.BiasOf(reads, checkSeed)
}

// BlindNotes is what the last check of a model says about notes annotated with and
// without suggestions.
func (s *Service) BlindNotes(ctx context.Context, by account.User, id ID) (BlindNotes, error) {
	ws, err := s.enterAny(by, id, account.ManageWork, account.ReadNotes)
	if err != nil {
		return BlindNotes{}, err
	}
	var last checkRecord
	err = s.store.View(string(id), func(tx *store.Tx) (err error) {
		last, err = get[checkRecord](tx, bucketModels, modelCheckKey)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return BlindNotes{}, err
	}
	return ws.blindNotes(last), nil
}

func (ws *workspace) blindNotes(last checkRecord) BlindNotes {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	b := BlindNotes{Share: ws.settings.Blind, Bias: last.Bias, At: last.At}
	for _, st := range ws.docs {
		switch {
		case st.Help == helpBlind:
			b.Done++
		case st.Help == helpShown && st.State == annotate.Done:
			b.Assisted++
		}
	}
	return b
}
