// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"hide/internal/testsize"

	"go.etcd.io/bbolt"
)

// sealBackup puts a valid header before any bytes.
func sealBackup(data []byte) []byte {
	b := binary.BigEndian.AppendUint64([]byte(oldBackupMagic), uint64(len(data)))
	sum := sha256.Sum256(data)
	return append(append(b, sum[:]...), data...)
}

// wantPrivate walks a folder: files have mode 0600, folders 0700, for any umask.
func wantPrivate(t *testing.T, dir string) {
	t.Helper()
	files := 0
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if files++; err == nil && runtime.GOOS != "windows" && info.Mode().Perm() != want {
			t.Errorf("%s has mode %04o, want %04o", d.Name(), info.Mode().Perm(), want)
		}
		return err
	}))
	if files < 4 {
		t.Errorf("only %d files to look at", files)
	}
}

func TestKeyFileIsLookedAfter(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(path string) error
		want  string
	}{
		{"readable by the group", func(p string) error { return os.Chmod(p, 0o640) }, "can be read by others"},
		{"readable by all", func(p string) error { return os.Chmod(p, 0o604) }, "can be read by others"},
		{"missing", os.Remove, "is missing: put it back"},
		{"empty", func(p string) error { return os.WriteFile(p, nil, 0o600) }, "does not hold a key"},
		{"cut", func(p string) error { return os.Truncate(p, 30) }, "does not hold a key"},
		{"another", func(p string) error { os.Remove(p); return createKeyFile(p) }, "does not fit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := testOptions(t)
			mustClose(t, mustOpen(t, opts))
			must(t, c.spoil(opts.Dir+".key"))
			_, err := Open(opts)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, c.want)
			}
		})
	}
}

func TestKeyFileInsideTheDataFolderIsRefused(t *testing.T) {
	opts := testOptions(t)
	opts.KeyFile = filepath.Join(opts.Dir, "key")
	if _, err := Open(opts); err == nil || !strings.Contains(err.Error(), "inside the data folder") {
		t.Errorf("got %v", err)
	}
}

func TestPassphraseTakesTheKeyFilesPlace(t *testing.T) {
	testsize.Slow(t)
	opts := testOptions(t)
	say := func(pass string) func() ([]byte, error) {
		return func() ([]byte, error) { return []byte(pass), nil }
	}
	opts.Passphrase = say("correct horse")
	s := mustOpen(t, opts)
	mustPut(t, s, System, "b", "k", "v")
	mustClose(t, s)
	if _, err := os.Stat(opts.Dir + ".key"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a key file: %v", err)
	}
	opts.Passphrase = say("wrong horse")
	if _, err := Open(opts); !errors.Is(err, ErrWrongKey) {
		t.Errorf("wrong passphrase: got %v", err)
	}
	opts.Passphrase = say("")
	if _, err := Open(opts); err == nil {
		t.Error("empty passphrase: opened")
	}
	opts.Passphrase = nil
	if _, err := Open(opts); err == nil || !strings.Contains(err.Error(), "sealed with a passphrase") {
		t.Errorf("no passphrase: got %v", err)
	}
	opts.Passphrase = say("correct horse")
	s = mustOpen(t, opts)
	if got, err := get(s, System, "b", "k"); got != "v" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestOfManyFirstStartsOneWins(t *testing.T) {
	opts := testOptions(t)
	opts.Now = nil
	var wait sync.WaitGroup
	stores, errs := make([]*Store, 6), make([]error, 6)
	for i := range stores {
		wait.Go(func() { stores[i], errs[i] = Open(opts) })
	}
	wait.Wait()
	won := 0
	for i, s := range stores {
		var locked *LockedError
		if errs[i] == nil {
			won++
			mustPut(t, s, System, "b", "k", "v")
			must(t, s.Close())
		} else if !errors.As(errs[i], &locked) {
			t.Errorf("got %v, want a *LockedError", errs[i])
		}
	}
	if won != 1 {
		t.Errorf("%d opened it, want 1", won)
	}
}

// TestVanishedDataFileIsNotReplacedByAnEmptyOne: an empty store in place of a lost one
// would look as if all work were gone.
func TestVanishedDataFileIsNotReplacedByAnEmptyOne(t *testing.T) {
	opts := testOptions(t)
	s := mustOpen(t, opts)
	mustPut(t, s, System, "b", "k", "v")
	mustClose(t, s)
	must(t, os.Remove(opts.data()))
	var d *DamageError
	if _, err := Open(opts); !errors.As(err, &d) || !errors.Is(err, errVanished) {
		t.Errorf("got %v", err)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	s := newSample(t)
	s.tamper(t, func(btx *bbolt.Tx) error { return changeRoot(btx, func(r *root) { r.Schema = 99 }) })
	before := tree(t, filepath.Dir(s.opts.Dir))
	_, err := Open(s.opts)
	var schema *SchemaError
	if !errors.As(err, &schema) || schema.Found != 99 || schema.Known != firstSchema+len(steps()) || !strings.Contains(err.Error(), "install that version again") {
		t.Errorf("got %v, want a *SchemaError", err)
	}
	if after := tree(t, filepath.Dir(s.opts.Dir)); !maps.Equal(before, after) {
		t.Error("files of the newer version were changed")
	}
}

func TestStepsRunInOrderOnce(t *testing.T) {
	s := newSample(t)
	var ran []int
	list := []step{
		func(*Store, *bbolt.Tx, *state) error { ran = append(ran, 2); return nil },
		func(*Store, *bbolt.Tx, *state) error { ran = append(ran, 3); return nil },
	}
	for _, c := range []struct {
		steps []step
		want  int
	}{{nil, 0}, {list[:1], 1}, {list, 2}, {list, 2}} {
		st, err := open(s.opts, slices.Concat(steps(), c.steps))
		must(t, err)
		must(t, st.Close())
		if len(ran) != c.want || st.root.Schema != firstSchema+len(steps())+c.want {
			t.Errorf("with %d steps: ran %v, schema %d", len(c.steps), ran, st.root.Schema)
		}
	}
	if ran[0] != 2 || ran[1] != 3 {
		t.Errorf("ran %v", ran)
	}
	var schema *SchemaError
	if _, err := Open(s.opts); !errors.As(err, &schema) {
		t.Errorf("an older program: got %v, want a *SchemaError", err)
	}
}

func TestFailedStepChangesNothing(t *testing.T) {
	s := newSample(t)
	errStep := errors.New("step")
	bad := func(_ *Store, btx *bbolt.Tx, _ *state) error {
		return errors.Join(btx.DeleteBucket(auditBucket), errStep)
	}
	if _, err := open(s.opts, append(steps(), bad)); !errors.Is(err, errStep) {
		t.Errorf("got %v", err)
	}
	st := mustOpen(t, s.opts)
	if _, err := st.VerifyAudit(); err != nil {
		t.Error(err)
	}
}

const canary = "Zacharias Canary-Quill"

// TestNothingIsInTheClear searches for canaries in every file and in a backup, also
// after the value was deleted.
func TestNothingIsInTheClear(t *testing.T) {
	opts := testOptions(t)
	s := mustOpen(t, opts)
	for _, text := range []string{canary, strings.Repeat(canary+" ", 1000)} {
		must(t, s.Update(System, func(tx *Tx) error {
			return errors.Join(
				tx.Put("note", tx.HMAC([]byte(canary)), []byte(text)),
				tx.Put("note", Key(2), []byte(text)),
				tx.Delete("note", Key(2)),
				tx.Audit(Event{Actor: "u1", Action: "x", Object: canary, Detail: canary}))
		}))
	}
	var backup bytes.Buffer
	must(t, s.Backup(t.Context(), &backup))
	mustClose(t, s)
	all := map[string][]byte{"backup": backup.Bytes()}
	must(t, filepath.WalkDir(filepath.Dir(opts.Dir), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[d.Name()] = mustRead(t, path)
		}
		return err
	}))
	for name, b := range all {
		for _, part := range []string{canary, "Zacharias", "anary-Qu"} {
			if bytes.Contains(b, []byte(part)) {
				t.Errorf("%s holds %q", name, part)
			}
		}
	}
	if len(all) < 4 {
		t.Errorf("looked at %d files only", len(all))
	}
}

// TestDestroyedSpaceIsGoneFromTheFile: neither the wrapped key nor an encrypted value
// remains, even with a reader at that moment.
func TestDestroyedSpaceIsGoneFromTheFile(t *testing.T) {
	testsize.Slow(t)
	for _, reading := range []bool{false, true} {
		s := newSample(t)
		var wrapped, value []byte
		s.tamper(t, func(btx *bbolt.Tx) error {
			wrapped = raw(btx.Bucket(spacesBucket), []byte("p1"))
			_, _, v := first(btx.Bucket(dataBucket("p1", "layer")))
			value = bytes.Clone(v)
			return nil
		})
		s.reset(t, s.data)
		st := mustOpen(t, s.opts)
		destroy := func() { must(t, st.DestroySpace("p1", testEvent)) }
		if reading {
			must(t, st.View(System, func(*Tx) error { destroy(); return nil }))
		} else {
			destroy()
		}
		if err := st.View("p1", func(*Tx) error { return nil }); !errors.Is(err, ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
		mustClose(t, st)
		b := mustRead(t, s.opts.data())
		if bytes.Contains(b, wrapped[1:40]) || bytes.Contains(b, value[1:40]) {
			t.Errorf("reading %v: the file still holds the key or a value", reading)
		}
		for _, k := range s.want.under("p1/") {
			delete(s.want, k)
		}
		s.data, s.head = b, mustRead(t, s.opts.head())
		if s.use(t) {
			t.Errorf("reading %v: the store is damaged", reading)
		}
	}
}

func TestSystemSpaceStays(t *testing.T) {
	s := mustOpen(t, testOptions(t))
	if s.DestroySpace(System, testEvent) == nil || s.CreateSpace(System, testEvent) == nil || s.CreateSpace("", testEvent) == nil {
		t.Error("a space was created or destroyed that should not be")
	}
}

func TestClosedStoreSaysSo(t *testing.T) {
	s := mustOpen(t, testOptions(t))
	mustClose(t, s)
	mustClose(t, s)
	for what, err := range map[string]error{
		"view":   s.View(System, func(*Tx) error { return nil }),
		"update": s.Update(System, func(*Tx) error { return nil }),
		"create": s.CreateSpace("p1", testEvent),
		"backup": s.Backup(t.Context(), &bytes.Buffer{}),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: got %v, want ErrClosed", what, err)
		}
	}
}

func TestDiskTroubleIsSaidPlainly(t *testing.T) {
	for err, want := range map[error]string{syscall.EROFS: "read-only", syscall.ENOSPC: "not saved, the disk is full"} {
		got := plain(&fs.PathError{Op: "write", Path: "x", Err: err})
		if !strings.Contains(got.Error(), want) || !errors.Is(got, err) {
			t.Errorf("got %v, want %q", got, want)
		}
	}
}
