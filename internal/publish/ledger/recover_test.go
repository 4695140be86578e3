// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/store"
	"hide/internal/testsize"
)

// truth is what was really drawn, which no copy forgets.
type truth map[string]map[string]Micro // lineage -> ward, or "" for the whole -> epsilon

func (tr truth) add(lineage, ward string, m Micro) {
	if tr[lineage] == nil {
		tr[lineage] = map[string]Micro{}
	}
	tr[lineage][ward] += m
}

// spent is by sequential composition, of the wards only the dearest.
func (tr truth) spent(lineage string) (sum Micro) {
	for ward, m := range tr[lineage] {
		if ward != "" {
			sum = max(sum, m)
		}
	}
	return sum + tr[lineage][""]
}

var wardNames = []string{"A", "B", "C"}

// act does one thing at random, and keeps what was drawn.
func act(t *testing.T, rng *rand.Rand, l *Ledger, n int, drawn truth) {
	t.Helper()
	name := fmt.Sprint("lineage ", rng.IntN(2))
	if _, err := l.Account(name); err != nil {
		o := Opening{Lineage: name, Unit: "patient", Limit: Micro(20 + rng.IntN(60))}
		if l.Restored() {
			o.Despite = "the board was told of it"
		}
		must(t, l.Open(o))
		if rng.IntN(4) > 0 {
			must(t, l.Declare(name, "ward", wardNames))
		}
		return
	}
	r := Request{Lineage: name, Epsilon: Micro(1 + rng.IntN(8)), Body: fmt.Append(nil, n), What: "cube"}
	ward := ""
	if len(l.state.accounts[name].parts) > 0 && rng.IntN(3) > 0 {
		ward = wardNames[rng.IntN(len(wardNames))]
		r.Part = Part{"ward", ward}
	}
	exceeded := (*ExceededError)(nil)
	switch _, err := l.Publish(t.Context(), r, draw("x")); {
	case err == nil:
		drawn.add(name, ward, r.Epsilon)
	case !errors.As(err, &exceeded):
		t.Fatal(err)
	}
	if rng.IntN(8) == 0 {
		must(t, l.Raise(name, l.state.accounts[name].Limit+Micro(1+rng.IntN(9)), "the board agreed", ""))
	}
}

// TestAfterAnyRecoveryNoLessIsSpentThanWasDrawn puts back copies of any age, among
// them none at all and one from before the first account, and goes on. What was ever
// drawn of a lineage, in all its wards, is never more than its ledger says.
func TestAfterAnyRecoveryNoLessIsSpentThanWasDrawn(t *testing.T) {
	testsize.Slow(t)
	levelled := 0
	seeds := uint64(15)
	if os.Getenv("LEDGER_TEST_KILLS") != "" { // the long run
		seeds = 40
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 5))
		path := filepath.Join(t.TempDir(), "l")
		drawn := truth{}
		var copies []string
		for n := range 8 {
			l, err := OpenFile(path, Options{Create: true})
			must(t, err)
			for i := range 3 + rng.IntN(5) {
				act(t, rng, l, 100*n+i, drawn)
			}
			for name := range drawn {
				if a, err := l.Account(name); err != nil || a.Spent < drawn.spent(name) {
					t.Fatalf("seed %d, round %d: %v was drawn of %s, %v is spent, %v", seed, n, drawn.spent(name), name, a.Spent, err)
				}
			}
			must(t, l.Close())
			copies = append(copies, fmt.Sprint(path, ".", n))
			copyFile(t, path, copies[len(copies)-1])
			h, _, err := readHead(path + ".head")
			must(t, err)
			putBackACopy(t, rng, path, copies)
			levelled += recovered(t, path, h)
		}
	}
	if levelled == 0 {
		t.Error("no copy had parts to level: the test shows too little")
	}
}

// putBackACopy replaces a ledger by an older one, or removes it, and at times its
// head, but only when the copy knows all accounts: without both nobody knows more.
func putBackACopy(t *testing.T, rng *rand.Rand, path string, copies []string) {
	t.Helper()
	if rng.IntN(12) == 0 {
		must(t, os.Remove(path))
		return
	}
	from := copies[rng.IntN(len(copies))]
	copyFile(t, from, path)
	if from == copies[len(copies)-1] && rng.IntN(2) == 0 {
		must(t, os.Remove(path+".head"))
	}
}

// recovered recovers a ledger if it must be, and says how many partitions were
// levelled. No account has less spent than the head said.
func recovered(t *testing.T, path string, h Head) (levelled int) {
	t.Helper()
	if _, err := RecoverFile(path, Options{}); err != nil && !strings.Contains(err.Error(), "nothing to recover") {
		t.Fatal(err)
	}
	l, err := OpenFile(path, Options{})
	must(t, err)
	for name, m := range h.Spent {
		if a, err := l.Account(name); err != nil || a.Spent < m {
			t.Fatalf("the head says %v of %s, the ledger %v, %v", m, name, a.Spent, err)
		}
	}
	raw, err := l.book.Load()
	must(t, err)
	for _, text := range raw {
		if strings.Contains(string(text), `"kind":"restore"`) && strings.Contains(string(text), `"partition":"ward"`) {
			levelled++
		}
	}
	_, err = l.Verify()
	must(t, errors.Join(err, l.Close()))
	return levelled
}

// TestABackupFromBeforeTheLedgerBeginsFromItsHead is about a data folder whose backup
// knows no budget, while the head beside the folder does.
func TestABackupFromBeforeTheLedgerBeginsFromItsHead(t *testing.T) {
	head := filepath.Join(t.TempDir(), "head")
	l, err := InStore(dataFolder(t), Options{Create: true, Head: head})
	must(t, err)
	must(t, l.OpenAccount(ward, "patient", One))
	must(t, l.Declare(ward, "ward", wardNames))
	_, err = l.Publish(t.Context(), request(1, One/2), draw("x"))
	must(t, errors.Join(err, l.Weak(ward, "a table"), l.OpenAccount("unspent", "patient", One)))

	before := dataFolder(t)
	if _, err := InStore(before, Options{Create: true, Head: head}); !errors.Is(err, ErrBehind) {
		t.Fatalf("got %v", err)
	}
	charges, err := RecoverInStore(before, Options{Head: head})
	if err != nil || fmt.Sprint(charges) != "[{unspent 0.000001} {ward-7 0.5}]" {
		t.Fatalf("%v, %v", charges, err)
	}
	again, err := InStore(before, Options{Head: head})
	must(t, err)
	a, err := again.Account(ward)
	if err != nil || a.Spent != One/2 || a.Left != 0 || !a.Void() || again.state.id != l.state.id {
		t.Errorf("%+v, %v", a, err)
	}
	// A later process that finds the newest copy is charged, too, and not stuck.
	if err := again.Raise(ward, One, "the board agreed", ""); err != nil {
		t.Error(err)
	}
	if _, err := again.Publish(t.Context(), request(2, One/4), draw("y")); err != nil {
		t.Error(err)
	}
	if charges, err := RecoverInStore(l.book.(storeBook).st, Options{Head: head}); err != nil || fmt.Sprint(charges) != "[{unspent 0.000001} {ward-7 0.25}]" {
		t.Errorf("the newest copy is charged %v, %v", charges, err)
	}
}

func TestWithoutBothThereIsNothingToRecover(t *testing.T) {
	if _, err := RecoverInStore(dataFolder(t), Options{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
	path := filepath.Join(t.TempDir(), "l")
	if _, err := RecoverFile(path, Options{}); err == nil {
		t.Error("recovered what never was")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a ledger was made")
	}
}

// TestWhereABackupWasRestoredAnAccountNeedsAReason: it may have been opened and spent
// after the backup was made.
func TestWhereABackupWasRestoredAnAccountNeedsAReason(t *testing.T) {
	st := restoredFolder(t)
	l, err := InStore(st, Options{Create: true})
	must(t, err)
	asked := Opening{Lineage: ward, Unit: "patient", Limit: One}
	refused := (*RestoredError)(nil)
	if err := l.Open(asked); !errors.As(err, &refused) || refused.Lineage != ward {
		t.Errorf("got %v", err)
	}
	if err := l.Affords(asked, request(1, 1)); !errors.As(err, &refused) {
		t.Errorf("got %v", err)
	}
	asked.Despite = "so"
	if err := l.Open(asked); err == nil {
		t.Error("two letters are a reason")
	}
	if _, err := InStore(st, Options{}); !errors.Is(err, ErrNotBegun) {
		t.Errorf("what was refused began a ledger: %v", err)
	}
	if _, err := os.Stat(st.Dir() + ".budget"); err == nil {
		t.Error("what was refused has left a head")
	}
	asked.Despite, asked.Who = "nothing was published since", "u7"
	must(t, l.Open(asked))
	a, err := l.Publish(t.Context(), request(1, 1), draw("x"))
	if err != nil || len(a.Receipt.Notes) != 1 || !strings.Contains(a.Receipt.Notes[0], asked.Despite) {
		t.Errorf("%q, %v", a.Receipt.Notes, err)
	}
	account, err := l.Account(ward)
	if err != nil || account.Despite == nil || account.Despite.Why != asked.Despite || account.Despite.Who != "u7" {
		t.Errorf("%+v, %v", account, err)
	}
	audited(t, st, asked.Despite)
}

// TestWithoutItsHeadWhatWasSpentIsNotKnown is about a copy from before the limit was
// raised, when everything was spent. No account is opened without a reason then, and
// every later release says that there may be more.
func TestWithoutItsHeadWhatWasSpentIsNotKnown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	l, err := OpenFile(path, Options{Create: true})
	must(t, err)
	must(t, l.OpenAccount(ward, "patient", One))
	_, err = l.Publish(t.Context(), request(1, One), draw("x"))
	must(t, errors.Join(err, l.Close(), os.Remove(path+".head"))) // what was raised and spent since went with it
	charges, err := RecoverFile(path, Options{})
	if err != nil || len(charges) != 0 {
		t.Fatalf("%v, %v", charges, err)
	}
	l, err = OpenFile(path, Options{})
	must(t, err)
	refused := (*RestoredError)(nil)
	if err := l.OpenAccount("forgotten", "patient", One); !errors.As(err, &refused) {
		t.Errorf("got %v", err)
	}
	must(t, l.Raise(ward, 2*One, "agreed by the board", ""))
	a, err := l.Publish(t.Context(), request(2, One), draw("x"))
	if err != nil || !strings.Contains(strings.Join(a.Receipt.Notes, " "), "is unknown") {
		t.Errorf("%q, %v", a.Receipt.Notes, err)
	}
	_, err = l.Verify()
	must(t, errors.Join(err, l.Close()))
}

// restoredFolder is a data folder that was made of a backup.
func restoredFolder(t *testing.T) *store.Store {
	t.Helper()
	var backup bytes.Buffer
	from := dataFolder(t)
	must(t, from.Backup(t.Context(), &backup))
	o := store.Options{Dir: filepath.Join(t.TempDir(), "restored"), KeyFile: from.Dir() + ".key"}
	must(t, store.Restore(&backup, o))
	st, err := store.Open(o)
	must(t, err)
	t.Cleanup(func() { must(t, st.Close()) })
	return st
}

// audited fails unless the audit trail has the words.
func audited(t *testing.T, st *store.Store, words string) {
	t.Helper()
	rows, err := st.AuditRows(0, 100, nil)
	must(t, err)
	for _, r := range rows {
		if strings.Contains(r.Detail, words) {
			return
		}
	}
	t.Errorf("no audit row says %q", words)
}

// TestAfterARecoveryAnAccountNeedsAReason: the head does not say whom the forgotten
// accounts were about, so that the same people could get a second one.
func TestAfterARecoveryAnAccountNeedsAReason(t *testing.T) {
	path := fileWithDebit(t)
	copyFile(t, path+".old", path)
	_, err := RecoverFile(path, Options{})
	must(t, err)
	l, err := OpenFile(path, Options{})
	must(t, err)
	refused := (*RestoredError)(nil)
	if err := l.OpenAccount("new", "patient", One); !errors.As(err, &refused) {
		t.Errorf("got %v", err)
	}
	must(t, errors.Join(l.Open(Opening{Lineage: "new", Unit: "patient", Limit: One, Despite: "other patients, seen later"}), l.Close()))
}

func TestAReasonForARestoreThatThereWasNotIsRefused(t *testing.T) {
	l := newLedger(t, "file", One)
	if err := l.Open(Opening{Lineage: "new", Unit: "patient", Limit: One, Despite: "a reason that is long"}); err == nil {
		t.Error("recorded a restore that there was not")
	}
}
