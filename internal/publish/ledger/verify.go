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
