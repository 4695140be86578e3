// SPDX-License-Identifier: Apache-2.0

// Package dp publishes counts, sequences and query answers of a project under
// differential privacy, and keeps the privacy budget that pays for them. See
// [Service].
package dp

import (
	"context"
	"errors"
	"slices"
	"sync"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/publish/ledger"
	"hide/internal/store"
)

// Budget is the privacy budget of a project's patients: what is spent and what
// remains.
type Budget struct {
	Open           bool // an account exists; nothing can be spent without one
	ledger.Account      // its lineage is the project's id
	Weak           []release.Release
	Names          map[string]string // names of the other lineages in the account
	AfterRestore   bool              // a backup was restored: opening an account then needs a reason
}

// BudgetOpening is the request to open a budget.
type BudgetOpening struct {
	Limit ledger.Micro
	// Apart is the reason why this budget is separate from that of a project with
	// the same patients. Despite is the reason to open it although a backup was
	// restored, after which earlier spending is unknown. Both are "" if not needed.
	Apart, Despite string
}

// ledger opens the ledger of the data folder for writing; create makes it if it
// does not exist.
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

// look opens the ledger read-only: opening a page changes nothing.
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
		return &project.Error{Kind: project.Invalid, Message: "the privacy budgets come from an older copy of the data folder, or their head file is missing",
			Hint: "restore the newest copy and its head file; if they are lost, hide ledger recover charges what may have been spent", Err: err}
	}
	return err
}

// paying opens the ledger and requires that the project has an account.
func (s *Service) paying(id project.ID) (*ledger.Ledger, error) {
	none := project.Invalidf("open a privacy budget first; the command does it with --limit EPSILON", "the project has no privacy budget")
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

// Budget returns what is spent and what remains.
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
		b.Names[o.Lineage] = s.projectWords(by, o.Lineage)
	}
	for _, o := range b.Apart {
		b.Names[o.From] = s.projectWords(by, o.From)
	}
	return b, err
}

// units is the sketch of the project's current patients, by every key that they have.
func (s *Service) units(ctx context.Context, ws *project.Workspace, l *ledger.Ledger) (string, error) {
	people, err := s.release.People(ctx, ws)
	if err != nil {
		return "", err
	}
	return l.Sketch(slices.Values(slices.Concat(people.Records()...)))
}

// weakReleases are the releases without differential privacy, oldest first.
func (s *Service) weakReleases(id project.ID) ([]release.Release, error) {
	all, err := s.release.Recorded(id)
	return slices.DeleteFunc(all, func(r release.Release) bool { return r.Kind.Strong() }), err
}

// OpenBudget opens the account of a project. A reason is required, and recorded, if
// another project with a budget has the same patients by their keys, or if a backup
// was restored.
func (s *Service) OpenBudget(ctx context.Context, by account.User, id project.ID, o BudgetOpening) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if o.Limit <= 0 || o.Limit > ledger.Most {
		return project.Invalidf("1 is a common limit for everything that is ever published about a patient", "the budget must be above 0 and at most %v", ledger.Most)
	}
	l, err := s.ledger(true)
	if err != nil {
		return err
	}
	if _, err := l.Account(string(id)); err == nil {
		return project.Invalidf("raise its limit; the reason is recorded permanently", "the project has a budget already")
	}
	units, err := s.units(ctx, ws, l)
	if err != nil {
		return err
	}
	if err := l.Open(ledger.Opening{Lineage: string(id), Unit: release.Unit, Limit: o.Limit, Units: units, Apart: o.Apart, Despite: o.Despite, Who: by.ID}); err != nil {
		return s.refusedReason(by, err)
	}
	ev := project.EventBy(by, "open budget", id.Object(), o.detail())
	if err := s.projects.Update(id, ev, func(*store.Tx) error { return nil }); err != nil {
		return err
	}
	return s.listWeak(l, id)
}

func restored(err error) error {
	return &project.Error{Kind: project.Invalid, Message: "this data folder is a restored backup or a copy. What was spent after it was made is unknown, so a new budget could spend the same epsilon twice",
		Hint: "if nothing about these patients was published since, or you decide so, give the reason. It is recorded permanently, and every later release shows it", Err: err}
}

// detail is the entry in the audit trail.
func (o BudgetOpening) detail() string {
	if o.Despite == "" {
		return "epsilon " + o.Limit.String()
	}
	return "epsilon " + o.Limit.String() + ", although a backup was restored: " + o.Despite
}

// refusedReason turns an error about a reason into a message for the person who
// gave it.
func (s *Service) refusedReason(by account.User, err error) error {
	if same := (*ledger.SameUnitsError)(nil); errors.As(err, &same) {
		return s.samePatients(by, same)
	}
	if missing := (*ledger.RestoredError)(nil); errors.As(err, &missing) {
		return restored(missing)
	}
	return project.Invalidf("nothing was changed", "%v", err)
}

// RaiseBudget raises the limit of a project. The reason is recorded permanently and
// every later release shows it.
func (s *Service) RaiseBudget(ctx context.Context, by account.User, id project.ID, limit ledger.Micro, reason string) error {
	return s.amendBudget(by, id, "raise budget", "epsilon "+limit.String()+": "+reason, func(l *ledger.Ledger) error {
		return l.Raise(string(id), limit, reason, by.ID)
	})
}

// SeparateBudget records, with a reason, that the patients of a project are not those
// of other projects with the same keys.
func (s *Service) SeparateBudget(ctx context.Context, by account.User, id project.ID, reason string) error {
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

// amendBudget changes the account of a project and records it in the audit trail.
func (s *Service) amendBudget(by account.User, id project.ID, action, detail string, amend func(*ledger.Ledger) error) error {
	if _, err := s.enter(by, account.Sanitize, id); err != nil {
		return err
	}
	l, err := s.paying(id)
	if err != nil {
		return err
	}
	if err := amend(l); err != nil {
		return s.refusedReason(by, err)
	}
	return s.projects.Record(id, project.EventBy(by, action, id.Object(), detail))
}

// listWeak records the weak releases of a project next to its debits, so that
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

// RecordWeak records a weak release next to the debits of the project, if it has a
// budget, before anybody can download it.
func (s *Service) RecordWeak(id project.ID, r release.Release) error {
	if r.Kind.Strong() {
		return nil
	}
	l, err := s.look()
	if err != nil {
		return nil // nothing can be spent until it is repaired; listWeak then lists this release
	}
	if _, err := l.Account(string(id)); err != nil {
		return nil // nothing was or can be spent
	}
	if l, err = s.ledger(false); err != nil {
		return err
	}
	return l.Weak(string(id), r.What())
}

// Service publishes with differential privacy and keeps the privacy budgets. Its
// methods may be called concurrently.
type Service struct {
	projects *project.Service
	release  *release.Service

	mu     sync.Mutex     // guards opened
	opened *ledger.Ledger // of the data folder, open for writing; nil until needed
}

// New makes the service and registers it for every release.
func New(projects *project.Service, r *release.Service) *Service {
	s := &Service{projects: projects, release: r}
	r.SetBudgets(s)
	return s
}

// enter checks the role and finds the project.
func (s *Service) enter(by account.User, p account.Permission, id project.ID) (*project.Workspace, error) {
	return s.projects.Enter(by, p, id)
}
