// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"fmt"
	"slices"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/publish/idview"
)

// Limits of a preview.
const (
	MaxPreviews = 24      // settings
	maxPeople   = 1 << 40 // more than ever lived
	maxTableK   = 1 << 20 // far above any useful value
)

// StartTablePreview starts to try settings. They may differ in everything but the
// population. It cancels a running preview.
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
			return project.Invalidf("compare all tables with the population, or none", "all tables of one preview must use the same population")
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

// TooManyTables refuses too many settings, or none.
func TooManyTables(n int) error {
	return project.Invalidf("give k as numbers separated by blanks, such as 2 5 10 25; each k is tried with each l and each t", "a preview can try 1 to %d tables, not %d", MaxPreviews, n)
}

// check refuses settings that are invalid for any table.
func (t TableSettings) check() error {
	hint := "k is the smallest size of an equivalence class; 5 and 11 are common"
	if t.K < 2 {
		return project.Invalidf(hint, "k must be at least 2: a class of one patient is that patient")
	}
	if t.K > maxTableK {
		return project.Invalidf(hint, "k can be at most %d", maxTableK)
	}
	if t.People < 0 || t.People > maxPeople {
		return project.Invalidf("leave it empty if it is unknown", "a population must have 1 to %d people", maxPeople)
	}
	if t.Map && !t.Among {
		return project.Invalidf("add a population, or let k count patients", "k counts people of a population, but the project has no population")
	}
	return nil
}

// CancelTablePreview cancels the running preview; its results so far stay.
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
	counting, err := s.counting(ctx, ws)
	if err != nil {
		return err
	}
	ws.tables.Change(func(p *TablePreview) { p.describe(v, mark) })
	for _, set := range tried {
		one, err := tryTable(ctx, v.Table, set)
		if err != nil {
			return err
		}
		one.Missed, one.classes = counting.tableRisk(v.People, one.classes, set), nil
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

// describe fills in the facts about the view.
func (p *TablePreview) describe(v *idview.View, mark string) {
	p.mark = mark
	p.Rows = v.Table.Released().Rows
	for _, c := range v.Table.Columns {
		p.Columns = append(p.Columns, TableColumn{Name: c.Name, Role: c.Role})
	}
}

// PreviewStatus is the state of a preview.
type PreviewStatus struct {
	Running bool
	Error   string // in words, if the last preview failed
	Changed bool   // notes or roles have changed since

	mark string // of its notes and roles, "" until they are read
}

// ended records how the preview ended.
func (p *PreviewStatus) ended(err error) {
	p.Error = project.Failure(err, "the preview was cancelled", "")
}

// since returns the status, given the current mark of notes and roles.
func (p PreviewStatus) since(mark string, running bool) PreviewStatus {
	p.Running = running
	p.Changed = p.mark != "" && p.mark != mark
	return p
}

// version distinguishes previews of different notes, roles or settings.
func (p PreviewStatus) version(settings any) string {
	return project.Fingerprint("%q %v", p.mark, settings)
}

// viewMark changes whenever the identifier view may have changed.
func (s *Service) viewMark(ws *workspace) (string, error) {
	decisions, err := s.decisions(ws.ID)
	if err != nil {
		return "", err
	}
	decided := attributesIn(decisions)
	population, err := s.population(ws.ID)
	if population != nil {
		decided = append(decided, idview.Attribute{Form: population.Added.String()})
	}
	return ws.NotesMark() + fmt.Sprint(decided), err
}
