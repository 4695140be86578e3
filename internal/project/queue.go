// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"strings"

	"hide/internal/account"
	"hide/internal/annotate"
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
