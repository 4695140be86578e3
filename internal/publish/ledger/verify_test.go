// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestVerifyingChangesNothing: what was fingerprinted before a ledger is begun is found
// again after, whatever process has verified in between.
func TestVerifyingChangesNothing(t *testing.T) {
	l, err := OpenFile(filepath.Join(t.TempDir(), "l"), Options{Create: true})
	must(t, err)
	before := fingerprint(t, l)
	if _, err := l.Verify(); !errors.Is(err, ErrNotBegun) {
		t.Errorf("got %v", err)
	}
	must(t, l.OpenAccount(ward, "patient", One))
	if got := fingerprint(t, l); got != before {
		t.Error("the same data has another fingerprint")
	}
	l.book = forgetful{l.book}
	if _, err := l.Verify(); err == nil {
		t.Error("a ledger without its entries was found right")
	}
	if got := spent(t, l); got != 0 { // it is there
		t.Errorf("%v spent", got)
	}
	must(t, l.Close())
}

// forgetful has nothing of what was written.
type forgetful struct{ Book }

func (forgetful) Load() ([][]byte, error) { return nil, nil }

func fingerprint(t *testing.T, l *Ledger) string {
	t.Helper()
	sum, err := l.Fingerprint(strings.NewReader("the data"))
	must(t, err)
	return sum
}

// TestDataIsFingerprintedWhileALedgerBegins is for the race detector.
func TestDataIsFingerprintedWhileALedgerBegins(t *testing.T) {
	l, err := OpenFile(filepath.Join(t.TempDir(), "l"), Options{Create: true})
	must(t, err)
	want := fingerprint(t, l)
	var others sync.WaitGroup
	others.Go(func() {
		if err := l.OpenAccount(ward, "patient", One); err != nil {
			t.Error(err)
		}
	})
	for range 2 {
		others.Go(func() {
			if got := fingerprint(t, l); got != want {
				t.Error("the same data has another fingerprint")
			}
		})
	}
	others.Wait()
	must(t, l.Close())
}

// TestHeadsHalfWrittenAreSwept: by a writer, and by no reader.
func TestHeadsHalfWrittenAreSwept(t *testing.T) {
	path, st := fileWithDebit(t), dataFolder(t)
	for kind, c := range map[string]struct {
		head string
		open func(Options) (*Ledger, error)
	}{
		"file":  {path + ".head", func(o Options) (*Ledger, error) { return OpenFile(path, o) }},
		"store": {storeHead(st, Options{}), func(o Options) (*Ledger, error) { return InStore(st, o) }},
	} {
		half := c.head + ".new-1"
		must(t, os.WriteFile(half, nil, 0o600))
		for _, o := range []Options{{Look: true}, {Create: true}} {
			l, err := c.open(o)
			must(t, err)
			must(t, l.Close())
			if _, err := os.Stat(half); (err == nil) != o.Look {
				t.Errorf("%s, look %v: %v", kind, o.Look, err)
			}
		}
	}
}

// TestTheDatabaseIsSynced: a debit that is only in the machine's memory is not on disk.
func TestTheDatabaseIsSynced(t *testing.T) {
	l := newLedger(t, "file", One)
	if db := l.book.(*fileBook).db; db.NoSync || db.NoGrowSync {
		t.Error("what was written may be lost")
	}
}
