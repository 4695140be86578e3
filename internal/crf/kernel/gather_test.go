// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// lists is a random problem for Gather.
type lists struct {
	start, items []int32
}

// newLists makes rows of 0 to about 20 items, and some of hundreds.
func newLists(random *rand.Rand, rows, table int) lists {
	return listsOf(random, rows, table, func(i int) int {
		switch i % 8 {
		case 3:
			return 0
		case 5:
			return 62 + random.IntN(6)
		case 7:
			return random.IntN(400)
		}
		return random.IntN(20)
	})
}

// listsOf returns rows of random items below table; row i has length(i) of them.
func listsOf(random *rand.Rand, rows, table int, length func(i int) int) lists {
	l := lists{start: []int32{0}}
	for i := range rows {
		for range length(i) {
			l.items = append(l.items, int32(random.IntN(table)))
		}
		l.start = append(l.start, int32(len(l.items)))
	}
	return l
}

// naive is Gather in float64.
func (l lists) naive(table []float64, stride int, bias []float64) []float64 {
	var dst []float64
	for i := range len(l.start) - 1 {
		row := append([]float64(nil), bias...)
		for _, item := range l.items[l.start[i]:l.start[i+1]] {
			for j := range row {
				row[j] += table[int(item)*stride+j]
			}
		}
		dst = append(dst, row...)
	}
	return dst
}

var strides = []int{4, 8, 12, 16, 32, 48, 64, 80, 96, 128}

func TestGatherAddsTheListedRows(t *testing.T) {
	for _, stride := range strides {
		for _, biased := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/biased=%t", stride, biased), func(t *testing.T) {
				testGather[float32](t, stride, biased, 1e-5)
				testGather[float64](t, stride, biased, 1e-13)
			})
		}
	}
}

func testGather[F Float](t *testing.T, stride int, biased bool, tolerance float64) {
	const rows, height = 60, 37
	random := rand.New(rand.NewPCG(3, uint64(stride)))
	l := newLists(random, rows, height)
	table := operand[F](random, height*stride)
	dst := guard(rows*stride, -3, func(int) F { return 7 })
	start := guard(len(l.start), -1, func(i int) int32 { return l.start[i] })
	items := guard(len(l.items), -1, func(i int) int32 { return l.items[i] })
	var bias []F
	wantBias := make([]float64, stride)
	if biased {
		bias = operand[F](random, stride).slice()
		for i, v := range bias {
			wantBias[i] = float64(v)
		}
	}
	Gather(dst.slice(), table.slice(), NewLists(start.slice(), items.slice()), stride, bias)
	naive := l.naive(doubles(table.slice()), stride, wantBias)
	near(t, doubles(dst.slice()), naive, tolerance)
	dst.check(t)

	again := make([]F, rows*stride)
	Gather(again, table.slice(), NewLists(start.slice(), items.slice()), stride, bias)
	for i, v := range dst.slice() {
		if again[i] != v {
			t.Fatalf("number %d is %g at first and then %g", i, v, again[i])
		}
	}
	gatherScalar(again, table.slice(), start.slice(), items.slice(), stride, bias)
	near(t, doubles(again), naive, tolerance)
}

func doubles[F Float](x []F) []float64 {
	d := make([]float64, len(x))
	for i, v := range x {
		d[i] = float64(v)
	}
	return d
}

func TestGatherOfAPartIsThatPart(t *testing.T) {
	const stride, height = 16, 9
	random := rand.New(rand.NewPCG(4, 0))
	l := newLists(random, 40, height)
	table := operand[float32](random, height*stride).slice()
	whole, part := make([]float32, 40*stride), make([]float32, 10*stride)
	Gather(whole, table, NewLists(l.start, l.items), stride, nil)
	Gather(part, table, NewLists(l.start, l.items).Rows(20, 30), stride, nil)
	for i, v := range part {
		if v != whole[20*stride+i] {
			t.Fatalf("number %d is %g when gathered alone and %g with all rows", i, v, whole[20*stride+i])
		}
	}
}

// A long sum in float32 alone would stop growing at 2^24.
func TestGatherOfMillionsOfRowsIsExact(t *testing.T) {
	const n = 1<<24 + 1000
	items := make([]int32, n)
	table := []float32{1, 0.5, 1, 1}
	dst := make([]float32, 4)
	Gather(dst, table, NewLists([]int32{0, n}, items), 4, nil)
	if dst[0] != float32(n) || dst[1] != float32(n)/2 {
		t.Errorf("sums are %g and %g, want %d and half of it", dst[0], dst[1], n)
	}
}

func TestGatherOfNothingIsTheBias(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 0))
	for _, stride := range strides {
		bias := operand[float32](random, stride).slice()
		dst := make([]float32, 3*stride)
		Gather(dst, nil, NewLists(make([]int32, 4), nil), stride, bias)
		for i, v := range dst {
			if v != bias[i%stride] {
				t.Fatalf("stride %d: number %d is %g, want %g", stride, i, v, bias[i%stride])
			}
		}
		Gather(nil, nil, NewLists([]int32{0}, nil), stride, bias)
	}
}

func TestGatherPanicsOutsideItsSlices(t *testing.T) {
	table, dst := make([]float32, 3*16), make([]float32, 2*16)
	for name, f := range map[string]func(){
		"item too great":    func() { Gather(dst, table, NewLists([]int32{0, 9}, []int32{0, 1, 2, 0, 1, 2, 0, 1, 3}), 16, nil) },
		"item negative":     func() { Gather(dst, table, NewLists([]int32{0, 9}, []int32{0, -1, 2, 0, 1, 2, 0, 1, 2}), 16, nil) },
		"last item":         func() { Gather(dst, table, NewLists([]int32{0, 1}, []int32{-1}), 16, nil) },
		"too few items":     func() { Gather(dst, table, NewLists([]int32{0, 2}, []int32{0}), 16, nil) },
		"too few rows":      func() { Gather(dst, table, NewLists([]int32{0, 0, 0, 0}, nil), 16, nil) },
		"start goes back":   func() { Gather(dst, table, NewLists([]int32{1, 0, 1}, []int32{0, 0}), 16, nil) },
		"start is negative": func() { Gather(dst, table, NewLists([]int32{-1, 0}, []int32{0, 0}), 16, nil) },
		"short bias":        func() { Gather(dst, table, NewLists([]int32{0, 1}, []int32{0}), 16, make([]float32, 4)) },
		"half a row":        func() { Gather(dst, table[:40], NewLists([]int32{0, 1}, []int32{0}), 16, nil) },
		"no start":          func() { Gather(dst, table, NewLists(nil, []int32{0}), 16, nil) },
	} {
		if !panics(f) {
			t.Errorf("%s: no panic", name)
		}
	}
}
