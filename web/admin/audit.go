// SPDX-License-Identifier: Apache-2.0

package admin

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"hide/internal/project"
	"hide/internal/project/trail"
	"hide/web/ui"
)

const auditRows = 50 // per page

// auditQuery is what the address of the page asks for, as it was typed.
type auditQuery struct {
	Project, Person, Action, Object, From, To string
}

// filter reads the fields. which names a field that is wrong.
func (q auditQuery) filter(person func(string) string) (f trail.Filter, which string, err error) {
	f = trail.Filter{Project: project.ID(q.Project), Person: person(q.Person), Action: q.Action, Object: q.Object}
	if f.Since, err = trail.ParseTime(q.From, false); err != nil {
		return f, "from", err
	}
	if f.Until, err = trail.ParseTime(q.To, true); err != nil {
		return f, "to", err
	}
	return f, "", nil
}

// narrowed reports whether the filter leaves rows out.
func (q auditQuery) narrowed() bool { return q != auditQuery{} }

// url is the address of the page with these fields, from the row before on.
func (q auditQuery) url(before uint64) string {
	v := url.Values{}
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	set("project", q.Project)
	set("person", q.Person)
	set("action", q.Action)
	set("object", q.Object)
	set("from", q.From)
	set("to", q.To)
	if before != 0 {
		v.Set("before", strconv.FormatUint(before, 10))
	}
	if len(v) == 0 {
		return "/audit"
	}
	return "/audit?" + v.Encode()
}

func readAuditQuery(value func(string) string) auditQuery {
	field := func(name string) string { return strings.TrimSpace(value(name)) }
	return auditQuery{field("project"), field("person"), field("action"), field("object"), field("from"), field("to")}
}

// auditView is one page of the trail, newest first.
type auditView struct {
	auditQuery
	Problem, Which string // of a field
	Page           trail.Page
	Projects       []project.Overview
	First          bool   // the newest rows are among these
	Copies         string // how the copies elsewhere are doing; "" without any
}

// older is the address of the page after this one, "" at the end.
func (v auditView) older() string {
	if v.Page.Next == 0 {
		return ""
	}
	return v.url(v.Page.Next)
}

// copiesWords says in a line how the copies of the trail are doing.
func (h *Handlers) copiesWords() string {
	if h.copies == nil {
		return ""
	}
	var all []string
	for _, s := range h.copies.Status() {
		all = append(all, s.Name+" — "+s.Words(h.now()))
	}
	return strings.Join(all, "; ")
}

// audit lists the trail, a page at a time. The query has the filter and the place; neither is
// a secret.
func (h *Handlers) audit(c ui.Context) error {
	ctx, by := c.Request().Context(), ui.User(c)
	before, err := auditPlace(c.QueryParam("before"))
	if err != nil {
		return err
	}
	v := auditView{auditQuery: readAuditQuery(c.QueryParam), First: before == 0, Copies: h.copiesWords()}
	if v.Projects, err = h.projects.TrailProjects(ctx, by); err != nil {
		return err
	}
	status := http.StatusOK
	f, which, wrong := v.filter(h.projects.PersonID)
	if wrong != nil {
		v.Problem, v.Which, status = ui.Sentence(project.ErrorWords(wrong)), which, http.StatusUnprocessableEntity
	}
	if wrong == nil {
		if v.Page, err = h.projects.Trail(ctx, by, f, before, auditRows); err != nil {
			return err
		}
	}
	return ui.ShowPageStatus(c, status, ui.Page{Title: "Audit trail"}, auditPage(v))
}

func auditPlace(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, &project.Error{Kind: project.Invalid, Message: "the address names no row of the audit trail", Hint: "start from the newest rows"}
	}
	return n, nil
}

// exportAudit sends all rows that pass the filter. It is a POST, because it adds a row to the
// trail.
func (h *Handlers) exportAudit(c ui.Context) error {
	format, kind := "csv", "text/csv; charset=utf-8"
	if c.FormValue("format") == "jsonl" {
		format, kind = "jsonl", "application/x-ndjson"
	}
	f, _, err := readAuditQuery(c.FormValue).filter(h.projects.PersonID)
	if err != nil {
		return err
	}
	name := "audit-" + h.now().UTC().Format(time.DateOnly) + "." + format
	return ui.Attach(c, kind, name, func(w io.Writer) error {
		return h.projects.WriteTrail(c.Request().Context(), ui.User(c), f, format, w)
	})
}
