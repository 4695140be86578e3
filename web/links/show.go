// SPDX-License-Identifier: Apache-2.0

package links

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/links"
	"hide/web/ui"
)

// frame is what all these pages show.
type frame struct {
	Project  project.Overview
	State    links.State
	Progress links.Progress
	Tab      string // the page
	Error    string // of a form
}

// view is the page of the queue, or of one pair.
type view struct {
	frame
	Pair     *links.Pair     // nil if no pair waits
	Waiting  int             // pairs, postponed pairs included
	Later    int             // postponed pairs
	Queue    bool            // the pair is of the queue
	Undone   bool            // the newest decision about the pair was just undone
	Undo     *links.Decision // the person's newest
	Conflict *conflict
}

// conflict is a decision that contradicts earlier ones.
type conflict struct {
	Same    bool
	Earlier []links.Decision
}

func (h *Handlers) loadFrame(c ui.Context, tab string) (f frame, err error) {
	ctx, u := c.Request().Context(), ui.User(c)
	f.Tab = tab
	if f.Project, err = ui.Project(c, h.projects); err != nil {
		return f, err
	}
	if f.Progress, err = h.projects.Linking(ctx, u, f.Project.ID); err != nil {
		return f, err
	}
	f.State, err = h.projects.LinkState(ctx, u, f.Project.ID)
	return f, err
}

func (f frame) page(title string) ui.Page {
	return ui.Page{
		Title: title + " · " + f.Project.Name, Project: &f.Project, Tab: "publish", Wide: true,
		Scripts: []string{"js/links.js"}, Live: []string{"links-state"},
	}
}

func (h *Handlers) show(c ui.Context) error {
	v, err := h.loadQueue(c, c.QueryParams())
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, v)
}

func answer(c ui.Context, status int, v view) error {
	p := v.page("One record per patient")
	if v.Pair != nil {
		p.Title = pairTitle(v.Pair.Pair) + " · " + v.Project.Name
		p.Query, p.Live = pairQuery(v.Pair.Pair), append(p.Live, "links-pair")
	}
	return ui.ShowPageStatus(c, status, p, page(v))
}

// loadQueue loads the first pair of the queue after the postponed pairs.
func (h *Handlers) loadQueue(c ui.Context, q url.Values) (v view, err error) {
	ctx, u := c.Request().Context(), ui.User(c)
	v.Queue, v.Later = true, number(q.Get("later"))
	if v.frame, err = h.loadFrame(c, "queue"); err != nil || !v.State.Linked {
		return v, err
	}
	queue, err := h.projects.LinkQueue(ctx, u, v.Project.ID, v.Later, 1)
	if err != nil {
		return v, err
	}
	v.Waiting = queue.Left
	if len(queue.Pairs) > 0 {
		v.Pair = &queue.Pairs[0]
	}
	return v, h.loadUndo(ctx, u, &v, q)
}

// loadUndo finds the newest decision of the person, which the page can undo: a decision with their
// name, or about the pair that the address names after a form.
func (h *Handlers) loadUndo(ctx context.Context, u account.User, v *view, q url.Values) error {
	all, err := h.projects.LinkDecisions(ctx, u, v.Project.ID)
	if err != nil {
		return err
	}
	did, named := readPair(q.Get("did"), "")
	mine := slices.IndexFunc(all, func(d links.Decision) bool { return d.By == u.Name || d.By == u.ID || named == nil && d.Pair == did })
	if mine >= 0 {
		v.Undo = &all[mine]
	}
	return nil
}

// showPair shows one pair, whether it waits or not.
func (h *Handlers) showPair(c ui.Context) error {
	v, err := h.loadPair(c, c.QueryParams())
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, v)
}

func (h *Handlers) loadPair(c ui.Context, q url.Values) (v view, err error) {
	pair, err := readPair(q.Get("a"), q.Get("b"))
	if err != nil {
		return v, err
	}
	if v.frame, err = h.loadFrame(c, ""); err != nil {
		return v, err
	}
	v.Queue, v.Later, v.Waiting = q.Get("from") == "queue", number(q.Get("later")), v.State.Figures.Review
	if v.Undone = q.Get("undone") != ""; v.Queue {
		v.Tab = "queue"
	}
	ctx, u := c.Request().Context(), ui.User(c)
	p, err := h.projects.LinkPair(ctx, u, v.Project.ID, pair)
	if err != nil {
		return v, err
	}
	v.Pair = &p
	return v, h.loadUndo(ctx, u, &v, q)
}

// start links the records, with the answer on the page.
func (h *Handlers) start(c ui.Context) error {
	err := h.projects.StartLinking(c.Request().Context(), ui.User(c), ui.ProjectID(c), links.Options{})
	if err == nil {
		return back(c, "")
	}
	said := ui.Refused(err)
	if said == nil {
		return err
	}
	v, err := h.loadQueue(c, nil)
	if err != nil {
		return err
	}
	v.Error = said.What + " " + said.Next
	return answer(c, http.StatusUnprocessableEntity, v)
}

func (h *Handlers) cancel(c ui.Context) error {
	if err := h.projects.CancelLinking(c.Request().Context(), ui.User(c), ui.ProjectID(c)); err != nil {
		return err
	}
	return back(c, "")
}

// back leads to the page of the queue, or to the page below it that more names.
func back(c ui.Context, more string) error {
	return ui.Back(c, string(ui.LinksURL(ui.ProjectID(c)))+more)
}

// statePart is the live part with the lead of each page. When a run has ended,
// static/js/links.js loads the page again.
func (h *Handlers) statePart() ui.LivePart {
	return ui.LivePart{
		Name: "links-state", Target: "#links-state", Needs: account.Sanitize,
		Topics: []project.Topic{project.TopicLinks}, Ignores: []string{"a", "b"},
		Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			p, err := h.projects.Linking(ctx, u, id)
			if err != nil {
				return nil, err
			}
			s, err := h.projects.LinkState(ctx, u, id)
			return state(id, s, p), err
		},
	}
}

// pairPart is the live part with the decision of anybody about the pair on the page. The
// pair itself stays: a key must not decide about another pair than the person saw.
func (h *Handlers) pairPart() ui.LivePart {
	return ui.LivePart{
		Name: "links-pair", Target: "#pair-news", Needs: account.Sanitize, Topics: []project.Topic{project.TopicLinks},
		Render: func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
			pair, err := readPair(q.Get("a"), q.Get("b"))
			if err != nil {
				return nil, err
			}
			p, err := h.projects.LinkPair(ctx, u, id, pair)
			if project.KindOf(err) == project.NotFound {
				return pairGone(id), nil
			}
			return pairNews(id, p), err
		},
	}
}

// readPair reads the numbers of two records, or of one text "12-15" and "".
func readPair(a, b string) (links.PairID, error) {
	if b == "" {
		a, b = cutPair(a)
	}
	x, errA := strconv.ParseUint(a, 10, 62)
	y, errB := strconv.ParseUint(b, 10, 62)
	if errA != nil || errB != nil {
		return links.PairID{}, ui.Refuse("The address names no pair of records.", "Open the pair from the queue or from a list.")
	}
	return links.PairID{A: x, B: y}, nil
}

// number is a whole number of an address, 0 for none.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return max(0, n)
}
