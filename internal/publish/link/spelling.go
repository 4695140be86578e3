// SPDX-License-Identifier: Apache-2.0

package link

import (
	"slices"

	"hide/internal/disjoint"
)

// A spelling is another form of a value of a column: Müller shows that muller and mueller are one
// name. Names in which nobody wrote such a letter stay as they are: Michael is not Michal.
type spelling struct {
	value uint32
	form  string
}

func (c *column) addSpelling(value uint32, raw string) {
	if form := c.kind.Transliterated(raw); form != "" && form != c.values[value] {
		c.spellings[spelling{value, form}] = struct{}{}
	}
}

// oneSpelling is the records with one form of each value: the first in the alphabet.
func (r *Records) oneSpelling() *Records {
	copied := *r
	copied.columns = slices.Clone(r.columns)
	for f := range copied.columns {
		if c := &copied.columns[f]; len(c.spellings) > 0 {
			c.replace(c.firstSpellings())
		}
	}
	return &copied
}

// firstSpellings has the number of the first form of each value.
func (c *column) firstSpellings() []uint32 {
	sets := disjoint.New(len(c.values))
	with := map[string]uint32{} // a value for each form that nobody wrote
	for s := range c.spellings {
		v, found := c.number[s.form]
		if !found {
			v, found = with[s.form]
		}
		if found {
			sets.Join(int(s.value), int(v))
		} else {
			with[s.form] = s.value
		}
	}
	first := make([]uint32, len(c.values)) // of the root of each set
	for v := range c.values {
		if root := sets.Find(v); first[root] == 0 || c.values[v] < c.values[first[root]] {
			first[root] = uint32(v)
		}
	}
	to := make([]uint32, len(c.values))
	for v := range to {
		to[v] = first[sets.Find(v)]
	}
	return to
}

// replace writes other numbers for the values of all cells. The cells before stay as they are.
func (c *column) replace(to []uint32) {
	c.cells, c.lists = slices.Clone(c.cells), slices.Clone(c.lists)
	for i, cell := range c.cells {
		if cell&severalBit == 0 {
			c.cells[i] = to[cell]
			continue
		}
		var list []uint32
		for _, v := range c.lists[cell&^severalBit] {
			if !slices.Contains(list, to[v]) {
				list = append(list, to[v])
			}
		}
		c.lists[cell&^severalBit] = list
		if len(list) == 1 {
			c.cells[i] = list[0]
		}
	}
}
