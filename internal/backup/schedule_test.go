// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"hide/internal/hint"
	"hide/internal/store"
)

// open makes a store. It is made outside of the tests' bubbles, because the codec of the
// store is shared.
func open(t *testing.T) *store.Store {
	t.Helper()
	st, err := store.Open(store.Options{Dir: filepath.Join(t.TempDir(), "data"), Create: true})
	if err != nil {
		t.Fatal(err)
	}
	put(t, st, strings.Repeat("a value that compresses ", 20))
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

func put(t *testing.T, st *store.Store, value string) {
	t.Helper()
	if err := st.Update(store.System, func(tx *store.Tx) error {
		return errors.Join(tx.Put("note", store.Key(1), []byte(value)), tx.Audit(store.Event{Actor: "u1", Action: "edit"}))
	}); err != nil {
		t.Fatal(err)
	}
}

func schedule(t *testing.T, st *store.Store, o Options) *Schedule {
	t.Helper()
	s, err := New(st, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run lets a schedule work for a time.
func run(t *testing.T, s *Schedule, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	s.Run(ctx)
	synctest.Wait()
}

func files(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestTheNewestBackupsStayAndNothingElseIsDeleted over a week, with files of other people
// in the folder, of which one looks like an old backup.
func TestTheNewestBackupsStayAndNothingElseIsDeleted(t *testing.T) {
	st, folder := open(t), t.TempDir()
	others := []string{"hide-19990101-000000.backup", "list.txt"}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("of somebody"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := schedule(t, st, Options{Folder: folder, Every: 24 * time.Hour, Keep: 3})
		run(t, s, 7*24*time.Hour+time.Hour)
		got := files(t, folder)
		want := []string{"hide-19990101-000000.backup", "hide-20000106-000000.backup", "hide-20000107-000000.backup", "hide-20000108-000000.backup", "list.txt"}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("got %q, want %q", got, want)
		}
		now := s.Status()
		if now.Last == nil || now.Last.Name != want[3] || now.Failure != nil || !now.Next.Equal(time.Date(2000, 1, 9, 0, 0, 0, 0, time.UTC)) || now.Warning(time.Now()) != "" {
			t.Errorf("got %+v", now)
		}
	})
	rows, err := st.AuditRows(0, 100, func(r store.AuditRow) bool { return r.Action == "backup" })
	if err != nil || len(rows) != 8 {
		t.Errorf("%d rows about backups, %v, want 8", len(rows), err)
	}
}

// TestARestartedServerWaitsForTheNextBackup: it is due one interval after the newest file,
// and at once if that file is gone or the time is over.
func TestARestartedServerWaitsForTheNextBackup(t *testing.T) {
	st, folder := open(t), t.TempDir()
	o := Options{Folder: folder, Every: 24 * time.Hour, Keep: 3}
	synctest.Test(t, func(t *testing.T) {
		run(t, schedule(t, st, o), time.Second)
		time.Sleep(10 * time.Hour)
		run(t, schedule(t, st, o), 13*time.Hour)
		if got := files(t, folder); len(got) != 1 {
			t.Errorf("a restart made a backup early: %q", got)
		}
		time.Sleep(48 * time.Hour)
		run(t, schedule(t, st, o), time.Second)
		if got := files(t, folder); len(got) != 2 {
			t.Errorf("a late backup was not made at once: %q", got)
		}
		for _, name := range files(t, folder) {
			if err := os.Remove(filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
		}
		lost := schedule(t, st, o)
		run(t, lost, time.Second)
		if got := files(t, folder); len(got) != 1 {
			t.Errorf("after the files were deleted: %q", got)
		}
		if w := lost.Status().Warning(time.Now()); !strings.Contains(w, "None of the 2 backups on record") || !strings.Contains(w, "mounted") {
			t.Errorf("after the files were deleted: warning %q", w)
		}
		if w := schedule(t, st, o).Status().Warning(time.Now()); w != "" {
			t.Errorf("after a restart: warning %q", w)
		}
	})
}

// TestAClockThatJumpsDelaysNoBackup: the newest file is of the year 2000, and the clock was
// ten years ahead when it was made, or is ten years ahead now.
func TestAClockThatJumpsDelaysNoBackup(t *testing.T) {
	st, folder := open(t), t.TempDir()
	o := Options{Folder: folder, Every: 24 * time.Hour, Keep: 3}
	s := schedule(t, st, o)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for at, want := range map[time.Time]time.Time{
		now.Add(-time.Hour):   now.Add(23 * time.Hour),
		now.AddDate(10, 0, 0): now.Add(24 * time.Hour),
	} {
		s.status.Last = &Made{At: at}
		if got := s.due(now); !got.Equal(want) {
			t.Errorf("newest of %v: due at %v, want %v", at, got, want)
		}
	}
	s.status.Last = &Made{At: now.AddDate(-10, 0, 0)}
	if got := s.due(now); got.After(now) {
		t.Errorf("after ten years: due at %v", got)
	}
	synctest.Test(t, func(t *testing.T) {
		s := schedule(t, st, o)
		s.status.Next = time.Now().AddDate(10, 0, 0) // what a clock that was set back leaves
		run(t, s, 25*time.Hour)
		if got := files(t, folder); len(got) != 1 {
			t.Errorf("got %q", got)
		}
	})
}

// TestAFailedBackupIsTriedAgainAndShown: the folder vanishes, as an unmounted disk does, and
// comes back. Earlier backups stay, and no partial file is left.
func TestAFailedBackupIsTriedAgainAndShown(t *testing.T) {
	st, folder := open(t), filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	away := folder + "-away"
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := schedule(t, st, Options{Folder: folder, Every: 24 * time.Hour, Keep: 3, Log: &log})
		run(t, s, time.Hour)
		if err := os.Rename(folder, away); err != nil {
			t.Fatal(err)
		}
		run(t, s, 24*time.Hour)
		now := s.Status()
		if now.Failure == nil || now.Last == nil || !strings.Contains(now.Warning(time.Now()), "mount its disk") || now.Next.After(time.Now().Add(retryAfter)) {
			t.Errorf("got %+v", now)
		}
		if !strings.Contains(log.String(), "scheduled backup: ") || strings.Contains(log.String(), "compresses") {
			t.Errorf("log: %s", log.String())
		}
		if err := os.Rename(away, folder); err != nil {
			t.Fatal(err)
		}
		run(t, s, time.Hour)
		if now := s.Status(); now.Failure != nil || now.Warning(time.Now()) != "" || len(files(t, folder)) != 2 {
			t.Errorf("got %+v, %q", now, files(t, folder))
		}
	})
}

// TestAServerStartsWithoutTheDiskOfItsBackups and backs up once the disk is mounted.
func TestAServerStartsWithoutTheDiskOfItsBackups(t *testing.T) {
	st, folder := open(t), filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	away := folder + "-away"
	o := Options{Folder: folder, Every: 24 * time.Hour, Keep: 3}
	synctest.Test(t, func(t *testing.T) {
		run(t, schedule(t, st, o), time.Second)
		if err := os.Rename(folder, away); err != nil {
			t.Fatal(err)
		}
		s := schedule(t, st, o)
		warns := func(when string) {
			t.Helper()
			if w := s.Status().Warning(time.Now()); !strings.Contains(w, "The newest backup is of") || !strings.Contains(w, "mount its disk") {
				t.Errorf("%s: warning %q", when, w)
			}
		}
		warns("at the start")
		run(t, s, time.Minute)
		warns("after a try")
		if err := os.Rename(away, folder); err != nil {
			t.Fatal(err)
		}
		run(t, s, retryAfter+time.Second)
		if w := s.Status().Warning(time.Now()); w != "" || len(files(t, folder)) != 2 {
			t.Errorf("with its disk: warning %q, %q", w, files(t, folder))
		}
		if err := errors.Join(os.Rename(folder, away), os.WriteFile(folder, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := New(st, o); err == nil || !strings.Contains(err.Error(), "is not a folder") {
			t.Errorf("a file in its place: %v", err)
		}
	})
}

// TestABackupThatWasStoppedLeavesNothing when the server ends meanwhile.
func TestABackupThatWasStoppedLeavesNothing(t *testing.T) {
	st, folder := open(t), t.TempDir()
	s := schedule(t, st, Options{Folder: folder, Every: time.Hour, Keep: 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if made, err := s.make(ctx); made != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v", made, err)
	}
	if got := files(t, folder); len(got) != 0 {
		t.Errorf("left %q", got)
	}
}

func TestOptionsAreRefusedInWords(t *testing.T) {
	st, folder := open(t), t.TempDir()
	inside, link := filepath.Join(st.Dir(), "backups"), filepath.Join(folder, "link")
	if err := errors.Join(os.Mkdir(inside, 0o700), os.Symlink(inside, link)); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		"is in the data folder":    {Folder: inside, Every: time.Hour, Keep: 1},
		"in the data folder":       {Folder: link, Every: time.Hour, Keep: 1},
		"the data folder":          {Folder: st.Dir(), Every: time.Hour, Keep: 1},
		"folder for backups":       {Folder: filepath.Join(folder, "absent"), Every: time.Hour, Keep: 1},
		"the shortest interval is": {Folder: folder, Every: time.Second, Keep: 1},
		"enter 1 to":               {Folder: folder, Every: time.Hour},
	} {
		if _, err := New(st, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	_, err := New(st, Options{Folder: inside, Every: time.Hour, Keep: 1})
	if !strings.Contains(hint.Of(err), "another disk") {
		t.Errorf("hint: %q", hint.Of(err))
	}
}

func TestAdviceFitsTheFailure(t *testing.T) {
	for err, want := range map[error]string{syscall.ENOSPC: "make space", syscall.EACCES: "let the user", syscall.ENOENT: "mount its disk", syscall.EROFS: "read only", errors.New("x"): "tries again"} {
		if got := advice(&os.PathError{Op: "write", Path: "x", Err: err}); !strings.Contains(got, want) {
			t.Errorf("%v: got %q", err, got)
		}
	}
}

// TestADamagedFileIsNotCounted: what cannot be read back is no backup.
func TestADamagedFileIsNotCounted(t *testing.T) {
	st, folder := open(t), t.TempDir()
	s := schedule(t, st, Options{Folder: folder, Every: time.Hour, Keep: 1})
	path := filepath.Join(folder, "x.backup")
	if err := os.WriteFile(path, []byte("age-encryption.org/v1\nnothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.verify(t.Context(), path); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v", err)
	}
}
