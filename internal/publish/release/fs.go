// SPDX-License-Identifier: Apache-2.0

package release

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

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
	// A zip file cannot leave the time out; this is the earliest it can tell.
	epoch := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	out, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: epoch})
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return err
}

// Until are files that can be read until ctx ends; reading them then fails with its
// error. What checks a release reads it from its files and needs to know of no
// context.
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
