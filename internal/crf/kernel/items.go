// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"math"
	"slices"
)

// ItemsScratch is the length of the scratch that [AddItems] needs.
const ItemsScratch = maxRunning + 4

// maxRunning is the number of items in one running sum.
const maxRunning = 512

// running holds at i the sum of the first i items; the end has room for an incomplete
// group of four.
type running [ItemsScratch]float64

// AddItems adds to dst[i*stride], for rows from+i of l up to row to, the sum of x over
// the items of the row. The sums are computed in float64. It panics if an item is out
// of range of x, or dst or scratch is too short.
//
// Most rows are so short that starting and ending a sum costs more than its items. So
// one running sum covers many rows, and a row's sum is the difference of its ends.
func AddItems[F Float](dst []F, stride int, l *Lists, from, to int, x []F, scratch []float64) {
	switch {
	case stride <= 0:
		panic("kernel: rows of a strange stride")
	case from > to:
		panic("kernel: rows that end before they start")
	case l.start[from] == l.start[to]:
		return
	case len(dst) <= (to-from-1)*stride:
		panic("kernel: too few rows to add to")
	case l.greatest >= len(x):
		panic("kernel: an item without a number")
	}
	r := (*running)(scratch)
	if d, ok := assembled(dst); ok {
		addLists(d, stride, l, from, to, any(x).([]float32), r, fast.items)
		return
	}
	addLists(dst, stride, l, from, to, x, r, addItems)
}

// AddSingles adds to dst[i], for rows from+i of l up to row to, the number of x that
// the row's only item names, in F. It panics if the rows do not have one item each, dst
// is too short, or an item is out of range of x.
func AddSingles[F Float](dst []F, l *Lists, from, to int, x []F) {
	switch {
	case from > to || int(l.start[to]-l.start[from]) != to-from:
		panic("kernel: rows that do not have one item each")
	case len(dst) < to-from:
		panic("kernel: too few numbers to add to")
	case l.greatest >= len(x):
		panic("kernel: an item without a number")
	case from == to:
		return
	}
	items := l.items[l.start[from]:l.start[to]]
	if d, ok := assembled(dst); ok {
		fast.singles(d, items, any(x).([]float32))
		return
	}
	addSingles(dst, items, x)
}

func addSingles[F Float](dst []F, items []int32, x []F) {
	dst = dst[:len(items)]
	for i, item := range items {
		dst[i] += x[item]
	}
}

// adder adds the sums of one or more rows with at most maxRunning items in total.
type adder[F Float] func(dst []F, stride int, l *Lists, from, to int, x []F, r *running)

// addLists calls add for rows that fit in one running sum, and sums longer rows one by
// one.
func addLists[F Float](dst []F, stride int, l *Lists, from, to int, x []F, r *running, add adder[F]) {
	for l.start[from] < l.start[to] {
		end := l.together(from, to)
		switch row := l.items[l.start[from]:l.start[end]]; {
		case len(row) > maxRunning:
			dst[0] += F(SumItems(row, x))
		case len(row) > 0:
			add(dst, stride, l, from, end, x, r)
		}
		if end < to {
			dst = dst[(end-from)*stride:]
		}
		from = end
	}
}

// together returns the end of the rows after from that fit in one running sum. It takes
// at least one row, even if that is too long; the rows before a too long one may be
// empty.
func (l *Lists) together(from, to int) int {
	most := int(l.start[from]) + maxRunning
	if int(l.start[to]) <= most {
		return to
	}
	after, _ := slices.BinarySearch(l.start[from+2:to+1], int32(most)+1)
	return from + 1 + after
}

func addItems[F Float](dst []F, stride int, l *Lists, from, to int, x []F, r *running) {
	first, before, at := l.start[from], 0.0, 0
	runOver(r, l.items[first:l.start[to]], x)
	for _, end := range l.start[from+1 : to+1] {
		sum := r[end-first]
		dst[at] += F(sum - before)
		before = sum
		at += stride
	}
}

// runOver fills r. Groups of four are added separately from the running sum, so that
// not every addition waits for the one before.
func runOver[F Float](r *running, items []int32, x []F) {
	sum, to := 0.0, r[1:]
	r[0] = 0
	for len(items) >= 4 && len(to) >= 4 {
		a, b, c, d := float64(x[items[0]]), float64(x[items[1]]), float64(x[items[2]]), float64(x[items[3]])
		ab := a + b
		to[0], to[1], to[2] = sum+a, sum+ab, sum+(ab+c)
		sum += ab + (c + d)
		to[3] = sum
		items, to = items[4:], to[4:]
	}
	for i, item := range items {
		sum += float64(x[item])
		to[i] = sum
	}
}

// SumItems is the sum of x over the items, in float64.
func SumItems[F Float](items []int32, x []F) float64 {
	a, b := 0.0, 0.0
	for len(items) >= 2 {
		a += float64(x[items[0]])
		b += float64(x[items[1]])
		items = items[2:]
	}
	if len(items) > 0 {
		a += float64(x[items[0]])
	}
	return a + b
}

// Lists are rows of items: row i is items[start[i]:start[i+1]]. NewLists checks them
// once, so that a pass need not. Nobody may change the slices afterwards.
type Lists struct {
	start, items []int32
	greatest     int      // greatest item, -1 for none
	windows      []int32  // starts of the windows of rows, and the end of the last one; nil without an order, or for a single window
	order        []uint16 // rows of each window in the order of their lengths, numbered from 0
}

// NewLists panics if a row ends before it starts, start is out of range of items, or an
// item is negative.
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

// fewItems is the largest mean number of items per row for which ordering pays. With
// longer rows, reading them out of order costs more than it saves.
const fewItems = 8

// Ordered returns the same lists, with an order for [Gather] if the rows are short: it
// then processes the rows of a window by length. That is faster because the processor
// predicts better where rows end. Window i has the rows from windows[i] up to
// windows[i+1], at most 65536. Gather uses the order only if its rows are exactly one
// window. The sums have the same bits.
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

// sort is a counting sort of a window's rows by length. Lengths above [longest] count
// as equal.
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

// kind is a row's length, capped at longest+1.
func (l Lists) kind(i int) int { return int(min(l.start[i+1]-l.start[i], longest+1)) }

// Rows returns the rows from up to to.
func (l Lists) Rows(from, to int) Lists {
	rows := Lists{start: l.start[from : to+1], items: l.items, greatest: l.greatest}
	if i, ok := slices.BinarySearch(l.windows, int32(from)); ok && i+1 < len(l.windows) && int(l.windows[i+1]) == to {
		rows.order = l.order[from:to]
	}
	return rows
}

// Windows cuts n rows into windows of the given number of rows.
func Windows(n, rows int) []int32 {
	windows := []int32{0}
	for from := 0; from < n; from += rows {
		windows = append(windows, int32(min(from+rows, n)))
	}
	return windows
}

// Len is the number of rows.
func (l Lists) Len() int { return len(l.start) - 1 }

// longest is the number of rows that are summed in F. Longer sums are computed in
// pieces, which are added in float64.
const longest = 64

// Gather sets row i of dst to bias plus the sum of the rows of table that list i names.
// Rows have stride numbers, a multiple of four; bias is one row, or nil for zeros. Sums
// of more than 64 rows are computed in pieces of 64, which are added in float64. It
// panics if an item is out of range of table or dst is too short.
func Gather[F Float](dst, table []F, l Lists, stride int, bias []F) {
	switch {
	case stride <= 0 || stride%4 != 0 || len(table)%stride != 0:
		panic("kernel: rows of a strange stride")
	case len(dst) < l.Len()*stride:
		panic("kernel: too few rows to gather into")
	case l.greatest >= len(table)/stride:
		panic("kernel: an item that the table does not have")
	case bias != nil && len(bias) != stride:
		panic("kernel: bias of another stride")
	case l.Len() == 0:
		return
	}
	if d, ok := assembled(dst); ok {
		fast.gather(d, any(table).([]float32), l, stride, any(bias).([]float32))
		return
	}
	gatherScalar(dst, table, l.start, l.items, stride, bias)
}

// gatherScalar sums four columns at a time.
func gatherScalar[F Float](dst, table []F, start, items []int32, stride int, bias []F) {
	for i := range len(start) - 1 {
		list, to := items[start[i]:start[i+1]], dst[i*stride:(i+1)*stride]
		for at := 0; at < stride; at += 4 {
			sum := [4]F{}
			if bias != nil {
				sum = [4]F(bias[at:])
			}
			switch {
			case len(list) == 0:
			case len(list) <= longest:
				sum = gatherPiece(sum, table[at:], list, stride)
			default:
				sum = gatherLong(sum, table[at:], list, stride)
			}
			copy(to[at:], sum[:])
		}
	}
}

// gatherPiece adds four columns of the listed rows.
func gatherPiece[F Float](sum [4]F, columns []F, list []int32, stride int) [4]F {
	a, b, c, d := sum[0], sum[1], sum[2], sum[3]
	for _, item := range list {
		row := columns[int(item)*stride:][:4]
		a, b, c, d = a+row[0], b+row[1], c+row[2], d+row[3]
	}
	return [4]F{a, b, c, d}
}

func gatherLong[F Float](bias [4]F, columns []F, list []int32, stride int) [4]F {
	var sum [4]float64
	for i, v := range bias {
		sum[i] = float64(v)
	}
	for len(list) > 0 {
		n := min(longest, len(list))
		for i, v := range gatherPiece([4]F{}, columns, list[:n], stride) {
			sum[i] += float64(v)
		}
		list = list[n:]
	}
	return [4]F{F(sum[0]), F(sum[1]), F(sum[2]), F(sum[3])}
}
