// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// windowsOf cuts n rows at random.
func windowsOf(random *rand.Rand, n int) []int32 {
	windows := []int32{0}
	for last := 0; last < n; {
		last = min(last+1+random.IntN(40), n)
		windows = append(windows, int32(last))
	}
	return windows
}

// briefLists makes rows of few items, and some that are long.
func briefLists(random *rand.Rand, rows, height int) lists {
	return listsOf(random, rows, height, func(i int) int {
		if i%50 == 20 {
			return 60 + random.IntN(90)
		}
		return random.IntN(9)
	})
}

func TestRowsInOrderGiveTheSameBits(t *testing.T) {
	for _, stride := range strides {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%d/%d", stride, seed), func(t *testing.T) {
				const rows, height = 150, 37
				random := rand.New(rand.NewPCG(seed, uint64(stride)))
				l := briefLists(random, rows, height)
				start := guard(len(l.start), -1, func(i int) int32 { return l.start[i] })
				items := guard(len(l.items), -1, func(i int) int32 { return l.items[i] })
				plain, table := NewLists(start.slice(), items.slice()), operand[float32](random, height*stride)
				windows := windowsOf(random, rows)
				ordered, bias := plain.Ordered(windows), operand[float32](random, stride).slice()
				if seed == 0 {
					bias = nil
				}
				want := make([]float32, rows*stride)
				Gather(want, table.slice(), plain, stride, bias)
				dst := guard(rows*stride, -3, func(int) float32 { return 7 })
				for i, from := range windows[:len(windows)-1] {
					to := windows[i+1]
					part := ordered.Rows(int(from), int(to))
					if part.order == nil {
						t.Fatalf("window %d of %d is not ordered", i, len(windows)-1)
					}
					Gather(dst.slice()[int(from)*stride:int(to)*stride], table.slice(), part, stride, bias)
				}
				if !slices.Equal(dst.slice(), want) {
					t.Error("ordered lists give other sums")
				}
				dst.check(t)
			})
		}
	}
}

func TestRowsOfManyWindowsGiveTheSameBits(t *testing.T) {
	const rows, height = 150, 37
	for _, stride := range strides {
		random := rand.New(rand.NewPCG(1, uint64(stride)))
		l := briefLists(random, rows, height)
		plain, table := NewLists(l.start, l.items), operand[float32](random, height*stride).slice()
		want, got := make([]float32, rows*stride), make([]float32, rows*stride)
		Gather(want, table, plain, stride, nil)
		Gather(got, table, plain.Ordered(windowsOf(random, rows)), stride, nil)
		if !slices.Equal(got, want) {
			t.Errorf("stride %d: the windows together give other sums", stride)
		}
	}
}

func TestOrderIsThatOfLengths(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	l := briefLists(random, 300, 9)
	windows := windowsOf(random, 300)
	lists := NewLists(l.start, l.items).Ordered(windows)
	for i, from := range windows[:len(windows)-1] {
		last, order := 0, lists.Rows(int(from), int(windows[i+1])).order
		seen := make([]bool, len(order))
		for _, row := range order {
			n := min(len(l.items[l.start[int(from)+int(row)]:l.start[int(from)+int(row)+1]]), longest+1)
			if n < last || seen[row] {
				t.Fatalf("window %d: row %d of %d items comes after one of %d, or again", i, row, n, last)
			}
			last, seen[row] = n, true
		}
	}
}

func TestRowsThatAreNotAWindowHaveNoOrder(t *testing.T) {
	l := NewLists([]int32{0, 1, 2, 3, 4}, []int32{0, 0, 0, 0}).Ordered([]int32{1, 3, 4})
	for _, part := range [][2]int{{0, 1}, {1, 2}, {1, 4}, {2, 3}, {4, 4}, {0, 4}} {
		if l.Rows(part[0], part[1]).order != nil {
			t.Errorf("rows from %d up to %d have an order", part[0], part[1])
		}
	}
	for _, part := range [][2]int{{1, 3}, {3, 4}} {
		if n := len(l.Rows(part[0], part[1]).order); n != part[1]-part[0] {
			t.Errorf("rows from %d up to %d have an order of %d", part[0], part[1], n)
		}
	}
}

func TestLongRowsHaveNoOrder(t *testing.T) {
	long := NewLists([]int32{0, fewItems + 1, 2*fewItems + 2}, make([]int32, 2*fewItems+2)).Ordered([]int32{0, 2})
	if long.Rows(0, 2).order != nil {
		t.Error("long rows have an order")
	}
}

func TestWindowsMakeUpAllRows(t *testing.T) {
	for n, want := range map[int][]int32{0: {0}, 1: {0, 1}, 4: {0, 4}, 5: {0, 4, 5}, 8: {0, 4, 8}} {
		if got := Windows(n, 4); !slices.Equal(got, want) {
			t.Errorf("windows of %d rows are %d, want %d", n, got, want)
		}
	}
}

func TestWindowsThatAreNotWindowsPanic(t *testing.T) {
	const most = math.MaxUint16 + 1
	l := NewLists(make([]int32, most+2), nil)
	for name, windows := range map[string][]int32{"too many rows": {0, most + 1}, "goes back": {2, 1}, "behind all": {0, 9, most + 9}, "negative": {-1, 3}, "none": nil} {
		if !panics(func() { l.Ordered(windows) }) {
			t.Errorf("%s: no panic", name)
		}
	}
	if n := len(l.Ordered([]int32{1, most + 1}).Rows(1, most+1).order); n != most {
		t.Errorf("the longest window has an order of %d rows", n)
	}
}
