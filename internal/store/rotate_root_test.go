// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hide/internal/hint"
	"hide/internal/testsize"

	"go.etcd.io/bbolt"
)

func (s *Store) rows(t testing.TB) uint64 {
	t.Helper()
	sum, err := s.VerifyAudit()
	must(t, err)
	if len(sum.Gaps) > 0 {
		t.Fatalf("gaps before rows %v", sum.Gaps)
	}
	return sum.Rows
}

// TestTheRootKeyIsReplaced: the new key opens the data, the old one opens only older
// backups, and no audit row opens with the old one.
func TestTheRootKeyIsReplaced(t *testing.T) {
	s := newSample(t)
	st := mustOpen(t, s.opts)
	var backup bytes.Buffer
	must(t, st.Backup(t.Context(), &backup))
	old := *st.keys
	key := mustRead(t, s.opts.Dir+".key")
	rotated, err := st.RotateRoot(t.Context(), NewRoot{}, rotateEvent, nil)
	must(t, err)
	if rotated.KeyFile != s.opts.Dir+".key" || !bytes.Equal(mustRead(t, rotated.OldFile), key) || bytes.Equal(mustRead(t, rotated.KeyFile), key) {
		t.Errorf("got %+v, or the files have the wrong keys", rotated)
	}
	wantPrivate(t, filepath.Dir(s.opts.Dir))
	wantContent(t, "rotated", st, s.want)
	mustPut(t, st, "p1", "note", "later", "x")
	s.want["p1/note/later"] = "x"
	must(t, st.read(func(btx *bbolt.Tx) error {
		for c, k, v := first(btx.Bucket(auditBucket)); k != nil; k, v = c.Next() {
			if _, err := old.audit.open(auditPlace(Number(k)), v); err == nil {
				t.Errorf("row %d opens with the old key", Number(k))
			}
		}
		if _, err := getState(btx, &old); err == nil || btx.Bucket(metaBucket).Get(oldRootKey) != nil || btx.Bucket(metaBucket).Get(keyFilesKey) != nil {
			t.Error("the old key opens the state, or records of the rotation are left")
		}
		return nil
	}))
	if rows := st.rows(t); rows != s.rows+3 {
		t.Errorf("%d rows, want %d", rows, s.rows+3)
	}
	mustClose(t, st)
	st = mustOpen(t, s.opts)
	wantContent(t, "opened again", st, s.want)
	mustClose(t, st)
	if bytes.Contains(mustRead(t, s.opts.data()), key[:40]) {
		t.Error("the key is in the file")
	}

	opts := s.elsewhere(t)
	if err := Restore(bytes.NewReader(backup.Bytes()), opts); !errors.Is(err, ErrWrongKey) || !strings.Contains(err.Error(), rotated.OldFile) {
		t.Errorf("an old backup: got %v, want the name of the old key", err)
	}
	opts.KeyFile, opts.Secrets = rotated.OldFile, s.opts.Dir+".secrets"
	must(t, Restore(bytes.NewReader(backup.Bytes()), opts))
	delete(s.want, "p1/note/later")
	wantContent(t, "the old backup", mustOpen(t, opts), s.want)
}

// TestAKeyFileBecomesAPassphraseAndBack.
func TestAKeyFileBecomesAPassphraseAndBack(t *testing.T) {
	testsize.Slow(t)
	s := newSample(t)
	st := mustOpen(t, s.opts)
	pass := func() ([]byte, error) { return []byte("violet harbour trumpet"), nil }
	rotated, err := st.RotateRoot(t.Context(), NewRoot{Passphrase: pass}, rotateEvent, nil)
	must(t, err)
	if rotated.KeyFile != "" || isThere(s.opts.Dir+".key") || !isThere(rotated.OldFile) {
		t.Errorf("got %+v", rotated)
	}
	mustClose(t, st)
	opts := s.opts
	opts.Passphrase = pass
	st = mustOpen(t, opts)
	wantContent(t, "with a passphrase", st, s.want)
	if rotated, err = st.RotateRoot(t.Context(), NewRoot{}, rotateEvent, nil); err != nil || rotated.OldFile != "" || !isThere(rotated.KeyFile) {
		t.Errorf("got %+v, %v", rotated, err)
	}
	mustClose(t, st)
	wantContent(t, "with a file again", mustOpen(t, s.opts), s.want)
}

// TestACrashInTheRotationOfTheRootKeyIsFinished: right after the switch, before the files
// have their names, with the old head; and between two portions of rows.
func TestACrashInTheRotationOfTheRootKeyIsFinished(t *testing.T) {
	testsize.Slow(t)
	s := newSample(t)
	st := mustOpen(t, s.opts)
	for range 2 * rowsAtOnce { // more rows than two portions
		must(t, st.Record(testEvent))
	}
	rows := st.rows(t)
	oldHead := mustRead(t, s.opts.head())
	next, keys, files, err := st.newRootKey(NewRoot{})
	must(t, err)
	before := copyFolder(t, s.opts)
	must(t, st.alone(t.Context(), func() error { _, err := st.switchRoot(next, keys, files, rotateEvent); return err }))
	switched := copyFolder(t, s.opts)
	must(t, os.WriteFile(switched.head(), oldHead, 0o600))
	must(t, st.moveKeyFiles())
	moved := copyFolder(t, s.opts)
	ctx, cancel := context.WithCancel(t.Context())
	err = st.finishRoot(ctx, func(done, total int) {
		if done == rowsAtOnce {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	half := copyFolder(t, s.opts)
	for when, c := range map[string]struct {
		opts Options
		rows uint64
	}{"before the switch": {before, rows}, "after the switch": {switched, rows + 1}, "after the files moved": {moved, rows + 1}, "between portions": {half, rows + 1}} {
		crashed := mustOpen(t, c.opts)
		wantContent(t, when, crashed, s.want)
		if got := crashed.rows(t); got != c.rows {
			t.Errorf("%s: %d rows, want %d", when, got, c.rows)
		}
		must(t, crashed.Record(testEvent))
		must(t, crashed.FinishRotation(t.Context(), nil))
		if names, err := crashed.Rotations(); err != nil || len(names) > 0 {
			t.Errorf("%s: left to rotate %q, %v", when, names, err)
		}
		mustClose(t, crashed)
		crashed = mustOpen(t, c.opts)
		wantContent(t, when+", opened again", crashed, s.want)
		mustClose(t, crashed)
		left, _ := filepath.Glob(c.opts.Dir + ".key.*")
		if want := map[bool]string{true: ".next-", false: ".old-"}[when == "before the switch"]; len(left) != 1 || !strings.Contains(left[0], want) {
			t.Errorf("%s: beside the key are %q", when, left)
		}
	}
}

// TestARefusedRotationChangesNothing: the folder of the key cannot be written, or the new
// passphrase cannot be read.
func TestARefusedRotationChangesNothing(t *testing.T) {
	s := newSample(t)
	st := mustOpen(t, s.opts)
	_, err := st.RotateRoot(t.Context(), NewRoot{Passphrase: func() ([]byte, error) { return nil, fs.ErrPermission }}, rotateEvent, nil)
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
	if _, err := st.RotateRoot(t.Context(), NewRoot{Passphrase: func() ([]byte, error) { return nil, nil }}, rotateEvent, nil); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("got %v", err)
	}
	if rows := st.rows(t); rows != s.rows {
		t.Errorf("%d rows, want %d", rows, s.rows)
	}
	wantContent(t, "refused", st, s.want)
}

// TestAFailureAfterTheSwitchLosesNoKey: the head of the audit trail cannot be written, as on a
// full disk, when the new root key is in use already.
func TestAFailureAfterTheSwitchLosesNoKey(t *testing.T) {
	s := newSample(t)
	st := mustOpen(t, s.opts)
	head := mustRead(t, s.opts.head())
	must(t, errors.Join(os.Remove(s.opts.head()), os.MkdirAll(filepath.Join(s.opts.head(), "in the way"), 0o700)))
	_, err := st.RotateRoot(t.Context(), NewRoot{}, rotateEvent, nil)
	if err == nil || !strings.Contains(hint.Of(err), "start the server again") {
		t.Fatalf("got %v, hint %q", err, hint.Of(err))
	}
	must(t, errors.Join(os.RemoveAll(s.opts.head()), os.WriteFile(s.opts.head(), head, 0o600)))
	opts := copyFolder(t, s.opts) // the process holds the lock until it ends
	st = mustOpen(t, opts)
	wantContent(t, "after the failure", st, s.want)
	must(t, st.FinishRotation(t.Context(), nil))
	if rows := st.rows(t); rows != s.rows+2 {
		t.Errorf("%d rows, want %d", rows, s.rows+2)
	}
	if left, _ := filepath.Glob(opts.Dir + ".key.*"); len(left) != 1 || !strings.Contains(left[0], ".old-") {
		t.Errorf("beside the key are %q", left)
	}
}

// TestAFailedCommitLosesNoKey: it may be on disk in spite of the error. The data file is closed
// under the store then: it is mapped, and can be read but not written.
func TestAFailedCommitLosesNoKey(t *testing.T) {
	testsize.Slow(t)
	for what, do := range map[string]func(*Store) error{
		".key.next-*":   func(st *Store) error { _, err := st.RotateRoot(t.Context(), NewRoot{}, rotateEvent, nil); return err },
		".secrets/p9-*": func(st *Store) error { return st.CreateSpace("p9", testEvent) },
	} {
		s := newSample(t)
		st, err := Open(s.opts)
		must(t, err)
		now := st.opts.Now
		st.opts.Now = func() time.Time { st.file.Close(); return now() } // both ask it before they commit
		if err := do(st); err == nil {
			t.Errorf("%s: the file was written", what)
		}
		if left, _ := filepath.Glob(s.opts.Dir + what); len(left) != 1 {
			t.Errorf("%s: left %q", what, left)
		}
		_ = st.Close() // its file is closed
	}
}

// TestOneRotationOfTheRootKeyAtATime: a second one would lose the key of audit rows that are
// not encrypted anew yet, or the key that was in use between the two.
func TestOneRotationOfTheRootKeyAtATime(t *testing.T) {
	s := newSample(t)
	st := mustOpen(t, s.opts)
	start := func() (do func() error) {
		next, keys, files, err := st.newRootKey(NewRoot{})
		must(t, err)
		return func() error {
			return st.alone(t.Context(), func() error { _, err := st.switchRoot(next, keys, files, rotateEvent); return err })
		}
	}
	first, second, third := start(), start(), start()
	must(t, first())
	if err := second(); !errors.Is(err, errRotating) {
		t.Errorf("before the first has ended: %v", err)
	}
	must(t, errors.Join(st.moveKeyFiles(), st.finishRoot(t.Context(), nil)))
	if err := third(); !errors.Is(err, errRotating) {
		t.Errorf("after the first has ended: %v", err)
	}
	wantContent(t, "after all", st, s.want)
}

// TestNoOlderKeyIsReplaced: the clock was set back, or another key is in the place of the new
// one.
func TestNoOlderKeyIsReplaced(t *testing.T) {
	testsize.Slow(t)
	s := newSample(t)
	now := s.opts.Now()
	s.opts.Now = func() time.Time { return now }
	st := mustOpen(t, s.opts)
	for range 3 {
		_, err := st.RotateRoot(t.Context(), NewRoot{}, rotateEvent, nil)
		must(t, err)
	}
	if old, _ := filepath.Glob(s.opts.Dir + ".key.old-*"); len(old) != 3 {
		t.Errorf("old keys %q", old)
	}
	pass := func() ([]byte, error) { return []byte("violet harbour trumpet"), nil }
	_, err := st.RotateRoot(t.Context(), NewRoot{Passphrase: pass}, rotateEvent, nil)
	must(t, err)
	must(t, os.WriteFile(s.opts.Dir+".key", []byte("of other data"), 0o600))
	if _, err := st.RotateRoot(t.Context(), NewRoot{}, rotateEvent, nil); err == nil || string(mustRead(t, s.opts.Dir+".key")) != "of other data" {
		t.Errorf("a foreign key file was replaced: %v", err)
	}
}
