// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"hide/internal/store"
)

// TestPassphraseIsAskedForOnlyWhereThereIsData: a new store in an empty folder
// is sealed with a key file, as one whose folder is not there yet.
func TestPassphraseIsAskedForOnlyWhereThereIsData(t *testing.T) {
	base := t.TempDir()
	empty, full := filepath.Join(base, "empty"), filepath.Join(base, "full")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := makeData(full); err != nil {
		t.Fatal(err)
	}
	for dir, asked := range map[string]bool{filepath.Join(base, "none"): false, empty: false, full: true} {
		d := &dataFlags{dir: dir}
		if got := d.newOptions().Passphrase != nil; got != asked {
			t.Errorf("%s: asked %v, want %v", filepath.Base(dir), got, asked)
		}
		d.passphrase = "FILE"
		if d.newOptions().Passphrase == nil {
			t.Errorf("%s: the file with the passphrase is not read", filepath.Base(dir))
		}
	}
	st, err := store.Open((&dataFlags{dir: empty}).newOptions())
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(empty + ".key"); err != nil || !store.Exists(empty) {
		t.Errorf("key file: %v, data there: %v", err, store.Exists(empty))
	}
}
