// SPDX-License-Identifier: Apache-2.0

// Package backup makes backups of a store on a schedule.
//
//	s, err := backup.New(st, backup.Options{Folder: "/mnt/backup", Every: 24 * time.Hour, Keep: 14})
//	go s.Run(ctx)
//	s.Status()
//
// A [Schedule] writes a file, reads it back, puts it on record in the store, and then
// deletes the oldest files that are on record. It deletes no other file.
package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"hide/internal/hint"
	"hide/internal/outfile"
	"hide/internal/store"
)

const (
	retryAfter = 15 * time.Minute // after a failure
	lookEvery  = time.Minute      // at the clock: timers stand still while a computer sleeps
	leastEvery = time.Minute
	mostKept   = 10_000
)

// Options say where backups go, and how often.
type Options struct {
	Folder string        // outside of the data folder; must exist before the first backup
	Every  time.Duration // at least a minute
	Keep   int           // the newest files that stay; at least 1
	Log    io.Writer     // receives a line per backup and per failure; nil for none
}

// Schedule makes backups. Its methods may be called at the same time.
type Schedule struct {
	store *store.Store
	opts  Options

	mu     sync.Mutex // guards status
	status Status
}

// Made is a backup on record.
type Made struct {
	Name   string    `json:"name"`   // of the file
	Folder string    `json:"folder"` // where it was written
	At     time.Time `json:"at"`
	Bytes  int64     `json:"bytes"`
	Files  int       `json:"files"` // of releases in it
	Rows   uint64    `json:"rows"`  // of the audit trail in it
}

// Failure is a backup that failed.
type Failure struct {
	At   time.Time
	Why  string
	Next string // what to do
}

// Status is what people see of a schedule.
type Status struct {
	Folder  string
	Every   time.Duration
	Keep    int
	Last    *Made     // the newest; nil before the first
	Next    time.Time // when the next is due
	Failure *Failure  // since Last; nil if there is none
	Lost    int       // backups on record whose files were all gone, at the start or at a later backup: perhaps another disk is mounted there; 0 mostly
	Running bool
}

// New checks the options and finds out when the next backup is due. A folder that has had
// backups may be missing, such as a network disk after a power cut. That counts as a failed
// backup and does not keep the server from starting.
func New(st *store.Store, o Options) (*Schedule, error) {
	switch {
	case o.Every < leastEvery:
		return nil, fmt.Errorf("backups every %v: the shortest interval is %v", o.Every, leastEvery)
	case o.Keep < 1 || o.Keep > mostKept:
		return nil, fmt.Errorf("%d backups to keep: enter 1 to %d", o.Keep, mostKept)
	}
	folder, absent := CheckFolder(o.Folder, st.Dir())
	if absent != nil {
		var err error
		if folder, err = filepath.Abs(o.Folder); err != nil {
			return nil, err
		}
	}
	o.Folder = folder
	if o.Log == nil {
		o.Log = io.Discard
	}
	s := &Schedule{store: st, opts: o, status: Status{Folder: o.Folder, Every: o.Every, Keep: o.Keep}}
	made, err := s.onRecord()
	if err != nil {
		return nil, err
	}
	if absent != nil {
		if err := s.waitForFolder(made, absent); err != nil {
			return nil, err
		}
		return s, nil
	}
	s.sweep()
	s.status.Last = s.newest(made)
	s.warnIfLost(made)
	s.status.Next = s.due(time.Now())
	return s, nil
}

// waitForFolder shows an absent folder as a failed backup if it has had backups. Otherwise it
// returns why the folder is refused, because its name may be misspelt.
func (s *Schedule) waitForFolder(made []entry, why error) error {
	if _, missing := errors.AsType[*fs.PathError](why); len(made) == 0 || !missing {
		return why
	}
	s.status.Last = &made[len(made)-1].Made
	s.status.Next = time.Now().Round(0) // so that Run tries at once, and logs it
	s.status.Failure = failureOf(why)
	return nil
}

// newest is the newest of the backups on record whose file is there, nil if none is.
func (s *Schedule) newest(made []entry) (last *Made) {
	for _, m := range made {
		if _, err := os.Stat(filepath.Join(s.opts.Folder, filepath.Base(m.Name))); err == nil {
			last = &m.Made
		}
	}
	return last
}

// warnIfLost warns administrators until the next start if there are backups on record, and no
// file of theirs is in the folder: a disk that is not mounted leaves an empty folder, and
// backups would go to the disk of the data.
func (s *Schedule) warnIfLost(made []entry) {
	if _, err := os.Stat(s.opts.Folder); err != nil || len(made) == 0 || s.newest(made) != nil {
		return
	}
	s.change(func(st *Status) { st.Lost = len(made) })
	fmt.Fprintf(s.opts.Log, "hide: %s\n", s.Status().lost())
}

// CheckFolder is the full path of a folder for backups. A backup in the data folder would be
// lost with it.
func CheckFolder(folder, data string) (string, error) {
	full, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", hint.Add(fmt.Errorf("folder for backups: %w", err), "make the folder, or mount its disk")
	}
	if full, err = filepath.Abs(full); err != nil {
		return "", err
	}
	if at, err := os.Stat(full); err != nil || !at.IsDir() {
		return "", fmt.Errorf("folder for backups: %s is not a folder", full)
	}
	if data, err = filepath.EvalSymlinks(data); err == nil {
		data, err = filepath.Abs(data)
	}
	if err != nil {
		return "", err
	}
	if below, err := filepath.Rel(data, full); err == nil && filepath.IsLocal(below) {
		return "", hint.Add(fmt.Errorf("folder for backups: %s is in the data folder %s", full, data), "choose a folder on another disk: what destroys the data must not destroy the backups")
	}
	return full, nil
}

// due is when the next backup is due after the newest. If the clock was set back, it is not
// later than in one interval from now.
func (s *Schedule) due(now time.Time) time.Time {
	if s.status.Last == nil {
		return now
	}
	next, latest := s.status.Last.At.Add(s.opts.Every), now.Add(s.opts.Every)
	if next.After(latest) {
		return latest
	}
	return next
}

// Status says what was made, what failed, and when the next backup is due.
func (s *Schedule) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// Run makes backups when they are due, until ctx ends.
func (s *Schedule) Run(ctx context.Context) {
	for ctx.Err() == nil {
		now := time.Now().Round(0) // the clock of the wall
		next := s.Status().Next
		if latest := now.Add(max(s.opts.Every, retryAfter)); next.After(latest) { // the clock was set back
			next = latest
			s.change(func(st *Status) { st.Next = latest })
		}
		if !now.Before(next) {
			s.attempt(ctx)
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(next.Sub(now), lookEvery)):
		}
	}
}

func (s *Schedule) change(fn func(*Status)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn(&s.status)
}

// attempt makes one backup and notes how it went.
func (s *Schedule) attempt(ctx context.Context) {
	s.change(func(st *Status) { st.Running = true })
	made, err := s.make(ctx)
	now := time.Now().Round(0)
	if ctx.Err() != nil && err != nil {
		s.change(func(st *Status) { st.Running = false })
		return
	}
	if made != nil {
		s.change(func(st *Status) { st.Last, st.Failure = made, nil; st.Next = s.due(now) })
		fmt.Fprintf(s.opts.Log, "hide: backup %s written and verified: %d bytes; the next is due at %s\n",
			filepath.Join(s.opts.Folder, made.Name), made.Bytes, s.Status().Next.UTC().Format(time.RFC3339))
	}
	if err != nil {
		f := failureOf(err)
		s.change(func(st *Status) {
			st.Failure = f
			if made == nil {
				st.Next = now.Add(min(retryAfter, s.opts.Every))
			}
		})
		fmt.Fprintf(s.opts.Log, "hide: scheduled backup: %s\nhide: %s\n", f.Why, f.Next)
	}
	s.change(func(st *Status) { st.Running = false })
}

// make writes a backup, verifies what is on the disk, puts it on record and deletes the
// oldest. It returns the backup also if only the deleting failed.
func (s *Schedule) make(ctx context.Context) (*Made, error) {
	earlier, err := s.onRecord()
	if err != nil {
		return nil, err
	}
	if _, err := CheckFolder(s.opts.Folder, s.store.Dir()); err != nil {
		return nil, err
	}
	s.warnIfLost(earlier)
	now := time.Now().UTC().Round(0)
	name := s.free(now)
	path := filepath.Join(s.opts.Folder, name)
	size, err := outfile.Write(path, func(w io.Writer) error { return s.store.Backup(ctx, w) })
	if err != nil {
		return nil, err
	}
	info, err := s.verify(ctx, path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s was not written as it should be: %w", path, err), os.Remove(path))
	}
	made := Made{Name: name, Folder: s.opts.Folder, At: now, Bytes: size, Files: info.Files, Rows: info.Rows}
	if err := s.record(made); err != nil {
		return nil, errors.Join(fmt.Errorf("the backup cannot be put on record: %w", err), os.Remove(path))
	}
	return &made, s.prune()
}

// free is a name that no file has: the clock may have been set back.
func (s *Schedule) free(now time.Time) string {
	for ; ; now = now.Add(time.Second) {
		name := now.Format("hide-20060102-150405.backup")
		if _, err := os.Lstat(filepath.Join(s.opts.Folder, name)); err != nil {
			return name
		}
	}
}

func (s *Schedule) verify(ctx context.Context, path string) (store.BackupInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return store.BackupInfo{}, err
	}
	defer f.Close() // only read
	return s.store.VerifyBackup(ctx, f)
}

// bucket holds the record of the backups in the space of the system.
const bucket = "backups"

type entry struct {
	Made
	key []byte
}

func (s *Schedule) record(m Made) error {
	return s.store.Update(store.System, func(tx *store.Tx) error {
		n, err := tx.Next(bucket)
		if err != nil {
			return err
		}
		if err := store.PutJSON(tx, bucket, store.Key(n), m); err != nil {
			return err
		}
		return tx.Audit(store.Event{Actor: store.System, Action: "backup", Object: store.System,
			Detail: fmt.Sprintf("on schedule, %d bytes, %d audit rows", m.Bytes, m.Rows)})
	})
}

// onRecord lists the backups in this folder in the order in which they were written.
func (s *Schedule) onRecord() (all []entry, err error) {
	err = s.store.View(store.System, func(tx *store.Tx) error {
		return tx.Scan(bucket, nil, func(key, raw []byte) error {
			e := entry{key: key}
			if err := json.Unmarshal(raw, &e.Made); err != nil {
				return fmt.Errorf("decode the record of a backup: %w", err)
			}
			if e.Folder == s.opts.Folder {
				all = append(all, e)
			}
			return nil
		})
	})
	return all, err
}

// prune deletes the oldest backups on record, by the order in which they were written. The
// clock does not matter.
func (s *Schedule) prune() error {
	all, err := s.onRecord()
	if err != nil || len(all) <= s.opts.Keep {
		return err
	}
	old := all[:len(all)-s.opts.Keep]
	for _, e := range old {
		path := filepath.Join(s.opts.Folder, filepath.Base(e.Name))
		if at, err := os.Stat(path); err != nil || at.Size() != e.Bytes {
			continue // somebody has deleted or replaced it
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("an old backup cannot be deleted: %w", err)
		}
	}
	return s.store.Update(store.System, func(tx *store.Tx) error {
		for _, e := range old {
			if err := tx.Delete(bucket, e.key); err != nil {
				return err
			}
		}
		return tx.Audit(store.Event{Actor: store.System, Action: "delete backups", Object: store.System,
			Detail: fmt.Sprintf("%d older than the newest %d", len(old), s.opts.Keep)})
	})
}

// sweep removes what killed processes were writing. What changed within the last hour may
// still be being written by another server.
func (s *Schedule) sweep() {
	left, _ := filepath.Glob(filepath.Join(s.opts.Folder, outfile.Unfinished("hide-*.backup")+"*"))
	for _, path := range left {
		if at, err := os.Stat(path); err == nil && time.Since(at.ModTime()) > time.Hour {
			os.Remove(path)
		}
	}
}
