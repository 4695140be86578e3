// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFailedReleaseClosesItsFiles looks at the process's open files.
func TestFailedReleaseClosesItsFiles(t *testing.T) {
	dir, failed, seen := t.TempDir(), errors.New("failed"), 0
	_, err := WriteRelease(t.Context(), filepath.Join(dir, "r"), func(yield func(Input, error) bool) {
		seen = len(openUnder(t, dir))
		yield(Input{}, failed)
	}, testBundle(t), testMeta(), nil)
	if !errors.Is(err, failed) {
		t.Fatalf("got %v", err)
	}
	if seen == 0 {
		t.Error("no file was open while it was written")
	}
	if left := openUnder(t, dir); len(left) != 0 {
		t.Errorf("still open: %q", left)
	}
}

// openUnder lists the open files below dir, those removed included.
func openUnder(t *testing.T, dir string) []string {
	t.Helper()
	const descriptors = "/proc/self/fd"
	all, err := os.ReadDir(descriptors)
	if err != nil {
		t.Fatal(err)
	}
	var under []string
	for _, d := range all {
		name, err := os.Readlink(filepath.Join(descriptors, d.Name()))
		if err == nil && strings.HasPrefix(name, dir) {
			under = append(under, name)
		}
	}
	return under
}
