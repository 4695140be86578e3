// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"context"
	"errors"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/ledger"
	"hide/internal/store"
)

// Budget is what may still be told of a project's patients with strong privacy, and
// what was told.
type Budget struct {
	Open           bool // there is an account; nothing can be spent without
	ledger.Account      // its lineage is the project's id
	Weak           []release.Release
	Names          map[string]string // of the other lineages that the account speaks of
	AfterRestore   bool              // a backup was restored: an account is opened only with a reason for that
}

// BudgetOpening is what a budget is opened with.
type BudgetOpening struct {
	Limit ledger.Micro
	// Apart is why it is another budget than that of a project with the same patients,
	// Despite why it is opened although a backup was restored, after which nobody knows
	// what was spent. Both are "" where there is no such thing.
	Apart, Despite string
}

// ledger opens the ledger of the data folder to write; create begins it when there
// is none.
func (s *Service) ledger(create bool) (*ledger.Ledger, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened != nil {
		return s.opened, nil
	}
	l, err := ledger.InStore(s.projects.Store(), ledger.Options{Now: s.projects.Now, Create: create})
	if err == nil {
		s.opened = l
	}
	return l, ledgerError(err)
}

// look reads the ledger and writes nothing: opening a page
// changes nothing.
func (s *Service) look() (*ledger.Ledger, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened != nil {
		return s.opened, nil
	}
	l, err := ledger.InStore(s.projects.Store(), ledger.Options{Look: true})
	return l, ledgerError(err)
}

func ledgerError(err error) error {
	if errors.Is(err, ledger.ErrBehind) || errors.Is(err, ledger.ErrNoHead) {
		return &project.Error{Kind: project.Invalid, Message: "the privacy budgets are those of an older copy of the data folder, or their head file is missing",
			Hint: "bring back the newest copy and its head file; when they are lost, hide ledger recover charges what may have been spent", Err: err}
	}
	return err
}

// paying is the ledger, which has an account of the project.
func (s *Service) paying(id project.ID) (*ledger.Ledger, error) {
	none := project.Invalidf("decide first how much may ever be spent", "the project has no budget")
	l, err := s.ledger(false)
	if errors.Is(err, ledger.ErrNotBegun) {
		return nil, none
	}
	if err != nil {
		return nil, err
	}
	if _, err := l.Account(string(id)); err != nil {
		return nil, none
	}
	return l, nil
}

// Budget says what is spent and what is left.
func (s *Service) Budget(ctx context.Context, by account.User, id project.ID) (Budget, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return Budget{}, err
	}
	l, err := s.look()
	if err != nil {
		return Budget{}, err
	}
	b := Budget{AfterRestore: l.Restored()}
	if b.Weak, err = s.weakReleases(id); err != nil {
		return b, err
	}
	b.Account, err = l.Account(string(id))
	if missing := (*ledger.NoAccountError)(nil); errors.As(err, &missing) {
		return b, nil
	}
	if err != nil {
		return b, err
	}
	b.Open = true
	units, err := s.units(ctx, ws, l)
	b.Shared = l.Overlaps(string(id), units)
	b.Names = map[string]string{}
	for _, o := range b.Shared {
		b.Names[o.Lineage] = s.projectWords(o.Lineage)
	}
	for _, o := range b.Apart {
		b.Names[o.From] = s.projectWords(o.From)
	}
	return b, err
}

// units is the sketch of the project's patients, as they are now.
func (s *Service) units(ctx context.Context, ws *project.Workspace, l *ledger.Ledger) (string, error) {
	people, err := s.release.People(ctx, ws)
	if err != nil {
		return "", err
	}
	return l.Sketch(slices.Values(people.Keys()))
}

// weakReleases are those that promise less than differential privacy, oldest first.
func (s *Service) weakReleases(id project.ID) ([]release.Release, error) {
	all, err := s.release.Recorded(id)
	return slices.DeleteFunc(all, func(r release.Release) bool { return r.Kind.Strong() }), err
}

// OpenBudget opens the account of a project. Where its patients, by their keys, are
// those of another project with a budget, or a backup was restored, a reason must be
// given; it is put on record.
func (s *Service) OpenBudget(ctx context.Context, by account.User, id project.ID, o BudgetOpening) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if o.Limit <= 0 || o.Limit > ledger.Most {
		return project.Invalidf("1 is customary for all that is ever published of a patient", "a budget is above 0 and at most %v", ledger.Most)
	}
	l, err := s.ledger(true)
	if err != nil {
		return err
	}
	if _, err := l.Account(string(id)); err == nil {
		return project.Invalidf("raise its limit, with a reason that stays on record", "the project has a budget already")
	}
	units, err := s.units(ctx, ws, l)
	if err != nil {
		return err
	}
	if err := l.Open(ledger.Opening{Lineage: string(id), Unit: release.Unit, Limit: o.Limit, Units: units, Apart: o.Apart, Despite: o.Despite, Who: by.ID}); err != nil {
		return s.refusedReason(err)
	}
	ev := project.EventBy(by, "open budget", id.Object(), o.detail())
	if err := s.projects.Update(id, ev, func(*store.Tx) error { return nil }); err != nil {
		return err
	}
	return s.listWeak(l, id)
}

func restored(err error) error {
	return &project.Error{Kind: project.Invalid, Message: "a backup was restored here, or this is a copy, and what was spent after it was made is not known here, so that a new budget could be spent a second time",
		Hint: "if nothing of these patients was published since, or it is decided so, give the reason: it stays on record, and every later release shows it", Err: err}
}

// detail is what the audit trail says.
func (o BudgetOpening) detail() string {
	if o.Despite == "" {
		return "epsilon " + o.Limit.String()
	}
	return "epsilon " + o.Limit.String() + ", although a backup was restored: " + o.Despite
}

// refusedReason is an error about a reason for the person who gave it.
func (s *Service) refusedReason(err error) error {
	if same := (*ledger.SameUnitsError)(nil); errors.As(err, &same) {
		return s.samePatients(same)
	}
	if missing := (*ledger.RestoredError)(nil); errors.As(err, &missing) {
		return restored(missing)
	}
	return project.Invalidf("nothing was changed", "%v", err)
}

// RaiseBudget lifts the limit of a project, with a reason that stays on record and
// that every later release shows.
func (s *Service) RaiseBudget(ctx context.Context, by account.User, id project.ID, limit ledger.Micro, reason string) error {
	return s.amendBudget(by, id, "raise budget", "epsilon "+limit.String()+": "+reason, func(l *ledger.Ledger) error {
		return l.Raise(string(id), limit, reason, by.ID)
	})
}

// PartBudget puts on record, with a reason, that the patients of a project are not
// those of others that have the same keys.
func (s *Service) PartBudget(ctx context.Context, by account.User, id project.ID, reason string) error {
	b, err := s.Budget(ctx, by, id)
	if err != nil {
		return err
	}
	var others []string
	for _, o := range b.Shared {
		others = append(others, o.Lineage)
	}
	return s.amendBudget(by, id, "part budget", reason, func(l *ledger.Ledger) error {
		return l.Apart(string(id), others, reason, by.ID)
	})
}

// amendBudget changes the account of a project and says so in the audit trail.
func (s *Service) amendBudget(by account.User, id project.ID, action, detail string, amend func(*ledger.Ledger) error) error {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return err
	}
	l, err := s.paying(id)
	if err != nil {
		return err
	}
	if err := amend(l); err != nil {
		return s.refusedReason(err)
	}
	return s.projects.Record(id, project.EventBy(by, action, id.Object(), detail))
}

// listWeak puts the weak releases of a project on record beside its debits, so that
// receipts name them.
func (s *Service) listWeak(l *ledger.Ledger, id project.ID) error {
	weak, err := s.weakReleases(id)
	if err != nil {
		return err
	}
	a, err := l.Account(string(id))
	if err != nil {
		return err
	}
	for _, r := range weak {
		what := r.What()
		if slices.ContainsFunc(a.Weak, func(w ledger.Weak) bool { return w.What == what }) {
			continue
		}
		if err := l.Weak(string(id), what); err != nil {
			return err
		}
	}
	return nil
}

// ListBeside puts a release that promises less on record beside the debits of the
// project, if it has a budget, before anybody can have it.
func (s *Service) ListBeside(id project.ID, r release.Release) error {
	if r.Kind.Strong() {
		return nil
	}
	l, err := s.look()
	if err != nil {
		return nil // nothing can be spent until it is mended; listWeak then lists this
	}
	if _, err := l.Account(string(id)); err != nil {
		return nil // nothing was or can be spent
	}
	if l, err = s.ledger(false); err != nil {
		return err
	}
	return l.Weak(string(id), r.What())
}
