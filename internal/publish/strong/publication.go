// SPDX-License-Identifier: Apache-2.0

package strong

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"hide/internal/publish/ledger"
	"hide/internal/publish/release"
)

// request is what makes two requests the same.
type request struct {
	Schema string       `json:"schema"`
	Kind   release.Kind `json:"kind"`
	Config any          `json:"config"`
	Params any          `json:"params"`
}

// publication is a release that is still to be paid for. Everything that can be
// refused has been, but for what the ledger refuses.
type publication struct {
	Common
	by    string           // which unit the ledger protects; "" without a key
	what  string           // it is, in a few words
	units iter.Seq[string] // who is in the data
	body  request
	// outline is the release without what is drawn.
	outline func(ledger.Receipt) (Release, error)
	draw    func(context.Context, ledger.Receipt) (Release, error)
}

// publish debits, draws, and keeps what was drawn.
func (p publication) publish(ctx context.Context, l *ledger.Ledger, data io.WriterTo, e ledger.Micro, m Meta) (Release, error) {
	r, err := p.request(l, data, e)
	if err != nil {
		return Release{}, err
	}
	account, toOpen, err := payer(l, r, m)
	if err != nil {
		return Release{}, err
	}
	if err := p.rehearse(account, r); err != nil {
		return Release{}, err
	}
	if toOpen {
		if err := l.Open(*m.Opening); err != nil {
			return Release{}, err
		}
	}
	a, err := l.Publish(ctx, r, p.encoded)
	if err != nil {
		return Release{}, err
	}
	out, err := Decode(a.Bytes)
	out.Replayed = a.Replayed
	return out, err
}

// request is what the ledger is asked for.
func (p publication) request(l *ledger.Ledger, data io.WriterTo, e ledger.Micro) (r ledger.Request, err error) {
	r = ledger.Request{Lineage: p.Lineage, Part: p.Part, Epsilon: e, What: p.what, By: p.by}
	if r.Body, err = json.Marshal(p.body); err != nil {
		return r, err
	}
	if r.Data, err = l.Fingerprint(data); err != nil {
		return r, err
	}
	r.Units, err = l.Sketch(p.units)
	return r, err
}

// payer is the account that pays, and whether it is still to be opened as m says. An
// account that is to be opened could pay.
func payer(l *ledger.Ledger, r ledger.Request, m Meta) (a ledger.Account, toOpen bool, err error) {
	a, err = l.Account(r.Lineage)
	missing := (*ledger.NoAccountError)(nil)
	if m.Opening == nil || !errors.As(err, &missing) {
		return a, false, err
	}
	return ledger.Account{Lineage: m.Opening.Lineage, Unit: m.Opening.Unit, Limit: m.Opening.Limit}, true, l.Affords(*m.Opening, r)
}

// rehearse encodes the release without what is drawn, as its receipt would have it, so
// that what cannot be said of it is known before it is paid for.
func (p publication) rehearse(a ledger.Account, r ledger.Request) error {
	if err := r.Check(); err != nil {
		return err
	}
	out, err := p.outline(ledger.Receipt{Lineage: r.Lineage, Unit: a.Unit, Epsilon: r.Epsilon, Part: r.Part, Before: a.Spent, After: a.Spent + r.Epsilon, Limit: a.Limit})
	if err == nil {
		_, err = out.encode()
	}
	if err != nil {
		return fmt.Errorf("nothing was debited, since the release could not be described: %w", err)
	}
	return nil
}

// encoded is what the ledger keeps of what was drawn.
func (p publication) encoded(ctx context.Context, receipt ledger.Receipt) ([]byte, error) {
	made, err := p.draw(ctx, receipt)
	if err != nil {
		return nil, err
	}
	if p.by == "" {
		made.Manifest.Warnings = append(made.Manifest.Warnings, keyless(receipt.Unit))
	}
	return made.encode()
}
