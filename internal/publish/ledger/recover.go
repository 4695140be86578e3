// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
)

// Charge is the amount that a recovery charged to an account.
type Charge struct {
	Lineage string `json:"lineage"`
	Micro   Micro  `json:"micro_epsilon"`
}

// RecoverFile makes an older copy of a ledger usable again: it charges each account the
// spending that is in the head but not in the copy. If the copy is from before the first
// entry, or there is none, the ledger starts from the head. Without a head the spending
// is unknown: everything left is charged, and every later release says that it may have
// been more, because limits can be raised.
func RecoverFile(path string, o Options) (charges []Charge, err error) {
	_, err = os.Lstat(headPath(path, o))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("ledger head: %w", err)
	}
	o.Create = err == nil
	book, err := openFileBook(path, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	return recoverBook(book, headPath(path, o), o)
}

func recoverBook(book Book, head string, o Options) ([]Charge, error) {
	l := &Ledger{book: book, head: head, opts: o.complete(), recovering: true}
	why := putBack
	if err := l.load(); err != nil {
		return nil, err
	}
	h, ok, err := readHead(head)
	switch {
	case err != nil:
		return nil, err
	case l.state.entries == 0 && !ok:
		return nil, damaged(0, "is missing, and so is the head: there is nothing to recover")
	case l.state.entries == 0:
		l.begin(h.ID)
		if err := l.start(); err != nil {
			return nil, err
		}
	case ok && h.ID != l.state.id:
		return nil, fmt.Errorf("%w: %s is the head of another ledger", ErrDamaged, head)
	case !ok:
		h, why = Head{Spent: l.limits()}, headLost
	case l.follows(h, ok) == nil:
		return nil, errors.New("this ledger is complete: there is nothing to recover")
	}
	return l.charge(h, why)
}

// limits is the sum of all limits.
func (l *Ledger) limits() map[string]Micro {
	out := map[string]Micro{}
	for name, a := range l.state.accounts {
		out[name] = max(a.Limit, a.spent())
	}
	return out
}

// charge brings every account to its known spending. Accounts missing in the copy are
// opened with nothing left, and void guarantees are marked void again. The head is
// written last: until then it keeps its contents, and the copy stays refused.
func (l *Ledger) charge(known Head, why string) ([]Charge, error) {
	charges := []Charge{}
	for _, name := range slices.Sorted(maps.Keys(known.Spent)) {
		missing, err := l.restore(name, known, why)
		if err != nil {
			return charges, err
		}
		if missing > 0 {
			charges = append(charges, Charge{name, missing})
		}
	}
	return charges, writeHead(l.head, l.state.head(), l.opts.step)
}

const (
	// forgotten stands for releases that are no longer known.
	forgotten = "a release that promises less, which an older copy of the ledger has forgotten"
	putBack   = "an older copy was put back"
	headLost  = "an older copy was put back, and the head is lost" // on disk: do not change it
)

// restore brings one account to its known spending and returns the charge. A lost head is
// recorded even for an account that has nothing left.
func (l *Ledger) restore(name string, known Head, why string) (Micro, error) {
	goal := known.Spent[name]
	if l.state.accounts[name] == nil {
		goal = max(goal, 1) // an account needs a limit, and this one must have nothing left
		if err := l.append(Entry{Kind: KindOpen, Lineage: name, Unit: "unknown", Micro: min(goal, Most)}, "", nil); err != nil {
			return 0, err
		}
	}
	a := l.state.accounts[name]
	if slices.Contains(known.Void, name) && !a.Void() {
		if err := l.append(Entry{Kind: KindWeak, Lineage: name, What: forgotten}, "", nil); err != nil {
			return 0, err
		}
	}
	if err := l.level(name); err != nil {
		return 0, err
	}
	missing := max(0, goal-a.spent())
	if missing == 0 && (why != headLost || a.Unknown) {
		return 0, nil
	}
	return missing, l.append(Entry{Kind: KindRestore, Lineage: name, Micro: missing, What: why}, "", nil)
}

// level charges all parts of a partition the amount of the most expensive one. Which part
// spent something after the copy is unknown: with W of the whole and P of a part, W + max
// P is at most the head's figure, so W and the parts together cannot cost more than if
// each part were the most expensive.
func (l *Ledger) level(name string) error {
	a := l.state.accounts[name]
	for _, partition := range slices.Sorted(maps.Keys(a.parts)) {
		parts := slices.Collect(maps.Values(a.parts[partition]))
		most := slices.Max(parts)
		if slices.Min(parts) == most {
			continue
		}
		if err := l.append(Entry{Kind: KindRestore, Lineage: name, Micro: most, Part: Part{Partition: partition}, What: putBack}, "", nil); err != nil {
			return err
		}
	}
	return nil
}

// RestoredError says that opening an account after a restored backup, or in a copy, needs
// a reason. An account that was opened and debited after the backup is missing in it, and
// would be opened a second time.
type RestoredError struct{ Lineage string }

func (e *RestoredError) Error() string {
	return fmt.Sprintf("this is a restored backup, or this is a copy, so later debits are unknown. A new budget for %q could spend the same epsilon twice: opening it needs a reason", e.Lineage)
}

// Restored reports whether a backup was restored here, this is a copy, or an older copy
// was charged for its missing debits, so that opening accounts needs a reason.
func (l *Ledger) Restored() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wasRestored()
}

func (l *Ledger) wasRestored() bool { return l.restored || l.state.restored }

// checkRestored refuses to open an account without a required reason, or with one that
// would be untrue.
func (l *Ledger) checkRestored(o Opening) error {
	switch {
	case !l.wasRestored() && o.Despite != "":
		return errors.New("no backup was restored here: omit the reason")
	case !l.wasRestored():
		return nil
	case o.Despite == "":
		return &RestoredError{o.Lineage}
	}
	return checkReason(o.Despite)
}

// Summary is the state of a verified ledger.
type Summary struct {
	Head     Head      `json:"head"`
	Entries  int       `json:"entries"`
	Answers  int       `json:"answers"`
	Accounts []Account `json:"accounts"`
}

// Verify reads everything again and checks every entry, the chain, its end against the
// head file, the spending against the limits, and each stored answer against its entry.
// It changes nothing, not even the ledger in memory.
func (l *Ledger) Verify() (Summary, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	st, err := l.read()
	if err != nil {
		return Summary{}, err
	}
	h, ok, err := readHead(l.head)
	switch {
	case err != nil:
		return Summary{}, err
	case !ok && st.entries == 0:
		return Summary{}, ErrNotBegun
	case !ok:
		return Summary{}, ErrNoHead
	case !h.equal(st.head()):
		return Summary{}, fmt.Errorf("%w: its head is different", ErrDamaged)
	}
	for hash, entry := range st.answers {
		if _, err := l.answer(st, hash, entry); err != nil {
			return Summary{}, err
		}
	}
	return Summary{st.head(), st.entries, len(st.answers), st.list()}, nil
}

// answer returns the stored answer to a debit, if there is one.
func (l *Ledger) answer(st *state, request string, debit uint64) ([]byte, error) {
	raw, err := l.book.Answer(request)
	if err != nil {
		return nil, fmt.Errorf("read the stored answer: %w", err)
	}
	if hashOf(raw) != st.debits[debit].Result {
		return nil, damaged(int(debit), "has a stored release that was changed")
	}
	return raw, nil
}

// Find returns the debit of a receipt. It fails if the ledger does not have it.
func (l *Ledger) Find(r Receipt) (Debit, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own, ok := l.state.receipts[r.Entry]
	switch {
	case r.Ledger != l.state.id:
		return Debit{}, errors.New("it was debited in another ledger")
	case !ok || own.Hash != r.Hash:
		return Debit{}, errors.New("the ledger has no such debit")
	case own.Epsilon != r.Epsilon || own.Lineage != r.Lineage || own.Unit != r.Unit || own.Part != r.Part || own.Before != r.Before || own.After != r.After || own.Limit != r.Limit:
		return Debit{}, errors.New("the ledger's debit is different")
	}
	return *l.state.debits[r.Entry], nil
}
