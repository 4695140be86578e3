// SPDX-License-Identifier: Apache-2.0

package auditsink

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"hide/internal/hint"
	"hide/internal/outfile"
	"hide/internal/store"
)

// file is a copy in a file, a row a line. The file only grows: logrotate may rename it, and
// the next rows then go to a new file with the old name.
type file struct {
	path string
	open *os.File // nil when it is closed
	cut  bool     // its last line has no end, because a kill or a full disk has cut it short
}

// newFile opens the file once, so that a wrong path shows when the server starts.
func newFile(path, dataDir string) (*file, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if within(full, dataDir) {
		return nil, hint.Add(fmt.Errorf("file for the audit trail: %s is in the data folder", full), "choose a folder elsewhere: what destroys the data must not destroy this copy")
	}
	f := &file{path: full}
	if err := f.ready(); err != nil {
		return nil, fmt.Errorf("file for the audit trail: %w", err)
	}
	return f, nil
}

func (f *file) name() string { return "file" }
func (f *file) key() string  { return "file:" + f.path }

func (f *file) patience() (uint64, time.Duration) { return 10 * batchRows, 0 }
func (f *file) overlap() time.Duration            { return 0 }

// ready opens the file unless the one that is open still has its name.
func (f *file) ready() error {
	if f.open != nil {
		mine, err := f.open.Stat()
		if err != nil {
			return err
		}
		if named, err := os.Stat(f.path); err == nil && os.SameFile(mine, named) {
			return nil
		}
		// It was renamed. Rows in it that are not confirmed stay there.
		if err := errors.Join(f.open.Sync(), f.close()); err != nil {
			return err
		}
	}
	_, absent := os.Lstat(f.path)
	// O_NONBLOCK: opening a pipe without a reader would wait forever.
	open, err := os.OpenFile(f.path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return hint.Add(err, "the folder must exist, and the user of hide must be able to write in it")
	}
	cut, err := usable(open)
	if err != nil {
		return errors.Join(err, open.Close())
	}
	f.open, f.cut = open, cut
	if errors.Is(absent, fs.ErrNotExist) {
		return outfile.SyncFolder(filepath.Dir(f.path))
	}
	return nil
}

// usable refuses what is not a file of hide's own. cut says that its last line has no end.
func usable(open *os.File) (cut bool, err error) {
	info, err := open.Stat()
	switch {
	case err != nil:
		return false, err
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("%s is not a regular file", open.Name())
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o037 != 0:
		return false, hint.Add(fmt.Errorf("%s can be read by everybody on this machine, or changed by others than its owner", open.Name()), "run: chmod 600 "+open.Name()+"; with 640 its group may read it")
	case info.Size() == 0:
		return false, nil
	}
	last := make([]byte, 1)
	if _, err := open.ReadAt(last, info.Size()-1); err != nil && err != io.EOF {
		return false, err
	}
	return last[0] != '\n', nil
}

func (f *file) write(_ context.Context, lines []store.AuditLine) error {
	if err := f.ready(); err != nil {
		return err
	}
	var text []byte
	if f.cut { // not sooner: a full disk must not keep the server from starting
		text = append(text, '\n')
	}
	for _, l := range lines {
		text = append(append(text, l.JSON...), '\n')
	}
	info, err := f.open.Stat()
	if err != nil {
		return err
	}
	if _, err := f.open.Write(text); err != nil {
		// The part that was written comes again. If it cannot be cut off, the line that ends
		// in it is ended before the next one.
		_ = f.open.Truncate(info.Size())
		return err
	}
	f.cut = false
	return nil
}

func (f *file) confirm(context.Context) error { return f.open.Sync() }

func (f *file) close() error {
	if f.open == nil {
		return nil
	}
	err := f.open.Close()
	f.open = nil
	return err
}
