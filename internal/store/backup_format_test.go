// SPDX-License-Identifier: Apache-2.0

package store

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hide/internal/testsize"
)

// releasesIn makes files of releases in a data folder and returns them by their paths.
func releasesIn(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{
		"releases/p1/ward-7-march/manifest.json": `{"ok":true}`,
		"releases/p1/ward-7-march/notes.jsonl":   strings.Repeat("a released note\n", 20_000),
		"releases/p2/empty.csv":                  "",
	}
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(at), 0o700))
		must(t, os.WriteFile(at, []byte(text), 0o600))
	}
	half := filepath.Join(dir, "releases", "p2", "next.part-ABCDEFGH")
	must(t, os.MkdirAll(half, 0o700))
	must(t, os.WriteFile(filepath.Join(half, "notes.jsonl"), []byte("half"), 0o600))
	return files
}

func filesBelow(t testing.TB, dir, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, filepath.WalkDir(filepath.Join(dir, folder), func(at string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, at)
			found[filepath.ToSlash(name)] = string(mustRead(t, at))
		}
		return err
	}))
	return found
}

// TestABackupHoldsTheReleasesAndHidesTheirNames: files of releases come back with the
// data, what was being written does not, and no name, size or text can be read.
func TestABackupHoldsTheReleasesAndHidesTheirNames(t *testing.T) {
	s := newSample(t)
	want := releasesIn(t, s.opts.Dir)
	st := mustOpen(t, s.opts)
	var b bytes.Buffer
	must(t, st.Backup(t.Context(), &b))
	info, err := st.VerifyBackup(t.Context(), bytes.NewReader(b.Bytes()))
	if err != nil || info.Format != 2 || info.Files != 3 || info.FileBytes != int64(20_000*len("a released note\n")+11) || info.Rows != s.rows || info.Made.IsZero() {
		t.Errorf("got %+v, %v", info, err)
	}
	for _, text := range []string{"releases", "ward-7", "manifest", "released note", "hide.db", "data_bytes"} {
		if bytes.Contains(b.Bytes(), []byte(text)) {
			t.Errorf("the backup shows %q", text)
		}
	}
	opts := s.elsewhere(t)
	must(t, Restore(&b, opts))
	if got := filesBelow(t, opts.Dir, FilesFolder); !maps.Equal(got, want) {
		t.Errorf("restored %d files that differ from the %d written", len(got), len(want))
	}
	wantPrivate(t, opts.Dir)
	st = mustOpen(t, opts)
	if got, err := content(st); err != nil || !maps.Equal(got, s.want) {
		t.Errorf("the restored content differs, %v", err)
	}
}

// TestAFirstFormatBackupIsRestored: older backups have no releases and open as before.
func TestAFirstFormatBackupIsRestored(t *testing.T) {
	s := newSample(t)
	opts := s.elsewhere(t)
	must(t, Restore(bytes.NewReader(sealBackup(s.data)), opts))
	st := mustOpen(t, opts)
	if got, err := content(st); err != nil || !maps.Equal(got, s.want) {
		t.Errorf("the restored content differs, %v", err)
	}
}

// TestAPassphraseOpensABackup: the salt is in the backup, and the passphrase is asked for
// once.
func TestAPassphraseOpensABackup(t *testing.T) {
	testsize.Slow(t)
	opts := testOptions(t)
	asked := 0
	opts.Passphrase = func() ([]byte, error) { asked++; return []byte("a long passphrase"), nil }
	st := mustOpen(t, opts)
	mustPut(t, st, System, "note", "k", "value")
	var b bytes.Buffer
	must(t, st.Backup(t.Context(), &b))
	must(t, st.Close())
	asked = 0
	restored := opts
	restored.Dir += "-2"
	must(t, Restore(bytes.NewReader(b.Bytes()), restored))
	if asked != 1 {
		t.Errorf("the passphrase was asked for %d times", asked)
	}
	wrong := opts
	wrong.Dir, wrong.Passphrase = opts.Dir+"-3", func() ([]byte, error) { return []byte("another"), nil }
	if err := Restore(bytes.NewReader(b.Bytes()), wrong); !errors.Is(err, ErrWrongKey) {
		t.Errorf("got %v, want ErrWrongKey", err)
	}
}

// TestChunksCannotBeMoved: a backup whose chunks were swapped, repeated, dropped or taken
// from another backup of the same store is refused.
func TestChunksCannotBeMoved(t *testing.T) {
	s := newSample(t)
	releasesIn(t, s.opts.Dir)
	one, two := s.backup(t), s.backup(t)
	const chunk = 64<<10 + 16
	at := bytes.Index(one, []byte("\n---")) // the last line of the header, then the nonce
	at += 1 + bytes.IndexByte(one[at+1:], '\n') + 1 + 16
	part := func(b []byte, i int) []byte { return b[at+i*chunk : min(len(b), at+(i+1)*chunk)] }
	chunks := (len(one) - at + chunk - 1) / chunk
	if chunks < 5 {
		t.Fatalf("only %d chunks", chunks)
	}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	head, rest := one[:at], one[at+2*chunk:]
	for what, b := range map[string][]byte{
		"swapped":       join(head, part(one, 1), part(one, 0), rest),
		"repeated":      join(head, part(one, 0), part(one, 0), rest),
		"dropped":       join(head, part(one, 1), rest),
		"cut at an end": one[:at+3*chunk],
		"foreign":       join(head, part(two, 0), part(one, 1), rest),
		"header only":   head,
	} {
		if err := Restore(bytes.NewReader(b), s.elsewhere(t)); err == nil || !strings.Contains(err.Error(), "the backup is damaged") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	must(t, Restore(bytes.NewReader(join(head, part(one, 0), part(one, 1), rest)), s.elsewhere(t)))
}

// full fails like a disk that has room for n more bytes.
type full struct{ n int }

func (f *full) Write(b []byte) (int, error) {
	if len(b) > f.n {
		return f.n, &fs.PathError{Op: "write", Path: "/mnt/backup/x", Err: syscall.ENOSPC}
	}
	f.n -= len(b)
	return len(b), nil
}

// TestAFullDiskIsSaidAndLeavesNothing: wherever the destination becomes full.
func TestAFullDiskIsSaidAndLeavesNothing(t *testing.T) {
	s := newSample(t)
	releasesIn(t, s.opts.Dir)
	size := len(s.backup(t))
	st := mustOpen(t, s.opts)
	for n := 0; n < size*9/10; n += size / 25 {
		err := st.Backup(t.Context(), &full{n})
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "the disk is full") || !strings.Contains(err.Error(), "write /mnt/backup/x") {
			t.Fatalf("room for %d: got %v", n, err)
		}
	}
	wantNoCopy(t, s.opts.Dir)
	must(t, st.Backup(t.Context(), io.Discard))
}

// TestABackupLeavesRoomForEdits: the copy of the data file would fill the disk.
func TestABackupLeavesRoomForEdits(t *testing.T) {
	s := newSample(t)
	var left uint64 = spare
	s.opts.free = func(string) (uint64, error) { return left, nil }
	st := mustOpen(t, s.opts)
	var b bytes.Buffer
	if err := st.Backup(t.Context(), &b); !errors.Is(err, syscall.ENOSPC) || b.Len() > 0 {
		t.Errorf("%d bytes, %v", b.Len(), err)
	}
	wantNoCopy(t, s.opts.Dir)
	left += 1 << 30
	must(t, st.Backup(t.Context(), &b))
}

func wantNoCopy(t *testing.T, dir string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(dir, backupTemp+"*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// stops ends a context when n bytes came.
type stops struct {
	n    int
	stop func()
}

func (s *stops) Write(b []byte) (int, error) {
	if s.n -= len(b); s.n < 0 {
		s.stop()
	}
	return len(b), nil
}

// TestABackupStopsWithItsServer, at its beginning or in the middle, and so does its check.
func TestABackupStopsWithItsServer(t *testing.T) {
	s := newSample(t)
	whole := s.backup(t)
	st := mustOpen(t, s.opts)
	for _, n := range []int{-1, 0, len(whole) / 2} {
		ctx, cancel := context.WithCancel(t.Context())
		if n < 0 {
			cancel()
		}
		if err := st.Backup(ctx, &stops{n, cancel}); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d bytes: %v", n, err)
		}
		wantNoCopy(t, s.opts.Dir)
		if _, err := st.VerifyBackup(ctx, bytes.NewReader(whole)); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "damaged") {
			t.Errorf("the check: %v", err)
		}
		cancel()
	}
}

// TestABackupOfANewerFormatIsNotCalledDamaged.
func TestABackupOfANewerFormatIsNotCalledDamaged(t *testing.T) {
	s := newSample(t)
	st := mustOpen(t, s.opts)
	snap, err := st.snapshot(t.Context())
	must(t, err)
	snap.info.Format = 3
	var b bytes.Buffer
	must(t, snap.writeWith(&b, func(*tar.Writer) error { return nil }))
	must(t, errors.Join(snap.f.Close(), os.Remove(snap.f.Name())))
	if _, err := st.VerifyBackup(t.Context(), &b); err == nil || !strings.Contains(err.Error(), "newer hide") || strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v", err)
	}
}

// TestABackupOfAnotherStoreIsNotVerified by this one's key.
func TestABackupOfAnotherStoreIsNotVerified(t *testing.T) {
	a, b := newSample(t), newSample(t)
	backup := a.backup(t)
	if _, err := mustOpen(t, b.opts).VerifyBackup(t.Context(), bytes.NewReader(backup)); !errors.Is(err, ErrWrongKey) {
		t.Errorf("got %v, want ErrWrongKey", err)
	}
	st := mustOpen(t, a.opts)
	for _, cut := range []int{0, 10, 300, 70_000, len(backup) - 1} {
		if _, err := st.VerifyBackup(t.Context(), bytes.NewReader(backup[:cut])); err == nil {
			t.Errorf("a backup cut to %d bytes was verified", cut)
		}
	}
}

// TestStrangeNamesAreNotWritten: only the key's holder can make such a backup, and even
// that writes nothing outside of the folder.
func TestStrangeNamesAreNotWritten(t *testing.T) {
	s := newSample(t)
	for i, name := range []string{"../x", "/etc/x", "hide.db", "releases/../../x", "other/x", "releases2/x"} {
		st := mustOpen(t, s.opts)
		snap, err := st.snapshot(t.Context())
		must(t, err)
		var b bytes.Buffer
		must(t, snap.writeWith(&b, func(out *tar.Writer) error { return addEntry(out, name, 1, strings.NewReader("x")) }))
		must(t, errors.Join(snap.f.Close(), os.Remove(snap.f.Name()), st.Close()))
		opts := s.elsewhere(t)
		if err := Restore(&b, opts); err == nil || !strings.Contains(err.Error(), errEntry.Error()) {
			t.Errorf("%d, %q: got %v", i, name, err)
		}
		if entries, _ := os.ReadDir(filepath.Dir(opts.Dir)); len(entries) != 0 {
			t.Errorf("%q: left %v", name, fmt.Sprint(entries))
		}
	}
}
