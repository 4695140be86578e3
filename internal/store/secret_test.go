// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// secrets lists the files of secrets of a store.
func secrets(t *testing.T, o Options) []string {
	t.Helper()
	names, err := filepath.Glob(o.Dir + ".secrets/*")
	must(t, err)
	return names
}

// withoutSpace is the content without one space.
func (m model) withoutSpace(space string) model {
	m = maps.Clone(m)
	maps.DeleteFunc(m, func(k, _ string) bool { return strings.HasPrefix(k, space+"/") })
	return m
}

// TestDestroyedSpaceCannotBeReadFromABackup: the backup is older than the destruction,
// and the root key is there.
func TestDestroyedSpaceCannotBeReadFromABackup(t *testing.T) {
	s := newSample(t)
	backup, held := s.backup(t), secrets(t, s.opts)
	if len(held) != 2 {
		t.Fatalf("secrets: %q", held)
	}
	for _, path := range held {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || bytes.Contains(backup, mustRead(t, path)[30:60]) {
			t.Errorf("%s: %v, %v, or the backup holds it", path, info.Mode(), err)
		}
	}
	st := mustOpen(t, s.opts)
	must(t, st.DestroySpace("p1", testEvent))
	mustClose(t, st)
	if left := secrets(t, s.opts); len(left) != 1 || !strings.Contains(left[0], "p2-") {
		t.Errorf("secrets left: %q", left)
	}
	must(t, os.RemoveAll(s.opts.Dir))
	must(t, Restore(bytes.NewReader(backup), s.opts))
	st = mustOpen(t, s.opts)
	wantSealed(t, st, "p1")
	if got, err := content(st); err != nil || !maps.Equal(got, s.want.withoutSpace("p1")) {
		t.Errorf("the other spaces differ: %v", err)
	}
	must(t, st.DestroySpace("p1", testEvent))
	wantSealed(t, st)
}

func wantSealed(t *testing.T, s *Store, want ...string) {
	t.Helper()
	var got []string
	for _, e := range s.Sealed() {
		got = append(got, e.Space)
		var missing *MissingSecretError
		if err := s.View(e.Space, func(*Tx) error { return nil }); !errors.As(err, &missing) {
			t.Errorf("%s: got %v, want a *MissingSecretError", e.Space, err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("sealed: got %q, want %q", got, want)
	}
	must(t, s.Check(t.Context(), nil))
}

// TestSecretsComeBackFromTheirExport: a backup restored on another machine, with a copy of
// the root key and of the secrets.
func TestSecretsComeBackFromTheirExport(t *testing.T) {
	s := newSample(t)
	backup := s.backup(t)
	st := mustOpen(t, s.opts)
	var file bytes.Buffer
	if n, err := st.ExportSecrets(&file, testEvent); n != 2 || err != nil {
		t.Fatalf("exported %d, %v", n, err)
	}
	mustClose(t, st)
	must(t, os.RemoveAll(s.opts.Dir+".secrets"))
	opts := s.elsewhere(t)
	opts.Secrets = opts.Dir + ".secrets"
	must(t, Restore(bytes.NewReader(backup), opts))
	st = mustOpen(t, opts)
	wantSealed(t, st, "p1", "p2")
	if _, err := st.ImportSecrets(strings.NewReader("hide project secrets 1\np1 00 AA==\n"), testEvent); err == nil {
		t.Error("a damaged file was accepted")
	}
	opened, err := st.ImportSecrets(bytes.NewReader(file.Bytes()), testEvent)
	if err != nil || !slices.Equal(opened, []string{"p1", "p2"}) {
		t.Fatalf("opened %q, %v", opened, err)
	}
	for range 2 { // now, and after the next opening
		wantSealed(t, st)
		if got, err := content(st); err != nil || !maps.Equal(got, s.want) {
			t.Errorf("the content differs: %v", err)
		}
		mustClose(t, st)
		st = mustOpen(t, opts)
	}
}

// toFirstSchema takes the secrets out of a sample. It returns the last wrapped key.
func toFirstSchema(t *testing.T, st *Store) (old []byte) {
	t.Helper()
	must(t, st.change(func(btx *bbolt.Tx, state *state) error {
		for _, space := range []string{"p1", "p2"} {
			dataKey, err := st.unwrap(space, btx.Bucket(spacesBucket).Get([]byte(space)))
			must(t, err)
			old = st.keys.wrap.seal(spacePlace(space), dataKey)
			must(t, state.replace(btx, st.keys, spacesBucket, []byte(space), old))
		}
		must(t, changeRoot(btx, func(r *root) {
			r.Schema = firstSchema
			r.Check = st.keys.check.seal(r.place(), nil)
		}))
		return appendAudit(btx, st.keys, state, System, testEvent, st.opts.Now())
	}))
	return old
}

// TestAnOldDataFileGetsSecrets migrates a file of schema 1, in which only the root key
// wraps the keys.
func TestAnOldDataFileGetsSecrets(t *testing.T) {
	s := newSample(t)
	st := mustOpen(t, s.opts)
	old := toFirstSchema(t, st)
	mustClose(t, st)
	must(t, os.RemoveAll(s.opts.Dir+".secrets"))
	unwritable := s.opts
	unwritable.Secrets = filepath.Join(s.opts.Dir+".head", "secrets") // below a file
	if _, err := Open(unwritable); err == nil {
		t.Error("migrated without a place for secrets")
	}
	killed := func(s *Store, btx *bbolt.Tx, st *state) error {
		return errors.Join(addSecrets(s, btx, st), errors.New("killed"))
	}
	if _, err := open(s.opts, []step{killed}); err == nil || len(secrets(t, s.opts)) != 2 {
		t.Errorf("the migration did not end after it wrote the secrets: %v", err)
	}
	for range 2 {
		st = mustOpen(t, s.opts)
		if got, err := content(st); err != nil || !maps.Equal(got, s.want) || st.root.Schema != firstSchema+len(steps()) {
			t.Errorf("after the migration: schema %d, %v", st.root.Schema, err)
		}
		mustClose(t, st)
	}
	if len(secrets(t, s.opts)) != 4 || bytes.Contains(mustRead(t, s.opts.data()), old[1:40]) {
		t.Errorf("secrets %q (two of them of the killed migration), or the file still holds a key that only the root key wraps", secrets(t, s.opts))
	}
}

// TestAKilledDestructionIsFinished: the transaction is on disk, and the process died
// before it destroyed the secret.
func TestAKilledDestructionIsFinished(t *testing.T) {
	s := newSample(t)
	st := mustOpen(t, s.opts)
	must(t, st.change(func(btx *bbolt.Tx, state *state) error {
		return errors.Join(st.noteShred(btx, "p1"), st.dropSpace(btx, state, "p1"), appendAudit(btx, st.keys, state, "p1", testEvent, st.opts.Now()))
	}))
	must(t, st.abandon())
	if n := len(secrets(t, s.opts)); n != 2 {
		t.Fatalf("%d secrets before the next opening", n)
	}
	st = mustOpen(t, s.opts)
	if left := secrets(t, s.opts); len(left) != 1 || !strings.Contains(left[0], "p2-") {
		t.Errorf("secrets left: %q", left)
	}
	wantSealed(t, st)
}

// TestASecretOthersCanReadIsRefused names the file and the remedy.
func TestASecretOthersCanReadIsRefused(t *testing.T) {
	s := newSample(t)
	must(t, os.Chmod(secrets(t, s.opts)[0], 0o644))
	st := mustOpen(t, s.opts)
	err := st.View("p1", func(*Tx) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "chmod 600") || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestSecretThatCannotBeDestroyedIsListedUntilItIs: a folder in its place stands for it.
func TestSecretThatCannotBeDestroyedIsListedUntilItIs(t *testing.T) {
	s := newSample(t)
	var path string
	for _, one := range secrets(t, s.opts) {
		if strings.Contains(one, "p1-") {
			path = one
		}
	}
	must(t, errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "in the way"), 0o700)))
	st := mustOpen(t, s.opts)
	if left, ok := errors.AsType[*SecretLeftError](st.DestroySpace("p1", testEvent)); !ok || left.File != path {
		t.Errorf("destroyed: %v", left)
	}
	mustClose(t, st)
	st = mustOpen(t, s.opts)
	if left := st.SecretsLeft(); len(left) != 1 || left[0].File != path {
		t.Errorf("at the next opening: %v", left)
	}
	if left, ok := errors.AsType[*SecretLeftError](st.DestroySpace("p2", testEvent)); !ok || left.File != path {
		t.Errorf("at the next destruction: %v", left)
	}
	must(t, os.RemoveAll(path))
	mustClose(t, st)
	st = mustOpen(t, s.opts)
	if left := st.SecretsLeft(); len(left) > 0 || len(secrets(t, s.opts)) > 0 {
		t.Errorf("left %v, %q", left, secrets(t, s.opts))
	}
	mustClose(t, st)
}

// TestUnfinishedSecretIsSweptWhenNobodyWritesIt: it may be a second name of a finished one,
// which must stay whole.
func TestUnfinishedSecretIsSweptWhenNobodyWritesIt(t *testing.T) {
	s := newSample(t)
	held := secrets(t, s.opts)
	left := held[0] + unfinished + "1"
	must(t, os.Link(held[0], left))
	now := time.Now()
	must(t, os.Chtimes(left, now, now))
	mustClose(t, mustOpen(t, s.opts))
	if got := secrets(t, s.opts); len(got) != len(held)+1 {
		t.Errorf("a secret that another process may be writing is gone: %q", got)
	}
	must(t, os.Chtimes(left, now, now.Add(-time.Hour)))
	st := mustOpen(t, s.opts)
	wantSealed(t, st)
	mustClose(t, st)
	if got := secrets(t, s.opts); !slices.Equal(got, held) {
		t.Errorf("after a killed process: %q, want %q", got, held)
	}
}

// TestNoSecretIsWrittenForASpaceThatExists: the folder of secrets cannot be written, as on
// a server that makes no projects.
func TestNoSecretIsWrittenForASpaceThatExists(t *testing.T) {
	s := newSample(t)
	st := mustOpen(t, s.opts)
	defer mustClose(t, st)
	must(t, os.RemoveAll(s.opts.Dir+".secrets"))
	must(t, os.WriteFile(s.opts.Dir+".secrets", nil, 0o600))
	for _, name := range []string{System, "p1"} {
		if err := st.CreateSpace(name, testEvent); !errors.Is(err, ErrExists) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
