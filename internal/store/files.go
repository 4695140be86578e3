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
)

// The files of a store with data folder D: D/hide.db, D/hide.pid, D.head, and
// D.key unless a passphrase is used.
const (
	dataName = "hide.db"
	pidName  = "hide.pid"
)

// Exists reports whether the data folder dir holds a store. When that cannot be
// seen, it says yes: [Open] then tells why.
func Exists(dir string) bool {
	_, err := os.Stat(Options{Dir: dir}.data())
	return !errors.Is(err, fs.ErrNotExist)
}

// plain puts what a person can do before errors that have only one cause.
func plain(err error) error {
	if errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("the disk is read-only, and hide must be able to write its audit trail: %w", err)
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("not saved, the disk is full: %w", err)
	}
	return err
}

// createFile makes a file with all of its content or not at all, and never
// replaces one: fs.ErrExist when there is one already.
func createFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-")
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

// publish gives a finished file its name, unless the name is taken.
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
	return errors.Join(err, syncDir(filepath.Dir(path)))
}

// replaceFile puts content at path, whole.
func replaceFile(path string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(f.Name(), path), syncDir(filepath.Dir(path)))
}

// syncDir makes names in a folder survive a power cut. Systems that cannot sync
// a folder say EINVAL; there is nothing to do about it.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// writePID notes who has the data open. Only the holder of the lock calls it.
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
