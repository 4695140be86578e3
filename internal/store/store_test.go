// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/testsize"

	"go.etcd.io/bbolt"
)

// testOptions returns options for a new store in the test's own folder.
func testOptions(t testing.TB) Options {
	t.Helper()
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var mu sync.Mutex // guards clock: backups ask it beside changes
	return Options{
		Dir:    filepath.Join(t.TempDir(), "data"),
		Create: true,
		Now: func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			clock = clock.Add(time.Second)
			return clock
		},
	}
}

func mustOpen(t testing.TB, opts Options) *Store {
	t.Helper()
	s, err := Open(opts)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { mustClose(t, s) })
	return s
}

// mustClose checks and closes the store, unless it is closed already.
func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if s.usable() == nil {
		if err := s.Check(context.Background(), nil); err != nil {
			t.Errorf("check: %v", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

var testEvent = Event{Actor: "u1", Action: "test.change", Object: "7"}

func mustPut(t testing.TB, s *Store, space, bucket, key, value string) {
	t.Helper()
	must(t, s.Update(space, func(tx *Tx) error {
		return errors.Join(tx.Put(bucket, []byte(key), []byte(value)), tx.Audit(testEvent))
	}))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func get(s *Store, space, bucket, key string) (string, error) {
	var v []byte
	err := s.View(space, func(tx *Tx) (err error) {
		v, err = tx.Get(bucket, []byte(key))
		return err
	})
	return string(v), err
}

// content is the decrypted content of a store.
func content(s *Store) (map[string]string, error) {
	all := map[string]string{}
	spaces, err := s.Spaces()
	if err != nil {
		return nil, err
	}
	for _, space := range spaces {
		var buckets [][]byte
		if err := s.read(func(btx *bbolt.Tx) error {
			buckets = spaceBuckets(btx, space)
			return nil
		}); err != nil {
			return nil, err
		}
		err := s.View(space, func(tx *Tx) error {
			for _, name := range buckets {
				_, bucket, _ := splitBucket(name)
				err := tx.Scan(bucket, nil, func(k, v []byte) error {
					all[space+"/"+bucket+"/"+string(k)] = string(v)
					return nil
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func TestValuesSurviveReopening(t *testing.T) {
	opts := testOptions(t)
	s := mustOpen(t, opts)
	must(t, s.CreateSpace("p1", testEvent))
	mustPut(t, s, "p1", "note", "k", "value")
	mustClose(t, s)
	s = mustOpen(t, opts)
	if got, err := get(s, "p1", "note", "k"); err != nil || got != "value" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := get(s, System, "note", "k"); !errors.Is(err, ErrNotFound) {
		t.Errorf("in another space: got %q, %v, want ErrNotFound", got, err)
	}
	if _, err := get(s, "p2", "note", "k"); !errors.Is(err, ErrNotFound) {
		t.Errorf("space that is not there: got %v, want ErrNotFound", err)
	}
}

func TestUpdateWithoutAuditKeepsNothing(t *testing.T) {
	s := mustOpen(t, testOptions(t))
	err := s.Update(System, func(tx *Tx) error { return tx.Put("b", []byte("k"), []byte("v")) })
	if !errors.Is(err, ErrUnaudited) {
		t.Fatalf("put: got %v, want ErrUnaudited", err)
	}
	if _, err := get(s, System, "b", "k"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	mustPut(t, s, System, "b", "k", "v")
	err = s.Update(System, func(tx *Tx) error { return tx.Delete("b", []byte("k")) })
	if !errors.Is(err, ErrUnaudited) {
		t.Errorf("delete: got %v, want ErrUnaudited", err)
	}
	err = s.Update(System, func(tx *Tx) error { _, err := tx.Next("b"); return err })
	if !errors.Is(err, ErrUnaudited) {
		t.Errorf("next: got %v, want ErrUnaudited", err)
	}
	if err := s.Update(System, func(tx *Tx) error { return nil }); err != nil {
		t.Errorf("update that does nothing: %v", err)
	}
}

func TestViewCannotChange(t *testing.T) {
	s := mustOpen(t, testOptions(t))
	err := s.View(System, func(tx *Tx) error { return tx.Put("b", []byte("k"), nil) })
	if !errors.Is(err, errReadOnly) {
		t.Errorf("put: got %v", err)
	}
	err = s.View(System, func(tx *Tx) error { return tx.Audit(testEvent) })
	if !errors.Is(err, errReadOnly) {
		t.Errorf("audit: got %v", err)
	}
}

func TestPanicOfTheCallerGoesOnAndKeepsNothing(t *testing.T) {
	s := mustOpen(t, testOptions(t))
	func() {
		defer func() {
			if r := recover(); r != "mine" {
				t.Errorf("recovered %v", r)
			}
		}()
		s.Update(System, func(tx *Tx) error {
			must(t, tx.Put("b", []byte("k"), []byte("v")))
			panic("mine")
		})
	}()
	if _, err := get(s, System, "b", "k"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	mustPut(t, s, System, "b", "k", "v")
}

func TestNumbersFromNextAreConsecutive(t *testing.T) {
	opts := testOptions(t)
	for want := uint64(1); want < 5; want++ {
		s := mustOpen(t, opts)
		must(t, s.Update(System, func(tx *Tx) error {
			got, err := tx.Next("note")
			if got != want {
				t.Errorf("got %d, want %d", got, want)
			}
			return errors.Join(err, tx.Audit(testEvent))
		}))
		mustClose(t, s)
	}
}

func TestScanMayChangeItsBucket(t *testing.T) {
	s := mustOpen(t, testOptions(t))
	for i := range 300 {
		mustPut(t, s, System, "b", fmt.Sprintf("%03d", i), strings.Repeat("x", 50))
	}
	seen := 0
	must(t, s.Update(System, func(tx *Tx) error {
		err := tx.Scan("b", nil, func(k, _ []byte) error {
			seen++
			return tx.Delete("b", k)
		})
		return errors.Join(err, tx.Audit(testEvent))
	}))
	left, err := content(s)
	if seen != 300 || len(left) != 0 || err != nil {
		t.Errorf("saw %d of 300, %d left, %v", seen, len(left), err)
	}
}

func TestDeletingAPrefixLeavesTheOtherKeys(t *testing.T) {
	s := mustOpen(t, testOptions(t))
	for i := range 300 {
		mustPut(t, s, System, "b", fmt.Sprintf("%03d", i), "x")
	}
	for _, c := range []struct {
		prefix string
		left   int
	}{{"1", 200}, {"9", 200}, {"", 0}} {
		must(t, s.Update(System, func(tx *Tx) error {
			return errors.Join(tx.DeletePrefix("b", []byte(c.prefix)), tx.Audit(testEvent))
		}))
		if left, err := content(s); len(left) != c.left || err != nil {
			t.Errorf("without those of %q %d are left, want %d, %v", c.prefix, len(left), c.left, err)
		}
	}
}

// TestDeletingFromABucketThatIsMissing leaves a file that opens again.
func TestDeletingFromABucketThatIsMissing(t *testing.T) {
	opts := testOptions(t)
	s := mustOpen(t, opts)
	must(t, s.Update(System, func(tx *Tx) error {
		return errors.Join(tx.Delete("nothing", Key(1)), tx.Audit(testEvent))
	}))
	mustClose(t, s)
	mustClose(t, mustOpen(t, opts))
}

// model is the expected content of a store, by space, bucket and key.
type model map[string]string

func (m model) under(prefix string) []string {
	keys := slices.Sorted(maps.Keys(m))
	return slices.DeleteFunc(keys, func(k string) bool { return !strings.HasPrefix(k, prefix) })
}

// TestStoreIsAMap does random things to a store and to a map, and compares.
func TestStoreIsAMap(t *testing.T) {
	testsize.Slow(t)
	opts := testOptions(t)
	s := mustOpen(t, opts)
	rng := rand.New(rand.NewPCG(1, 2))
	want, spaces := model{}, []string{System}
	for i := range 600 {
		space := spaces[rng.IntN(len(spaces))]
		switch p := rng.IntN(100); {
		case p < 3:
			name := fmt.Sprintf("p%d", i)
			must(t, s.CreateSpace(name, testEvent))
			spaces = append(spaces, name)
		case p < 5 && space != System:
			must(t, s.DestroySpace(space, testEvent))
			spaces = slices.DeleteFunc(spaces, func(n string) bool { return n == space })
			for _, k := range want.under(space + "/") {
				delete(want, k)
			}
		case p < 8:
			must(t, s.Close())
			s = mustOpen(t, opts)
		case p < 15:
			got, err := content(s)
			if err != nil || !maps.Equal(got, want) {
				t.Fatalf("step %d: the store differs from the map: %v", i, err)
			}
		default:
			simulate(t, s, rng, space, want)
		}
	}
	got, err := content(s)
	if err != nil || !maps.Equal(got, want) || len(want) == 0 {
		t.Fatalf("at the end the store differs from the map: %v", err)
	}
}

// simulate runs one transaction of random steps; one in four fails and must change
// nothing.
func simulate(t *testing.T, s *Store, rng *rand.Rand, space string, want model) {
	next := maps.Clone(want)
	fail := rng.IntN(4) == 0
	errWanted := errors.New("wanted")
	err := s.Update(space, func(tx *Tx) error {
		for range rng.IntN(8) {
			bucket := []string{"a", "b"}[rng.IntN(2)]
			key := fmt.Sprint(rng.IntN(60))
			full := space + "/" + bucket + "/" + key
			if rng.IntN(3) == 0 {
				must(t, tx.Delete(bucket, []byte(key)))
				delete(next, full)
			} else {
				value := strings.Repeat(string(rune('a'+rng.IntN(26))), rng.IntN(3000))
				must(t, tx.Put(bucket, []byte(key), []byte(value)))
				next[full] = value
			}
			compareTx(t, tx, space+"/"+bucket+"/", bucket, next)
		}
		must(t, tx.Audit(testEvent))
		if fail {
			return errWanted
		}
		return nil
	})
	if fail != errors.Is(err, errWanted) || !fail && err != nil {
		t.Fatalf("update: %v", err)
	}
	if !fail {
		maps.DeleteFunc(want, func(k, _ string) bool { return true })
		maps.Copy(want, next)
	}
}

func compareTx(t *testing.T, tx *Tx, prefix, bucket string, want model) {
	t.Helper()
	keys := want.under(prefix)
	if n, err := tx.Count(bucket); n != len(keys) || err != nil {
		t.Fatalf("count: got %d, %v, want %d", n, err, len(keys))
	}
	var got []string
	must(t, tx.Keys(bucket, []byte("1"), func(k []byte) error {
		got = append(got, prefix+string(k))
		return nil
	}))
	if !slices.Equal(got, want.under(prefix+"1")) {
		t.Fatalf("keys with a prefix: got %q", got)
	}
}

func TestAbsentFolderIsNotMadeUnasked(t *testing.T) {
	opts := testOptions(t)
	opts.Create = false
	if _, err := Open(opts); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(opts.Dir)); len(entries) != 0 {
		t.Errorf("files were made: %v", entries)
	}
}

func TestHMACDiffersBetweenSpaces(t *testing.T) {
	s := mustOpen(t, testOptions(t))
	must(t, s.CreateSpace("p1", testEvent))
	var a, b, c []byte
	must(t, s.View(System, func(tx *Tx) error { a, b = tx.HMAC([]byte("x")), tx.HMAC([]byte("x")); return nil }))
	must(t, s.View("p1", func(tx *Tx) error { c = tx.HMAC([]byte("x")); return nil }))
	if len(a) != 32 || !bytes.Equal(a, b) || bytes.Equal(a, c) {
		t.Errorf("got %x, %x and %x", a, b, c)
	}
}

func TestKeysSortAsNumbers(t *testing.T) {
	if bytes.Compare(Key(255), Key(256)) >= 0 || len(Key(1)) != 8 {
		t.Error("Key(255) does not sort before Key(256)")
	}
}
