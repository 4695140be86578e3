// SPDX-License-Identifier: Apache-2.0

package advice_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hide/internal/hint"
	"hide/internal/store"
	"hide/internal/store/advice"
)

// TestEachErrorSaysWhatToDo: an operator who reads the error alone can go on.
func TestEachErrorSaysWhatToDo(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	there := t.TempDir()
	st, err := store.Open(store.Options{Dir: there, KeyFile: there + ".k", Secrets: there + ".s", Create: true})
	if err := errors.Join(err, st.Close()); err != nil {
		t.Fatal(err)
	}
	of := func(path string, cause error) error {
		return fmt.Errorf("passphrase: %w", &fs.PathError{Op: "open", Path: path, Err: cause})
	}
	for _, c := range []struct {
		name, dir, file string
		err             error
		says            string
	}{
		{"no data", missing, "", fs.ErrNotExist, "--data FOLDER"},
		{"no key", there, "", fs.ErrNotExist, "--key FILE"},
		{"wrong key", there, "", store.ErrWrongKey, "--key FILE"},
		{"wrong passphrase", there, "/p", store.ErrWrongKey, "wrong passphrase"},
		{"empty passphrase", there, "/p", store.ErrNoPassphrase, "first line of /p"},
		{"no passphrase file", missing, "/p", of("/p", syscall.ENOENT), "make the file of --passphrase-file"},
		{"foreign passphrase file", missing, "/p", of("/p", syscall.EACCES), "belong to the user of the server"},
		{"foreign key", there, "", of("/k", syscall.EACCES), "runuser -u hide"},
		{"root", there, "", &store.OwnerError{Dir: there, Owner: "ward"}, "runuser -u ward -- hide"},
		{"full disk", there, "", of("/k", syscall.ENOSPC), "make space"},
		{"unknown", there, "/p", errors.New("odd"), ""},
		{"known", there, "/p", hint.Add(store.ErrWrongKey, "first"), "first"},
	} {
		got := advice.Add(c.err, c.dir, c.file)
		if got.Error() != c.err.Error() || !errors.Is(got, c.err) {
			t.Errorf("%s: the error became %v", c.name, got)
		}
		if next := hint.Of(got); !strings.Contains(next, c.says) || c.says == "" && next != "" {
			t.Errorf("%s: %q, want %q", c.name, next, c.says)
		}
	}
	if advice.Add(nil, missing, "") != nil {
		t.Error("no error became one")
	}
}

// TestNoPassphraseFileIsNoMissingData: the real error of a real folder.
func TestNoPassphraseFileIsNoMissingData(t *testing.T) {
	dir, file := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "passphrase")
	_, err := store.Open(store.Options{Dir: dir, Create: true, Passphrase: func() ([]byte, error) { return os.ReadFile(file) }})
	if next := hint.Of(advice.Add(err, dir, file)); !strings.Contains(next, "--passphrase-file") {
		t.Errorf("%v: %q", err, next)
	}
}
