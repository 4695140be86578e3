// SPDX-License-Identifier: Apache-2.0

package links

import (
	"context"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
)

// mostRows bounds a page of a list; usualRows is a page without a limit.
const (
	mostRows  = 200
	usualRows = 20
)

// window bounds a page of n rows.
func window(n, offset, limit int) (from, to int) {
	if limit <= 0 {
		limit = usualRows
	}
	from = min(max(offset, 0), n)
	return from, min(from+min(limit, mostRows), n)
}

// LinkQueue lists pairs to review from an offset on.
func (s *Service) LinkQueue(_ context.Context, by account.User, id project.ID, offset, limit int) (Queue, error) {
	ws, l, err := s.openToRead(by, id)
	if err != nil {
		return Queue{}, err
	}
	from, to := window(len(l.asked), offset, limit)
	q := Queue{Offset: from, Left: len(l.asked), Decided: len(l.groups.decided)}
	err = ws.View(func(tx *store.Tx) error {
		for _, one := range l.asked[from:to] {
			p, err := s.pairOf(tx, ws, l, [2]int{one.a, one.b})
			if err != nil {
				return err
			}
			q.Pairs = append(q.Pairs, p)
		}
		return nil
	})
	return q, err
}

// LinkPair is one pair with both identities, whether it is to be reviewed or not.
func (s *Service) LinkPair(_ context.Context, by account.User, id project.ID, pair PairID) (p Pair, err error) {
	ws, l, err := s.openToRead(by, id)
	if err != nil {
		return p, err
	}
	if pair, err = l.check(pair); err != nil {
		return p, err
	}
	at, _ := l.pair(pair)
	err = ws.View(func(tx *store.Tx) (err error) {
		p, err = s.pairOf(tx, ws, l, at)
		return err
	})
	return p, err
}

// pairOf gives a pair with both identities.
func (s *Service) pairOf(tx *store.Tx, ws *workspace, l *loaded, at [2]int) (Pair, error) {
	p := Pair{Pair: l.id(at[0], at[1]), Status: Clear, Linked: l.groups.root[at[0]] == l.groups.root[at[1]]}
	if odds, kept := l.groups.odds[at]; kept {
		p.Probability = probability(odds)
	}
	if i := slices.IndexFunc(l.asked, func(q question) bool { return q.a == at[0] && q.b == at[1] }); i >= 0 {
		p.Status = l.asked[i].status
	}
	if i := slices.IndexFunc(l.decisions, func(d storedDecision) bool { return d.pair() == p.Pair }); i >= 0 {
		p.Status, p.Decision = Decided, &s.shown(ws, l, l.decisions[i:i+1])[0]
	}
	left, err := l.cells(tx, p.Pair.A)
	if err != nil {
		return p, err
	}
	right, err := l.cells(tx, p.Pair.B)
	if err != nil {
		return p, err
	}
	p.Left, p.Right = l.show(ws, at[0]), l.show(ws, at[1])
	p.Rows = sideBySide(left.in(ws), right.in(ws))
	bars, err := store.FindJSON[[]storedBar](tx, bucketBars, pairKey(l.Number, p.Pair))
	for _, b := range bars {
		p.Bars = append(p.Bars, Bar(b))
	}
	return p, err
}

// cells are the values of a record, none of one that was removed meanwhile.
func (l *loaded) cells(tx *store.Tx, number uint64) (cells, error) {
	r, err := store.FindJSON[storedRecord](tx, bucketRecords, recordsKey(l.Number, number))
	return r.cells(), err
}

// in leaves out notes that are not in the project any more.
func (c cells) in(ws *workspace) cells {
	for f := range c {
		for i, v := range c[f] {
			c[f][i].Notes = present(ws, v.Notes)
		}
	}
	return c
}

func present(ws *workspace, docs []annotate.DocumentID) []annotate.DocumentID {
	return slices.DeleteFunc(slices.Clone(docs), func(d annotate.DocumentID) bool { return !ws.Has(d) })
}

// show is a record as people read it.
func (l *loaded) show(ws *workspace, i int) Record {
	k := l.known[l.numbers[i]]
	return Record{Number: l.numbers[i], Key: project.RecordKey(k.key), Keyed: k.keyed, Notes: present(ws, k.docs), Patient: l.patient(i)}
}

// sideBySide puts two identities side by side.
func sideBySide(left, right cells) (rows []Row) {
	for f, row := range fieldTable {
		r := Row{Field: row.name, Left: left[f], Right: right[f]}
		if len(r.Left)+len(r.Right) == 0 {
			continue
		}
		both := len(r.Left) > 0 && len(r.Right) > 0
		r.Same = both && shares(field(f), r.Left, r.Right)
		r.Differs = both && !r.Same
		rows = append(rows, r)
	}
	return rows
}

// shares reports whether two cells have a value in common.
func shares(f field, left, right []Value) bool {
	return slices.ContainsFunc(left, func(a Value) bool {
		return slices.ContainsFunc(right, func(b Value) bool { return f.clean(a.Text) == f.clean(b.Text) })
	})
}
