// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"errors"
	"fmt"
)

// Summary is what a verified ledger amounts to.
type Summary struct {
	Head     Head      `json:"head"`
	Entries  int       `json:"entries"`
	Answers  int       `json:"answers"`
	Accounts []Account `json:"accounts"`
}

// Verify reads everything again and checks every entry, the chain, its end
// against the head file, what was spent against the limits, and each stored
// answer against its entry.
func (l *Ledger) Verify() (Summary, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.load(); err != nil {
		return Summary{}, err
	}
	h, ok, err := readHead(l.head)
	switch {
	case err != nil:
		return Summary{}, err
	case !ok && l.state.entries == 0:
		return Summary{}, ErrNotBegun
	case !ok:
		return Summary{}, ErrNoHead
	case !h.equal(l.state.head()):
		return Summary{}, fmt.Errorf("%w: its head says something else", ErrDamaged)
	}
	for hash, entry := range l.state.answers {
		raw, err := l.book.Answer(hash)
		if err != nil {
			return Summary{}, err
		}
		if hashOf(raw) != l.state.debits[entry].Result {
			return Summary{}, damaged(int(entry), "was answered with other bytes than those that are stored")
		}
	}
	return Summary{l.state.head(), l.state.entries, len(l.state.answers), l.state.list()}, nil
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
		return Debit{}, errors.New("the ledger's debit says something else")
	}
	return *l.state.debits[r.Entry], nil
}
