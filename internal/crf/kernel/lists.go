// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"math"
	"slices"
)

// Lists are rows of items: row i is items[start[i]:start[i+1]]. They are looked
// through once, when they are made, so that a pass need not; nobody may change the
// slices afterwards.
type Lists struct {
	start, items []int32
	greatest     int      // item, -1 for none
	windows      []int32  // where windows of rows begin, and the last one ends; nil when they have no order, or are one window
	order        []uint16 // of the rows of each window, which count from 0
}

// NewLists panics when a row ends before it starts, or start leads out of items, or
// an item is negative.
func NewLists(start, items []int32) Lists {
	if len(start) == 0 || start[0] < 0 || int(start[len(start)-1]) > len(items) {
		panic("kernel: too few items for lists")
	}
	for i, s := range start[1:] {
		if s < start[i] {
			panic("kernel: lists that do not follow each other")
		}
	}
	l := Lists{start: start, items: items, greatest: -1}
	for _, item := range items[start[0]:start[len(start)-1]] {
		if item < 0 {
			panic("kernel: a negative item")
		}
		l.greatest = max(l.greatest, int(item))
	}
	return l
}

// fewItems is how many items rows have at most, in the mean, that are worth an order. Longer
// ones lose more by not being read one after the other than their ends cost.
const fewItems = 8

// Ordered are the same lists, of which [Gather] does every window of rows in the order of
// their lengths, when they are short: it takes less time when the processor foretells where
// rows end. Windows have the rows from each number up to the next; they follow each other, of
// at most 65536 rows each. What is not just one window is done row by row. Sums are the same
// bits.
func (l Lists) Ordered(windows []int32) Lists {
	if int(l.start[l.Len()]-l.start[0]) > fewItems*l.Len() {
		return l
	}
	l.windows, l.order = windows, make([]uint16, l.Len())
	var ends [longest + 2]int32
	for i, from := range windows[:len(windows)-1] {
		l.sort(int(from), int(windows[i+1]), &ends)
	}
	return l
}

// sort counts the rows of each length in a window, which says where those of a length go.
// Those of more than [longest] items are much alike.
func (l Lists) sort(from, to int, ends *[longest + 2]int32) {
	if to < from || to-from > math.MaxUint16+1 {
		panic("kernel: a window of too many rows")
	}
	clear(ends[:])
	for i := from; i < to; i++ {
		ends[l.kind(i)]++
	}
	sum := int32(0)
	for kind, n := range ends {
		ends[kind], sum = sum, sum+n
	}
	for i := from; i < to; i++ {
		place := &ends[l.kind(i)]
		l.order[from+int(*place)] = uint16(i - from)
		*place++
	}
}

// kind is a row's length, as far as it matters.
func (l Lists) kind(i int) int { return int(min(l.start[i+1]-l.start[i], longest+1)) }

// Rows are rows from up to to.
func (l Lists) Rows(from, to int) Lists {
	rows := Lists{start: l.start[from : to+1], items: l.items, greatest: l.greatest}
	if i, ok := slices.BinarySearch(l.windows, int32(from)); ok && i+1 < len(l.windows) && int(l.windows[i+1]) == to {
		rows.order = l.order[from:to]
	}
	return rows
}

// Windows are those of some rows each that n rows make up.
func Windows(n, rows int) []int32 {
	windows := []int32{0}
	for from := 0; from < n; from += rows {
		windows = append(windows, int32(min(from+rows, n)))
	}
	return windows
}

// Len is the number of rows.
func (l Lists) Len() int { return len(l.start) - 1 }
