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
type Help string

const (
	HelpNone  Help = ""        // not yet, as far as is known
	HelpShown Help = "shown"   // they were
	HelpBlind Help = "blind"   // it was finished as a blind note
	HelpMixed Help = "changed" // it was finished without being assisted, and reopened when suggestions could have been seen
)

// blindKey sets the draw of blind notes apart from the drawn order.
const blindKey = 0xb11d

// drawnBlind reports whether a document is among those that are annotated without
// suggestions. The caller holds ws.mu.
func (ws *Workspace) drawnBlind(doc annotate.DocumentID) bool {
	const all = 1 << 64
	return float64(mix(mix(ws.info.Draw, blindKey), uint64(doc)))/all < ws.settings.Blind
}

// blind reports whether nobody may see a suggestion in a document now. The caller
// holds ws.mu.
func (ws *Workspace) blind(doc annotate.DocumentID, st *Status) bool {
	return st.State != annotate.Done && st.Help == HelpNone && ws.drawnBlind(doc)
}

// isBlind is blind for who does not hold ws.mu.
func (ws *Workspace) isBlind(doc annotate.DocumentID) bool {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	st := ws.docs[doc]
	return st != nil && ws.blind(doc, st)
}

// finishing is what becomes of a note's help when its state changes. What is shown
// in a finished note is not recorded, so one that is reopened is neither blind nor
// assisted unless it was assisted before.
func (h Help) finishing(before, after annotate.State, blind bool) Help {
	switch {
	case before != annotate.Done && after == annotate.Done && h == HelpNone && blind:
		return HelpBlind
	case before == annotate.Done && after != annotate.Done && h != HelpShown:
		return HelpMixed
	}
	return h
}

// recordShown notes that suggestions in a document are about to leave for a
// browser. Only the first time, and before it is done, matters.
func (s *Service) recordShown(ws *Workspace, by account.User, doc annotate.DocumentID) error {
	if st, err := ws.Find(doc); err != nil || st.Help != HelpNone || st.State == annotate.Done {
		return err
	}
	ws.edits.Lock()
	defer ws.edits.Unlock()
	st, err := ws.Find(doc)
	if err != nil || st.Help != HelpNone || st.State == annotate.Done {
		return err
	}
	st.Help = HelpShown
	err = s.Update(ws.ID, EventBy(by, "show suggestions", ws.ID.Object("documents", doc)), func(tx *store.Tx) error {
		return store.PutJSON(tx, bucketStatus, docKey(doc), st)
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
func biasOf(c Corpus, checked []score.Document) bootstrap.Bias {
	var reads []bootstrap.Read
	for i, d := range c.Docs {
		if c.Help[i] == HelpShown || c.Help[i] == HelpBlind {
			reads = append(reads, bootstrap.Read{Group: d.Group(), Assisted: c.Help[i] == HelpShown, Document: checked[i]})
		}
	}
	return bootstrap.BiasOf(reads, checkSeed)
}

// BlindNotes is what the last check of a model says about notes annotated with and
// without suggestions.
func (s *Service) BlindNotes(ctx context.Context, by account.User, id ID) (BlindNotes, error) {
	ws, err := s.EnterAny(by, id, account.ManageWork, account.ReadNotes)
	if err != nil {
		return BlindNotes{}, err
	}
	var last checkRecord
	err = s.View(id, func(tx *store.Tx) (err error) {
		last, err = store.GetJSON[checkRecord](tx, bucketModels, modelCheckKey)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return BlindNotes{}, err
	}
	return ws.blindNotes(last), nil
}

func (ws *Workspace) blindNotes(last checkRecord) BlindNotes {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	b := BlindNotes{Share: ws.settings.Blind, Bias: last.Bias, At: last.At}
	for _, st := range ws.docs {
		switch {
		case st.Help == HelpBlind:
			b.Done++
		case st.Help == HelpShown && st.State == annotate.Done:
			b.Assisted++
		}
	}
	return b
}
