// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"

	"hide/internal/annotate"
)

// shownIn is what a person is shown in a document, and what the list of notes counts.
func (ws *workspace) shownIn(doc annotate.DocumentID, d annotate.Document, l *annotate.Layer) []annotate.Suggestion {
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
func (ws *workspace) suggester() suggester {
	return suggester{ws.model.tagger, ws.model.info.Shown, ws.settings.Rules, ws.settings.MinRecall, ws.rules.Revisions, len(ws.info.Labels)}
}

// openCount is how many suggestions are open in a document at a revision.
type openCount struct {
	by       suggester
	revision int
	open     int
}

// countOpen fills in how many suggestions are open in each document of a list. What
// was counted once is remembered until the document or who suggests changes.
func (s *Service) countOpen(ctx context.Context, ws *workspace, items []QueueItem) error {
	for i := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		open, err := s.openIn(ws, items[i].Document)
		if err != nil {
			return err
		}
		items[i].Suggestions = open
	}
	return nil
}

func (s *Service) openIn(ws *workspace, doc annotate.DocumentID) (int, error) {
	ws.mu.RLock()
	st, by := ws.docs[doc], ws.suggester()
	blind, revision := ws.blind(doc, st), st.Revision
	known, counted := ws.opened[doc]
	ws.mu.RUnlock()
	if blind {
		return 0, nil
	}
	if counted && known.by == by && known.revision == revision {
		return known.open, nil
	}
	d, layer, err := s.fetch(ws.id, doc)
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
