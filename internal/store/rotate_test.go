// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/testsize"

	"go.etcd.io/bbolt"
)

var rotateEvent = Event{Actor: "u1", Action: "rotate key"}

// copyFolder copies a data folder and all beside it, as a crash at this moment leaves them.
func copyFolder(t testing.TB, opts Options) Options {
	t.Helper()
	to := opts
	base := t.TempDir()
	must(t, os.CopyFS(filepath.Join(base, "all"), os.DirFS(filepath.Dir(opts.Dir))))
	to.Dir = filepath.Join(base, "all", filepath.Base(opts.Dir))
	must(t, filepath.WalkDir(base, func(at string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = os.Chmod(at, 0o600)
		}
		return err
	}))
	return to
}

func wantContent(t *testing.T, when string, s *Store, want model) {
	t.Helper()
	if got, err := content(s); err != nil || !maps.Equal(got, want) {
		t.Fatalf("%s: the content differs from the model: %d and %d values, %v", when, len(got), len(want), err)
	}
	if err := s.Check(context.Background(), nil); err != nil {
		t.Fatalf("%s: %v", when, err)
	}
}

// onePortion does one transaction of a rotation.
func (s *Store) onePortion(t *testing.T, name string) (left bool) {
	t.Helper()
	s.write.Lock()
	defer s.write.Unlock()
	must(t, s.changeLocked(new(bool), func(btx *bbolt.Tx, st *state) (err error) {
		_, left, err = s.moveValues(btx, st, name)
		return err
	}))
	return left
}

// begin begins a rotation of a space and does nothing more of it.
func (s *Store) begin(t *testing.T, name string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.RotateSpace(ctx, name, rotateEvent, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

// TestEditsAndPortionsAgreeWithAModel interleaves portions of a rotation with random
// transactions, looks at a copy as a crash would leave it, and goes on in the copy.
func TestEditsAndPortionsAgreeWithAModel(t *testing.T) {
	testsize.Slow(t)
	opts := testOptions(t)
	s := mustOpen(t, opts)
	rng := rand.New(rand.NewPCG(21, 22))
	want, spaces := model{}, []string{System, "p1", "p2"}
	must(t, errors.Join(s.CreateSpace("p1", testEvent), s.CreateSpace("p2", testEvent)))
	steps := func(n int) {
		for range n {
			simulate(t, s, rng, spaces[rng.IntN(len(spaces))], want)
		}
	}
	// More values than one portion has.
	for _, space := range spaces {
		must(t, s.Update(space, func(tx *Tx) error {
			for i := range 200 {
				key := fmt.Sprint("k", i)
				must(t, tx.Put("many", []byte(key), []byte("v"+key)))
				want[space+"/many/"+key] = "v" + key
			}
			_, err := tx.Next("many")
			return errors.Join(err, tx.Audit(testEvent))
		}))
	}
	steps(60)
	var index []byte
	must(t, s.View("p1", func(tx *Tx) error { index = tx.HMAC([]byte("a name")); return nil }))
	for generation := range uint32(2) {
		for _, space := range spaces {
			s.begin(t, space)
			for left := true; left; {
				left = s.onePortion(t, space)
				steps(3)
				if rng.IntN(8) == 0 {
					crashed := mustOpen(t, copyFolder(t, opts))
					wantContent(t, "after a crash", crashed, want)
					if names, err := crashed.Rotations(); err != nil || !slices.Equal(names, []string{space}) {
						t.Fatalf("rotations after a crash: %q, %v", names, err)
					}
					must(t, crashed.FinishRotation(t.Context(), nil))
					wantContent(t, "continued after a crash", crashed, want)
				}
			}
			must(t, s.FinishRotation(t.Context(), nil))
			wantContent(t, "rotated", s, want)
			if keys, _ := s.space(space); keys.old != nil || keys.generation != generation+1 {
				t.Errorf("space %s: generation %d, old key %v", space, keys.generation, keys.old != nil)
			}
		}
	}
	must(t, s.View("p1", func(tx *Tx) error {
		if !bytes.Equal(index, tx.HMAC([]byte("a name"))) {
			t.Error("index keys changed")
		}
		return nil
	}))
	must(t, s.Update("p1", func(tx *Tx) error {
		if n, err := tx.Next("many"); n != 2 || err != nil {
			t.Errorf("the next number is %d, %v", n, err)
		}
		return tx.Audit(testEvent)
	}))
	mustClose(t, s)
	wantContent(t, "opened again", mustOpen(t, opts), want)
}

// TestTheOldKeyOpensNothingAfterARotation: no value, no ledger, no free page.
func TestTheOldKeyOpensNothingAfterARotation(t *testing.T) {
	s := newSample(t)
	st := mustOpen(t, s.opts)
	old, err := st.space("p1")
	must(t, err)
	var values [][]byte
	must(t, st.read(func(btx *bbolt.Tx) error {
		for c, _, v := first(btx.Bucket(dataBucket("p1", "layer"))); v != nil; _, v = c.Next() {
			values = append(values, bytes.Clone(v))
		}
		values = append(values, bytes.Clone(btx.Bucket(spacesBucket).Get([]byte("p1"))))
		return nil
	}))
	progress := 0
	must(t, st.RotateSpace(t.Context(), "p1", rotateEvent, func(done, total int) {
		if progress = done; done > total {
			t.Errorf("%d of %d", done, total)
		}
	}))
	if progress != len(s.want.under("p1/")) {
		t.Errorf("%d values were encrypted anew, want %d", progress, len(s.want.under("p1/")))
	}
	wantContent(t, "rotated", st, s.want)
	opened := 0
	must(t, st.View("p1", func(tx *Tx) error {
		for _, bucket := range []string{"layer", "note"} {
			for c, k, v := first(tx.btx.Bucket(dataBucket("p1", bucket))); k != nil; k, v = c.Next() {
				if _, err := old.value.open(tx.place(bucket, k), v); err == nil {
					opened++
				}
			}
		}
		return nil
	}))
	rows, err := st.AuditRows(0, 2, nil)
	if err != nil || rows[0].Action != "key rotated" || rows[1].Action != "rotate key" || rows[0].Space != "p1" {
		t.Errorf("audit: %+v, %v", rows, err)
	}
	mustClose(t, st)
	b := mustRead(t, s.opts.data())
	for _, v := range values {
		if opened > 0 || bytes.Contains(b, v[1:40]) {
			t.Fatalf("%d values open with the old key, or one is still in the file", opened)
		}
	}
}

// TestARotationKeepsNoLossSecret: what was lost or put back before a rotation is noticed by
// it, and does not become part of the new digest.
func TestARotationKeepsNoLossSecret(t *testing.T) {
	s := newSample(t)
	st := mustOpen(t, s.opts)
	st.begin(t, "p1")
	must(t, st.access(true, new(bool), func(btx *bbolt.Tx) error {
		b := btx.Bucket(dataBucket("p1", "note"))
		_, k, _ := first(b)
		return b.Delete(bytes.Clone(k))
	}))
	var damage *DamageError
	if err := st.FinishRotation(t.Context(), nil); !errors.As(err, &damage) {
		t.Errorf("got %v, want a *DamageError", err)
	}
	st.Close()
}

func TestASealedSpaceIsNotRotated(t *testing.T) {
	s := newSample(t)
	for _, name := range secrets(t, s.opts) {
		if strings.HasPrefix(filepath.Base(name), "p1-") {
			must(t, os.Remove(filepath.Join(s.opts.Dir+".secrets", filepath.Base(name))))
		}
	}
	st := mustOpen(t, s.opts)
	var missing *MissingSecretError
	if err := st.RotateSpace(t.Context(), "p1", rotateEvent, nil); !errors.As(err, &missing) {
		t.Errorf("got %v, want a *MissingSecretError", err)
	}
	must(t, st.RotateSpace(t.Context(), "p2", rotateEvent, nil))
}
