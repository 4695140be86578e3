// SPDX-License-Identifier: Apache-2.0

package project

import (
	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project/docset"
	"hide/internal/store"
)

// Which finished documents are a random sample? Each project has a fixed random order of
// its documents: by a hash of their numbers, keyed by a random number that nobody sees.
// The finished documents at the front of that order, up to the first gap, are a simple
// random sample of the project, whatever the reason why each of them was annotated: their
// content did not put them there. A document that somebody has open makes no gap. A
// document that everybody skips does, so the sample stops growing instead of becoming
// biased towards easy notes. Documents imported as a random sample count too.

// mix is a keyed hash: the finalizer of SplitMix64 (Steele, Lea and Flood 2014), once
// with the number and again with the key.
func mix(key, n uint64) uint64 { return finalize(finalize(n) ^ key) }

func finalize(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// RandomSample is the finished documents that are a random sample. The set is the caller's.
func (ws *Workspace) RandomSample() *docset.Set {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	held, done := ws.heldBy(""), &ws.states[stateDone]
	sample := ws.random.And(done)
	for doc := range ws.drawn.all() {
		if !done.Has(doc) && !held[doc] {
			break
		}
		if done.Has(doc) {
			sample.Put(doc, true)
		}
	}
	return sample
}

// Which notes are annotated without suggestions? A keyed hash of the document's number
// decides, with another key than the drawn order. So a note is blind independently of its
// content, its place in the drawn order and its reader, and nobody can predict it. It
// counts as blind only if nobody saw a suggestion in it before it was finished.

// Help says whether people saw suggestions in a note before it was finished. Values are
// stored: do not change them.
type Help string

const (
	HelpNone  Help = ""        // not yet, as far as known
	HelpShown Help = "shown"   // they did
	HelpBlind Help = "blind"   // finished as a blind note
	HelpMixed Help = "changed" // finished unassisted, then reopened when suggestions could have been seen
)

// blindKey separates the draw of blind notes from the drawn order.
const blindKey = 0xb11d

// drawnBlind reports whether a document is to be annotated without suggestions. The
// caller holds ws.mu.
func (ws *Workspace) drawnBlind(doc annotate.DocumentID) bool {
	const all = 1 << 64
	return float64(mix(mix(ws.info.Draw, blindKey), uint64(doc)))/all < ws.settings.Blind
}

// blind reports whether nobody may now see a suggestion in a document. The caller holds
// ws.mu.
func (ws *Workspace) blind(doc annotate.DocumentID, r *row) bool {
	return r.state != stateDone && helpNames[r.help] == HelpNone && ws.drawnBlind(doc)
}

// isBlind is blind for callers without ws.mu.
func (ws *Workspace) isBlind(doc annotate.DocumentID) bool {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	r := ws.row(doc)
	return r != nil && ws.blind(doc, r)
}

// finishing is the new help of a note after a change of its state. Suggestions seen in a
// finished note are not recorded, so a reopened note is not blind, and is assisted only
// if it was before.
func (h Help) finishing(before, after annotate.State, blind bool) Help {
	switch {
	case before != annotate.Done && after == annotate.Done && h == HelpNone && blind:
		return HelpBlind
	case before == annotate.Done && after != annotate.Done && h != HelpShown:
		return HelpMixed
	}
	return h
}

// recordShown records that suggestions in a document are about to be shown. Only the
// first time, before the document is finished, matters.
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
		return putStatus(tx, doc, st)
	})
	if err != nil {
		return err
	}
	ws.mu.Lock()
	ws.put(doc, &st)
	ws.mu.Unlock()
	return nil
}

// HelpCounts counts the finished documents annotated without suggestions on purpose, and
// those whose annotators saw some.
func (ws *Workspace) HelpCounts() (blind, assisted int) {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.blindDone, ws.assistedDone
}
