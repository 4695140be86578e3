// SPDX-License-Identifier: Apache-2.0

//go:build unix

package store

import (
	"bytes"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFilesArePrivateWhateverTheUmask(t *testing.T) {
	opts := testOptions(t)
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	s := mustOpen(t, opts)
	mustPut(t, s, System, "b", "k", "v")
	must(t, s.Backup(t.Context(), &bytes.Buffer{}))
	wantPrivate(t, filepath.Dir(opts.Dir))
}
