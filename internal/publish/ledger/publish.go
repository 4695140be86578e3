// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"bytes"
	"context"
	"fmt"
)

// Request asks for a part of a budget.
type Request struct {
	Lineage string
	Epsilon Micro
	// Body is the whole request in canonical form: everything that affects the answer
	// except the data.
	Body []byte
	// Data is the [Ledger.Fingerprint] of the data. The same data under another
	// lineage is refused.
	Data string
	// Units is the [Ledger.Sketch] of the units in the data, "" if unknown. Units that
	// have a budget under another lineage are refused.
	Units string
	// By is the column with the unit of a row, "" if each row is stated to be a unit. A
	// lineage keeps the column of its first debit: another column counts other units.
	By string
	// Part limits the request to a part of a declared partition. The zero value is the
	// whole lineage.
	Part Part
	// What is the request in a few words.
	What string
}

// hash is equal for identical requests.
func (r Request) hash() string {
	var b bytes.Buffer
	for _, field := range []string{r.Lineage, r.Epsilon.String(), r.Part.Partition, r.Part.Part, r.Data, string(r.Body)} {
		fmt.Fprintf(&b, "%d:%s", len(field), field)
	}
	return hashOf(b.Bytes())
}

// Receipt proves that a debit is on disk. A release carries it, so that everybody with
// the ledger can compare.
type Receipt struct {
	Ledger  string   `json:"ledger"`
	Entry   uint64   `json:"entry"`
	Hash    string   `json:"hash"` // SHA-256 of the entry
	Lineage string   `json:"lineage"`
	Unit    string   `json:"unit"`
	Epsilon Micro    `json:"micro_epsilon"`
	Part    Part     `json:"part,omitzero"`
	Before  Micro    `json:"spent_before_micro_epsilon"` // by the lineage
	After   Micro    `json:"spent_after_micro_epsilon"`
	Limit   Micro    `json:"limit_micro_epsilon"`
	Weak    []string `json:"weak,omitempty"`  // releases of the lineage with weaker guarantees
	Notes   []string `json:"notes,omitempty"` // raised limits, lineages that share units, unknown spending
}

// Answer is the answer to a request.
type Answer struct {
	Bytes    []byte
	Receipt  Receipt
	Replayed bool // stored earlier: this request cost nothing
}

// ExceededError says that a budget is too small. Nothing was debited.
type ExceededError struct {
	Lineage                    string
	Asked, Spent, Limit, After Micro
}

func (e *ExceededError) Error() string {
	return fmt.Sprintf("the budget of %q is %v, of which %v is spent and %v is left; this needs %v more, so nothing was debited",
		e.Lineage, e.Limit, e.Spent, max(0, e.Limit-e.Spent), e.After-e.Spent)
}

// OtherLineageError says that the same data was debited under another name.
type OtherLineageError struct{ Lineage, Other string }

func (e *OtherLineageError) Error() string {
	return fmt.Sprintf("this data was debited before as %q: another name does not give the same data another budget", e.Other)
}

// OtherUnitError says that a lineage protects another unit.
type OtherUnitError struct{ Lineage, By, Asked string }

func (e *OtherUnitError) Error() string {
	return fmt.Sprintf("%q protects %s, and this release counts by %s: their epsilons cannot be added, so nothing was debited", e.Lineage, byWords(e.By), byWords(e.Asked))
}

func byWords(by string) string {
	if by == "" {
		return "rows, without a key"
	}
	return fmt.Sprintf("each value of the key %q", by)
}

// Publish answers a request. An identical earlier request returns the stored bytes.
// Otherwise it debits, and once the debit is on disk it calls draw, which may add noise
// with the epsilon of the receipt; its result is stored. If draw fails, the debit stays.
//
// It fails with a [*NoAccountError], an [*ExceededError], an [*OtherLineageError], a
// [*SameUnitsError], an [*OtherUnitError], a [*SharedPartError] or, if ctx ends before
// the debit, its error; then nothing was debited.
func (l *Ledger) Publish(ctx context.Context, r Request, draw func(context.Context, Receipt) ([]byte, error)) (Answer, error) {
	if err := r.Check(); err != nil {
		return Answer{}, err
	}
	hash := r.hash()
	done, err := l.alone(ctx, hash)
	if err != nil {
		return Answer{}, err
	}
	defer done()
	if a, ok, err := l.stored(hash); ok || err != nil {
		return a, err
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err // nobody waits for the answer: before the debit this is free
	}
	receipt, err := l.debit(r, hash)
	if err != nil {
		return Answer{}, err
	}
	l.opts.step("debited")
	raw, err := draw(ctx, receipt)
	if err != nil {
		return Answer{}, fmt.Errorf("epsilon %v was debited before this failed: %w", r.Epsilon, err)
	}
	l.opts.step("drawn")
	if err := l.keep(r, hash, receipt, raw); err != nil {
		return Answer{}, fmt.Errorf("epsilon %v was debited before the release could not be stored: %w", r.Epsilon, err)
	}
	return Answer{Bytes: raw, Receipt: receipt}, nil
}

// Check refuses a request without an amount or a name, whatever the state of the account.
func (r Request) Check() error {
	if err := r.Epsilon.check(); err != nil {
		return err
	}
	return checkName("a request", r.What)
}

// alone waits until no request of this hash is in progress.
func (l *Ledger) alone(ctx context.Context, hash string) (done func(), err error) {
	for {
		l.mu.Lock()
		other := l.flight[hash]
		if other == nil {
			mine := make(chan struct{})
			l.flight[hash] = mine
			l.mu.Unlock()
			return func() {
				l.mu.Lock()
				delete(l.flight, hash)
				l.mu.Unlock()
				close(mine)
			}, nil
		}
		l.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// stored finds the answer to an identical request.
func (l *Ledger) stored(hash string) (Answer, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry, ok := l.state.answers[hash]
	if !ok {
		return Answer{}, false, nil
	}
	raw, err := l.answer(l.state, hash, entry)
	if err != nil {
		return Answer{}, false, err
	}
	return Answer{Bytes: raw, Receipt: l.state.receipts[entry], Replayed: true}, true, nil
}

func (l *Ledger) debit(r Request, hash string) (Receipt, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, err := l.account(r.Lineage)
	if err != nil {
		return Receipt{}, err
	}
	now, err := readSketch(r.Units)
	if err != nil {
		return Receipt{}, err
	}
	if err := l.refuse(a, r, now); err != nil {
		return Receipt{}, err
	}
	e := Entry{Kind: KindDebit, Lineage: r.Lineage, Micro: r.Epsilon, Part: r.Part, Request: hash, Data: r.Data, Units: a.unknown(r.Part, now), By: r.By, What: r.What}
	if err := l.append(e, "", nil); err != nil {
		return Receipt{}, err
	}
	return l.state.receipts[l.state.seq], nil
}

// refuse returns why an account cannot pay a request.
func (l *Ledger) refuse(a *account, r Request, now sketch) error {
	if other, known := l.state.data[r.Data]; known && other != r.Lineage {
		return &OtherLineageError{r.Lineage, other}
	}
	if err := l.checkUnits(a, r, now); err != nil {
		return err
	}
	if _, there := a.parts[r.Part.Partition][r.Part.Part]; !there && !r.Part.whole() {
		return fmt.Errorf("%q has no part %q in a declared partition %q; its parts are %q", r.Lineage, r.Part.Part, r.Part.Partition, a.partsOf(r.Part.Partition))
	}
	if err := a.checkPart(r.Part, now); err != nil {
		return err
	}
	if after := a.with(r.Part, r.Epsilon); after > a.Limit {
		return &ExceededError{r.Lineage, r.Epsilon, a.spent(), a.Limit, after}
	}
	return nil
}

// checkUnits refuses units of another kind, and units with a budget elsewhere.
func (l *Ledger) checkUnits(a *account, r Request, now sketch) error {
	if len(a.Debits) > 0 && r.By != a.By {
		return &OtherUnitError{r.Lineage, a.By, r.By}
	}
	if others := l.state.overlaps(r.Lineage, l.state.together(r.Lineage, now)...); len(others) > 0 {
		return &SameUnitsError{r.Lineage, others}
	}
	return nil
}

func (l *Ledger) keep(r Request, hash string, receipt Receipt, raw []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(Entry{Kind: KindRelease, Lineage: r.Lineage, Request: hash, Result: hashOf(raw), Debit: receipt.Entry}, hash, raw)
}
