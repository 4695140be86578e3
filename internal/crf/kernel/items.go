// SPDX-License-Identifier: Apache-2.0

package kernel

import "slices"

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
