// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func twoFiles() []File {
	return []File{
		{"b.txt", func(w io.Writer) error { _, err := io.WriteString(w, "two"); return err }},
		{"a.txt", func(w io.Writer) error { _, err := io.WriteString(w, "one"); return err }},
	}
}

func TestWriteFilesListsEveryFileInOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var listed []string
	manifest := func(sums []FileSum) any {
		for _, s := range sums {
			listed = append(listed, s.Path)
		}
		return map[string]any{"files": sums}
	}
	var seen []string
	check := func(fsys fs.FS) error {
		return fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
			if !d.IsDir() {
				seen = append(seen, name)
			}
			return err
		})
	}
	sum, err := WriteFiles(context.Background(), dir, twoFiles(), manifest, check)
	if err != nil || len(sum) != 64 {
		t.Fatalf("sum %q, %v", sum, err)
	}
	if len(listed) != 2 || listed[0] != "a.txt" || listed[1] != "b.txt" {
		t.Errorf("the manifest is made of %q", listed)
	}
	if len(seen) != 4 {
		t.Errorf("the check sees %q", seen)
	}
	sums, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil || len(sums) == 0 {
		t.Errorf("%s: %d bytes, %v", sumsFile, len(sums), err)
	}
}

func TestWriteFilesLeavesNothingWhenItIsStopped(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, write := range map[string]func(dir string) error{
		"by the check": func(dir string) error {
			_, err := WriteFiles(context.Background(), dir, twoFiles(), func([]FileSum) any { return 1 }, func(fs.FS) error { return stop })
			return err
		},
		"by a file": func(dir string) error {
			_, err := WriteFiles(context.Background(), dir, []File{{"a", func(io.Writer) error { return stop }}}, func([]FileSum) any { return 1 }, nil)
			return err
		},
		"by the context": func(dir string) error {
			_, err := WriteFiles(ctx, dir, twoFiles(), func([]FileSum) any { return 1 }, nil)
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
	if _, err := WriteFiles(context.Background(), taken, twoFiles(), func([]FileSum) any { return 1 }, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder that is there: %v", err)
	}
}
