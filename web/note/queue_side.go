// SPDX-License-Identifier: Apache-2.0

package note

import (
	"context"
	"net/url"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
)

// queueSideView is the queue beside a note: the notes around it, and the one that
// should come next.
type queueSideView struct {
	projectID project.ID
	project.QueuePage
	doc            annotate.DocumentID
	before, behind annotate.DocumentID // neighbours in the list, 0 for none
	next           *project.Choice
}

// queueAround is how many notes the list beside a note shows.
const queueAround = 40

// queueSide reads the part of the list that has the note in its first half.
func (h *Handlers) queueSide(ctx context.Context, u account.User, id project.ID, doc annotate.DocumentID) (queueSideView, error) {
	page, err := h.projects.Queue(ctx, u, id, project.QueueFilter{Around: doc, Limit: queueAround, Brief: true})
	if err != nil {
		return queueSideView{}, err
	}
	next, err := h.nextChoice(ctx, u, id, doc)
	if err != nil {
		return queueSideView{}, err
	}
	view := queueSideView{projectID: id, QueuePage: page, doc: doc, next: next}
	for i, item := range page.Items {
		if item.Document != doc {
			continue
		}
		if i > 0 {
			view.before = page.Items[i-1].Document
		}
		if i+1 < len(page.Items) {
			view.behind = page.Items[i+1].Document
		}
	}
	return view, nil
}

func (h *Handlers) renderQueueSide(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
	doc, err := parseDocument(q.Get("doc"))
	if err != nil {
		return nil, err
	}
	view, err := h.queueSide(ctx, u, id, doc)
	if err != nil {
		return nil, err
	}
	return queueList(view), nil
}

// navOf says which neighbour of the open note a document is, for the keys.
func (v queueSideView) navOf(doc annotate.DocumentID) string {
	switch {
	case doc == 0:
		return ""
	case doc == v.before:
		return "previous"
	case doc == v.behind:
		return "next"
	}
	return ""
}
