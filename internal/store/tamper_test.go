// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"hide/internal/testsize"

	"go.etcd.io/bbolt"
)

// tamper changes the data file like somebody who knows bbolt but has no key.
func (s *sample) tamper(t *testing.T, fn func(btx *bbolt.Tx) error) {
	t.Helper()
	s.reset(t, s.data)
	db, err := bbolt.Open(s.opts.data(), 0o600, &bbolt.Options{NoSync: true, FreelistType: bbolt.FreelistMapType})
	must(t, err)
	must(t, db.Update(fn))
	must(t, db.Close())
}

// wantNoticed opens the store and verifies the audit trail; one of the two must fail.
func (s *sample) wantNoticed(t *testing.T, what string) {
	t.Helper()
	st, err := Open(s.opts)
	if err == nil {
		_, err = st.VerifyAudit()
		st.Close()
	}
	var d *DamageError
	if !errors.As(err, &d) {
		t.Errorf("%s: got %v, want a *DamageError", what, err)
	}
}

func raw(b *bbolt.Bucket, key []byte) []byte { return bytes.Clone(b.Get(key)) }

func TestTamperingWithTheAuditTrailIsNoticed(t *testing.T) {
	testsize.Slow(t)
	s, rng := newSample(t), rand.New(rand.NewPCG(7, 7))
	row := func() []byte { return Key(1 + rng.Uint64N(s.rows)) }
	for range 25 {
		a, b := row(), row()
		for bytes.Equal(a, b) {
			b = row()
		}
		for what, change := range map[string]func(*bbolt.Bucket) error{
			"edit": func(rows *bbolt.Bucket) error {
				v := raw(rows, a)
				v[rng.IntN(len(v))] ^= 1 << rng.IntN(8)
				return rows.Put(a, v)
			},
			"deletion": func(rows *bbolt.Bucket) error { return rows.Delete(a) },
			"swap": func(rows *bbolt.Bucket) error {
				va, vb := raw(rows, a), raw(rows, b)
				return errors.Join(rows.Put(a, vb), rows.Put(b, va))
			},
			"copy": func(rows *bbolt.Bucket) error { return rows.Put(a, raw(rows, b)) },
			"cut tail": func(rows *bbolt.Bucket) error {
				for seq := 1 + rng.Uint64N(s.rows); seq <= s.rows; seq++ {
					if err := rows.Delete(Key(seq)); err != nil {
						return err
					}
				}
				return nil
			},
			"addition": func(rows *bbolt.Bucket) error { return rows.Put(Key(s.rows+1), raw(rows, b)) },
		} {
			s.tamper(t, func(btx *bbolt.Tx) error { return change(btx.Bucket(auditBucket)) })
			s.wantNoticed(t, what)
		}
	}
	s.tamper(t, func(btx *bbolt.Tx) error { return btx.DeleteBucket(auditBucket) })
	s.wantNoticed(t, "no audit trail")
}

func TestTamperingWithValuesIsNoticed(t *testing.T) {
	s := newSample(t)
	notes := dataBucket("p2", "note")
	keys := s.want.under("p2/note/")
	one, two := []byte(keys[0][len("p2/note/"):]), []byte(keys[1][len("p2/note/"):])
	for what, change := range map[string]func(*bbolt.Tx) error{
		"value deleted": func(btx *bbolt.Tx) error { return btx.Bucket(notes).Delete(one) },
		"values swapped": func(btx *bbolt.Tx) error {
			b := btx.Bucket(notes)
			v, w := raw(b, one), raw(b, two)
			return errors.Join(b.Put(one, w), b.Put(two, v))
		},
		"value added":     func(btx *bbolt.Tx) error { return btx.Bucket(notes).Put([]byte("x"), make([]byte, 100)) },
		"bucket deleted":  func(btx *bbolt.Tx) error { return btx.DeleteBucket(notes) },
		"bucket added":    func(btx *bbolt.Tx) error { _, err := btx.CreateBucket([]byte("dzz")); return err },
		"ledger deleted":  func(btx *bbolt.Tx) error { return btx.Bucket(ledgerBucket).Delete(notes) },
		"space deleted":   func(btx *bbolt.Tx) error { return btx.Bucket(spacesBucket).Delete([]byte("p2")) },
		"state deleted":   func(btx *bbolt.Tx) error { return btx.Bucket(metaBucket).Delete(stateKey) },
		"schema changed":  func(btx *bbolt.Tx) error { return changeRoot(btx, func(r *root) { r.Schema = 0 }) },
		"root overwitten": func(btx *bbolt.Tx) error { return btx.Bucket(metaBucket).Put(rootKey, []byte("{}")) },
		"keys swapped": func(btx *bbolt.Tx) error {
			b := btx.Bucket(spacesBucket)
			v, w := raw(b, []byte("p1")), raw(b, []byte("p2"))
			return errors.Join(b.Put([]byte("p1"), w), b.Put([]byte("p2"), v))
		},
	} {
		s.tamper(t, change)
		if st, err := Open(s.opts); err == nil {
			st.Close()
			t.Errorf("%s: not noticed", what)
		}
	}
}

func changeRoot(btx *bbolt.Tx, change func(*root)) error {
	r, err := decodeRoot(btx.Bucket(metaBucket).Get(rootKey))
	if err != nil {
		return err
	}
	change(r)
	return btx.Bucket(metaBucket).Put(rootKey, r.encode())
}

// TestOldThingsPutBackAreNoticed: each of them decrypts with the right key at the right
// place.
func TestOldThingsPutBackAreNoticed(t *testing.T) {
	s := newSample(t)
	notes := dataBucket("p2", "note")
	var oldValue, oldLedger, oldState []byte
	key := []byte(s.want.under("p2/note/")[0][len("p2/note/"):])
	s.tamper(t, func(btx *bbolt.Tx) error {
		oldValue = raw(btx.Bucket(notes), key)
		oldLedger = raw(btx.Bucket(ledgerBucket), notes)
		oldState = raw(btx.Bucket(metaBucket), stateKey)
		return nil
	})
	oldFile := s.data
	s.reset(t, s.data)
	st := mustOpen(t, s.opts)
	mustPut(t, st, "p2", "note", string(key), "newer")
	mustClose(t, st)
	s.data, s.head = mustRead(t, s.opts.data()), mustRead(t, s.opts.head())
	value := func(btx *bbolt.Tx) error { return btx.Bucket(notes).Put(key, oldValue) }
	ledger := func(btx *bbolt.Tx) error { return btx.Bucket(ledgerBucket).Put(notes, oldLedger) }
	state := func(btx *bbolt.Tx) error { return btx.Bucket(metaBucket).Put(stateKey, oldState) }
	for what, parts := range map[string][]func(*bbolt.Tx) error{
		"value": {value}, "ledger": {ledger}, "state": {state}, "value and ledger": {value, ledger},
		"value, ledger and state": {value, ledger, state},
	} {
		s.tamper(t, func(btx *bbolt.Tx) error {
			for _, p := range parts {
				must(t, p(btx))
			}
			return nil
		})
		s.wantNoticed(t, what)
	}
	s.reset(t, oldFile)
	s.wantNoticed(t, "whole file")
}

// TestMissingHeadIsItselfAudited: the head next to the folder can be lost without harm,
// but the loss is recorded.
func TestMissingHeadIsItselfAudited(t *testing.T) {
	testsize.Slow(t)
	for what, lose := range map[string]func(path string) error{
		"deleted": os.Remove,
		"garbage": func(path string) error { return os.WriteFile(path, make([]byte, 700), 0o600) },
	} {
		s := newSample(t)
		must(t, lose(s.opts.head()))
		st := mustOpen(t, s.opts)
		sum, err := st.VerifyAudit()
		if err != nil || len(sum.Gaps) != 1 || sum.Gaps[0] != s.rows+1 {
			t.Errorf("%s: got gaps %v, %v, want row %d", what, sum.Gaps, err, s.rows+1)
		}
		must(t, lose(s.opts.head()))
		var d *DamageError
		if _, err := st.VerifyAudit(); !errors.As(err, &d) {
			t.Errorf("%s while open: got %v, want a *DamageError", what, err)
		}
		must(t, st.Close())
	}
}

func TestOneDamagedHeadSlotIsSurvived(t *testing.T) {
	s := newSample(t)
	for _, at := range []int{3, slotSpace + 3} {
		head := bytes.Clone(s.head)
		head[at] ^= 1
		s.reset(t, s.data)
		must(t, os.WriteFile(s.opts.head(), head, 0o600))
		st, err := Open(s.opts)
		must(t, err)
		if sum, err := st.VerifyAudit(); err != nil || len(sum.Gaps) != 0 {
			t.Errorf("slot at %d: got %+v, %v", at, sum, err)
		}
		must(t, st.Close())
	}
}

func TestAuditRowsArePagedAndFiltered(t *testing.T) {
	s := mustOpen(t, testOptions(t))
	must(t, s.CreateSpace("p1", testEvent))
	for i := range 20 {
		mustPut(t, s, []string{System, "p1"}[i%2], "b", "k", "v")
	}
	inP1 := func(r AuditRow) bool { return r.Space == "p1" }
	var all []AuditRow
	for before := uint64(0); ; {
		page, err := s.AuditRows(before, 3, inP1)
		must(t, err)
		if len(page) == 0 {
			break
		}
		all = append(all, page...)
		before = page[len(page)-1].Seq
	}
	if len(all) != 11 {
		t.Fatalf("got %d rows, want 11", len(all))
	}
	for i, r := range all {
		if i > 0 && r.Seq >= all[i-1].Seq || r.Actor != "u1" || r.Action != "test.change" || r.Object != "7" || r.Time.IsZero() {
			t.Errorf("row %d: got %+v", i, r)
		}
	}
	sum, err := s.VerifyAudit()
	if err != nil || sum.Rows != 22 || sum.First.IsZero() || !sum.Last.After(sum.First) {
		t.Errorf("got %+v, %v", sum, err)
	}
}

// TestAuditRowsSinceATime: no row from much before is read, and a clock that was set back an
// hour hides none.
func TestAuditRowsSinceATime(t *testing.T) {
	opts, now := testOptions(t), time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	opts.Now = func() time.Time { return now }
	s, err := Open(opts)
	must(t, err)
	defer s.Close()
	must(t, s.CreateSpace("p1", testEvent))
	since := now.AddDate(0, 0, 3)
	for _, at := range []time.Duration{-72 * time.Hour, 0, -time.Hour, time.Hour} {
		now = since.Add(at)
		mustPut(t, s, "p1", "b", "k", "v")
	}
	asked := 0
	rows, err := s.AuditRowsSince(since, 10, func(AuditRow) bool { asked++; return true })
	if err != nil || len(rows) != 2 || asked != 2 {
		t.Errorf("%d rows of %d, %v; want 2", len(rows), asked, err)
	}
	must(t, s.change(func(btx *bbolt.Tx, st *state) error {
		st.quiet = true // otherwise a change without an audit row is not kept
		return btx.Bucket(auditBucket).Delete(Key(1))
	}))
	if _, err := s.AuditRowsSince(since, 10, func(AuditRow) bool { return true }); err != nil {
		t.Errorf("an old row was read: %v", err)
	}
}

// TestAuditRowsAfterARow reads portions in order, and notices a row that is not the one that
// was written.
func TestAuditRowsAfterARow(t *testing.T) {
	s, err := Open(testOptions(t))
	must(t, err)
	defer s.Close()
	must(t, s.CreateSpace("p1", testEvent))
	for i := range 20 {
		mustPut(t, s, []string{System, "p1"}[i%2], "b", "k", "v")
	}
	var all []uint64
	after := uint64(3)
	for {
		rows, last, err := s.AuditRowsAfter(after, 5, func(r AuditRow) bool { return r.Space == "p1" })
		must(t, err)
		for _, r := range rows {
			all = append(all, r.Seq)
		}
		if last == after {
			break
		}
		after = last
	}
	total, err := s.Audited()
	must(t, err)
	want := []uint64{4, 6, 8, 10, 12, 14, 16, 18, 20, 22}
	if !slices.Equal(all, want) || after != total {
		t.Errorf("got rows %v up to %d of %d, want %v", all, after, total, want)
	}
	if rows, last, err := s.AuditRowsAfter(total+7, 5, nil); len(rows) > 0 || last != total+7 || err != nil {
		t.Errorf("after the end: %v, %d, %v", rows, last, err)
	}
	for what, change := range map[string]func(*bbolt.Bucket) error{
		"missing": func(b *bbolt.Bucket) error { return b.Delete(Key(7)) },
		"foreign": func(b *bbolt.Bucket) error { return b.Put(Key(7), raw(b, Key(8))) },
	} {
		must(t, s.change(func(btx *bbolt.Tx, st *state) error {
			st.quiet = true // otherwise a change without an audit row is not kept
			return change(btx.Bucket(auditBucket))
		}))
		if _, _, err := s.AuditRowsAfter(3, 50, func(AuditRow) bool { return true }); err == nil {
			t.Errorf("row 7 is %s: not noticed", what)
		}
	}
}

func TestCheckStopsWhenAsked(t *testing.T) {
	s := newSample(t)
	st := mustOpen(t, s.opts)
	ctx, cancel := context.WithCancel(context.Background())
	calls, total := 0, 0
	err := st.Check(ctx, func(done, of int) {
		calls, total = done, of
		cancel()
	})
	if !errors.Is(err, context.Canceled) || calls != 1 || total != len(s.want) {
		t.Errorf("got %v after %d of %d", err, calls, total)
	}
}

// TestTheAuditTrailIsVerifiedWhileOthersWork: its end and the head beside the folder must be
// of one moment.
func TestTheAuditTrailIsVerifiedWhileOthersWork(t *testing.T) {
	s := mustOpen(t, testOptions(t))
	var wait sync.WaitGroup
	wait.Go(func() {
		for range 40 {
			mustPut(t, s, System, "b", "k", "v")
		}
	})
	var last AuditSummary
	for last.Rows < 41 {
		sum, err := s.VerifyAudit()
		if err != nil || sum.Rows < last.Rows {
			t.Errorf("%d rows after %d, %v", sum.Rows, last.Rows, err)
			break
		}
		last = sum
	}
	wait.Wait()
}
