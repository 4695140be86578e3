// SPDX-License-Identifier: Apache-2.0

package outfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/hint"
	"hide/internal/outfile"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func holds(t *testing.T, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		t.Errorf("%s holds %q, want %q: %v", filepath.Base(name), got, want, err)
	}
}

var errFull = errors.New("full")

// TestFilesAreWholeOrAsBefore: Write replaces a file, Create never does, and neither leaves a
// part behind.
func TestFilesAreWholeOrAsBefore(t *testing.T) {
	dir := t.TempDir()
	old, other := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	for _, s := range []string{"first", "second"} {
		if size, err := outfile.Write(old, text(s)); err != nil || size != int64(len(s)) {
			t.Fatalf("%d bytes, %v", size, err)
		}
		holds(t, old, s)
	}
	fails := func(w io.Writer) error { return errors.Join(text("part")(w), errFull) }
	if _, err := outfile.Write(old, fails); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if err := outfile.Create(other, fails); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if err := outfile.Create(old, text("third")); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	holds(t, old, "second")
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%d files, %v", len(files), err)
	}
	if err := outfile.Create(other, text("fourth")); err != nil {
		t.Error(err)
	}
	holds(t, other, "fourth")
	if size, err := outfile.Write("", text("nowhere")); size != 0 || err != nil {
		t.Error(size, err)
	}
}

func TestPathsAreCheckedBeforeTheWork(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	if _, err := outfile.Write(old, text("old")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, new, writable, next string }{
		{"", "", "", ""},
		{filepath.Join(dir, "new"), "", "", ""},
		{old, "exists already", "", "choose another name"},
		{dir, "exists already", "is a folder", "choose another name"},
		{filepath.Join(dir, "no", "file"), "cannot be written", "cannot be written", "its folder must exist"},
	} {
		for want, err := range map[string]error{c.new: outfile.CheckNew(c.path), c.writable: outfile.CheckWritable(c.path)} {
			if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || hint.Of(err) == "") {
				t.Errorf("%s: %v, want %q", c.path, err, want)
			}
		}
		if next := hint.Of(outfile.CheckNew(c.path)); !strings.HasPrefix(next, c.next) {
			t.Errorf("%s: hint %q", c.path, next)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("the checks left %d files, %v", len(files), err)
	}
}

func TestCauseNamesNoFile(t *testing.T) {
	_, err := os.Open("no such file")
	if got := outfile.Cause(err); strings.Contains(got.Error(), "no such file\"") || got.Error() == err.Error() || outfile.Cause(errFull) != errFull {
		t.Error(got)
	}
}
