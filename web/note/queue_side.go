// SPDX-License-Identifier: Apache-2.0

package note

import (
	"context"
	"net/url"
	"strconv"

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
	doc  annotate.DocumentID // the open one; 0 in live frames, which all who see these rows share
	next nextView
}

// nextView is the note that should come next for one person.
type nextView struct {
	projectID project.ID
	choice    *project.Choice // nil for none
}

// queueAround is how many notes the list beside a note shows.
const queueAround = 40

// queueSide reads the part of the list around the note.
func (h *Handlers) queueSide(ctx context.Context, u account.User, id project.ID, doc annotate.DocumentID) (queueSideView, error) {
	page, err := h.projects.Queue(ctx, u, id, project.QueueFilter{Around: doc, Limit: queueAround, Brief: true})
	if err != nil {
		return queueSideView{}, err
	}
	next, err := h.nextChoice(ctx, u, id, doc)
	return queueSideView{projectID: id, QueuePage: page, doc: doc, next: nextView{id, next}}, err
}

// query is what the live parts of a note's page need to know.
func (v queueSideView) query() url.Values {
	return url.Values{"doc": {strconv.FormatUint(uint64(v.doc), 10)}, "from": {strconv.Itoa(v.Offset)}}
}

func (h *Handlers) renderQueueSide(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
	from, _ := strconv.Atoi(q.Get("from")) // none is 0
	page, err := h.projects.Queue(ctx, u, id, project.QueueFilter{Offset: max(0, from), Limit: queueAround, Brief: true})
	return queueList(queueSideView{projectID: id, QueuePage: page}), err
}

func (h *Handlers) renderNext(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
	doc, err := parseDocument(q.Get("doc"))
	if err != nil {
		return nil, err
	}
	next, err := h.nextChoice(ctx, u, id, doc)
	return queueNextNote(nextView{id, next}), err
}
