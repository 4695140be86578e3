// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"context"

	"hide/internal/annotate"
)

// shownIn is what a person is shown in a document, and what the list of notes counts.
func (ws *Workspace) shownIn(doc annotate.DocumentID, d annotate.Document, l *annotate.Layer) []annotate.Suggestion {
	if ws.isBlind(doc) {
		return nil
	}
	return l.Open(ws.offered(doc, d))
}

// suggester is everything but the document that suggestions depend on.
type suggester struct {
	tagger int // see modelState
	shown  bool
	byRule bool
	level  float64
	rules  string
	labels int
}

// suggester is who suggests now. The caller holds ws.mu.
func (ws *Workspace) suggester() suggester {
	return suggester{ws.model.tagger, ws.model.info.Shown, ws.settings.Rules, ws.settings.MinRecall, ws.rules.Revisions, len(ws.info.Labels)}
}

// openCount is how many suggestions are open in a document at a revision.
type openCount struct {
	by       suggester
	revision int
	open     int
}

// countedAtOnce is in how many documents a brief list looks for suggestions: so many
// are tagged while somebody waits.
const countedAtOnce = 4

// countOpen fills in how many suggestions are open in each document of a list. What
// was counted once is remembered until the document or who suggests changes. A brief
// list leaves out finished documents, and counts in the first few of the others; the
// rest are counted in the background, and the list is said to have changed when they
// are.
func (s *Service) countOpen(ctx context.Context, ws *Workspace, items []QueueItem, brief bool) error {
	most := len(items)
	if brief {
		most = countedAtOnce
	}
	var later []annotate.DocumentID
	for i := range items {
		item := &items[i]
		if brief && item.State == annotate.Done {
			continue
		}
		open, known := ws.openKnown(item.Document)
		if !known && most == 0 {
			item.Uncounted = true
			later = append(later, item.Document)
			continue
		}
		if !known {
			if err := ctx.Err(); err != nil {
				return err
			}
			most--
			var err error
			if open, err = s.openIn(ws, item.Document); err != nil {
				return err
			}
		}
		item.Suggestions = open
	}
	if len(later) > 0 {
		s.jobs.Submit("open/"+string(ws.ID), func(ctx context.Context) error { return s.countLater(ctx, ws, later) })
	}
	return nil
}

// countLater is the job that counts what a brief list left out. One document that
// cannot be counted keeps none of the others from it.
func (s *Service) countLater(ctx context.Context, ws *Workspace, docs []annotate.DocumentID) error {
	var failed error
	for _, doc := range docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, known := ws.openKnown(doc); known {
			continue
		}
		_, err := s.openIn(ws, doc)
		failed = cmp.Or(failed, err)
	}
	s.Tell(ws.ID, TopicQueue)
	return failed
}

// openKnown is what was counted in a document, when that still holds.
func (ws *Workspace) openKnown(doc annotate.DocumentID) (open int, known bool) {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	st := ws.docs[doc]
	if ws.blind(doc, st) {
		return 0, true
	}
	last, counted := ws.opened[doc]
	return last.open, counted && last.by == ws.suggester() && last.revision == st.Revision
}

// openIn counts in a document, and remembers it.
func (s *Service) openIn(ws *Workspace, doc annotate.DocumentID) (int, error) {
	ws.mu.RLock()
	by := ws.suggester()
	ws.mu.RUnlock()
	d, layer, err := ws.Fetch(doc)
	if err != nil {
		return 0, err
	}
	fresh := openCount{by, layer.Revision, len(ws.shownIn(doc, d, layer))}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.opened == nil || len(ws.opened) >= tagCacheLimit {
		ws.opened = map[annotate.DocumentID]openCount{}
	}
	if ws.suggester() == by {
		ws.opened[doc] = fresh
	}
	return fresh.open, nil
}
