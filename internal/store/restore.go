// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"hide/internal/outfile"
)

// The names of folders that are removed at the end, unless the process is killed.
const (
	restoreTemp = ".restore-"
	drillTemp   = "hide-drill-"
)

// Leftovers are files and folders beside a data folder that [Restore] or [Drill] has left
// because it was killed, or uses at this moment. Files of releases in them are not encrypted.
func Leftovers(dir string) (paths []string) {
	dir = filepath.Clean(dir)
	for _, pattern := range []string{dir + restoreTemp, filepath.Join(filepath.Dir(dir), drillTemp)} {
		left, _ := filepath.Glob(pattern + "*")
		paths = append(paths, left...)
	}
	return paths
}

// askOnce keeps the passphrase: a backup and the data file in it need the same.
func (o *Options) askOnce() {
	if o.Passphrase != nil {
		o.Passphrase = sync.OnceValues(o.Passphrase)
	}
}

// Restore makes the store in opts.Dir, which must not exist or be empty, from a backup of
// any format, with the files in [FilesFolder] as far as the backup holds them.
// Everything in the backup is verified (every page, value and audit row) before the
// folder gets its name. The restore is recorded ([Store.Restored]) and audited, with the
// number of audit rows newer than the backup if the audit head next to the folder shows
// them.
func Restore(r io.Reader, opts Options) error {
	opts, err := opts.complete()
	if err != nil {
		return err
	}
	opts.Create = false
	opts.askOnce()
	if err := checkOwner(opts.Dir); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := vacant(opts.Dir); err != nil {
		return err
	}
	parent := filepath.Dir(opts.Dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return fmt.Errorf("restore: %w", plain(err))
	}
	temp, err := os.MkdirTemp(parent, filepath.Base(opts.Dir)+restoreTemp)
	if err != nil {
		return fmt.Errorf("restore: %w", plain(err))
	}
	defer os.RemoveAll(temp)
	inner := opts
	inner.Dir, inner.restoredTo = temp, opts.head()
	defer os.Remove(inner.head())
	if _, err := unpack(r, inner); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := verifyRestored(inner); err != nil {
		return err
	}
	return moveIn(inner, opts)
}

func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("restore: %s is not empty: move it away first: %w", dir, fs.ErrExist)
	}
	return nil
}

// unpack writes the contents of a complete backup into the folder of opts.
func unpack(r io.Reader, opts Options) (BackupInfo, error) {
	dir, err := os.OpenRoot(opts.Dir)
	if err != nil {
		return BackupInfo{}, plain(err)
	}
	defer dir.Close()
	info, err := readBackup(r, func(about *root) (*rootKeys, error) { return about.unlock(opts) }, intoFolder(dir))
	if err != nil {
		return info, plain(err)
	}
	return info, syncFolders(opts.Dir)
}

// syncFolders makes the names of everything below a folder durable.
func syncFolders(dir string) error {
	return filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return outfile.SyncFolder(at)
	})
}

func verifyRestored(opts Options) error {
	s, err := Open(opts)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	err = s.Check(context.Background(), nil)
	if err := errors.Join(err, s.Close()); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

// moveIn gives a restored folder its name, after its audit head.
func moveIn(from, to Options) error {
	err := os.Rename(from.head(), to.head())
	if err == nil {
		if err = os.Remove(to.Dir); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err == nil {
		err = os.Rename(from.Dir, to.Dir)
	}
	if err = errors.Join(err, outfile.SyncFolder(filepath.Dir(to.Dir))); err != nil {
		return fmt.Errorf("restore: %w", plain(err))
	}
	return nil
}

// restoreEvent describes what a restored store lacks, as far as the head of the previous
// store shows.
func (s *Store) restoreEvent(rows uint64) (Event, error) {
	ev := Event{Actor: System, Action: "store.restore", Detail: fmt.Sprintf("backup of %d audit rows", rows)}
	old, ok, err := readHead(s.opts.restoredTo, &s.keys.head)
	if err != nil {
		return ev, fmt.Errorf("audit head: %w", plain(err))
	}
	if ok && old.seq > rows {
		ev.Detail += fmt.Sprintf("; %d newer rows, %d to %d, are not in it", old.seq-rows, rows+1, old.seq)
	}
	return ev, nil
}
