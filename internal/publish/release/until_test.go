// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

func TestFilesCanBeReadUntilTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	files := Until(ctx, fstest.MapFS{"a/b": {Data: []byte("text")}, "c": {}})
	if err := fstest.TestFS(files, "a/b", "c"); err != nil {
		t.Fatal(err)
	}
	f, err := files.Open("a/b")
	if err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 1)
	if _, err := f.Read(one); err != nil || one[0] != 't' {
		t.Fatal(one, err)
	}
	cancel()
	if _, err := io.ReadAll(f); !errors.Is(err, context.Canceled) {
		t.Errorf("a file that was open: %v", err)
	}
	if _, err := fs.ReadFile(files, "c"); !errors.Is(err, context.Canceled) {
		t.Errorf("a file: %v", err)
	}
}

func TestACheckThatIsCancelledLeavesNoRelease(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := filepath.Join(t.TempDir(), "release")
	_, err := Write(ctx, dir, Manifest{}, nil, func(files fs.FS) error {
		cancel()
		_, err := fs.ReadFile(files, manifestFile)
		if err == nil {
			t.Error("a file was read")
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
}
