// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a release, which is a folder or a zip file with the release in it,
// at the top or inside one folder. The caller closes it.
func Open(name string) (fs.FS, io.Closer, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return nil, nil, err
		}
		return root.FS(), root, nil
	}
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, nil, fmt.Errorf("%s is neither a folder nor a zip file: %w", name, err)
	}
	if err := checkZip(z.File); err != nil {
		z.Close()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	fsys, err := inner(z)
	return fsys, z, err
}

// checkZip refuses what unzippers disagree about.
func checkZip(files []*zip.File) error {
	seen := map[string]bool{}
	for i, f := range files {
		if !fs.ValidPath(f.Name) || !f.Mode().IsRegular() {
			return fmt.Errorf("entry %d is not a plain file below the folder", i+1)
		}
		if seen[f.Name] {
			return fmt.Errorf("entry %d has the name of an earlier one", i+1)
		}
		seen[f.Name] = true
	}
	return nil
}

// inner goes into the only folder when there is nothing beside it.
func inner(fsys fs.FS) (fs.FS, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	if len(entries) == 1 && entries[0].IsDir() {
		return fs.Sub(fsys, entries[0].Name())
	}
	return fsys, nil
}
