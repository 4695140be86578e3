// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"hide/internal/testsize"
)

// sample is a closed store with all kinds of content: several spaces, small and large
// values, free pages, an audit trail.
type sample struct {
	opts Options
	data []byte // of the data file, up to the last page in use
	head []byte // of the audit head
	want model
	rows uint64
	uses int
}

func newSample(t testing.TB) *sample {
	t.Helper()
	opts := testOptions(t)
	s := mustOpen(t, opts)
	want := fill(t, s)
	sum, err := s.VerifyAudit()
	must(t, err)
	mustClose(t, s)
	newest := mustMetas(t, opts.data())[0]
	data := mustRead(t, opts.data())[:newest.high*uint64(newest.pageSize)]
	return &sample{opts: opts, data: data, head: mustRead(t, opts.head()), want: want, rows: sum.Rows}
}

func fill(t testing.TB, s *Store) model {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	want := model{}
	for _, space := range []string{"p1", "p2"} {
		must(t, s.CreateSpace(space, testEvent))
	}
	for i := range 60 {
		space := []string{System, "p1", "p2"}[i%3]
		must(t, s.Update(space, func(tx *Tx) error {
			for range 4 {
				bucket := []string{"note", "layer"}[rng.IntN(2)]
				key := fmt.Sprint(rng.IntN(40))
				value := fmt.Sprintf("value %d of the sample; ", i) + noise(rng, 25*(1+rng.IntN(20)*rng.IntN(10)))
				must(t, tx.Put(bucket, []byte(key), []byte(value)))
				want[space+"/"+bucket+"/"+key] = value
			}
			return tx.Audit(testEvent)
		}))
	}
	for _, full := range want.under("p1/note/") {
		must(t, s.Update("p1", func(tx *Tx) error {
			return errors.Join(tx.Delete("note", []byte(full[len("p1/note/"):])), tx.Audit(testEvent))
		}))
		delete(want, full)
		if len(want.under("p1/note/")) < 8 {
			break
		}
	}
	return want
}

// noise is text that does not compress.
func noise(rng *rand.Rand, size int) string {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return string(b)
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return b
}

// reset puts the sample's files back, with other bytes in the data file.
func (s *sample) reset(t testing.TB, data []byte) {
	t.Helper()
	must(t, os.WriteFile(s.opts.data(), data, 0o600))
	must(t, os.WriteFile(s.opts.head(), s.head, 0o600))
}

// times is the number of random trials of damage or kills: n, multiplied by
// STORE_TEST_TIMES if that is set.
func times(n int) int {
	if more, err := strconv.Atoi(os.Getenv("STORE_TEST_TIMES")); err == nil {
		return n * more
	}
	return n
}

// use opens the store and calls all of its functions. What it returns must be right;
// damaged reports whether damage was noticed.
func (s *sample) use(t *testing.T) (damaged bool) {
	t.Helper()
	st, err := Open(s.opts)
	if err != nil {
		s.wantDamage(t, err)
		return true
	}
	defer st.Close()
	got, err := content(st)
	if err == nil && !maps.Equal(got, s.want) {
		t.Fatal("wrong content was served")
	}
	_, rowsErr := st.AuditRows(0, 10, nil)
	checkErr := st.Check(context.Background(), nil)
	errs := []error{err, rowsErr, checkErr}
	if s.uses++; s.uses%4 == 0 { // syncing the disk takes most of the time here
		errs = append(errs, st.Update(System, func(tx *Tx) error {
			return errors.Join(tx.Put("note", []byte("new"), make([]byte, 9000)), tx.Audit(testEvent))
		}))
	}
	for _, err := range errs {
		if err != nil {
			s.wantDamage(t, err)
			damaged = true
		}
	}
	return damaged
}

func (s *sample) wantDamage(t *testing.T, err error) {
	t.Helper()
	var d *DamageError
	if !errors.As(err, &d) {
		t.Fatalf("got %v, want a *DamageError", err)
	}
	if m := err.Error(); !strings.Contains(m, s.opts.data()) || !strings.Contains(m, "hide restore") || strings.Contains(m, "goroutine") {
		t.Fatalf("the message does not name the file and the remedy: %s", m)
	}
}

func TestBitFlipsNeverServeAWrongValue(t *testing.T) {
	testsize.Slow(t)
	s, rng := newSample(t), rand.New(rand.NewPCG(1, 1))
	found, tried := 0, times(150)
	for range tried {
		data := append([]byte(nil), s.data...)
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		s.reset(t, data)
		if s.use(t) {
			found++
		}
	}
	t.Logf("%d of %d flips in %d bytes were noticed, the others changed nothing", found, tried, len(s.data))
	if found < tried/5 {
		t.Errorf("only %d of %d flips were noticed", found, tried)
	}
}

// TestBitFlipsInTreePagesAreSurvived damages what bbolt trusts: page headers and the
// tables of entries.
func TestBitFlipsInTreePagesAreSurvived(t *testing.T) {
	testsize.Slow(t)
	s, rng := newSample(t), rand.New(rand.NewPCG(2, 2))
	found, tried := 0, times(80)
	for range tried {
		data := append([]byte(nil), s.data...)
		page := rng.IntN(len(data) / newPageSize)
		data[page*newPageSize+rng.IntN(96)] ^= 1 << rng.IntN(8)
		s.reset(t, data)
		if s.use(t) {
			found++
		}
	}
	if found < tried*4/25 {
		t.Errorf("only %d of %d were noticed", found, tried)
	}
}

func TestZeroedPagesAreNoticed(t *testing.T) {
	testsize.Slow(t)
	s, rng := newSample(t), rand.New(rand.NewPCG(3, 3))
	found, tried := 0, times(60)
	for range tried {
		data := append([]byte(nil), s.data...)
		page := rng.IntN(len(data)/newPageSize) * os.Getpagesize()
		clear(data[page : page+newPageSize])
		s.reset(t, data)
		if s.use(t) {
			found++
		}
	}
	if found < tried/12 {
		t.Errorf("only %d of %d were noticed", found, tried)
	}
}

func TestTruncationsAreNoticed(t *testing.T) {
	s, rng := newSample(t), rand.New(rand.NewPCG(4, 4))
	needed := len(s.data)
	for range times(60) {
		size := rng.IntN(needed)
		s.reset(t, s.data[:size])
		if !s.use(t) {
			t.Fatalf("a file cut to %d of %d bytes was not noticed", size, needed)
		}
	}
}

func mustMetas(t testing.TB, path string) []pageMeta {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	metas, err := readMetas(f)
	must(t, err)
	return metas
}

// TestLosingTheNewestMetaPageIsNoticed: bbolt would silently go back by one
// transaction.
func TestLosingTheNewestMetaPageIsNoticed(t *testing.T) {
	s := newSample(t)
	newest := mustMetas(t, s.opts.data())[0]
	data := append([]byte(nil), s.data...)
	data[int64(newest.txid%2)*newest.pageSize+pageHeader+56] ^= 1
	s.reset(t, data)
	_, err := Open(s.opts)
	if err == nil || !errors.Is(err, errCut) {
		t.Errorf("got %v, want that the end is missing", err)
	}
}

// TestDamageWhileOpen truncates the file under a running store: reading beyond the end
// of a mapped file is a fault that would end the program.
func TestDamageWhileOpen(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(path string, size int64) error
	}{
		{"cut to nothing", func(path string, _ int64) error { return os.Truncate(path, 0) }},
		{"cut in half", func(path string, size int64) error { return os.Truncate(path, size/2) }},
		{"overwritten", func(path string, size int64) error {
			return os.WriteFile(path, []byte(strings.Repeat("\xa5", int(size))), 0o600)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSample(t)
			st, err := Open(s.opts)
			must(t, err)
			must(t, c.damage(s.opts.data(), int64(len(s.data))))
			got, err := content(st)
			if err == nil && !maps.Equal(got, s.want) {
				t.Error("wrong content was served")
			}
			if err == nil {
				t.Error("no damage was noticed")
			}
			for range 2 {
				err = st.Update(System, func(tx *Tx) error {
					return errors.Join(tx.Put("note", []byte("k"), nil), tx.Audit(testEvent))
				})
			}
			if err == nil {
				t.Error("a change was acknowledged")
			}
			closed := make(chan struct{})
			go func() { st.Close(); close(closed) }()
			select {
			case <-closed:
			case <-time.After(20 * time.Second):
				t.Fatal("Close hangs")
			}
		})
	}
}
