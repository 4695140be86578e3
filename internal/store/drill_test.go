// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree is every file below a folder with its hash and its time, so that a change shows.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		sum := sha256.Sum256(mustRead(t, at))
		all[at] = info.ModTime().String() + string(sum[:])
		return err
	}))
	return all
}

// TestADrillTouchesNothingLive: the store is open meanwhile, has newer rows, and a secret is
// on record in the backup to be destroyed.
func TestADrillTouchesNothingLive(t *testing.T) {
	s := newSample(t)
	releasesIn(t, s.opts.Dir)
	st := mustOpen(t, s.opts)
	var b bytes.Buffer
	must(t, st.Backup(t.Context(), &b))
	mustPut(t, st, "p1", "note", "later", "x")
	must(t, os.WriteFile(s.opts.Dir+".key.new-1", nil, 0o600))
	before := tree(t, filepath.Dir(s.opts.Dir))
	calls := 0
	err := Drill(t.Context(), bytes.NewReader(b.Bytes()), s.opts, "", func(d *Drilled) error {
		calls++
		if got, err := content(d.Store); err != nil || !maps.Equal(got, s.want) {
			t.Errorf("the content differs, %v", err)
		}
		if d.Values != len(s.want) || d.Info.Files != 3 || d.LiveRows != s.rows+1 || d.Rows != s.rows {
			t.Errorf("got %+v, want %d values", d, len(s.want))
		}
		if left := Leftovers(s.opts.Dir); len(left) != 1 {
			t.Errorf("a kill at this moment would leave %q", left)
		}
		// Work on the drilled store reaches nothing either.
		must(t, d.Store.CreateSpace("p9", testEvent))
		must(t, d.Store.DestroySpace("p2", testEvent))
		return nil
	})
	must(t, err)
	if after := tree(t, filepath.Dir(s.opts.Dir)); !maps.Equal(before, after) || calls != 1 {
		t.Errorf("%d files before, %d after the drill, or some changed", len(before), len(after))
	}
	if _, err := st.VerifyAudit(); err != nil {
		t.Error(err)
	}
}

// TestADrillOfAnOldFileWritesNoSecretBeside: the migration gives its spaces secrets, in the
// folder of the drill.
func TestADrillOfAnOldFileWritesNoSecretBeside(t *testing.T) {
	s := newSample(t)
	st := mustOpen(t, s.opts)
	toFirstSchema(t, st)
	mustClose(t, st)
	old := mustRead(t, s.opts.data())
	must(t, errors.Join(os.RemoveAll(s.opts.Dir), os.Remove(s.opts.head()), os.RemoveAll(s.opts.Dir+".secrets")))
	before := tree(t, filepath.Dir(s.opts.Dir))
	must(t, Drill(t.Context(), bytes.NewReader(sealBackup(old)), s.opts, t.TempDir(), func(d *Drilled) error {
		if got, err := content(d.Store); err != nil || !maps.Equal(got, s.want) || d.LiveRows != 0 {
			t.Errorf("the content differs, %v", err)
		}
		return nil
	}))
	if after := tree(t, filepath.Dir(s.opts.Dir)); !maps.Equal(before, after) {
		t.Error("files changed")
	}
}

func TestADrillOfADamagedBackupFailsAndLeavesNothing(t *testing.T) {
	s := newSample(t)
	backup, temp := s.backup(t), t.TempDir()
	never := func(*Drilled) error { t.Error("a damaged backup was handed on"); return nil }
	flipped := bytes.Clone(backup)
	flipped[len(flipped)/2] ^= 1
	for want, b := range map[string][]byte{"the backup is damaged": flipped, "it is cut short": nil} {
		if err := Drill(t.Context(), bytes.NewReader(b), s.opts, temp, never); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Drill(ctx, bytes.NewReader(backup), s.opts, temp, never); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(temp); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}
