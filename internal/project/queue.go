// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/bootstrap"
)

// Limits of a queue page.
const (
	queuePage    = 50
	queuePageMax = 500
)

// Queue lists documents in order of import.
func (s *Service) Queue(ctx context.Context, by account.User, id ID, f QueueFilter) (QueuePage, error) {
	ws, err := s.Enter(by, account.ReadNotes, id)
	if err != nil {
		return QueuePage{}, err
	}
	if f.Limit <= 0 {
		f.Limit = queuePage
	}
	f.Limit = min(f.Limit, queuePageMax)
	f.Query = strings.ToLower(f.Query)
	page := ws.list(f)
	return page, s.countSuggestions(ctx, ws, page.Items, f.Brief)
}

// list is a page of the queue without its counts of suggestions.
func (ws *Workspace) list(f QueueFilter) QueuePage {
	looks := ws.model.Looks()
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	var page QueuePage
	for _, doc := range ws.order {
		st := ws.docs[doc]
		page.count(st.State)
		if f.State != "" && st.State != f.State || !strings.Contains(strings.ToLower(st.Name), f.Query) {
			continue
		}
		if page.Matching >= f.Offset && len(page.Items) < f.Limit {
			page.Items = append(page.Items, newItem(doc, st, looks[doc].Doubt))
		}
		page.Matching++
	}
	return page
}

func (p *QueuePage) count(state annotate.State) {
	p.Total++
	switch state {
	case annotate.Done:
		p.Done++
	case annotate.InProgress:
		p.InProgress++
	default:
		p.New++
	}
}

func newItem(doc annotate.DocumentID, st *Status, doubt float64) QueueItem {
	return QueueItem{
		Document: doc, Name: st.Name, State: st.State, Annotations: st.Annotations,
		Uncertainty: doubt, Length: st.Tokens,
	}
}

// Next returns the document to annotate next, other than after, and the reason. It
// changes nothing: only opening the document reserves it. The error has kind NotFound if
// there is none.
func (s *Service) Next(ctx context.Context, by account.User, id ID, after annotate.DocumentID) (Choice, error) {
	ws, err := s.Enter(by, account.Annotate, id)
	if err != nil {
		return Choice{}, err
	}
	looks := ws.model.Looks()
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	choice, err := ws.choose(by.ID, after, looks)
	if st := ws.docs[choice.Document]; st != nil {
		choice.Name = st.Name
	}
	return choice, err
}

// choose needs ws.mu.
func (ws *Workspace) choose(user string, after annotate.DocumentID, looks map[annotate.DocumentID]bootstrap.Look) (Choice, error) {
	begun, open, left, done := ws.openTo(user, after)
	switch {
	case left == 0:
		return Choice{}, &Error{Kind: NotFound, Message: "all notes are finished", Hint: "sanitize next, or import more notes"}
	case len(begun)+len(open) == 0:
		return Choice{}, &Error{Kind: NotFound, Message: "other people have the remaining notes open", Hint: "choose one from the list, or come back later"}
	case len(begun) > 0:
		return Choice{Document: begun[0], Reason: "somebody has begun it and not finished it"}, nil
	case len(looks) == 0 || bootstrap.Random(done):
		return ws.drawnNext(open), nil
	}
	return ws.mostUseful(user, open, looks), nil
}

// drawnNext is the first open document in the drawn order.
func (ws *Workspace) drawnNext(open []annotate.DocumentID) Choice {
	among := make(map[annotate.DocumentID]bool, len(open))
	for _, doc := range open {
		among[doc] = true
	}
	for _, doc := range ws.drawn {
		if among[doc] {
			return Choice{Document: doc, Reason: "drawn at random, so that estimates are unbiased", Random: true}
		}
	}
	return Choice{Document: open[0], Reason: "it is the first remaining note"}
}

// hand is a document that a person has open.
type hand struct {
	doc annotate.DocumentID
	at  time.Time // when they opened it
}

// handLasts is how long an opened document is reserved for one person.
const handLasts = 30 * time.Minute

// hold records that a person has opened a document.
func (ws *Workspace) hold(user string, doc annotate.DocumentID, now time.Time) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for u, h := range ws.hands {
		if !within(handLasts, h.at, now) {
			delete(ws.hands, u)
		}
	}
	ws.hands[user] = hand{doc, now}
}

// heldBy lists the documents that people other than user have open. The caller holds
// ws.mu.
func (ws *Workspace) heldBy(user string) map[annotate.DocumentID]bool {
	held := map[annotate.DocumentID]bool{}
	for u, h := range ws.hands {
		if u != user {
			held[h.doc] = true
		}
	}
	return held
}

// openTo lists the unfinished documents that nobody else has open, in order of import:
// those already begun, and the others. left counts all unfinished documents, done the
// finished ones.
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

// mostUseful is the document with the highest uncertainty of the model, among those that
// it has scored.
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
		return ws.drawnNext(open) // the model has scored none of them yet
	}
	return Choice{Document: docs[best], Reason: fmt.Sprintf("the model is unsure of about %.1f words in 100 here", looks[best].Doubt)}
}

// since is the uncertainty that documents had which were finished after the model scored
// them, or which other people have open. The caller holds ws.mu.
func (ws *Workspace) since(user string, looks map[annotate.DocumentID]bootstrap.Look) []bootstrap.Look {
	held := ws.heldBy(user)
	var since []bootstrap.Look
	for doc, l := range looks {
		if st := ws.docs[doc]; st != nil && (st.State == annotate.Done || held[doc]) {
			since = append(since, l)
		}
	}
	return since
}
