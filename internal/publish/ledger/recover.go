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

// Charge is what a recovery has taken from an account.
type Charge struct {
	Lineage string `json:"lineage"`
	Micro   Micro  `json:"micro_epsilon"`
}

// RecoverFile makes an older copy of a ledger usable again: it charges each
// account what the head knows to be spent and the copy does not. A copy from before
// the ledger was begun, or none at all, begins from the head. Without a head nobody
// knows: everything that is left is charged, and every later release says that it may
// have been more, since limits are raised.
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

// charge brings every account to what is known to be spent. Accounts that the copy
// does not know are opened, with nothing left, and those whose promise is void are
// told so again. The head is written last: until then it keeps what it knew, and
// the copy stays refused.
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
	// forgotten stands for releases that nobody can name any more.
	forgotten = "a release that promises less, which an older copy of the ledger has forgotten"
	putBack   = "an older copy was put back"
	headLost  = "an older copy was put back, and the head is lost" // on disk: do not change it
)

// restore brings one account to what is known of it, and says what it was charged. That
// the head is lost is on record of an account that has nothing left, too.
func (l *Ledger) restore(name string, known Head, why string) (Micro, error) {
	goal := known.Spent[name]
	if l.state.accounts[name] == nil {
		goal = max(goal, 1) // an account has a limit, and this one shall have nothing left
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

// level charges all parts of a partition what the dearest of them has spent. Of
// which part it was that something was spent since the copy nobody knows: with W of
// the whole and P of a part, W + max P is at most what the head says, so that W and
// the parts can be no dearer together than if each part were the dearest.
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

// RestoredError says that an account is to be opened where a backup was restored, or
// in a copy, without a reason. An account that was opened after the backup was made,
// and spent, is not in it, and would be opened a second time.
type RestoredError struct{ Lineage string }

func (e *RestoredError) Error() string {
	return fmt.Sprintf("a backup was restored here, or this is a copy, so that later debits are unknown: a new budget for %q could be spent a second time, and is opened only with a reason", e.Lineage)
}

// Restored says that a backup was restored here, that this is a copy, or that an older
// copy was charged for what it has forgotten, so that accounts need a reason to be
// opened: nobody knows whom the forgotten accounts were about.
func (l *Ledger) Restored() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wasRestored()
}

func (l *Ledger) wasRestored() bool { return l.restored || l.state.restored }

// checkRestored refuses to open an account without the reason that it needs, or with
// one that would be untrue.
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

// Summary is what a verified ledger amounts to.
type Summary struct {
	Head     Head      `json:"head"`
	Entries  int       `json:"entries"`
	Answers  int       `json:"answers"`
	Accounts []Account `json:"accounts"`
}

// Verify reads everything again and checks every entry, the chain, its end
// against the head file, what was spent against the limits, and each stored
// answer against its entry. It changes nothing, in the ledger as it was opened either.
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

// answer is what is stored of the answer to a debit, if that is what was.
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

// Find gives the debit that a receipt speaks of. It fails when the ledger has
// none such.
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
