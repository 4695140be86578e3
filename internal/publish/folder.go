// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// folder is a release being written beside its final place, where it appears
// whole or not at all.
type folder struct {
	root  *os.Root
	temp  string
	dir   string
	names []string // of the files written
	sync  func(dir string) error
}

// Unfinished is in the name of a release folder that is still being written. One
// that a process left behind can be removed.
const Unfinished = ".part-"

// newFolder refuses a place that is taken.
func newFolder(dir string) (*folder, error) {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fs.ErrExist
		}
		return nil, fmt.Errorf("write release to %s: %w", dir, err)
	}
	temp := filepath.Clean(dir) + Unfinished + rand.Text()[:8]
	if err := os.Mkdir(temp, 0o700); err != nil {
		return nil, fmt.Errorf("write release: %w", err)
	}
	root, err := os.OpenRoot(temp)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write release: %w", err), os.Remove(temp))
	}
	return &folder{root: root, temp: temp, dir: dir, sync: syncDir}, nil
}

// abandon removes what was written. After [folder.commit] it does nothing.
func (f *folder) abandon() error {
	return errors.Join(f.root.Close(), os.RemoveAll(f.temp))
}

// write makes one file from what fill writes. It is on disk after
// [folder.commit].
func (f *folder) write(name string, fill func(io.Writer) error) (FileSum, error) {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return FileSum{}, err
	}
	sum := &sumWriter{w: file, hash: sha256.New()}
	if err := errors.Join(fill(sum), file.Close()); err != nil {
		return FileSum{}, fmt.Errorf("write %s: %w", name, err)
	}
	f.names = append(f.names, name)
	return FileSum{Path: name, Bytes: sum.bytes, SHA256: sum.hex()}, nil
}

func (f *folder) writeBytes(name string, content []byte) (FileSum, error) {
	return f.write(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// commit moves the release into its place and makes sure that it stays there.
func (f *folder) commit(ctx context.Context) error {
	if err := f.syncFiles(ctx); err != nil {
		return err
	}
	if err := f.syncNotes(); err != nil {
		return err
	}
	if err := f.sync(f.temp); err != nil {
		return err
	}
	if err := os.Rename(f.temp, f.dir); err != nil {
		return fmt.Errorf("move release into place: %w", err)
	}
	if err := f.syncAbove(); err != nil {
		return errors.Join(err, os.RemoveAll(f.dir))
	}
	return nil
}

// syncNotes makes the folder of notes last, where there is one.
func (f *folder) syncNotes() error {
	if _, err := f.root.Stat(notesDir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return f.sync(filepath.Join(f.temp, notesDir))
}

// syncAbove makes the release's name survive a power cut, and then the names of
// the folders that lead to it, which may have been made for this release. Those
// further up may belong to others: what cannot be synced there is passed over.
func (f *folder) syncAbove() error {
	dir := filepath.Dir(filepath.Clean(f.dir))
	if err := f.sync(dir); err != nil {
		return err
	}
	for up := filepath.Dir(dir); up != dir; dir, up = up, filepath.Dir(up) {
		_ = f.sync(up)
	}
	return nil
}

// syncWorkers wait for the disk side by side: file systems then commit many files
// at once instead of one after the other.
const syncWorkers = 32

func (f *folder) syncFiles(ctx context.Context) error {
	names := make(chan string)
	failed := make([]error, syncWorkers)
	var workers sync.WaitGroup
	for i := range failed {
		workers.Go(func() {
			for name := range names {
				if failed[i] == nil {
					failed[i] = f.syncFile(ctx, name)
				}
			}
		})
	}
	for _, name := range f.names {
		names <- name
	}
	close(names)
	workers.Wait()
	return errors.Join(failed...)
}

func (f *folder) syncFile(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	file, err := f.root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// sumWriter counts and hashes what goes through it.
type sumWriter struct {
	w     io.Writer
	hash  hash.Hash
	bytes int64
}

func (s *sumWriter) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.hash.Write(p[:n])
	s.bytes += int64(n)
	return n, err
}

func (s *sumWriter) hex() string { return hex.EncodeToString(s.hash.Sum(nil)) }
