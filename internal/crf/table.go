// SPDX-License-Identifier: Apache-2.0

package crf

import "hide/internal/crf/kernel"

// table is a ragged array: row i is items[start[i]:start[i+1]].
type table struct {
	start []int32
	items []int32
}

func newTable(rows, items int) table {
	return table{start: append(make([]int32, 0, rows+1), 0), items: make([]int32, 0, items)}
}

func (t table) row(i int) []int32 { return t.items[t.start[i]:t.start[i+1]] }
func (t table) len() int          { return len(t.start) - 1 }

// lists are the rows for the kernel, which must not change any more.
func (t table) lists() kernel.Lists { return kernel.NewLists(t.start, t.items) }

// end closes the row that is being appended to.
func (t *table) end() { t.start = append(t.start, int32(len(t.items))) }

// inverse lists, for each item below n, the rows that hold it, in order.
func (t table) inverse(n int) table {
	start := make([]int32, n+1)
	for _, item := range t.items {
		start[item+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	// start[i] moves to the end of row i while it is filled, and back afterwards.
	rows := make([]int32, len(t.items))
	for i := range t.len() {
		for _, item := range t.row(i) {
			rows[start[item]] = int32(i)
			start[item]++
		}
	}
	copy(start[1:], start[:n])
	start[0] = 0
	return table{start, rows}
}
