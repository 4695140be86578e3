// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hide/internal/testsize"
)

// backup is a backup of the sample.
func (s *sample) backup(t testing.TB) []byte {
	t.Helper()
	s.reset(t, s.data)
	st := mustOpen(t, s.opts)
	var b bytes.Buffer
	must(t, st.Backup(t.Context(), &b))
	must(t, st.Close())
	return b.Bytes()
}

// elsewhere returns options for a folder that does not exist yet, with the same key.
func (s *sample) elsewhere(t testing.TB) Options {
	opts := testOptions(t)
	opts.Create = false
	opts.KeyFile = s.opts.KeyFile
	if opts.KeyFile == "" {
		opts.KeyFile = s.opts.Dir + ".key"
	}
	return opts
}

func TestRestoreBringsEverythingBack(t *testing.T) {
	s := newSample(t)
	opts := s.elsewhere(t)
	must(t, Restore(bytes.NewReader(s.backup(t)), opts))
	st := mustOpen(t, opts)
	got, err := content(st)
	if err != nil || !maps.Equal(got, s.want) {
		t.Fatalf("the restored content differs, %v", err)
	}
	sum, err := st.VerifyAudit()
	if err != nil || sum.Rows != s.rows+1 || len(sum.Gaps) != 0 {
		t.Errorf("got %+v, %v, want %d rows", sum, err, s.rows+1)
	}
	mustPut(t, st, "p1", "note", "new", "value")
	wantPrivate(t, filepath.Dir(opts.Dir))
	if left, _ := filepath.Glob(opts.Dir + ".restore-*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestWhatCameFromElsewhereKnowsIt: a restored folder, even if renamed; what is
// restored from its backups; and a folder that was copied or renamed without its audit
// head.
func TestWhatCameFromElsewhereKnowsIt(t *testing.T) {
	s := newSample(t)
	opts := s.elsewhere(t)
	must(t, Restore(bytes.NewReader(s.backup(t)), opts))
	wantRestored(t, s.opts, false)
	moved := opts
	moved.Dir += "-moved"
	must(t, errors.Join(os.Rename(opts.Dir, moved.Dir), os.Rename(opts.Dir+".head", moved.Dir+".head")))
	wantRestored(t, moved, true)

	must(t, os.Remove(s.opts.Dir+".head"))
	wantRestored(t, s.opts, true)
	wantRestored(t, s.opts, true)
}

// TestARestoredFolderOfNothingKnowsIt restores the backup of an empty store.
func TestARestoredFolderOfNothingKnowsIt(t *testing.T) {
	from := testOptions(t)
	st := mustOpen(t, from)
	var backup bytes.Buffer
	must(t, st.Backup(t.Context(), &backup))
	must(t, st.Close())
	opts := Options{Dir: from.Dir + "-2", KeyFile: from.Dir + ".key"}
	must(t, Restore(&backup, opts))
	wantRestored(t, opts, true)
}

func wantRestored(t *testing.T, o Options, want bool) {
	t.Helper()
	st := mustOpen(t, o)
	if got, err := st.Restored(); err != nil || got != want {
		t.Errorf("%s: restored is %v, %v", o.Dir, got, err)
	}
	must(t, st.Close())
}

// TestRestoreTellsWhatIsLost: the head of the lost store is still next to the folder,
// so the restored one can list the missing rows.
func TestRestoreTellsWhatIsLost(t *testing.T) {
	s := newSample(t)
	backup := s.backup(t)
	st := mustOpen(t, s.opts)
	mustPut(t, st, "p1", "note", "later", "x")
	mustPut(t, st, "p1", "note", "later still", "x")
	must(t, st.Close())
	must(t, os.RemoveAll(s.opts.Dir))
	must(t, Restore(bytes.NewReader(backup), s.opts))
	st = mustOpen(t, s.opts)
	rows, err := st.AuditRows(0, 1, nil)
	if err != nil || rows[0].Action != "store.restore" || !strings.Contains(rows[0].Detail, "2 newer rows") {
		t.Errorf("got %+v, %v", rows, err)
	}
}

func TestBackupWhileWorkGoesOn(t *testing.T) {
	s := newSample(t)
	st := mustOpen(t, s.opts)
	var wait sync.WaitGroup
	wait.Go(func() {
		for range 50 {
			mustPut(t, st, "p2", "note", "busy", strings.Repeat("x", 5000))
		}
	})
	var backups [3]bytes.Buffer
	for i := range backups {
		must(t, st.Backup(t.Context(), &backups[i]))
	}
	wait.Wait()
	for i := range backups {
		must(t, Restore(&backups[i], s.elsewhere(t)))
	}
	if left, _ := filepath.Glob(filepath.Join(s.opts.Dir, backupTemp+"*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestDamagedBackupIsNotRestored(t *testing.T) {
	testsize.Slow(t)
	s, rng := newSample(t), rand.New(rand.NewPCG(9, 9))
	backup := s.backup(t)
	old := sealBackup(s.data)
	try := func(what string, b []byte) {
		t.Helper()
		opts := s.elsewhere(t)
		if err := Restore(bytes.NewReader(b), opts); err == nil {
			t.Errorf("%s: restored", what)
		}
		if entries, _ := os.ReadDir(filepath.Dir(opts.Dir)); len(entries) != 0 {
			t.Errorf("%s: left behind %v", what, entries)
		}
	}
	for range 60 {
		for _, whole := range [][]byte{backup, old} {
			b := bytes.Clone(whole)
			b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
			try("bit flip", b)
			try("cut", whole[:rng.IntN(len(whole))])
		}
	}
	try("longer", append(bytes.Clone(backup), 0))
	try("longer", append(bytes.Clone(old), 0))
	try("empty", nil)
	try("something else", []byte(strings.Repeat("not a backup at all ", 20)))
	// Damage from before the backup was made has a good checksum.
	for range 20 {
		data := bytes.Clone(s.data)
		data[2*newPageSize+rng.IntN(len(data)/2)] ^= 0xff
		opts := s.elsewhere(t)
		err := Restore(bytes.NewReader(sealBackup(data)), opts)
		if err != nil {
			continue
		}
		st := mustOpen(t, opts)
		if got, err := content(st); err != nil || !maps.Equal(got, s.want) {
			t.Errorf("wrong content was restored, %v", err)
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	s := newSample(t)
	backup := s.backup(t)
	full := s.elsewhere(t)
	must(t, os.MkdirAll(full.Dir, 0o700))
	must(t, os.WriteFile(filepath.Join(full.Dir, "x"), nil, 0o600))
	wrong := s.elsewhere(t)
	wrong.KeyFile = wrong.Dir + ".key"
	must(t, createKeyFile(wrong.KeyFile))
	missing := s.elsewhere(t)
	missing.KeyFile = missing.Dir + ".key"
	for _, c := range []struct {
		name string
		opts Options
		want error
	}{{"a folder in use", full, fs.ErrExist}, {"another key", wrong, ErrWrongKey}, {"no key", missing, fs.ErrNotExist}} {
		if err := Restore(bytes.NewReader(backup), c.opts); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	empty := s.elsewhere(t)
	must(t, os.MkdirAll(empty.Dir, 0o700))
	must(t, Restore(bytes.NewReader(backup), empty))
}

func FuzzRestore(f *testing.F) {
	s := newSample(f)
	backup := s.backup(f)
	for _, b := range [][]byte{backup, sealBackup(s.data), backup[:400], backup[:70_000], nil, sealBackup(nil), sealBackup(make([]byte, 4*4096)), sealBackup(s.data[:3*4096])} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		opts := s.elsewhere(t)
		// The checksum is not the only protection: try the same bytes under a correct
		// one.
		for _, b := range [][]byte{b, sealBackup(b)} {
			if Restore(bytes.NewReader(b), opts) != nil {
				continue
			}
			st := mustOpen(t, opts)
			if got, err := content(st); err != nil || !maps.Equal(got, s.want) {
				t.Fatalf("wrong content was restored, %v", err)
			}
			return
		}
	})
}

func FuzzPages(f *testing.F) {
	s := newSample(f)
	f.Add(s.data[:4*newPageSize])
	f.Add(s.data)
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		if metas, err := readMetas(r); err == nil {
			checkPages(r, int64(len(b)), metas[0], false)
		}
		checkPages(r, int64(len(b)), pageMeta{pageSize: 4096, root: 3, freelist: 2, high: uint64(len(b) / 4096)}, true)
	})
}
