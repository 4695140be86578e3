// SPDX-License-Identifier: Apache-2.0

package release

import (
	"archive/zip"
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
