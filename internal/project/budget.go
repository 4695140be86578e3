// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"hide/internal/account"
	"hide/internal/publish/ledger"
	"hide/internal/store"
)

// Budget is what may still be told of a project's patients with strong privacy, and
// what was told.
type Budget struct {
	Open           bool // there is an account; nothing can be spent without
	ledger.Account      // its lineage is the project's id
	Weak           []Release
}

// unit is what a budget protects.
const unit = "patient"

// budgets is the data folder's ledger, opened when it is first needed.
type budgets struct {
	mu     sync.Mutex // guards ledger
	ledger *ledger.Ledger
}

// ledger opens the ledger of the data folder, or begins it.
func (s *Service) ledger() (*ledger.Ledger, error) {
	s.budgets.mu.Lock()
	defer s.budgets.mu.Unlock()
	if s.budgets.ledger != nil {
		return s.budgets.ledger, nil
	}
	l, err := ledger.InStore(s.store, ledger.Options{Now: s.opts.Now})
	if errors.Is(err, ledger.ErrBehind) || errors.Is(err, ledger.ErrNoHead) {
		return nil, &Error{Kind: Invalid, Message: "the privacy budgets are those of an older copy of the data folder, or their head file is missing",
			Hint: "bring back the newest copy and its head file; when they are lost, hide ledger recover charges what may have been spent", Err: err}
	}
	s.budgets.ledger = l
	return l, err
}

// paying is the ledger, which has an account of the project.
func (s *Service) paying(id ID) (*ledger.Ledger, error) {
	l, err := s.ledger()
	if err != nil {
		return nil, err
	}
	if _, err := l.Account(string(id)); err != nil {
		return nil, invalid("decide first how much may ever be spent", "the project has no budget")
	}
	return l, nil
}

// Budget says what is spent and what is left.
func (s *Service) Budget(ctx context.Context, by account.User, id ID) (Budget, error) {
	if _, err := s.enter(by, account.SeeFigures, id); err != nil {
		return Budget{}, err
	}
	l, err := s.ledger()
	if err != nil {
		return Budget{}, err
	}
	var b Budget
	if b.Weak, err = s.weakReleases(id); err != nil {
		return b, err
	}
	b.Account, err = l.Account(string(id))
	if missing := (*ledger.NoAccountError)(nil); errors.As(err, &missing) {
		return b, nil
	}
	b.Open = err == nil
	return b, err
}

// weakReleases are those that promise less than differential privacy, oldest first.
func (s *Service) weakReleases(id ID) ([]Release, error) {
	var weak []Release
	err := s.store.View(string(id), func(tx *store.Tx) error {
		all, err := list[Release](tx, bucketReleases)
		weak = slices.DeleteFunc(all, func(r Release) bool { return r.Kind.strong() })
		return err
	})
	return weak, err
}

// strong says whether releases of a kind cost epsilon.
func (k ReleaseKind) strong() bool { return k == ReleaseCube || k == ReleaseSequences }

// OpenBudget opens the account of a project. Its limit stays for ever.
func (s *Service) OpenBudget(ctx context.Context, by account.User, id ID, limit ledger.Micro) error {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return err
	}
	if limit <= 0 || limit > ledger.Most {
		return invalid("1 is customary for all that is ever published of a patient", "a budget is above 0 and at most %v", ledger.Most)
	}
	l, err := s.ledger()
	if err != nil {
		return err
	}
	if _, err := l.Account(string(id)); err == nil {
		return invalid("a limit cannot be changed: what was promised under it would not hold", "the project has a budget already")
	}
	ev := event(by, "open budget", id.object(), "epsilon "+limit.String())
	if err := s.update(id, ev, func(*store.Tx) error { return nil }); err != nil {
		return err
	}
	if err := l.OpenAccount(string(id), unit, limit); err != nil {
		return err
	}
	return s.listWeak(l, id)
}

// listWeak puts the weak releases of a project on record beside its debits, so that
// receipts name them.
func (s *Service) listWeak(l *ledger.Ledger, id ID) error {
	weak, err := s.weakReleases(id)
	if err != nil {
		return err
	}
	a, err := l.Account(string(id))
	if err != nil {
		return err
	}
	for _, r := range weak {
		what := fmt.Sprintf("%s, %s", r.Name, or(string(r.Kind), "text"))
		if slices.ContainsFunc(a.Weak, func(w ledger.Weak) bool { return w.What == what }) {
			continue
		}
		if err := l.Weak(string(id), what); err != nil {
			return err
		}
	}
	return nil
}
