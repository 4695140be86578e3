// SPDX-License-Identifier: Apache-2.0

package api

import (
	"net/http"
	"strconv"
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

// me is the person and the token of a request.
type me struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Role  string `json:"role"` // of the account; each project lists the role in it
	Token token  `json:"token"`
}

type token struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Scopes  []string  `json:"scopes"`
	Project string    `json:"project,omitempty"` // the only project that it opens
	Ends    time.Time `json:"ends"`
}

func (h *Handlers) me(c ui.Context) error {
	u, t := ui.User(c), tokenOf(c)
	out := me{ID: u.ID, Name: u.Name, Role: string(u.Role), Token: token{ID: t.ID, Name: t.Name, Scopes: []string{}, Project: t.Project, Ends: t.Ends.UTC()}}
	for _, s := range t.Scopes {
		out.Token.Scopes = append(out.Token.Scopes, string(s))
	}
	return c.JSON(http.StatusOK, out)
}

// projectSummary is a project with its counts.
type projectSummary struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Created     time.Time `json:"created"`
	Notes       int       `json:"notes"`
	Finished    int       `json:"finished"`
	InProgress  int       `json:"in_progress"`
	Spans       int       `json:"spans"`
	Releases    int       `json:"releases"`
	NeedsReview bool      `json:"needs_review"` // only candidates can be frozen: publishing needs an approval
}

func summarized(o project.Overview) projectSummary {
	return projectSummary{
		ID: string(o.ID), Name: o.Name, Created: o.Created.UTC(), Notes: o.Documents, Finished: o.Done, InProgress: o.InProgress,
		Spans: o.Annotations, Releases: o.Releases, NeedsReview: o.Rule.Needed(),
	}
}

// listProjects lists the projects of the person that the token opens.
func (h *Handlers) listProjects(c ui.Context) error {
	all, err := h.projects.Projects(c.Request().Context(), ui.User(c))
	if err != nil {
		return err
	}
	only, out := tokenOf(c).Project, []projectSummary{}
	for _, o := range all {
		if only == "" || only == string(o.ID) {
			out = append(out, summarized(o))
		}
	}
	return c.JSON(http.StatusOK, map[string]any{"projects": out})
}

func (h *Handlers) project(c ui.Context) error {
	o, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, summarized(o))
}

type label struct {
	Label   annotate.Label `json:"label"`
	Help    string         `json:"help"`
	Retired bool           `json:"retired"` // not offered for new spans
}

// labels lists the labels in the order of pages, retired ones included.
func (h *Handlers) labels(c ui.Context) error {
	o, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	retired := map[annotate.Label]bool{}
	for _, l := range o.Retired {
		retired[l] = true
	}
	out := []label{}
	for _, l := range o.Labels {
		out = append(out, label{l.Label, l.Help, retired[l.Label]})
	}
	return c.JSON(http.StatusOK, map[string]any{"labels": out})
}

// Sizes of pages of the audit trail.
const (
	usualRows = 100
	mostRows  = 1000
)

type auditRow struct {
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	Who    string    `json:"who"`
	Action string    `json:"action"`
	Object string    `json:"object"`
	Detail string    `json:"detail"`
}

// audit lists rows of the audit trail, newest first: of a project, or outside of one of all
// projects that the token opens.
func (h *Handlers) audit(c ui.Context) error {
	if err := checkQuery(c, "limit", "cursor"); err != nil {
		return err
	}
	limit, err := readLimit(c, usualRows, mostRows)
	if err != nil {
		return err
	}
	before, err := readCursor(c)
	if err != nil {
		return err
	}
	id := ui.ProjectID(c)
	if id == "" {
		id = project.ID(tokenOf(c).Project)
	}
	rows, err := h.projects.Audit(c.Request().Context(), ui.User(c), id, before, limit+1) // one more tells whether there is another page
	if err != nil {
		return err
	}
	next := ""
	if len(rows) > limit {
		rows = rows[:limit]
		next = strconv.FormatUint(rows[limit-1].Seq, 10)
	}
	out := []auditRow{}
	for _, r := range rows {
		out = append(out, auditRow{strconv.FormatUint(r.Seq, 10), r.At.UTC(), r.Who, r.Action, r.Object, r.Detail})
	}
	return c.JSON(http.StatusOK, page("rows", out, next))
}

// page is one page of a list. Without a next page there is no cursor.
func page(name string, entries any, next string) map[string]any {
	out := map[string]any{name: entries}
	if next != "" {
		out["next"] = next
	}
	return out
}
