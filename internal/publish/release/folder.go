// SPDX-License-Identifier: Apache-2.0

package release

import (
	"archive/zip"
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
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"hide/internal/filename"
	"hide/internal/hint"
	"hide/internal/outfile"
	"hide/internal/tabular"
)

// Folder is a release being written next to its final place, where it appears whole or
// not at all.
type Folder struct {
	root    *os.Root
	temp    string
	dir     string
	folders []string // below it
	files   []File   // written so far
	tables  []TableFile
	sync    func(dir string) error
}

// Unfinished is part of the name of a release folder that is being written. A folder left
// behind by a process can be removed.
const Unfinished = ".part-"

// Create starts a release folder. The place must be free.
func Create(dir string) (*Folder, error) {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = hint.Add(fs.ErrExist, "choose a folder that does not exist")
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
	return &Folder{root: root, temp: temp, dir: dir, sync: outfile.SyncFolder}, nil
}

// Discard removes what was written. After [Folder.Finish] it does nothing.
func (f *Folder) Discard() error {
	return errors.Join(f.root.Close(), os.RemoveAll(f.temp))
}

// Mkdir makes a folder in the release.
func (f *Folder) Mkdir(name string) error {
	f.folders = append(f.folders, name)
	return f.root.Mkdir(name, 0o700)
}

// Scratch makes a file that is not part of the release. The caller closes it and
// removes it with [Folder.Remove].
func (f *Folder) Scratch(name string) (*os.File, error) {
	return f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// Remove removes a scratch file.
func (f *Folder) Remove(name string) error { return f.root.Remove(name) }

// Add writes one file with what fill writes. It is on disk after [Folder.Finish]. The name
// must be one that every system accepts.
func (f *Folder) Add(name string, fill func(io.Writer) error) error {
	if err := filename.Check(name); err != nil {
		return err
	}
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	sum := &sumWriter{w: file, hash: sha256.New()}
	if err := errors.Join(fill(sum), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path.Base(name), err)
	}
	f.files = append(f.files, File{name, sum.bytes, hex.EncodeToString(sum.hash.Sum(nil))})
	return nil
}

// addTable writes a table.
func (f *Folder) addTable(name string, fill func(*tabular.Writer) error) error {
	return f.Add(name, func(w io.Writer) error {
		out := tabular.NewWriter(w)
		if err := errors.Join(fill(out), out.Flush()); err != nil {
			return err
		}
		f.tables = append(f.tables, TableFile{name, out.Prefixed()})
		return nil
	})
}

// commit moves the release into its place and makes it durable.
func (f *Folder) commit(ctx context.Context) error {
	if err := f.syncFiles(ctx); err != nil {
		return err
	}
	for _, name := range append(slices.Clone(f.folders), ".") {
		if err := f.sync(filepath.Join(f.temp, name)); err != nil {
			return err
		}
	}
	if err := os.Rename(f.temp, f.dir); err != nil {
		return fmt.Errorf("move release into place: %w", err)
	}
	if err := f.syncParents(); err != nil {
		return errors.Join(err, os.RemoveAll(f.dir))
	}
	return nil
}

// syncParents makes the release's name durable, and the names of the folders above it,
// which may be new. Folders further up may belong to others: their failures are ignored.
func (f *Folder) syncParents() error {
	dir := filepath.Dir(filepath.Clean(f.dir))
	if err := f.sync(dir); err != nil {
		return err
	}
	for up := filepath.Dir(dir); up != dir; dir, up = up, filepath.Dir(up) {
		_ = f.sync(up)
	}
	return nil
}

// syncWorkers wait for the disk in parallel: file systems then commit many files at once.
const syncWorkers = 32

func (f *Folder) syncFiles(ctx context.Context) error {
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
	for _, file := range f.files {
		names <- file.Path
	}
	close(names)
	workers.Wait()
	return errors.Join(failed...)
}

func (f *Folder) syncFile(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	file, err := f.root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// sumWriter counts and hashes the bytes written through it.
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

// Zip writes the release folder as a zip file with one folder of the same name
// in it. The same release gives the same bytes.
func Zip(w io.Writer, dir string) error {
	name := filepath.Base(dir)
	z := zip.NewWriter(w)
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return zipFile(z, path.Join(name, p), filepath.Join(dir, filepath.FromSlash(p)))
	})
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("zip release %s: %w", name, err)
	}
	return nil
}

func zipFile(z *zip.Writer, name, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() // only read
	// A zip file must have a time; this is the earliest possible.
	epoch := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	out, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: epoch})
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return err
}

// Until returns files that can be read until ctx ends; then reading fails with its error.
// The verifier can so be cancelled without knowing of contexts.
func Until(ctx context.Context, files fs.FS) fs.FS { return untilFS{ctx, files} }

type untilFS struct {
	ctx   context.Context
	files fs.FS
}

func (u untilFS) Open(name string) (fs.File, error) {
	if err := u.ctx.Err(); err != nil {
		return nil, err
	}
	f, err := u.files.Open(name)
	if err != nil {
		return nil, err
	}
	if dir, ok := f.(fs.ReadDirFile); ok {
		return untilDir{untilFile{u.ctx, f}, dir}, nil
	}
	return untilFile{u.ctx, f}, nil
}

type untilFile struct {
	ctx context.Context
	fs.File
}

func (f untilFile) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

type untilDir struct {
	untilFile
	dir fs.ReadDirFile
}

func (d untilDir) ReadDir(n int) ([]fs.DirEntry, error) { return d.dir.ReadDir(n) }
