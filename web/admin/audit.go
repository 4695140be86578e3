// SPDX-License-Identifier: Apache-2.0

package admin

import (
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"hide/internal/backup"
	"hide/internal/project"
	"hide/internal/words"
	"hide/web/ui"
)

const auditRows = 50 // per page

// auditView is one page of the trail, newest first.
type auditView struct {
	Rows     []project.AuditRow
	Project  project.ID // "" for everything
	Projects []project.Overview
	Older    string // URL of the page after this one, "" at the end
	First    bool   // the newest rows are among these
	Copies   string // how the copies elsewhere are doing; "" without any
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

// audit lists the trail, a page at a time. The query names the project and the place;
// neither is a secret.
func (h *Handlers) audit(c ui.Context) error {
	ctx, by := c.Request().Context(), ui.User(c)
	before, err := auditPlace(c.QueryParam("before"))
	if err != nil {
		return err
	}
	v := auditView{Project: project.ID(c.QueryParam("project")), First: before == 0, Copies: h.copiesWords()}
	if v.Projects, err = h.projects.TrailProjects(ctx, by); err != nil {
		return err
	}
	// One more row than the page shows tells whether there is another page.
	if v.Rows, err = h.projects.Audit(ctx, by, v.Project, before, auditRows+1); err != nil {
		return err
	}
	if len(v.Rows) > auditRows {
		v.Rows = v.Rows[:auditRows]
		v.Older = auditURL(v.Project, v.Rows[auditRows-1].Seq)
	}
	return ui.ShowPage(c, ui.Page{Title: "Audit trail"}, auditPage(v))
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

func auditURL(id project.ID, before uint64) string {
	q := url.Values{}
	if id != "" {
		q.Set("project", string(id))
	}
	if before != 0 {
		q.Set("before", strconv.FormatUint(before, 10))
	}
	if len(q) == 0 {
		return "/audit"
	}
	return "/audit?" + q.Encode()
}

// backupView is how backups on a schedule go.
type backupView struct {
	On bool
	backup.Status
	Warning string
}

func (h *Handlers) schedule() backupView {
	if h.backups == nil {
		return backupView{}
	}
	st := h.backups.Status()
	return backupView{On: true, Status: st, Warning: st.Warning(h.now())}
}

// everyWords is an interval in words: "every 24 hours".
func everyWords(d time.Duration) string {
	if d%time.Hour == 0 {
		return "every " + words.Count(int(d/time.Hour), "hour", "hours")
	}
	return "every " + words.Count(int(d.Round(time.Minute)/time.Minute), "minute", "minutes")
}

// sizeWords is a size in MB, so that one can see it grow.
func sizeWords(bytes int64) string {
	return strconv.FormatFloat(float64(bytes)/1e6, 'f', 1, 64) + " MB"
}

func (h *Handlers) backupForm(c ui.Context) error {
	return ui.ShowPage(c, ui.Page{Title: "Backup"}, backupPage(h.schedule()))
}

// backup sends the data file as it is now. It is a POST, because it adds a row to
// the audit trail, which following a link should not do.
func (h *Handlers) backup(c ui.Context) error {
	name := "hide-" + h.now().UTC().Format("2006-01-02-1504") + ".backup"
	return ui.Attach(c, "application/octet-stream", name, func(w io.Writer) error {
		return h.projects.Backup(c.Request().Context(), ui.User(c), w)
	})
}
