// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/publish/idview"
)

// Limits of a preview.
const (
	MaxPreviews = 24      // settings
	maxPeople   = 1 << 40 // more than there ever were
	maxTableK   = 1 << 20 // far above what leaves anything to be learnt
)

// StartTablePreview starts to try settings, which differ in what classes must be like
// but not in the population. A preview that runs is cancelled.
func (s *Service) StartTablePreview(ctx context.Context, by account.User, id project.ID, tried []TableSettings) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if len(tried) == 0 || len(tried) > MaxPreviews {
		return TooManyTables(len(tried))
	}
	for _, set := range tried {
		if err := set.check(); err != nil {
			return err
		}
		if set.Among != tried[0].Among {
			return project.Invalidf("compare with the population or do not", "the tables of one preview have one population")
		}
	}
	if tried[0].Among {
		if err := s.populationFits(ctx, ws); err != nil {
			return err
		}
	}
	tried = slices.Clone(tried)
	return ws.tables.Restart(ctx, TablePreview{Tried: tried, Remaining: len(tried)},
		func(ctx context.Context) error { return s.tryTables(ctx, ws, tried) },
		func(p *TablePreview, err error) { p.ended(err) },
	)
}

// TooManyTables refuses this number of settings, or none.
func TooManyTables(n int) error {
	return project.Invalidf("give k as numbers with blanks between, such as 2 5 10 25; each of them is tried with each l and each t", "a preview tries 1 to %d tables, these are %d", MaxPreviews, n)
}

// check refuses what cannot be for any table.
func (t TableSettings) check() error {
	hint := "k is the number of patients that must be alike; 5 and 11 are customary"
	if t.K < 2 {
		return project.Invalidf(hint, "k must be at least 2: a class of one patient is that patient")
	}
	if t.K > maxTableK {
		return project.Invalidf(hint, "k can be at most %d", maxTableK)
	}
	if t.People < 0 || t.People > maxPeople {
		return project.Invalidf("leave it empty when nobody knows", "a population has 1 to %d people", maxPeople)
	}
	if t.Map && !t.Among {
		return project.Invalidf("add a population, or let k count patients", "k counts people of a population and there is none")
	}
	return nil
}

// CancelTablePreview ends the preview under way; what it has found stays.
func (s *Service) CancelTablePreview(ctx context.Context, by account.User, id project.ID) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	ws.tables.Cancel()
	return nil
}

// TablePreview is the newest preview. Its examples hold generalized values of
// patients.
func (s *Service) TablePreview(ctx context.Context, by account.User, id project.ID) (TablePreview, error) {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return TablePreview{}, err
	}
	mark, err := s.viewMark(ws)
	if err != nil {
		return TablePreview{}, err
	}
	p, running := ws.tables.State()
	p.Choices = slices.Clone(p.Choices)
	p.PreviewStatus = p.since(mark, running)
	return p, nil
}

func (s *Service) tryTables(ctx context.Context, ws *workspace, tried []TableSettings) error {
	mark, err := s.viewMark(ws)
	if err != nil {
		return err
	}
	v, err := s.tableView(ctx, ws, tried[0].Among)
	if err != nil {
		return err
	}
	ws.tables.Change(func(p *TablePreview) {
		p.describe(v, mark)
		p.Made = s.projects.Now().UTC()
	})
	for _, set := range tried {
		one, err := tryTable(ctx, v.Table, set)
		if err != nil {
			return err
		}
		ws.tables.Change(func(p *TablePreview) {
			p.Choices = append(p.Choices, one)
			if one.Error == "" {
				p.Before = &one.Before
			}
			p.Remaining--
		})
	}
	return nil
}

// describe says what the view is.
func (p *TablePreview) describe(v *idview.View, mark string) {
	p.mark = mark
	p.Rows = v.Table.Released().Rows
	for i, c := range v.Table.Columns {
		facts := v.Columns[i]
		p.Columns = append(p.Columns, TableColumn{Name: c.Name, Role: c.Role, Missing: facts.Missing, Unreadable: facts.Unreadable, Several: facts.Several})
	}
}
