// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"hide/internal/outfile"

	"go.etcd.io/bbolt"
)

// The files of a store with data folder D: D/hide.db, D/hide.pid, D.head, and
// D.key unless a passphrase is used.
const (
	dataName = "hide.db"
	pidName  = "hide.pid"
)

// Exists reports whether the data folder dir holds a store. If that cannot be determined,
// it returns true: [Open] then reports why.
func Exists(dir string) bool {
	_, err := os.Stat(Options{Dir: dir}.data())
	return !errors.Is(err, fs.ErrNotExist)
}

// plain adds advice to errors with only one possible cause.
func plain(err error) error {
	if errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("the disk is read-only, and hide must be able to write its audit trail: %w", err)
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("not saved, the disk is full: %w", err)
	}
	return err
}

// createFile creates a file with all of its content or not at all. It never replaces a
// file: it returns fs.ErrExist if one exists.
func createFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+unfinished)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return publish(f.Name(), path)
}

// publish gives a finished file its name, unless a file with that name exists.
func publish(temp, path string) error {
	err := os.Link(temp, path)
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	if err != nil { // a file system without links
		if _, statErr := os.Lstat(path); statErr == nil {
			return fmt.Errorf("%s: %w", path, fs.ErrExist)
		}
		err = os.Rename(temp, path)
	}
	return errors.Join(err, outfile.SyncFolder(filepath.Dir(path)))
}

// replaceFile replaces the content of path atomically.
func replaceFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+unfinished)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(f.Name(), path), outfile.SyncFolder(filepath.Dir(path)))
}

// writePID records the process that has the data open. Only the holder of the lock calls
// it.
func writePID(dir string) error {
	return os.WriteFile(pidPath(dir), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600)
}

func holder(dir string) int {
	b, err := os.ReadFile(pidPath(dir))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return pid
}

func pidPath(dir string) string { return filepath.Join(dir, pidName) }

// Wipe overwrites all unused pages of the file, if a transaction has asked for it. If
// there are readers, it does nothing: the next call, the end or the next opening of the
// store does it.
func (s *Store) Wipe() error { return s.resumeWipe() }

// bbolt does not overwrite the pages that it frees, so a destroyed space's wrapped key
// would stay in the file. resumeWipe overwrites all unused pages if a destroyed space
// requested it. If there are readers, it waits for the next call.
func (s *Store) resumeWipe() error {
	s.write.Lock()
	defer s.write.Unlock()
	wanted := false
	if err := s.read(func(btx *bbolt.Tx) error {
		wanted = btx.Bucket(metaBucket).Get(wipeKey) != nil
		return nil
	}); err != nil || !wanted {
		return err
	}
	if !s.readers.TryLock() {
		return nil
	}
	defer s.readers.Unlock()
	return s.wipe()
}

// wipe runs alone, without writer or reader. Two commits come first, so that neither of
// the two meta pages leads to destroyed data.
func (s *Store) wipe() error {
	if err := s.commits(2); err != nil {
		return err
	}
	used, size, err := s.usedPages()
	if err != nil {
		return s.damaged("", err)
	}
	zero := make([]byte, size)
	for page, inUse := range used {
		if inUse {
			continue
		}
		if _, err := s.file.WriteAt(zero, int64(page)*size); err != nil {
			return fmt.Errorf("overwrite freed pages: %w", plain(err))
		}
	}
	if err := s.file.Sync(); err != nil {
		return fmt.Errorf("overwrite freed pages: %w", plain(err))
	}
	return s.access(true, new(bool), func(btx *bbolt.Tx) error { return btx.Bucket(metaBucket).Delete(wipeKey) })
}

func (s *Store) commits(n int) error {
	for range n {
		if err := s.access(true, new(bool), func(*bbolt.Tx) error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// usedPages reports for each page of the file whether a meta page reaches it.
func (s *Store) usedPages() (used []bool, pageSize int64, err error) {
	info, err := s.file.Stat()
	if err != nil {
		return nil, 0, err
	}
	metas, err := readMetas(s.file)
	if err != nil {
		return nil, 0, err
	}
	if len(metas) != 2 {
		return nil, 0, errors.New("one of its first pages is not valid")
	}
	for _, m := range metas {
		seen, err := checkPages(s.file, info.Size(), m, false)
		if err != nil {
			return nil, 0, err
		}
		for page, inUse := range seen {
			if page >= len(used) {
				used = append(used, inUse)
			}
			used[page] = used[page] || inUse
		}
	}
	return used, metas[0].pageSize, nil
}
