// SPDX-License-Identifier: Apache-2.0

package publish

import (
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
)

// folder is a release being written beside its final place, where it appears
// whole or not at all.
type folder struct {
	root *os.Root
	temp string
	dir  string
}

// newFolder refuses a place that is taken.
func newFolder(dir string) (*folder, error) {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fs.ErrExist
		}
		return nil, fmt.Errorf("write release to %s: %w", dir, err)
	}
	temp := filepath.Clean(dir) + ".part-" + rand.Text()[:8]
	if err := os.Mkdir(temp, 0o700); err != nil {
		return nil, fmt.Errorf("write release: %w", err)
	}
	root, err := os.OpenRoot(temp)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write release: %w", err), os.Remove(temp))
	}
	return &folder{root, temp, dir}, nil
}

// abandon removes what was written. After [folder.commit] it does nothing.
func (f *folder) abandon() error {
	return errors.Join(f.root.Close(), os.RemoveAll(f.temp))
}

// write makes one file from what fill writes, on disk when it returns.
func (f *folder) write(name string, fill func(io.Writer) error) (FileSum, error) {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return FileSum{}, err
	}
	sum := &sumWriter{w: file, hash: sha256.New()}
	if err := errors.Join(fill(sum), file.Sync(), file.Close()); err != nil {
		return FileSum{}, fmt.Errorf("write %s: %w", name, err)
	}
	return FileSum{Path: name, Bytes: sum.bytes, SHA256: sum.hex()}, nil
}

func (f *folder) writeBytes(name string, content []byte) (FileSum, error) {
	return f.write(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// commit moves the release into its place and makes sure that it stays there.
func (f *folder) commit() error {
	for _, dir := range []string{filepath.Join(f.temp, notesDir), f.temp} {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	if err := os.Rename(f.temp, f.dir); err != nil {
		return fmt.Errorf("move release into place: %w", err)
	}
	return syncDir(filepath.Dir(f.dir))
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
