// SPDX-License-Identifier: Apache-2.0

package links

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"hide/internal/account"
	"hide/internal/annotate/dictionary"
	"hide/internal/project"
	"hide/internal/publish/link/compare"
	"hide/internal/store"
)

// LinkedPatients is the identifier view: one row for each patient, in the order of their oldest
// records. A query selects patients with it in a key or a value, ignoring case and accents.
func (s *Service) LinkedPatients(ctx context.Context, by account.User, id project.ID, offset, limit int, query string) (View, error) {
	ws, l, err := s.openToRead(by, id)
	if err != nil {
		return View{}, err
	}
	all := l.people()
	v := View{Fields: l.fields(), All: len(all)}
	links := l.linksByRoot()
	err = ws.View(func(tx *store.Tx) error {
		if all, err = l.matching(ctx, tx, all, query); err != nil {
			return err
		}
		from, to := window(len(all), offset, limit)
		v.Offset, v.Total = from, len(all)
		for _, members := range all[from:to] {
			row, err := l.row(tx, ws, members, v.Fields)
			if err != nil {
				return err
			}
			row.Links = links[l.groups.root[members[0]]]
			v.Rows = append(v.Rows, row)
		}
		return nil
	})
	return v, err
}

// people are the records of each patient, ascending, by their first record.
func (l *loaded) people() (all [][]int) {
	for i, root := range l.groups.root {
		if members := l.groups.of(root); members[0] == i {
			all = append(all, members)
		}
	}
	return all
}

// fields are the fields that some record has.
func (l *loaded) fields() (names []string) {
	for _, f := range l.run.Fields {
		names = append(names, f.Name)
	}
	return names
}

// matching selects the patients with the query in a key or a value.
func (l *loaded) matching(ctx context.Context, tx *store.Tx, all [][]int, query string) ([][]int, error) {
	query = dictionary.Fold(strings.TrimSpace(query))
	if query == "" {
		return all, nil
	}
	var out [][]int
	for _, members := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, i := range members {
			fits, err := l.fits(tx, l.numbers[i], query)
			if err != nil {
				return nil, err
			}
			if fits {
				out = append(out, members)
				break
			}
		}
	}
	return out, nil
}

func (l *loaded) fits(tx *store.Tx, number uint64, query string) (bool, error) {
	if strings.Contains(dictionary.Fold(project.RecordKey(l.known[number].key)), query) {
		return true, nil
	}
	c, err := l.cells(tx, number)
	for _, cell := range c {
		if slices.ContainsFunc(cell, func(v Value) bool { return strings.Contains(dictionary.Fold(v.Text), query) }) {
			return true, err
		}
	}
	return false, err
}

// row is a patient with the values of all her records.
func (l *loaded) row(tx *store.Tx, ws *workspace, members []int, fields []string) (Patient, error) {
	p := Patient{Number: l.standsFor(members)}
	var together cells
	for _, i := range members {
		r := l.show(ws, i)
		p.Records, p.Notes = append(p.Records, r), p.Notes+len(r.Notes)
		c, err := l.cells(tx, r.Number)
		if err != nil {
			return p, err
		}
		c = c.in(ws)
		for f := range c {
			together[f] = append(together[f], c[f]...)
		}
	}
	for f, row := range fieldTable {
		if slices.Contains(fields, row.name) {
			p.Values = append(p.Values, survivor(field(f), together[f]))
		}
	}
	return p, nil
}

// survivor is the most frequent of the values of a patient, of equally frequent ones the newest.
// Equal values are one.
func survivor(f field, all []Value) (s Survivor) {
	var merged []Value
	for _, v := range all {
		i := slices.IndexFunc(merged, func(o Value) bool { return f.clean(o.Text) == f.clean(v.Text) })
		if i < 0 {
			merged = append(merged, v)
			continue
		}
		merged[i].Count += v.Count
		merged[i].Notes = lastDocs(slices.Concat(merged[i].Notes, v.Notes))
	}
	slices.SortStableFunc(merged, func(a, b Value) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), slices.Compare(newest(b), newest(a)))
	})
	if len(merged) == 0 {
		return s
	}
	s.Value, s.Others = merged[0], merged[1:]
	s.Conflict = slices.ContainsFunc(s.Others, func(v Value) bool { return f.contradict(s.Text, v.Text) })
	return s
}

// newest are the notes of a value, the newest first.
func newest(v Value) []uint64 {
	out := make([]uint64, len(v.Notes))
	for i, d := range v.Notes {
		out[len(out)-1-i] = uint64(d)
	}
	return out
}

// contradict reports whether two values cannot be of one person as they are written: two birth
// dates, or names that are not alike.
func (f field) contradict(a, b string) bool {
	if !fieldTable[f].single {
		return false
	}
	kind := fieldTable[f].kind
	level := kind.NewComparer().Level(f.clean(a), f.clean(b))
	if kind == compare.Given || kind == compare.Surname {
		return level == len(kind.Levels())-1
	}
	return level > 0
}
