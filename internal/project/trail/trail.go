// SPDX-License-Identifier: Apache-2.0

// Package trail searches the audit trail and exports parts of it. A [Filter] says which rows;
// [Service.Trail] lists them for a page, [Service.WriteTrail] writes them all.
package trail

import (
	"context"
	"errors"
	"io"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/store"
)

// ExportAction is the action of the audit row about an export of rows.
const ExportAction = "export audit trail"

// mostScanned is how many rows a page looks at: well below a second.
const mostScanned = 20_000

// Service shows the audit trail. Its methods may be called concurrently.
type Service struct {
	projects *project.Service
	most     int // rows that a page looks at
}

// New makes the service.
func New(projects *project.Service) *Service { return &Service{projects, mostScanned} }

// Page is a part of the rows that pass a filter, newest first.
type Page struct {
	Rows []project.AuditRow
	// Next is the row before which the next page begins; 0 if no row is left.
	Next uint64
	// Back is set if the search stopped before the page was full: the time of the oldest row
	// that was looked at.
	Back time.Time
}

// Trail lists rows that pass the filter and that the person may see, at most limit, older than
// the row before (0: from the newest). It looks at a bounded number of rows.
func (s *Service) Trail(_ context.Context, by account.User, f Filter, before uint64, limit int) (Page, error) {
	shows, err := s.projects.TrailOf(by, f.Project)
	if err != nil {
		return Page{}, err
	}
	found, err := f.scan(s.projects.Store(), before, s.most, limit, func(r store.AuditRow) bool { return shows(r.Object) })
	if err != nil {
		return Page{}, err
	}
	page := Page{Next: found.next}
	names := s.names()
	for _, r := range found.rows {
		page.Rows = append(page.Rows, project.AuditRow{Seq: r.Seq, At: r.Time, Who: names(r.Actor), Action: r.Action, Object: r.Object, Detail: r.Detail})
	}
	if page.Next > 0 && len(page.Rows) < limit {
		page.Back = found.oldest
	}
	return page, nil
}

// names finds the names of people, each once.
func (s *Service) names() func(actor string) string {
	known := map[string]string{}
	return func(actor string) string {
		name, ok := known[actor]
		if !ok {
			name = s.projects.Who(actor)
			known[actor] = name
		}
		return name
	}
}

// WriteTrail writes all rows that pass the filter and that the person may see, in one of
// [Formats]. A row of the trail about it is written first, and is not among them.
func (s *Service) WriteTrail(ctx context.Context, by account.User, f Filter, format string, w io.Writer) error {
	shows, err := s.projects.TrailOf(by, f.Project)
	if err != nil {
		return err
	}
	rows, err := s.projects.Store().Audited()
	if err != nil {
		return err
	}
	if _, _, err := Writer(format, io.Discard); err != nil {
		return err
	}
	if err := s.projects.Store().Record(f.ExportEvent(by.ID, format)); err != nil {
		return err
	}
	write, flush, err := Writer(format, w)
	if err != nil {
		return err
	}
	names := s.names()
	err = f.First(s.projects.Store(), rows+1, 0, func(r store.AuditRow) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !shows(r.Object) {
			return nil
		}
		return write(Row{r, names(r.Actor)})
	})
	return errors.Join(err, flush())
}

// PersonID is the id behind a name of an account, "system" or an id. A text that nobody has
// stays as it is: no row has it.
func (s *Service) PersonID(text string) string { return s.projects.FindPerson(text) }
