// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"io/fs"
)

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
