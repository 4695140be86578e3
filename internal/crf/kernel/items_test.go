// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// shortLists are rows of 0 to 4 items, and some rows about as long as one running sum.
func shortLists(random *rand.Rand, rows, height int) lists {
	return listsOf(random, rows, height, func(i int) int {
		switch i % 150 {
		case 70:
			return maxRunning - 2 + random.IntN(5)
		case 71:
			return 3 * maxRunning
		case 140:
			return 100 + random.IntN(100)
		}
		return random.IntN(5)
	})
}

func TestItemsAreSummedAsByTheScalarKernel(t *testing.T) {
	for _, rows := range []int{0, 1, 2, 3, 5, 8, 31, 149, 1000} {
		for _, stride := range []int{1, 4, 16} {
			t.Run(fmt.Sprintf("%d/%d", rows, stride), func(t *testing.T) {
				testItems[float32](t, rows, stride, 1e-6)
				testItems[float64](t, rows, stride, 1e-12)
			})
		}
	}
}

func testItems[F Float](t *testing.T, rows, stride int, tolerance float64) {
	const height = 300
	random := rand.New(rand.NewPCG(uint64(rows), uint64(stride)))
	for range 40 {
		l := shortLists(random, rows, height)
		from := random.IntN(rows + 1)
		to := from + random.IntN(rows-from+1)
		start := guard(len(l.start), -1, func(i int) int32 { return l.start[i] })
		items := guard(len(l.items), -1, func(i int) int32 { return l.items[i] })
		checked, x := NewLists(start.slice(), items.slice()), operand[F](random, height)
		dst := operand[F](random, max((to-from-1)*stride+1, 0))
		want, near := append([]F(nil), dst.slice()...), doubles(dst.slice())
		scratch := guard(ItemsScratch, -1, func(int) float64 { return math.NaN() })

		AddItems(dst.slice(), stride, &checked, from, to, x.slice(), scratch.slice())
		addLists(want, stride, &checked, from, to, x.slice(), new(running), addItems)
		for i := from; i < to; i++ {
			for _, item := range l.items[l.start[i]:l.start[i+1]] {
				near[(i-from)*stride] += float64(x.slice()[item])
			}
		}
		for i, v := range dst.slice() {
			if v != want[i] || math.Abs(float64(v)-near[i]) > tolerance*(1+math.Abs(near[i])) {
				t.Fatalf("rows %d to %d of %d: number %d is %g, want %g, about %g", from, to, rows, i, v, want[i], near[i])
			}
		}
		dst.check(t)
		scratch.check(t)
	}
}

// With numbers of many magnitudes, the sum depends on the order of addition.
func TestSumsRunInTheOrderOfTheScalarKernel(t *testing.T) {
	if fast == nil {
		t.Skip("there is no assembly for this processor")
	}
	const height = 300
	random := rand.New(rand.NewPCG(6, 0))
	x := guard(height, 1e30, func(int) float32 { return float32(math.Ldexp(random.NormFloat64(), random.IntN(60)-30)) }).slice()
	for n := 1; n <= maxRunning; n++ {
		row := make([]int32, n)
		for i := range row {
			row[i] = int32(random.IntN(height))
		}
		l := NewLists([]int32{0, int32(n)}, row)
		var got, want running
		fast.items(make([]float32, 1), 1, &l, 0, 1, x, &got)
		addItems(make([]float32, 1), 1, &l, 0, 1, x, &want)
		for i, v := range want[:n+1] {
			if got[i] != v {
				t.Fatalf("%d items: the sum of %d is %g, want %g", n, i, got[i], v)
			}
		}
	}
}

// A long sum in float32 alone would stop growing at 2^24.
func TestSumOfMillionsOfItemsIsExact(t *testing.T) {
	const n = 1<<24 + 1000
	l, dst := NewLists([]int32{0, n, n + 2}, make([]int32, n+2)), make([]float32, 2)
	AddItems(dst, 1, &l, 0, 2, []float32{1}, make([]float64, ItemsScratch))
	if dst[0] != n || dst[1] != 2 {
		t.Errorf("sums are %g and %g, want %d and 2", dst[0], dst[1], n)
	}
}

func TestRowsWithoutItemsStay(t *testing.T) {
	l, dst := NewLists([]int32{0, 0, 0}, nil), []float32{1, 2}
	AddItems[float32](dst, 1, &l, 0, 2, nil, nil)
	AddItems[float32](nil, 1, &l, 1, 1, nil, nil)
	if dst[0] != 1 || dst[1] != 2 {
		t.Errorf("they are %g", dst)
	}
}

func TestAddItemsPanicsOutsideItsSlices(t *testing.T) {
	x, dst, scratch := make([]float32, 3), make([]float32, 9), make([]float64, ItemsScratch)
	l := NewLists([]int32{0, 1, 3}, []int32{0, 1, 2})
	for name, f := range map[string]func(){
		"item too great":     func() { AddItems(dst, 1, &l, 0, 1, x[:2], scratch) },
		"too few rows":       func() { AddItems(dst[:8], 8, &l, 0, 2, x, scratch) },
		"no stride":          func() { AddItems(dst, 0, &l, 0, 2, x, scratch) },
		"negative stride":    func() { AddItems(dst, -1, &l, 0, 2, x, scratch) },
		"too many rows":      func() { AddItems(dst, 1, &l, 0, 3, x, scratch) },
		"rows before them":   func() { AddItems(dst, 1, &l, -1, 2, x, scratch) },
		"rows go back":       func() { AddItems(dst, 1, &l, 2, 0, x, scratch) },
		"too little scratch": func() { AddItems(dst, 1, &l, 0, 2, x, scratch[1:]) },
	} {
		if !panics(f) {
			t.Errorf("%s: no panic", name)
		}
	}
	AddItems(dst, 8, &l, 0, 2, x, scratch)
}

// Empty rows before a too long one form a running sum of no items.
func TestRowsWithoutItemsBeforeALongOneAddNothing(t *testing.T) {
	for _, start := range [][]int32{{0, 0, 600}, {0, 0, 0, 513, 514}, {0, 2, 2, 2, 900, 900}} {
		n := int(start[len(start)-1])
		items := guard(n, math.MinInt32, func(i int) int32 { return int32(i % 7) })
		l := NewLists(start, items.slice())
		dst, x, want := make([]float32, len(start)-1), []float32{1, 2, 3, 4, 5, 6, 7}, make([]float32, len(start)-1)
		for i := range want {
			for _, item := range l.items[start[i]:start[i+1]] {
				want[i] += x[item]
			}
		}
		AddItems(dst, 1, &l, 0, len(dst), x, make([]float64, ItemsScratch))
		for i := range want {
			if dst[i] != want[i] {
				t.Errorf("rows %v: sum %d is %g, want %g", start, i, dst[i], want[i])
			}
		}
	}
}

func TestSinglesAreAddedOneByOne(t *testing.T) {
	testSingles[float32](t)
	testSingles[float64](t)
}

func testSingles[F Float](t *testing.T) {
	const height = 50
	for _, n := range []int{0, 1, 7, 8, 9, 16, 23, 100} {
		random := rand.New(rand.NewPCG(uint64(n), 0))
		l := listsOf(random, n+2, height, func(i int) int {
			if i == 0 || i > n {
				return 3
			}
			return 1
		})
		items := guard(len(l.items), -1, func(i int) int32 { return l.items[i] })
		checked, x, dst := NewLists(l.start, items.slice()), operand[F](random, height), operand[F](random, n)
		want := append([]F(nil), dst.slice()...)
		for i := range want {
			want[i] += x.slice()[l.items[3+i]]
		}
		AddSingles(dst.slice(), &checked, 1, 1+n, x.slice())
		for i, v := range dst.slice() {
			if v != want[i] {
				t.Fatalf("%T, number %d of %d is %g, want %g", v, i, n, v, want[i])
			}
		}
		dst.check(t)
	}
}

func TestAddSinglesPanicsOutsideItsSlices(t *testing.T) {
	x, dst := make([]float32, 3), make([]float32, 2)
	l := NewLists([]int32{0, 1, 2, 4}, []int32{0, 1, 2, 2})
	for name, f := range map[string]func(){
		"item too great":  func() { AddSingles(dst, &l, 0, 2, x[:2]) },
		"too few numbers": func() { AddSingles(dst[:1], &l, 0, 2, x) },
		"a row of two":    func() { AddSingles(make([]float32, 3), &l, 0, 3, x) },
		"too many rows":   func() { AddSingles(make([]float32, 4), &l, 0, 4, x) },
		"rows go back":    func() { AddSingles(dst, &l, 2, 0, x) },
	} {
		if !panics(f) {
			t.Errorf("%s: no panic", name)
		}
	}
	AddSingles(dst, &l, 0, 2, x)
}
