// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
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
var columns = []string{"draft", "place", "name", "patient", "label", "found_by", "problem", "before", "words", "after", "action", "to", "replacement", "person", "decided"}

// cells are a row of the table of a draft. The name of a draft, such as p1/draft/3, is one that
// spreadsheets leave as it is.
func cells(draft string, r Row) []string {
	d := r.Decision
	person, decided := "", ""
	if d.Person > 0 {
		person = strconv.Itoa(d.Person)
	}
	if d.Chosen {
		decided = "yes"
	}
	return []string{
		draft, placeCell(r.Place), r.Name, r.Patient, string(d.Label), string(d.By), string(d.Problem), r.Before, r.Words, r.After,
		string(d.Action), string(d.To), d.Replacement, person, decided,
	}
}

// placeCell is a place as a table has it: the number of the note, and the bytes from and to.
func placeCell(p transform.Place) string { return fmt.Sprintf("%d:%d-%d", p.Note, p.Start, p.End) }

// placeForm is a place as a table has it.
var placeForm = regexp.MustCompile(`^([0-9]{1,18}):([0-9]{1,10})-([0-9]{1,10})$`)

func readPlace(cell string) (transform.Place, error) {
	m := placeForm.FindStringSubmatch(cell)
	if m == nil {
		return transform.Place{}, errors.New("the column place does not hold a place such as 12:340-352")
	}
	number := func(digits string) int { n, _ := strconv.Atoi(digits); return n } // the form has only digits
	return transform.Place{Note: annotate.DocumentID(number(m[1])), Start: annotate.ByteOff(number(m[2])), End: annotate.ByteOff(number(m[3]))}, nil
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
	if err := s.projects.CheckOutgoing(); err != nil {
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
			if err := out.Write(cells(l.object(id), row)); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, out.Flush())
}

// DecideTable reads a table of the draft in which people changed the columns action, to,
// replacement, person and decided, and makes these choices in one step. "yes" in decided
// confirms what the row says. Rows can be left out. A table of another draft is refused: its
// replacements and numbers of people may be of other patients.
func (s *Service) DecideTable(ctx context.Context, by account.User, id project.ID, table io.Reader) (Changed, error) {
	ws, l, unlock, err := s.lock(s.enterToRead(by, id))
	if err != nil {
		return Changed{}, err
	}
	defer unlock()
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
	resolved, choices := l.resolved(), map[transform.Place]transform.Choice{}
	var doc annotate.DocumentID // of n; 0 before the first
	var n storedNote
	err := ReadTable(table, func(row TableRow) (err error) {
		if row.Draft != l.object(id) {
			return project.Invalidf("write the table again, and make the changes in the new one",
				"the row is of another draft than %s: the draft was prepared again after the table was written, for example because records were linked", l.object(id))
		}
		if row.Place.Note != doc {
			if n, err = s.readNote(id, l.Number, row.Place.Note); err != nil {
				return err
			}
			doc = row.Place.Note
		}
		i := slices.IndexFunc(n.Decisions, func(d transform.Decision) bool { return d.Start == row.Place.Start && d.End == row.Place.End })
		if i < 0 {
			return errChanged
		}
		if c, differs := row.choice(n.Decisions[i]); differs {
			choices[row.Place] = c
			return check(resolved, n.Decisions[i], c)
		}
		return nil
	})
	return choices, err
}

// TableRow is what is read of a row of a table.
type TableRow struct {
	Draft   string // as the audit trail names it
	Place   transform.Place
	Action  policy.Action
	To      policy.Level
	Text    string // the replacement
	Person  int    // 0 for none
	Decided bool   // "yes" is in the column decided
}

// ReadTable reads the rows of a table of a draft. An error of fn is given with the place of
// the row.
func ReadTable(table io.Reader, fn func(TableRow) error) error {
	in, err := tabular.NewReader(table, tabular.Options{})
	if err != nil {
		return tableError(err)
	}
	at, err := header(in)
	for err == nil {
		var fields []string
		if fields, err = in.Next(); err == io.EOF {
			return nil
		}
		var row TableRow
		if err == nil {
			row, err = readRow(in, func(name string) string { return tabular.Restore(fields[at[name]]) })
		}
		if err == nil {
			var wrong *project.Error
			if err = fn(row); errors.As(err, &wrong) && wrong.Kind == project.Invalid {
				err = in.Refuse(wrong.Message, wrong.Hint)
			}
		}
	}
	return tableError(err)
}

func readRow(in *tabular.Reader, cell func(string) string) (row TableRow, err error) {
	if row.Place, err = readPlace(cell("place")); err != nil {
		return row, in.Refuse(err.Error(), "leave the column as it was")
	}
	if row.Person, err = strconv.Atoi(cmp.Or(cell("person"), "0")); err != nil || row.Person < 0 {
		return row, in.Refuse("the column person does not hold a number", "write the number of a person, or nothing")
	}
	row.Draft, row.Action, row.To, row.Text, row.Decided = cell("draft"), policy.Action(cell("action")), policy.Level(cell("to")), cell("replacement"), cell("decided") == "yes"
	return row, nil
}

// header finds the columns that are read.
func header(in *tabular.Reader) (map[string]int, error) {
	names, err := in.Header()
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for _, name := range []string{"draft", "place", "action", "to", "replacement", "person", "decided"} {
		if at[name] = slices.Index(names, name); at[name] < 0 {
			return nil, in.Refuse(fmt.Sprintf("the column %q is missing", name), "write the table again, and change that one")
		}
	}
	return at, nil
}

// choice is what a row decides about a place, and whether that differs from the draft.
func (row TableRow) choice(d transform.Decision) (c transform.Choice, differs bool) {
	confirmed := row.Decided && !d.Chosen
	same := row.Action == d.Action && row.To == d.To && row.Text == d.Replacement
	if same && !confirmed && row.Person == d.Person {
		return c, false
	}
	if !same || confirmed {
		c.Action = row.Action
		if row.Action == policy.Generalize {
			c.To = row.To
		}
		if row.Text != d.Replacement {
			c.Text = row.Text
		}
	}
	if row.Person != d.Person {
		c.Person = row.Person
	}
	return c, true
}

// tableError is about a table from outside.
func tableError(err error) error {
	if wrong := (*tabular.Error)(nil); errors.As(err, &wrong) {
		return project.Invalidf(wrong.Hint, "the table cannot be used: %v", err)
	}
	return err
}
