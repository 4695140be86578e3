// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"fmt"
	"slices"
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
	page := QueuePage{Total: ws.all.Len(), New: ws.states[stateNew].Len(), InProgress: ws.states[stateInProgress].Len(), Done: ws.finished()}
	if f.Around != 0 {
		f.Offset = ws.around(f.Around, f.Limit)
	}
	page.Offset = f.Offset
	var docs []annotate.DocumentID
	if f.Query == "" {
		docs, page.Matching = ws.set(f.State).Window(f.Offset, f.Limit), ws.set(f.State).Len()
	} else {
		docs, page.Matching = ws.find(f.State, f.Query, f.Offset, f.Limit)
	}
	for _, doc := range docs {
		st, _ := ws.get(doc)
		page.Items = append(page.Items, newItem(doc, &st, looks[doc].Doubt))
	}
	return page
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
	st, _ := ws.get(choice.Document)
	choice.Name = st.Name
	return choice, err
}

// choose costs O(log n), and O(scored documents) where the model decides. The caller holds
// ws.mu.
func (ws *Workspace) choose(user string, after annotate.DocumentID, looks map[annotate.DocumentID]bootstrap.Look) (Choice, error) {
	if ws.unfinished() == 0 {
		return Choice{}, &Error{Kind: NotFound, Message: "all notes are finished", Hint: "sanitize next, or import more notes"}
	}
	skip := ws.heldBy(user)
	skip[after] = true
	if begun := firstBut(&ws.begun, skip); begun != 0 {
		return Choice{Document: begun, Reason: "somebody has begun it and not finished it"}, nil
	}
	if firstBut(&ws.fresh, skip) == 0 {
		return Choice{}, &Error{Kind: NotFound, Message: "other people have the remaining notes open", Hint: "choose one from the list, or come back later"}
	}
	if len(looks) == 0 || bootstrap.Random(ws.finished()) {
		return ws.drawnNext(skip), nil
	}
	return ws.mostUseful(user, skip, looks), nil
}

// drawnNext is the first open document in the drawn order, other than those to skip.
func (ws *Workspace) drawnNext(skip map[annotate.DocumentID]bool) Choice {
	if doc := ws.drawn.first(skip); doc != 0 {
		return Choice{Document: doc, Reason: "drawn at random, so that estimates are unbiased", Random: true}
	}
	return Choice{Document: firstBut(&ws.fresh, skip), Reason: "it is the first remaining note"}
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

// heldBy lists the documents that are reserved for people other than user. The caller
// holds ws.mu.
func (ws *Workspace) heldBy(user string) map[annotate.DocumentID]bool {
	held, now := map[annotate.DocumentID]bool{}, ws.service.opts.Now()
	for u, h := range ws.hands {
		if u != user && within(handLasts, h.at, now) {
			held[h.doc] = true
		}
	}
	return held
}

// mostUseful is the document with the highest uncertainty of the model, among the open
// ones that it has scored, other than those to skip.
func (ws *Workspace) mostUseful(user string, skip map[annotate.DocumentID]bool, all map[annotate.DocumentID]bootstrap.Look) Choice {
	var docs []annotate.DocumentID
	for doc := range all {
		if !skip[doc] && ws.fresh.Has(doc) {
			docs = append(docs, doc)
		}
	}
	slices.Sort(docs) // of equals, the first imported
	looks := make([]bootstrap.Look, len(docs))
	for i, doc := range docs {
		looks[i] = all[doc]
	}
	best := bootstrap.MostUseful(looks, ws.since(user, all))
	if best < 0 {
		return ws.drawnNext(skip) // the model has scored none of them yet
	}
	return Choice{Document: docs[best], Reason: fmt.Sprintf("the model is unsure of about %.1f words in 100 here", looks[best].Doubt)}
}

// since is the uncertainty that documents had which were finished after the model scored
// them, or which other people have open. The caller holds ws.mu.
func (ws *Workspace) since(user string, looks map[annotate.DocumentID]bootstrap.Look) []bootstrap.Look {
	held := ws.heldBy(user)
	var since []bootstrap.Look
	for doc, l := range looks {
		if r := ws.row(doc); r != nil && (r.state == stateDone || held[doc]) {
			since = append(since, l)
		}
	}
	return since
}
