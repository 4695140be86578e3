// SPDX-License-Identifier: Apache-2.0

package trail

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"hide/internal/account"
	"hide/internal/hint"
	"hide/internal/project"
	"hide/internal/store"
)

// Fields are a filter as somebody has typed it.
type Fields struct{ Project, Person, Action, Object, Since, Until string }

// Flags adds the fields to the options of a command.
func (q *Fields) Flags(f *flag.FlagSet) {
	f.StringVar(&q.Project, "project", "", "only rows of project `ID`")
	f.StringVar(&q.Person, "person", "", "only rows of the account with this `NAME`, or with an id as the list shows it, or of system")
	f.StringVar(&q.Action, "action", "", "only rows with this `ACTION`, or with one of a group: "+strings.Join(Groups(), ", "))
	f.StringVar(&q.Object, "object", "", "only rows about this `OBJECT`, such as p1/documents/7, and what is below it")
	f.StringVar(&q.Since, "since", "", "only rows from this `DAY` on, such as 2026-11-28 (UTC), or from a time such as 2026-11-28T10:00:00Z")
	f.StringVar(&q.Until, "until", "", "only rows to the end of this `DAY`, or before a time")
}

// Filter reads the fields. After an error, wrong is the name of the field: since or until.
func (q Fields) Filter() (f Filter, wrong string, err error) {
	f = Filter{Project: project.ID(q.Project), Person: q.Person, Action: q.Action, Object: q.Object}
	if f.Since, err = ParseTime(q.Since, false); err != nil {
		return f, "since", err
	}
	if f.Until, err = ParseTime(q.Until, true); err != nil {
		return f, "until", err
	}
	return f, "", nil
}

// Known refuses a project that does not exist, and puts the id of a person in the place of
// the name. Ids of accounts that are gone, of the command line and of the system stay.
func (f *Filter) Known(s *store.Store, people People) error {
	spaces, err := s.Spaces()
	if err == nil && f.Project != "" && !slices.Contains(spaces, string(f.Project)) {
		return hint.Add(fmt.Errorf("no project %q", f.Project), "hide project list shows their ids")
	}
	if u, notFound := people.Find(f.Person); notFound == nil {
		f.Person = u.ID
	}
	return err
}

// People finds accounts by their names.
type People interface {
	Find(name string) (account.User, error)
}

// Export writes rows that pass, for a person with the key: older than the row before (0: all),
// at most limit (0: all). A row of the trail about it is written first.
func (f Filter) Export(s *store.Store, actor string, before uint64, limit int, format string, w io.Writer) error {
	rows, err := s.Audited()
	if err != nil {
		return err
	}
	if before == 0 {
		before = rows + 1
	}
	if err := s.Record(f.ExportEvent(actor, format)); err != nil {
		return err
	}
	write, flush, err := Writer(format, w)
	if err != nil {
		return err
	}
	err = f.First(s, before, limit, func(r store.AuditRow) error { return write(Row{AuditRow: r}) })
	return errors.Join(err, flush())
}
