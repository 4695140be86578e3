// SPDX-License-Identifier: Apache-2.0

package project

import "strings"

// groups numbers the records and the patients of documents from 1. 0 stands for a document
// without a patient's key and without links: its name tells its record.
type groups struct {
	numbers map[string]uint32
	all     []group // all[0] is not used
	free    []uint32
	last    uint32 // that hold gave; notes of one patient often follow one another
}

// group is a record, or all records of a patient. The notes are those of which it is the
// record, and those of which it is the unit.
type group struct {
	name     string
	notes    uint32
	finished uint32 // finished notes of the unit
}

func newGroups() groups { return groups{numbers: map[string]uint32{}, all: make([]group, 1)} }

// hold gives a note the number of a name.
func (g *groups) hold(name string) uint32 {
	if at := &g.all[g.last]; g.last != 0 && at.notes > 0 && at.name == name {
		at.notes++
		return g.last
	}
	n, known := g.numbers[name]
	if !known {
		n = g.fresh()
		name = strings.Clone(name) // it may be a part of a long text
		g.numbers[name], g.all[n].name = n, name
	}
	g.all[n].notes++
	g.last = n
	return n
}

// holdAgain is hold for the name of a number.
func (g *groups) holdAgain(n uint32) { g.all[n].notes++ }

// fresh is a number that no name has.
func (g *groups) fresh() uint32 {
	if last := len(g.free) - 1; last >= 0 {
		n := g.free[last]
		g.free = g.free[:last]
		return n
	}
	g.all = append(g.all, group{})
	return uint32(len(g.all) - 1)
}

// release takes a number from a note. The name of a number without notes is forgotten.
func (g *groups) release(n uint32) {
	if n == 0 {
		return
	}
	at := &g.all[n]
	if at.notes--; at.notes > 0 {
		return
	}
	delete(g.numbers, at.name)
	*at = group{}
	g.free = append(g.free, n)
}
