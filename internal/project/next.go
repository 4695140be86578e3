// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"fmt"
	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"time"
)

// Next says which document to annotate next, other than after, and why. It
// changes nothing: opening the document is what keeps it from others. Its kind
// is NotFound when there is none.
func (s *Service) Next(ctx context.Context, by account.User, id ID, after annotate.DocumentID) (Choice, error) {
	ws, err := s.Enter(by, account.Annotate, id)
	if err != nil {
		return Choice{}, err
	}
	looks := ws.model.Looks()
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.choose(by.ID, after, looks)
}

// choose needs ws.mu.
func (ws *Workspace) choose(user string, after annotate.DocumentID, looks map[annotate.DocumentID]bootstrap.Look) (Choice, error) {
	begun, open, left, done := ws.openTo(user, after)
	switch {
	case left == 0:
		return Choice{}, &Error{Kind: NotFound, Message: "every note is done", Hint: "sanitize next, or import more notes"}
	case len(begun)+len(open) == 0:
		return Choice{}, &Error{Kind: NotFound, Message: "the notes that are left are open at somebody else's", Hint: "choose one from the list, or come back later"}
	case len(begun) > 0:
		return Choice{Document: begun[0], Reason: "it was begun and is not done"}, nil
	case len(looks) == 0 || bootstrap.Random(done):
		return ws.drawnNext(open), nil
	}
	return ws.mostUseful(user, open, looks), nil
}

// drawnNext is the first of the open documents in the drawn order.
func (ws *Workspace) drawnNext(open []annotate.DocumentID) Choice {
	among := make(map[annotate.DocumentID]bool, len(open))
	for _, doc := range open {
		among[doc] = true
	}
	for _, doc := range ws.drawn {
		if among[doc] {
			return Choice{Document: doc, Reason: "drawn at random, so that the estimates stay honest", Random: true}
		}
	}
	return Choice{Document: open[0], Reason: "it is the first that is left"}
}

// hand is a document that a person has open.
type hand struct {
	doc annotate.DocumentID
	at  time.Time // when they opened it
}

// handLasts is how long an opened document is kept from others' next choice.
const handLasts = 30 * time.Minute

// hold remembers that a person has opened a document.
func (ws *Workspace) hold(user string, doc annotate.DocumentID, now time.Time) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for u, h := range ws.hands {
		if now.Sub(h.at) > handLasts {
			delete(ws.hands, u)
		}
	}
	ws.hands[user] = hand{doc, now}
}

// heldBy is the documents in the hands of people other than user. The caller
// holds ws.mu.
func (ws *Workspace) heldBy(user string) map[annotate.DocumentID]bool {
	held := map[annotate.DocumentID]bool{}
	for u, h := range ws.hands {
		if u != user {
			held[h.doc] = true
		}
	}
	return held
}

// openTo lists the documents that are not done and not in another person's
// hands, in order of import: those that somebody has begun to edit, and the
// others. left counts all that are not done, done the others.
func (ws *Workspace) openTo(user string, after annotate.DocumentID) (begun, open []annotate.DocumentID, left, done int) {
	held := ws.heldBy(user)
	for _, doc := range ws.order {
		st := ws.docs[doc]
		if st.State == annotate.Done {
			done++
			continue
		}
		left++
		switch {
		case held[doc] || doc == after:
		case st.State == annotate.InProgress && st.Revision > 0:
			begun = append(begun, doc)
		default:
			open = append(open, doc)
		}
	}
	return begun, open, left, done
}

// mostUseful is the document from which the model learns most, among those that
// it has looked at.
func (ws *Workspace) mostUseful(user string, open []annotate.DocumentID, all map[annotate.DocumentID]bootstrap.Look) Choice {
	var docs []annotate.DocumentID
	var looks []bootstrap.Look
	for _, doc := range open {
		if l, seen := all[doc]; seen {
			docs, looks = append(docs, doc), append(looks, l)
		}
	}
	best := bootstrap.MostUseful(looks, ws.since(user, all))
	if best < 0 {
		return ws.drawnNext(open) // the model has not read any of them yet
	}
	return Choice{Document: docs[best], Reason: fmt.Sprintf("the model is unsure of about %.1f words in 100 here", looks[best].Doubt)}
}

// since is what the model made of documents that have been finished after it looked
// at them, or that other people have in hand. The caller holds ws.mu.
func (ws *Workspace) since(user string, looks map[annotate.DocumentID]bootstrap.Look) []bootstrap.Look {
	held := ws.heldBy(user)
	var since []bootstrap.Look
	for doc, l := range looks {
		if ws.docs[doc].State == annotate.Done || held[doc] {
			since = append(since, l)
		}
	}
	return since
}
