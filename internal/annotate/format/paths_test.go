// SPDX-License-Identifier: Apache-2.0

package format

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFromPaths(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside.txt")
	write := func(name, content string) {
		t.Helper()
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("b.txt", "B")
	write("a/z.txt", "Z")
	write("a/y.txt", "Y")
	write(".hidden/x.txt", "X")
	write("a/.x.txt", "X")
	if err := os.WriteFile(outside, []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link.txt", "a/link"} {
		if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	files, done, err := FromPaths([]string{dir, outside})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	if want := []string{"a/y.txt", "a/z.txt", "b.txt", "outside.txt"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if docs, _ := mustRead(t, Options{}, files...); len(docs) != 4 || docs[0].Text != "Y" {
		t.Errorf("%d documents", len(docs))
	}
	if err := done(); err != nil {
		t.Error(err)
	}
	if _, _, err := FromPaths([]string{filepath.Join(dir, "nowhere")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
