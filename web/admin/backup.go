// SPDX-License-Identifier: Apache-2.0

package admin

import (
	"io"
	"strconv"
	"time"

	"hide/internal/backup"
	"hide/internal/words"
	"hide/web/ui"
)

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
