// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/hint"
	"hide/internal/outfile"
)

func twoFiles() []Content {
	return []Content{Bytes("b.txt", []byte("two")), Bytes("a.txt", []byte("one"))}
}

func TestWriteListsEveryFileInOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var seen []string
	check := func(fsys fs.FS) error {
		return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
			if !d.IsDir() {
				seen = append(seen, name)
			}
			return err
		})
	}
	sum, err := Write(t.Context(), dir, Manifest{Kind: Table, Claims: map[string]int{"k": 2}}, twoFiles(), check)
	if err != nil || len(sum) != 64 {
		t.Fatalf("sum %q, %v", sum, err)
	}
	if len(seen) != 4 {
		t.Errorf("the check sees %q", seen)
	}
	r, err := Open(os.DirFS(dir), sum)
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Manifest.Files; len(f) != 2 || f[0].Path != "a.txt" || f[1].Path != "b.txt" || f[0].Bytes != 3 {
		t.Errorf("the manifest lists %+v", f)
	}
	var claims struct{ K int }
	if err := r.Claims(&claims); err != nil || claims.K != 2 || r.Manifest.Kind != Table || r.Manifest.Schema != Schema {
		t.Errorf("claims %+v of %+v, %v", claims, r.Manifest, err)
	}
	if text, err := r.File("b.txt"); err != nil || string(text) != "two" {
		t.Errorf("b.txt: %q, %v", text, err)
	}
	sums, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil || strings.Count(string(sums), "\n") != 3 {
		t.Errorf("%s: %q, %v", sumsFile, sums, err)
	}
	for _, name := range []string{"a.txt", manifestFile, sumsFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestAReaderRefusesWhatHasChanged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	sum, err := Write(t.Context(), dir, Manifest{Kind: Table}, twoFiles(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(os.DirFS(dir), sum)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("One"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.File("a.txt"); err == nil {
		t.Error("a changed file is read")
	}
	if _, err := r.File("c.txt"); err == nil {
		t.Error("a file that is not listed is read")
	}
	if _, err := Open(os.DirFS(dir), strings.Repeat("0", 64)); err == nil {
		t.Error("a manifest with another sum is read")
	}
}

func TestWriteLeavesNothingWhenItIsStopped(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, write := range map[string]func(dir string) error{
		"by the check": func(dir string) error {
			_, err := Write(context.Background(), dir, Manifest{}, twoFiles(), func(fs.FS) error { return stop })
			return err
		},
		"by a file": func(dir string) error {
			_, err := Write(context.Background(), dir, Manifest{}, []Content{{Name: "a", Write: func(io.Writer) error { return stop }}}, nil)
			return err
		},
		"by the context": func(dir string) error {
			_, err := Write(ctx, dir, Manifest{}, twoFiles(), nil)
			return err
		},
	} {
		parent := t.TempDir()
		if err := write(filepath.Join(parent, "out")); !errors.Is(err, stop) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(parent); len(left) != 0 {
			t.Errorf("%s: %d entries are left", name, len(left))
		}
	}
	taken := t.TempDir()
	if _, err := Write(context.Background(), taken, Manifest{}, twoFiles(), nil); !errors.Is(err, fs.ErrExist) || hint.Of(err) == "" {
		t.Errorf("a folder that is there: %v", err)
	}
}

// TestReleaseOutlivesAPowerCut: once the release has its name, every folder that
// leads to it is synced, since any of them may be new.
func TestReleaseOutlivesAPowerCut(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "releases", "p1", "release-1")
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Mkdir("notes"); err != nil {
		t.Fatal(err)
	}
	var after []string
	f.sync = func(d string) error {
		if _, err := os.Stat(dir); err == nil {
			after = append(after, d)
		}
		return outfile.SyncFolder(d)
	}
	if err := errors.Join(f.commit(t.Context()), f.Discard()); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(base, "releases", "p1"), filepath.Join(base, "releases"), base}
	if len(after) < len(want) || !slices.Equal(after[:len(want)], want) {
		t.Errorf("synced %q, want %q first", after, want)
	}
}

func TestReleaseIsRemovedWhenItsNameMayBeLost(t *testing.T) {
	base, failed := t.TempDir(), errors.New("failed")
	f, err := Create(filepath.Join(base, "release-1"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Mkdir("notes"); err != nil {
		t.Fatal(err)
	}
	f.sync = func(d string) error {
		if d == base {
			return failed
		}
		return nil
	}
	if err := errors.Join(f.commit(t.Context()), f.Discard()); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(base); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestFilesHaveNamesForEverySystem(t *testing.T) {
	for _, name := range []string{"CON.txt", "notes/nul.txt", "a:b", "a.", "a b ", "../a", "/a", strings.Repeat("x", 241)} {
		dir := filepath.Join(t.TempDir(), "out")
		if _, err := Write(t.Context(), dir, Manifest{Kind: Table}, []Content{Bytes(name, nil)}, nil); err == nil {
			t.Errorf("%q is written", name)
		}
	}
}
