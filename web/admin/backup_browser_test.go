// SPDX-License-Identifier: Apache-2.0

package admin_test

import (
	"strings"
	"testing"
	"time"

	"hide/internal/backup"
	"hide/internal/browsertest"
	"hide/web"
	"hide/web/admin"
	"hide/web/home"
	"hide/web/signin"
	"hide/web/webtest"
)

// schedule is a schedule in a given state.
type schedule struct{ status backup.Status }

func (s *schedule) Status() backup.Status { return s.status }

// TestAnAdministratorSeesHowBackupsGo: none, one that is well, and a disk that is full.
func TestAnAdministratorSeesHowBackupsGo(t *testing.T) {
	made := time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)
	s := &schedule{backup.Status{Folder: "/mnt/backup/hide", Every: 24 * time.Hour, Keep: 14, Next: time.Now()}}
	p := busyProject()
	h := webtest.OpenHouse(t, p, func(h *webtest.House) []web.Feature {
		return []web.Feature{
			home.New(p, nil).Warn(func() string { return s.status.Warning(h.Clock.Now()) }),
			signin.New(signin.Config{Accounts: h.Accounts}),
			admin.New(admin.Config{Accounts: h.Accounts, Projects: p, Origin: h.Base, Now: h.Clock.Now, Backups: s}),
		}
	})
	b := browsertest.Start(t)
	s.status.Next = h.Clock.Now().Add(time.Hour)
	h.SignIn(t, b)
	see := func(name, text string) {
		t.Helper()
		b.Open(h.Base + "/backup")
		b.WaitText("#scheduled", text)
		b.Axe()
		b.Shots(name)
	}
	see("backup-first", "none yet")
	s.status.Last = &backup.Made{Name: "hide-20261120-020000.backup", At: made, Bytes: 12_345_678, Files: 4}
	see("backup-well", "12.3 MB, read back and verified")
	s.status.Failure = &backup.Failure{At: made.Add(24 * time.Hour), Why: "backup: not saved, the disk is full: write /mnt/backup/hide/.hide-20261121-020000.backup.part-77: no space left on device", Next: "make space on the disk that is named, or keep fewer backups; older backups are untouched"}
	see("backup-failed", "every 24 hours")
	b.WaitText("main", "The last backup failed")
	b.Open(h.Base + "/")
	b.WaitText("main", "make space on the disk")
	b.Shots("projects-backup-failed")
	s.status.Failure = nil
	s.status.Next = h.Clock.Now().Add(-2 * time.Hour)
	if got := s.status.Warning(h.Clock.Now()); !strings.Contains(got, "late") {
		t.Errorf("got %q", got)
	}
}
