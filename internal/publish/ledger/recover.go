// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Charge is what a recovery has taken from an account.
type Charge struct {
	Lineage string `json:"lineage"`
	Micro   Micro  `json:"micro_epsilon"`
}

// RecoverFile makes an older copy of a ledger usable again: it charges each
// account what the head knows to be spent and the copy does not. Without a head
// nobody knows, and everything that is left is charged.
func RecoverFile(path string, o Options) (charges []Charge, err error) {
	o.Create = false
	book, err := openFileBook(path, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	return recoverBook(book, headPath(path, o), o)
}

func recoverBook(book Book, head string, o Options) ([]Charge, error) {
	l := &Ledger{book: book, head: head, opts: o.complete()}
	if err := l.load(); err != nil {
		return nil, err
	}
	if l.state.entries == 0 {
		return nil, damaged(0, "is missing: there is nothing to recover")
	}
	h, ok, err := readHead(head)
	if err != nil {
		return nil, err
	}
	if ok && h.ID != l.state.id {
		return nil, fmt.Errorf("%w: %s is the head of another ledger", ErrDamaged, head)
	}
	if !ok {
		h = Head{Spent: l.limits()}
	} else if l.follows(h, ok) == nil {
		return nil, errors.New("nothing is missing in this ledger")
	}
	l.floor = h
	return l.charge()
}

// limits is all that there is to spend.
func (l *Ledger) limits() map[string]Micro {
	out := map[string]Micro{}
	for name, a := range l.state.accounts {
		out[name] = a.Limit
	}
	return out
}

// charge brings every account to what the head says is spent. Accounts that the
// copy does not know are opened, with nothing left, and those whose promise is void
// are told so again. Until all is charged the head keeps what it knew.
func (l *Ledger) charge() ([]Charge, error) {
	charges := []Charge{}
	for _, name := range slices.Sorted(maps.Keys(l.floor.Spent)) {
		if err := l.restore(name); err != nil {
			return charges, err
		}
		missing := l.floor.Spent[name] - l.state.accounts[name].spent()
		if missing <= 0 {
			continue
		}
		if err := l.append(Entry{Kind: KindRestore, Lineage: name, Micro: missing, What: "an older copy was put back"}, "", nil); err != nil {
			return charges, err
		}
		charges = append(charges, Charge{name, missing})
	}
	return charges, writeHead(l.head, l.now(), l.opts.step)
}

// forgotten stands for releases that nobody can name any more.
const forgotten = "a release that promises less, which an older copy of the ledger has forgotten"

// restore brings back an account and that its promise is void.
func (l *Ledger) restore(name string) error {
	if l.state.accounts[name] == nil {
		l.floor.Spent[name] = max(l.floor.Spent[name], 1) // an account has a limit, and this one shall have nothing left
		if err := l.append(Entry{Kind: KindOpen, Lineage: name, Unit: "unknown", Micro: l.floor.Spent[name]}, "", nil); err != nil {
			return err
		}
	}
	if slices.Contains(l.floor.Void, name) && !l.state.accounts[name].Void() {
		return l.append(Entry{Kind: KindWeak, Lineage: name, What: forgotten}, "", nil)
	}
	return nil
}
