// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"
)

// failureOf is a failure of now.
func failureOf(err error) *Failure {
	return &Failure{At: time.Now().Round(0), Why: strings.ReplaceAll(err.Error(), "\n", "; "), Next: advice(err)}
}

// advice is what to do after a failure.
func advice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "make space on the disk that is named, or keep fewer backups; older backups are untouched"
	case errors.Is(err, fs.ErrPermission):
		return "let the user that hide runs as write to the folder"
	case errors.Is(err, fs.ErrNotExist):
		return "make the folder, or mount its disk"
	case errors.Is(err, syscall.EROFS):
		return "the disk is mounted to be read only: mount it to be written"
	}
	return "hide tries again; if it fails again, write backups to another disk"
}

// lost is what to do when all earlier backups are gone.
func (s Status) lost() string {
	return fmt.Sprintf("None of the %d backups on record was in %s: see whether the right disk is mounted there, then restart hide.", s.Lost, s.Folder)
}

// Warning says what an administrator has to know: that the last try failed, that earlier
// backups are gone, or that a backup is late. "" for nothing.
func (s Status) Warning(now time.Time) string {
	last := "There is no backup yet."
	if s.Last != nil {
		last = "The newest backup is of " + s.Last.At.UTC().Format("2 January 2006, 15:04 UTC") + "."
	}
	if s.Failure != nil {
		return fmt.Sprintf("The last backup failed. %s Reason: %s. What to do: %s.", last, strings.TrimPrefix(s.Failure.Why, "backup: "), s.Failure.Next)
	}
	if s.Lost > 0 {
		return s.lost()
	}
	if !s.Running && now.Sub(s.Next) > retryAfter {
		return "A backup is late. " + last
	}
	return ""
}
