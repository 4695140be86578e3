// SPDX-License-Identifier: Apache-2.0

package score

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
)

// ledger books what was counted, by group, so that groups can be drawn again.
// Each account has three columns: for decisions these are TP, FP and FN.
type ledger struct {
	accounts map[account]int   // to the first of three columns
	rows     []map[int]float64 // [group][column]
	columns  int
}

// account is a way of counting and a label; [anyLabel] where none is told apart.
type account struct {
	measure measure
	label   annotate.Label
}

type measure string

func newLedger(groups int) *ledger {
	l := &ledger{accounts: map[account]int{}, rows: make([]map[int]float64, groups)}
	for g := range l.rows {
		l.rows[g] = map[int]float64{}
	}
	return l
}

// column is the first column of an account, which is opened when it is new.
func (l *ledger) column(a account) int {
	c, known := l.accounts[a]
	if !known {
		c = l.columns
		l.accounts[a] = c
		l.columns += 3
	}
	return c
}

// add adds to the three columns of an account of one group.
func (l *ledger) add(group int, a account, values ...float64) {
	c := l.column(a)
	for i, v := range values {
		if v != 0 {
			l.rows[group][c+i] += v
		}
	}
}

// share books something that is special or not: as a ratio it is recall.
func (l *ledger) share(group int, a account, special bool) {
	if special {
		l.add(group, a, 1)
	} else {
		l.add(group, a, 0, 0, 1)
	}
}

// entry books the decisions of one way of counting for one group.
type entry struct {
	ledger *ledger
	group  int
	way    measure
}

func (e entry) right(label annotate.Label) { e.ledger.add(e.group, account{e.way, label}, 1) }
func (e entry) alarm(label annotate.Label) { e.ledger.add(e.group, account{e.way, label}, 0, 1) }
func (e entry) miss(label annotate.Label)  { e.ledger.add(e.group, account{e.way, label}, 0, 0, 1) }

// labels are those with an account of the way, sorted.
func (l *ledger) labels(w measure) []annotate.Label {
	var out []annotate.Label
	for a := range l.accounts {
		if a.measure == w {
			out = append(out, a.label)
		}
	}
	slices.Sort(out)
	return out
}

// cell is an amount in one column.
type cell struct {
	column int
	amount float64
}

// cells are the rows in an order that adding up can rely on.
func (l *ledger) cells() [][]cell {
	out := make([][]cell, len(l.rows))
	for g, row := range l.rows {
		for c, v := range row {
			out[g] = append(out[g], cell{c, v})
		}
		slices.SortFunc(out[g], func(a, b cell) int { return cmp.Compare(a.column, b.column) })
	}
	return out
}

// touched is how many groups have something in one of the accounts; slots are the
// columns of an account that count: TP, FP, FN are 0, 1, 2.
func (l *ledger) touched(columns []int, slots ...int) int {
	n := 0
	for _, row := range l.rows {
		if slices.ContainsFunc(columns, func(c int) bool {
			return slices.ContainsFunc(slots, func(s int) bool { return row[c+s] != 0 })
		}) {
			n++
		}
	}
	return n
}
