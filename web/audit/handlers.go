// SPDX-License-Identifier: Apache-2.0

// Package audit shows the audits that earlier versions of hide drew, with their results, and
// adds what people found in them to the notes. Reviews of candidates have taken their place.
package audit

import (
	"context"
	"slices"
	"strconv"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/web/ui"
)

// Projects is what these pages ask. Each method checks the permission of by first.
type Projects interface {
	ui.Projects
	AddAuditFindings(ctx context.Context, by account.User, id project.ID, number int, chosen []audit.LabelledFinding) (int, error)
	SampleAuditFindings(ctx context.Context, by account.User, id project.ID, number int) (audit.Findings, error)
	SampleAudits(ctx context.Context, by account.User, id project.ID) ([]audit.Audit, error)
}

// Handlers answers for these pages.
type Handlers struct {
	projects Projects
}

// New makes the handlers of these pages.
func New(projects Projects) *Handlers { return &Handlers{projects} }

// Routes lists the pages and forms.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/audits", account.SeeFigures, h.show),
		ui.Post("/p/:project/audits/:number/findings", account.Annotate, h.addFindings),
	}
}

// Parts is none: audits do not change any more.
func (h *Handlers) Parts() []ui.LivePart { return nil }

// view is the page of audits.
type view struct {
	Project  project.Overview
	Audits   []audit.Audit // newest first
	Shown    audit.Audit   // the one that the address names, or the newest
	Findings audit.Findings
	Notice   string
}

// show shows the audit that the query names, or the newest, and lists the others.
func (h *Handlers) show(c ui.Context) error {
	ctx, u := c.Request().Context(), ui.User(c)
	o, err := ui.Project(c, h.projects)
	if err != nil {
		return err
	}
	v := view{Project: o, Notice: addedWords(c.QueryParam("added"))}
	if v.Audits, err = h.projects.SampleAudits(ctx, u, o.ID); err != nil {
		return err
	}
	at, err := ui.NamedOrNewest("audit", c.QueryParam("audit"), v.Audits, func(a audit.Audit) int { return a.Number })
	if err != nil {
		return err
	}
	if len(v.Audits) > 0 {
		v.Shown = v.Audits[at]
		if u.Role.Can(account.ReadNotes) {
			if v.Findings, err = h.projects.SampleAuditFindings(ctx, u, o.ID, v.Shown.Number); err != nil {
				return err
			}
		}
	}
	return ui.ShowPage(c, ui.Page{Title: "Earlier audits · " + o.Name, Project: &v.Project, Tab: "publish"}, page(v))
}

// others lists the audits that are not shown, newest first.
func (v view) others() []audit.Audit {
	return slices.DeleteFunc(slices.Clone(v.Audits), func(a audit.Audit) bool { return a.Number == v.Shown.Number })
}

// resultWords is the result of an audit for the list.
func resultWords(a audit.Audit) string {
	if a.Result == nil {
		return strconv.Itoa(a.Read) + " of " + ui.Count(len(a.Notes), "note", "notes") + " read"
	}
	return ui.Count(a.Result.Found, "identifier", "identifiers") + " found in " + ui.Count(len(a.Notes), "note", "notes")
}
