// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.etcd.io/bbolt"

	"hide/internal/store"
)

const ward = "ward-7"

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// books opens a fresh ledger of each kind.
var books = map[string]func(t *testing.T) *Ledger{
	"file": func(t *testing.T) *Ledger {
		l, err := OpenFile(filepath.Join(t.TempDir(), "l"), Options{Create: true})
		must(t, err)
		return l
	},
	"store": func(t *testing.T) *Ledger {
		l, err := InStore(dataFolder(t), Options{Actor: "u1", Create: true})
		must(t, err)
		return l
	},
}

func dataFolder(t *testing.T) *store.Store {
	t.Helper()
	st, err := store.Open(store.Options{Dir: filepath.Join(t.TempDir(), "data"), Create: true})
	must(t, err)
	t.Cleanup(func() { must(t, st.Close()) })
	return st
}

// OpenAccount is Open of a lineage whose units nobody has seen yet.
func (l *Ledger) OpenAccount(lineage, unit string, limit Micro) error {
	return l.Open(Opening{Lineage: lineage, Unit: unit, Limit: limit})
}

func newLedger(t *testing.T, kind string, limit Micro) *Ledger {
	t.Helper()
	l := books[kind](t)
	must(t, l.OpenAccount(ward, "patient", limit))
	t.Cleanup(func() {
		if _, err := l.Verify(); err != nil && l.broken == nil {
			t.Error(err)
		}
		must(t, l.Close())
	})
	return l
}

func request(n int, m Micro) Request {
	return Request{Lineage: ward, Epsilon: m, Body: fmt.Appendf(nil, "request %d", n), What: "cube"}
}

func draw(text string) func(context.Context, Receipt) ([]byte, error) {
	return func(context.Context, Receipt) ([]byte, error) { return []byte(text), nil }
}

func spent(t *testing.T, l *Ledger) Micro {
	t.Helper()
	a, err := l.Account(ward)
	must(t, err)
	return a.Spent
}

func TestHundredRequestsAtOnceWithRoomForTenGiveTen(t *testing.T) {
	for kind := range books {
		t.Run(kind, func(t *testing.T) {
			l := newLedger(t, kind, One)
			var given, refused, drawn atomic.Int32
			var all sync.WaitGroup
			for i := range 100 {
				all.Go(func() {
					_, err := l.Publish(t.Context(), request(i, One/10), func(context.Context, Receipt) ([]byte, error) {
						drawn.Add(1)
						return []byte("x"), nil
					})
					var exceeded *ExceededError
					switch {
					case err == nil:
						given.Add(1)
					case errors.As(err, &exceeded):
						refused.Add(1)
					default:
						t.Error(err)
					}
				})
			}
			all.Wait()
			if given.Load() != 10 || refused.Load() != 90 || drawn.Load() != 10 || spent(t, l) != One {
				t.Errorf("%d given, %d refused, %d drawn, %v spent", given.Load(), refused.Load(), drawn.Load(), spent(t, l))
			}
		})
	}
}

func TestTheSameRequestCostsOnce(t *testing.T) {
	for kind := range books {
		t.Run(kind, func(t *testing.T) {
			l := newLedger(t, kind, One)
			var drawn, replayed atomic.Int32
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					a, err := l.Publish(t.Context(), request(1, One/2), func(context.Context, Receipt) ([]byte, error) {
						return fmt.Appendf(nil, "noise %d", drawn.Add(1)), nil
					})
					if err != nil || string(a.Bytes) != "noise 1" {
						t.Errorf("%q, %v", a.Bytes, err)
					}
					if a.Replayed {
						replayed.Add(1)
					}
				})
			}
			all.Wait()
			if drawn.Load() != 1 || replayed.Load() != 19 || spent(t, l) != One/2 {
				t.Errorf("%d drawn, %d replayed, %v spent", drawn.Load(), replayed.Load(), spent(t, l))
			}
		})
	}
}

func TestRequestsThatDifferAnywhereAreOthers(t *testing.T) {
	base := Request{Lineage: "a", Epsilon: 1, Body: []byte("bc"), Data: "d", Part: Part{"p", "q"}}
	seen := map[string]bool{base.hash(): true}
	for i, change := range []func(*Request){
		func(r *Request) { r.Lineage = "b" }, func(r *Request) { r.Epsilon = 2 }, func(r *Request) { r.Body = []byte("b") },
		func(r *Request) { r.Data = "" }, func(r *Request) { r.Part.Part = "r" }, func(r *Request) { r.Part = Part{"pq", ""} },
		func(r *Request) { r.Data, r.Body = "db", []byte("c") },
	} {
		other := base
		change(&other)
		if seen[other.hash()] {
			t.Errorf("change %d makes no difference", i)
		}
		seen[other.hash()] = true
	}
}

// TestTheHeadKnowsOfADebitBeforeNoiseIsDrawn: an older copy that is put back once there
// is noise is known for one.
func TestTheHeadKnowsOfADebitBeforeNoiseIsDrawn(t *testing.T) {
	for kind := range books {
		l := newLedger(t, kind, One)
		_, err := l.Publish(t.Context(), request(1, 5), func(_ context.Context, r Receipt) ([]byte, error) {
			if h, _, err := readHead(l.head); err != nil || h.Seq != r.Entry || h.Hash != r.Hash || h.Spent[ward] != 5 {
				t.Errorf("%s: %+v, %v, and the receipt is %+v", kind, h, err, r)
			}
			return []byte("x"), nil
		})
		must(t, err)
	}
}

func TestNoRefunds(t *testing.T) {
	l := newLedger(t, "file", One)
	failed := errors.New("disk full")
	_, err := l.Publish(t.Context(), request(1, One/2), func(context.Context, Receipt) ([]byte, error) { return nil, failed })
	if !errors.Is(err, failed) || !strings.Contains(err.Error(), "epsilon 0.5 was debited") || spent(t, l) != One/2 {
		t.Errorf("%v, %v spent", err, spent(t, l))
	}
	if _, err := l.Publish(t.Context(), request(1, One/2), draw("x")); err != nil || spent(t, l) != One {
		t.Errorf("asking again after a failure must cost again: %v, %v spent", err, spent(t, l))
	}
}

func TestRefusedRequestsDebitNothing(t *testing.T) {
	l := newLedger(t, "file", One)
	must(t, l.OpenAccount("other", "patient", One))
	same := request(1, 1)
	same.Data = "f00"
	if _, err := l.Publish(t.Context(), same, draw("x")); err != nil {
		t.Fatal(err)
	}
	before := l.Head()
	other, part := same, request(2, 1)
	other.Lineage = "other"
	part.Part = Part{"wards", "A"}
	for name, r := range map[string]Request{
		"zero": request(3, 0), "negative": request(3, -1), "huge": request(3, Most+1), "too much": request(3, One), "no account": {Lineage: "x", Epsilon: 1, What: "x"},
		"the data of another lineage": other, "no such part": part, "no words": {Lineage: ward, Epsilon: 1},
	} {
		if _, err := l.Publish(t.Context(), r, func(context.Context, Receipt) ([]byte, error) { t.Error("drawn"); return nil, nil }); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	if after := l.Head(); !after.equal(before) {
		t.Errorf("the ledger went from %v to %v", before, after)
	}
}

func TestARequestThatNobodyWaitsForDebitsNothing(t *testing.T) {
	l := newLedger(t, "file", One)
	_, err := l.Publish(t.Context(), request(1, One/2), draw("kept"))
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Publish(ctx, request(2, One/2), draw("x")); !errors.Is(err, context.Canceled) || spent(t, l) != One/2 {
		t.Errorf("%v; %v spent", err, spent(t, l))
	}
	if a, err := l.Publish(ctx, request(1, One/2), draw("x")); err != nil || string(a.Bytes) != "kept" {
		t.Errorf("what costs nothing is not given: %v", err)
	}
}

func TestPartsOfAPartitionCostAsMuchAsTheDearest(t *testing.T) {
	l := newLedger(t, "file", One)
	must(t, l.Declare(ward, "wards", []string{"A", "B", "C"}))
	must(t, l.Declare(ward, "years", []string{"2001", "2002"}))
	for i, c := range []struct {
		part Part
		m    Micro
		want Micro
	}{
		{Part{"wards", "A"}, 100_000, 100_000}, {Part{"wards", "B"}, 300_000, 300_000}, {Part{"wards", "A"}, 100_000, 300_000},
		{Part{"years", "2001"}, 200_000, 500_000}, {Part{}, 100_000, 600_000}, {Part{"wards", "A"}, 200_000, 700_000}, {Part{"wards", "C"}, 400_000, 700_000},
	} {
		r := request(i, c.m)
		r.Part = c.part
		a, err := l.Publish(t.Context(), r, draw("x"))
		if err != nil || spent(t, l) != c.want || a.Receipt.After != c.want {
			t.Errorf("debit %d: %v, %v spent, receipt %v, want %v", i, err, spent(t, l), a.Receipt.After, c.want)
		}
	}
	r, exceeded := request(7, 300_001), (*ExceededError)(nil)
	r.Part = Part{"wards", "A"} // of which 400,000 are spent, and 300,000 of the rest
	if _, err := l.Publish(t.Context(), r, draw("x")); !errors.As(err, &exceeded) || exceeded.After != 1_000_001 {
		t.Errorf("a part spent more than there is: %v", err)
	}
	if err := l.Declare(ward, "wards", []string{"A", "D"}); err == nil {
		t.Error("a partition was declared again")
	}
	if err := l.Declare(ward, "x", []string{"A", "A"}); err == nil {
		t.Error("a part was named twice")
	}
}

func TestWeakReleasesAreToldToLaterOnes(t *testing.T) {
	l := newLedger(t, "file", One)
	must(t, l.Weak(ward, "k-anonymous table, k = 5"))
	a, err := l.Publish(t.Context(), request(1, 1), draw("x"))
	must(t, err)
	account, err := l.Account(ward)
	must(t, err)
	if len(a.Receipt.Weak) != 1 || !account.Void() || account.Weak[0].What != "k-anonymous table, k = 5" {
		t.Errorf("%+v, %+v", a.Receipt, account)
	}
}

func TestAReceiptIsFoundAndAForgedOneIsNot(t *testing.T) {
	l := newLedger(t, "file", One)
	a, err := l.Publish(t.Context(), request(1, 5), draw("x"))
	must(t, err)
	d, err := l.Find(a.Receipt)
	if err != nil || d.Micro != 5 || d.Result != hashOf([]byte("x")) {
		t.Errorf("%+v, %v", d, err)
	}
	for i, forge := range []func(*Receipt){
		func(r *Receipt) { r.Epsilon = 4 }, func(r *Receipt) { r.Entry++ }, func(r *Receipt) { r.Hash = firstPrev }, func(r *Receipt) { r.Ledger = "" }, func(r *Receipt) { r.Limit++ },
	} {
		r := a.Receipt
		forge(&r)
		if _, err := l.Find(r); err == nil {
			t.Errorf("forgery %d was found", i)
		}
	}
}

// copyFile copies a ledger as a backup does.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	raw, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, raw, 0o600))
}

// reopened closes a ledger and opens its file again.
func reopened(t *testing.T, l *Ledger, path string) *Ledger {
	t.Helper()
	must(t, l.Close())
	l, err := OpenFile(path, Options{})
	must(t, err)
	return l
}

// TestWhatIsRefusedBeginsNoLedger: a ledger is there once something is in it.
func TestWhatIsRefusedBeginsNoLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	l, err := OpenFile(path, Options{Create: true})
	must(t, err)
	if err := l.Open(Opening{Lineage: ward, Unit: "patient", Limit: One, Despite: "there was no restore"}); err == nil {
		t.Error("not refused")
	}
	if err := l.Weak(ward, "a table"); err == nil {
		t.Error("not refused")
	}
	must(t, l.Close())
	if left, err := filepath.Glob(path + "*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// TestNoEntryOfAStoreIsWrittenOver: of two that look at the same folder's ledger.
func TestNoEntryOfAStoreIsWrittenOver(t *testing.T) {
	l := newLedger(t, "store", One)
	late, err := InStore(l.book.(storeBook).st, Options{})
	must(t, err)
	must(t, l.OpenAccount("ward-8", "patient", One))
	if err := late.OpenAccount("late", "patient", One); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("got %v", err)
	}
}

// TestOfTwoThatBeginALedgerOneDoes: who comes second is told to look again, and has
// written over nothing.
func TestOfTwoThatBeginALedgerOneDoes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	var two [2]*Ledger
	for i := range two {
		var err error
		two[i], err = OpenFile(path, Options{Create: true})
		must(t, err)
	}
	must(t, errors.Join(two[0].OpenAccount(ward, "patient", One), two[0].Close()))
	if err := two[1].OpenAccount("late", "patient", One); err == nil || !strings.Contains(err.Error(), "try again") {
		t.Errorf("got %v", err)
	}
	must(t, two[1].Close())
	l, err := OpenFile(path, Options{})
	must(t, err)
	if s, err := l.Verify(); err != nil || len(s.Accounts) != 1 || s.Accounts[0].Lineage != ward {
		t.Errorf("%+v, %v", s.Accounts, err)
	}
	must(t, l.Close())
}

func fileWithDebit(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "l")
	l, err := OpenFile(path, Options{Create: true})
	must(t, err)
	must(t, l.OpenAccount(ward, "patient", One))
	l = reopened(t, l, path)
	copyFile(t, path, path+".old")
	_, err = l.Publish(t.Context(), request(1, One/2), draw("x"))
	must(t, err)
	must(t, l.OpenAccount("later", "patient", One))
	r := request(2, One/4)
	r.Lineage = "later"
	_, err = l.Publish(t.Context(), r, draw("y"))
	must(t, err)
	must(t, l.Close())
	return path
}

func TestAnOlderCopyCannotSpendAgain(t *testing.T) {
	path := fileWithDebit(t)
	copyFile(t, path+".old", path)
	if _, err := OpenFile(path, Options{}); !errors.Is(err, ErrBehind) {
		t.Fatalf("got %v", err)
	}
	if _, err := OpenFile(path, Options{Create: true}); err == nil {
		t.Fatal("made anew over an older copy")
	}
	charges, err := RecoverFile(path, Options{})
	if err != nil || fmt.Sprint(charges) != "[{later 0.25} {ward-7 0.5}]" {
		t.Fatalf("%v, %v", charges, err)
	}
	l, err := OpenFile(path, Options{})
	must(t, err)
	if _, err := l.Publish(t.Context(), request(9, One*6/10), draw("x")); err == nil {
		t.Error("spent again")
	}
	r := request(9, 1)
	r.Lineage = "later"
	if _, err := l.Publish(t.Context(), r, draw("x")); err == nil {
		t.Error("an account that the copy did not know has something left")
	}
	if _, err := l.Publish(t.Context(), request(9, One/2), draw("x")); err != nil || spent(t, l) != One {
		t.Errorf("what was left cannot be spent: %v", err)
	}
	_, err = l.Verify()
	must(t, errors.Join(err, l.Close()))
	if _, err := RecoverFile(path, Options{}); err == nil {
		t.Error("recovered what was whole")
	}
}

// TestAnOlderCopyDoesNotMakeAPromiseGoodAgain is about a copy from before a release
// that promises less: the next one must still warn of it.
func TestAnOlderCopyDoesNotMakeAPromiseGoodAgain(t *testing.T) {
	for stop := range 100 {
		path := filepath.Join(t.TempDir(), "l")
		l, err := OpenFile(path, Options{Create: true})
		must(t, err)
		must(t, l.OpenAccount(ward, "patient", One))
		l = reopened(t, l, path)
		copyFile(t, path, path+".old")
		must(t, l.Weak(ward, "k-anonymous table"))
		must(t, l.Close())
		copyFile(t, path+".old", path)
		if _, err := OpenFile(path, Options{}); !errors.Is(err, ErrBehind) {
			t.Fatalf("got %v", err)
		}
		ended := stopAfter(stop, func(step func(string)) {
			_, err := RecoverFile(path, Options{step: step})
			must(t, err)
		})
		if !ended {
			if _, err := RecoverFile(path, Options{}); err != nil && !strings.Contains(err.Error(), "nothing to recover") {
				t.Fatalf("stopped after %d writes: %v", stop, err)
			}
		}
		l, err = OpenFile(path, Options{})
		must(t, err)
		a, err := l.Publish(t.Context(), request(1, 1), draw("x"))
		if err != nil || len(a.Receipt.Weak) != 1 {
			t.Errorf("stopped after %d writes: %q, %v", stop, a.Receipt.Weak, err)
		}
		must(t, l.Close())
		if ended {
			return
		}
	}
	t.Error("recovery never ended")
}

// TestRecoveringIsNoRefundWhereverItStops ends a recovery after each of its
// writes, as a power cut would.
func TestRecoveringIsNoRefundWhereverItStops(t *testing.T) {
	for stop := range 100 {
		path := fileWithDebit(t)
		copyFile(t, path+".old", path)
		ended := stopAfter(stop, func(step func(string)) {
			_, err := RecoverFile(path, Options{step: step})
			must(t, err)
		})
		if l, err := OpenFile(path, Options{}); err == nil {
			if s := spent(t, l); s < One/2 {
				t.Fatalf("stopped after %d writes: %v spent", stop, s)
			}
			must(t, l.Close())
		} else if !errors.Is(err, ErrBehind) {
			t.Fatalf("stopped after %d writes: %v", stop, err)
		}
		if ended {
			return
		}
		if _, err := RecoverFile(path, Options{}); err != nil && !strings.Contains(err.Error(), "nothing to recover") {
			t.Fatalf("stopped after %d writes: %v", stop, err)
		}
		l, err := OpenFile(path, Options{})
		must(t, err)
		if s := spent(t, l); s != One/2 {
			t.Errorf("stopped after %d writes: %v spent", stop, s)
		}
		if a, err := l.Account("later"); err != nil || a.Left != 0 {
			t.Errorf("stopped after %d writes: %+v, %v", stop, a, err)
		}
		must(t, l.Close())
	}
	t.Error("recovery never ended")
}

// stopAfter runs fn until it has made n steps, and says whether it ended before.
func stopAfter(n int, fn func(step func(string))) (ended bool) {
	type stopped struct{}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(stopped); !ok {
				panic(r)
			}
		}
	}()
	fn(func(string) {
		if n--; n < 0 {
			panic(stopped{})
		}
	})
	return true
}

func TestALedgerWithoutItsHeadIsWorthNothing(t *testing.T) {
	path := fileWithDebit(t)
	must(t, os.Remove(path+".head"))
	if _, err := OpenFile(path, Options{}); !errors.Is(err, ErrNoHead) {
		t.Fatalf("got %v", err)
	}
	if _, err := RecoverFile(path, Options{}); err != nil {
		t.Fatal(err)
	}
	l, err := OpenFile(path, Options{})
	must(t, err)
	for _, a := range l.Accounts() {
		if a.Left != 0 {
			t.Errorf("%s has %v left", a.Lineage, a.Left)
		}
	}
	must(t, l.Close())
}

func TestTheHeadOfAnotherLedgerIsRefused(t *testing.T) {
	path, other := fileWithDebit(t), fileWithDebit(t)
	copyFile(t, other+".head", path+".head")
	if _, err := OpenFile(path, Options{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
	if _, err := RecoverFile(path, Options{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

// TestTheHeadOfADataFolderIsBesideIt is what keeps a backup of the folder, put
// back whole, from bringing back the budget of that day.
func TestTheHeadOfADataFolderIsBesideIt(t *testing.T) {
	for _, dir := range []string{"ward", "ward/", "./ward//", "x/../ward"} {
		t.Chdir(t.TempDir())
		st, err := store.Open(store.Options{Dir: dir, Create: true})
		must(t, err)
		l, err := InStore(st, Options{Create: true})
		must(t, err)
		must(t, errors.Join(l.OpenAccount(ward, "patient", One), st.Close()))
		if _, err := os.Stat("ward.budget"); err != nil {
			t.Errorf("of %q it is elsewhere: %v", dir, err)
		}
	}
}

func TestARestoredDataFolderCannotSpendAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	open := func() (*store.Store, *Ledger, error) {
		st, err := store.Open(store.Options{Dir: dir, Create: true})
		must(t, err)
		l, err := InStore(st, Options{Create: true})
		return st, l, err
	}
	st, l, err := open()
	must(t, err)
	must(t, l.OpenAccount(ward, "patient", One))
	must(t, st.Close())
	copyFile(t, filepath.Join(dir, "hide.db"), dir+".old")
	st, l, err = open()
	must(t, err)
	_, err = l.Publish(t.Context(), request(1, One), draw("x"))
	must(t, errors.Join(err, st.Close()))

	copyFile(t, dir+".old", filepath.Join(dir, "hide.db"))
	must(t, os.Remove(dir+".head")) // the store's own, as restoring does
	st, _, err = open()
	if !errors.Is(err, ErrBehind) {
		t.Fatalf("got %v", err)
	}
	_, err = RecoverInStore(st, Options{})
	must(t, errors.Join(err, st.Close()))
	st, l, err = open()
	must(t, err)
	if spent(t, l) != One {
		t.Errorf("%v spent", spent(t, l))
	}
	must(t, st.Close())
}

// change puts other bytes in the place of an entry.
func change(t *testing.T, path string, bucket []byte, fn func(k, v []byte) []byte) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bbolt.Tx) error {
		b, changed := tx.Bucket(bucket), map[string][]byte{}
		must(t, b.ForEach(func(k, v []byte) error {
			if n := fn(k, v); n != nil {
				changed[string(k)] = n
			}
			return nil
		}))
		for k, v := range changed {
			must(t, b.Put([]byte(k), v))
		}
		return nil
	}))
	must(t, db.Close())
}

func TestEveryChangedEntryIsNoticed(t *testing.T) {
	entries := 6 // new, open, debit, release, open, ...
	for i := range entries {
		for _, flip := range []func(string) string{
			func(s string) string {
				return strings.Replace(s, `"micro_epsilon":500000`, `"micro_epsilon":400000`, 1)
			},
			func(s string) string { return strings.Replace(s, `"seq":`, `"seq": `, 1) },
			func(s string) string { return strings.Replace(s, ward, "ward-8", 1) },
			func(s string) string { return s[:len(s)-1] },
		} {
			path := fileWithDebit(t)
			same := true
			n := -1
			change(t, path, entriesBucket, func(_, v []byte) []byte {
				if n++; n != i {
					return nil
				}
				out := flip(string(v))
				same = out == string(v)
				return []byte(out)
			})
			if same {
				continue
			}
			l, err := OpenFile(path, Options{})
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrBehind) {
				t.Errorf("entry %d: %v", i, err)
			}
			if err == nil {
				must(t, l.Close())
			}
		}
	}
}

func TestAChangedAnswerIsNotServed(t *testing.T) {
	path := fileWithDebit(t)
	change(t, path, answersBucket, func(_, v []byte) []byte { return append([]byte("z"), v...) })
	l, err := OpenFile(path, Options{})
	must(t, err)
	if _, err := l.Publish(t.Context(), request(1, One/2), draw("x")); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
	if _, err := l.Verify(); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
	must(t, l.Close())
}

func TestWhatIsNoLedgerIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	if _, err := OpenFile(path, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := OpenFile(dir, Options{}); err == nil {
		t.Error("a folder was opened")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 100, 4096, 20000, 65536} {
		raw := make([]byte, n)
		for i := range raw {
			raw[i] = byte(rng.Uint32())
		}
		must(t, os.WriteFile(path, raw, 0o600))
		if _, err := OpenFile(path, Options{}); err == nil {
			t.Errorf("%d bytes of noise were opened", n)
		}
	}
	good := fileWithDebit(t)
	raw, err := os.ReadFile(good)
	must(t, err)
	for _, n := range []int{100, 4096, 10000} {
		cut := fmt.Sprintf("%s-%d", good, n) // its own file: bbolt keeps the lock of one that it choked on
		must(t, os.WriteFile(cut, raw[:n], 0o600))
		copyFile(t, good+".head", cut+".head")
		if l, err := OpenFile(cut, Options{}); err == nil {
			t.Errorf("%d bytes of a ledger were opened", n)
			must(t, l.Close())
		}
	}
}

func TestEpsilonIsExactOrRefused(t *testing.T) {
	for in, want := range map[string]Micro{"1": One, "0.1": 100_000, ".5": 500_000, "0.000001": 1, "20": Most, "1.": One, "007": 7 * One} {
		got, err := ParseEpsilon(in)
		if err != nil || got != want {
			t.Errorf("%q: %d, %v", in, got, err)
		}
		if again, err := ParseEpsilon(got.String()); err != nil || again != got {
			t.Errorf("%q is written as %q", in, got)
		}
	}
	for _, in := range []string{"", ".", "0", "-1", "+1", "NaN", "Inf", "1e3", "20.000001", "21", "0.0000001", "1,5", "1.2.3", "99999999999999999999", " 1", "0x1"} {
		if got, err := ParseEpsilon(in); err == nil {
			t.Errorf("%q was read as %v", in, got)
		}
	}
}
