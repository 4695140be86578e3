// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
	"hide/internal/tabular"
)

// columns are those of the table of a draft. People change the last five.
var columns = []string{"place", "name", "patient", "label", "found_by", "problem", "before", "words", "after", "action", "to", "replacement", "person", "decided"}

// cells are a row of the table.
func cells(r Row) []string {
	d := r.Decision
	person, decided := "", ""
	if d.Person > 0 {
		person = strconv.Itoa(d.Person)
	}
	if d.Chosen {
		decided = "yes"
	}
	return []string{
		placeCell(r.Place), r.Name, r.Patient, string(d.Label), string(d.By), string(d.Problem), r.Before, r.Words, r.After,
		string(d.Action), string(d.To), d.Replacement, person, decided,
	}
}

// placeCell is a place as a table has it: the number of the note, and the bytes from and to.
func placeCell(p transform.Place) string { return fmt.Sprintf("%d:%d-%d", p.Note, p.Start, p.End) }

func readPlace(cell string) (p transform.Place, err error) {
	var rest string
	n, err := fmt.Sscanf(cell, "%d:%d-%d%s", &p.Note, &p.Start, &p.End, &rest)
	if n == 3 && errors.Is(err, io.EOF) || n == 3 && rest == "" {
		return p, nil
	}
	return p, errors.New("the column place does not hold a place such as 12:340-352")
}

// WriteDraftTable writes all places of the draft as CSV. It holds words of the notes.
func (s *Service) WriteDraftTable(ctx context.Context, by account.User, id project.ID, w io.Writer) error {
	if _, err := s.enter(by, account.ManageWork, id); err != nil {
		return err
	}
	ws, err := s.enterToRead(by, id)
	if err != nil {
		return err
	}
	l, err := s.load(ws)
	if err != nil {
		return err
	}
	if err := s.projects.Record(id, project.EventBy(by, "take draft table", l.object(id))); err != nil {
		return err
	}
	out := tabular.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	err = s.each(ctx, ws, l, Filter{}, func(_ int, passing []int, text *noteText) error {
		for _, k := range passing {
			row, err := text.row(k)
			if err != nil {
				return err
			}
			if err := out.Write(cells(row)); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, out.Flush())
}

// DecideTable reads a table of the draft in which people changed the columns action, to,
// replacement, person and decided, and makes these choices in one step. "yes" in decided
// confirms what the row says. Rows can be left out.
func (s *Service) DecideTable(ctx context.Context, by account.User, id project.ID, table io.Reader) (Changed, error) {
	ws, err := s.enterToRead(by, id)
	if err != nil {
		return Changed{}, err
	}
	ws.deciding.Lock()
	defer ws.deciding.Unlock()
	l, err := s.loadToChange(ws)
	if err != nil {
		return Changed{}, err
	}
	choices, err := s.readTable(ws.ID, l, table)
	if err != nil {
		return Changed{}, err
	}
	if len(choices) == 0 {
		return Changed{Version: l.version(), Problems: problemsIn(l)}, nil
	}
	return s.decide(ctx, ws, by, l, choices)
}

func problemsIn(l *loaded) int {
	_, problems, _, _ := l.index.counts()
	return problems
}

// readTable finds the rows of a table that differ from the draft.
func (s *Service) readTable(id project.ID, l *loaded, table io.Reader) (map[transform.Place]transform.Choice, error) {
	in, err := tabular.NewReader(table, tabular.Options{})
	if err != nil {
		return nil, tableError(err)
	}
	at, err := header(in)
	if err != nil {
		return nil, tableError(err)
	}
	t := &tableReader{service: s, id: id, l: l, in: in, resolved: l.resolved(), choices: map[transform.Place]transform.Choice{}}
	for {
		fields, err := in.Next()
		if err == io.EOF {
			return t.choices, nil
		}
		if err == nil {
			err = t.row(func(name string) string { return tabular.Restore(fields[at[name]]) })
		}
		if err != nil {
			return nil, tableError(err)
		}
	}
}

// tableReader compares the rows of a table with the draft.
type tableReader struct {
	service  *Service
	id       project.ID
	l        *loaded
	in       *tabular.Reader
	resolved policy.Resolved
	doc      annotate.DocumentID // of stored; 0 before the first
	stored   storedNote
	choices  map[transform.Place]transform.Choice
}

func (t *tableReader) row(cell func(string) string) error {
	place, err := readPlace(cell("place"))
	if err != nil {
		return t.in.Refuse(err.Error(), "leave the column as it was")
	}
	if place.Note != t.doc {
		if t.stored, err = t.service.readNote(t.id, t.l.Number, place.Note); err != nil {
			return err
		}
		t.doc = place.Note
	}
	i := slices.IndexFunc(t.stored.Decisions, func(d transform.Decision) bool { return d.Start == place.Start && d.End == place.End })
	if i < 0 {
		return errChanged
	}
	c, differs, err := choiceIn(t.stored.Decisions[i], cell)
	if err == nil && differs {
		err = check(t.resolved, t.stored.Decisions[i], c)
	}
	if err != nil {
		return t.in.Refuse(project.ErrorWords(err), "")
	}
	if differs {
		t.choices[place] = c
	}
	return nil
}

// header finds the columns that are read.
func header(in *tabular.Reader) (map[string]int, error) {
	names, err := in.Header()
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for _, name := range []string{"place", "action", "to", "replacement", "person", "decided"} {
		if at[name] = slices.Index(names, name); at[name] < 0 {
			return nil, in.Refuse(fmt.Sprintf("the column %q is missing", name), "change a table that hide wrote")
		}
	}
	return at, nil
}

// choiceIn is what a row of a table decides, and whether that differs from the draft.
func choiceIn(d transform.Decision, cell func(string) string) (c transform.Choice, differs bool, err error) {
	action, to, text := policy.Action(cell("action")), policy.Level(cell("to")), cell("replacement")
	person, err := strconv.Atoi(cmp.Or(cell("person"), "0"))
	if err != nil {
		return c, false, errors.New("the column person does not hold a number")
	}
	confirmed := cell("decided") == "yes" && !d.Chosen
	switch {
	case action != d.Action || to != d.To || text != d.Replacement || confirmed:
		c.Action = action
		if action == policy.Generalize {
			c.To = to
		}
		if text != d.Replacement {
			c.Text = text
		}
	case person == d.Person:
		return c, false, nil
	}
	if person != d.Person {
		c.Person = person
	}
	return c, true, nil
}

// tableError is about a table from outside.
func tableError(err error) error {
	if wrong := (*tabular.Error)(nil); errors.As(err, &wrong) {
		return project.Invalidf(wrong.Hint, "the table cannot be used: %v", err)
	}
	return err
}
