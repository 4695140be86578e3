// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"math"
	"slices"
)

// ItemsScratch is how many numbers of scratch [AddItems] needs.
const ItemsScratch = maxRunning + 4

// maxRunning is how many items are summed without a break.
const maxRunning = 512

// running has the sum of the first i items at i, and at the end room for a four that is
// not full.
type running [ItemsScratch]float64

// AddItems adds to number i*stride of dst the sum of the numbers of x that row from+i
// of l names, up to row to. The sums are made in float64. It panics when the lists lead
// out of x, dst is too short, or scratch is.
//
// Most rows are so short that to begin and to end each takes longer than its items: so
// one sum runs over many rows, and a row's is the difference of its ends.
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

// AddSingles adds to each number of dst the one of x that row from+i of l names, up to row
// to, in F. These rows have one item each. It panics when they have not that many
// together, when dst is too short, or the lists lead out of x.
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

// adder adds the sums of rows that have maxRunning items together, of one at least.
type adder[F Float] func(dst []F, stride int, l *Lists, from, to int, x []F, r *running)

// addLists adds the rows that one sum runs over by add, and those that are too long one
// by one.
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

// together is the end of the rows after from that one sum runs over: of one at least,
// even when that is too long. They may be empty when a row that is too long comes next.
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

// runOver fills r. Fours are added up beside the sum, which would else wait for each
// addition.
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

// SumItems is the sum of the numbers of x that the items name, made in float64.
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

// longest is the number of rows that are summed in F; longer sums are made in
// pieces that are added up in float64.
const longest = 64

// Gather sets row i of dst to bias plus the sum of the rows of table that list i
// names. Rows have stride numbers, a multiple of four; bias is one row, or nil for
// zeros. Sums of more than 64 rows are made in pieces of 64 that are added up in
// float64. It panics when the lists lead out of table, or dst is too short.
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

// gatherScalar sums four columns after four.
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
