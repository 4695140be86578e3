// SPDX-License-Identifier: Apache-2.0

package dp

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

// request identifies a request: equal ones get the same release.
type request struct {
	Schema string       `json:"schema"`
	Kind   release.Kind `json:"kind"`
	Config any          `json:"config"`
	Params any          `json:"params"`
}

// publication is a release before it is paid for. Only the ledger can still refuse it.
type publication struct {
	Common
	by    string           // the unit that the ledger protects; "" without a key
	what  string           // the release in a few words
	units iter.Seq[string] // keys of the people in the data
	body  request
	// outline is the release without its noisy counts.
	outline func(ledger.Receipt) (Release, error)
	draw    func(context.Context, ledger.Receipt) (Release, error)
}

// publish debits, draws the noise, and stores the release.
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

// request is the request to the ledger.
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

// payer is the account that pays, and whether m still has to open it. An account that is
// to be opened can pay.
func payer(l *ledger.Ledger, r ledger.Request, m Meta) (a ledger.Account, toOpen bool, err error) {
	a, err = l.Account(r.Lineage)
	missing := (*ledger.NoAccountError)(nil)
	if m.Opening == nil || !errors.As(err, &missing) {
		return a, false, err
	}
	return ledger.Account{Lineage: m.Opening.Lineage, Unit: m.Opening.Unit, Limit: m.Opening.Limit}, true, l.Affords(*m.Opening, r)
}

// rehearse encodes the release without its noisy counts, so that a release that cannot be
// described fails before it is paid for.
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

// encoded draws the release and encodes it for the ledger.
func (p publication) encoded(ctx context.Context, receipt ledger.Receipt) ([]byte, error) {
	made, err := p.draw(ctx, receipt)
	if err != nil {
		return nil, err
	}
	if p.by == "" {
		made.Manifest.Warnings = append(made.Manifest.Warnings, warnNoKeys(receipt.Unit))
	}
	return made.encode()
}
