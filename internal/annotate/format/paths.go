// SPDX-License-Identifier: Apache-2.0

package format

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// FromPaths lists files, and the files below folders in order of their names. A
// file is named by its last element, one in a folder by its path from there.
// Below folders, links are not followed and hidden files are left out. done
// closes the folders, after reading.
func FromPaths(paths []string) (files []File, done func() error, err error) {
	var roots []*os.Root
	done = func() error {
		var errs []error
		for _, root := range roots {
			errs = append(errs, root.Close())
		}
		return errors.Join(errs...)
	}
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, done, errors.Join(err, done())
		}
		if !info.IsDir() {
			files = append(files, single(p, info))
			continue
		}
		root, err := os.OpenRoot(p)
		if err != nil {
			return nil, done, errors.Join(err, done())
		}
		roots = append(roots, root)
		below, err := walk(root)
		if err != nil {
			return nil, done, errors.Join(fmt.Errorf("list %s: %w", p, err), done())
		}
		files = append(files, below...)
	}
	return files, done, nil
}

func single(p string, info fs.FileInfo) File {
	return File{Name: filepath.Base(p), Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(p) }}
}

func walk(root *os.Root) ([]File, error) {
	var files []File
	err := fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name != "." && hidden(entry.Name()) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files = append(files, File{Name: name, Size: info.Size(), Open: func() (io.ReadCloser, error) { return root.Open(name) }})
		return nil
	})
	return files, err
}
