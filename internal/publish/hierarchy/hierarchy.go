// SPDX-License-Identifier: Apache-2.0

// Package hierarchy holds domain generalization hierarchies: for each value of
// an attribute the ever coarser labels that it may be replaced with, up to one
// that says nothing.
//
// A [Hierarchy] is a table with one row per value. Its columns are levels: level
// 0 is the value, the last level is one label for all. [Read] reads the form in
// which ARX keeps them, semicolons between the levels, and [Hierarchy.Write]
// writes it:
//
//	53710;5371*;537**;*
//	53711;5371*;537**;*
//	53220;5322*;532**;*
//
// [Numbers] and [Dates] make hierarchies from the values alone.
//
// What is read is a tree or refused: each label has one label above it, none
// stands above itself, all rows have as many levels, and the last one is shared.
// A row may repeat a label on the next level.
package hierarchy

import (
	"fmt"
	"slices"
)

// Top is the label of hierarchies made here that says nothing.
const Top = "*"

// Hierarchy generalizes the values of one attribute. It does not change.
type Hierarchy struct {
	rows  [][]string     // [value][level]
	index map[string]int // value to row
}

// Problem is why rows are not a hierarchy. It never quotes a label.
type Problem struct {
	Row    int // from 1; 0 when it is about all of them
	Reason string
}

func (p *Problem) Error() string {
	if p.Row == 0 {
		return p.Reason
	}
	return fmt.Sprintf("row %d %s", p.Row, p.Reason)
}

// New makes a hierarchy of rows, a value and its labels from fine to coarse. It
// returns a [*Problem] when they are not a tree.
func New(rows [][]string) (*Hierarchy, error) {
	if len(rows) == 0 {
		return nil, &Problem{Reason: "a hierarchy needs at least one row"}
	}
	h := &Hierarchy{rows: rows, index: make(map[string]int, len(rows))}
	for i, row := range rows {
		if p := h.checkRow(i, row); p != nil {
			return nil, p
		}
		h.index[row[0]] = i
	}
	if p := h.checkTree(); p != nil {
		return nil, p
	}
	return h, nil
}

func (h *Hierarchy) checkRow(i int, row []string) error {
	first := h.rows[0]
	_, twice := h.index[row[0]]
	switch {
	case len(row) < 2:
		return &Problem{i + 1, "has no level above the value"}
	case len(row) != len(first):
		return &Problem{i + 1, fmt.Sprintf("has %d levels, the first has %d", len(row), len(first))}
	case row[len(row)-1] != first[len(first)-1]:
		return &Problem{i + 1, "ends in another label than the first: the last level must be one label for all"}
	case slices.Contains(row[1:], ""):
		return &Problem{i + 1, "has an empty label"}
	case twice:
		return &Problem{i + 1, "is about a value that an earlier row is about"}
	}
	return nil
}

// node is a label on one level. The same words on another level are another
// node.
type node struct {
	level int
	label string
}

// checkTree finds labels with two labels above them, and loops.
func (h *Hierarchy) checkTree() error {
	above := map[node]string{}
	for i, row := range h.rows {
		for level := 1; level+1 < len(row); level++ {
			at := node{level, row[level]}
			if up, seen := above[at]; seen && up != row[level+1] {
				return &Problem{i + 1, fmt.Sprintf("puts another label above that of level %d than an earlier row does", level)}
			}
			above[at] = row[level+1]
		}
	}
	if row := h.loop(); row >= 0 {
		return &Problem{row + 1, "closes a loop: a label stands above itself"}
	}
	return nil
}

// loop gives the row that first makes a label an ancestor of itself, -1 when
// none does. Labels count by their words here, whatever their level: who reads
// "b" under "a" and "a" under "b" cannot tell which is the coarser.
func (h *Hierarchy) loop() int {
	order := map[string]map[string]bool{}
	for i, row := range h.rows {
		for level := range row[1:] {
			fine, coarse := row[level], row[level+1]
			if fine == coarse || order[fine][coarse] {
				continue
			}
			if reaches(order, coarse, fine) {
				return i
			}
			if order[fine] == nil {
				order[fine] = map[string]bool{}
			}
			order[fine][coarse] = true
		}
	}
	return -1
}

// reaches says whether to stands above from.
func reaches(order map[string]map[string]bool, from, to string) bool {
	seen, stack := map[string]bool{from: true}, []string{from}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at == to {
			return true
		}
		for up := range order[at] {
			if !seen[up] {
				seen[up] = true
				stack = append(stack, up)
			}
		}
	}
	return false
}

// Levels is the number of levels, that of the values included: at least 2.
func (h *Hierarchy) Levels() int { return len(h.rows[0]) }

// Len is the number of values.
func (h *Hierarchy) Len() int { return len(h.rows) }

// Values gives the values in their order.
func (h *Hierarchy) Values() []string {
	values := make([]string, len(h.rows))
	for i, row := range h.rows {
		values[i] = row[0]
	}
	return values
}

// Leaves gives the values so that those below one node are neighbours: by the
// order in which coarse labels first appear, then finer ones, then the values.
func (h *Hierarchy) Leaves() []string {
	last := h.Levels() - 1
	places := make([][]int, len(h.rows)) // [row] places of its labels, coarse to fine
	first := map[node]int{}
	for i, row := range h.rows {
		for level := last; level >= 0; level-- {
			at := node{level, row[level]}
			if _, seen := first[at]; !seen {
				first[at] = i
			}
			places[i] = append(places[i], first[at])
		}
	}
	slices.SortFunc(places, slices.Compare)
	values := make([]string, len(places))
	for i, at := range places {
		values[i] = h.rows[at[last]][0]
	}
	return values
}

// Path gives a value and its labels, fine to coarse; false when the hierarchy
// does not know the value. The caller must not change it.
func (h *Hierarchy) Path(value string) ([]string, bool) {
	i, ok := h.index[value]
	if !ok {
		return nil, false
	}
	return h.rows[i], true
}
