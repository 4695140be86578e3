// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkRun measures the time per token of a document of 600 tokens, for the scalar
// kernel and the assembly.
func BenchmarkRun(b *testing.B) {
	const n = 600
	var all []Layout
	for _, labels := range []int{1, 3, 4, 8, 15, 22, 31} {
		all = append(all, NewLayout(labels))
	}
	for _, labels := range []int{1, 4} {
		l := NewLayout(labels)
		l.Free = true
		all = append(all, l)
	}
	for _, l := range all {
		scores, transitions, counts := lay[float32](newProblem(1, l, n, 3))
		row := make([]float32, len(scores))
		for name, c := range map[string]*Chain[float32]{"scalar": scalarChain[float32](l), "fast": NewChain[float32](l)} {
			b.Run(fmt.Sprintf("%s/%s", l, name), func(b *testing.B) {
				for b.Loop() {
					copy(row, scores)
					if _, ok := c.Run(row, transitions, counts); !ok {
						b.Fatal("not ok")
					}
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*n), "ns/token")
			})
		}
	}
}

// BenchmarkGather measures the time per item: from a table of 2,000 rows in rows of 1
// to 31 items, from one of 200,000, and in rows of thousands.
func BenchmarkGather(b *testing.B) {
	for _, stride := range []int{4, 8, 16, 32, 48, 64, 96} {
		for _, height := range []int{2000, 200000} {
			for _, mean := range []int{16, 4000} {
				benchmarkGather(b, stride, height, mean)
			}
		}
	}
}

func benchmarkGather(b *testing.B, stride, height, mean int) {
	random := rand.New(rand.NewPCG(1, 0))
	l := lists{start: []int32{0}}
	for len(l.items) < 100000 {
		for range 1 + random.IntN(2*mean-1) {
			l.items = append(l.items, int32(random.IntN(height)))
		}
		l.start = append(l.start, int32(len(l.items)))
	}
	table, dst := make([]float32, height*stride), make([]float32, (len(l.start)-1)*stride)
	checked := NewLists(l.start, l.items)
	for name, gather := range map[string]func(){
		"scalar": func() { gatherScalar(dst, table, l.start, l.items, stride, nil) },
		"fast":   func() { Gather(dst, table, checked, stride, nil) },
	} {
		b.Run(fmt.Sprintf("stride=%d/table=%d/items=%d/%s", stride, height, mean, name), func(b *testing.B) {
			for b.Loop() {
				gather()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*len(l.items)), "ns/item")
		})
	}
}

// BenchmarkItems measures the time per item in rows of 0 to 4 items that name 150,000
// numbers: a document of 24 rows at a time, and pieces of thousands.
func BenchmarkItems(b *testing.B) {
	for _, rows := range []int{24, 4096} {
		for _, stride := range []int{1, 16} {
			benchmarkItems(b, rows, stride)
		}
	}
}

func benchmarkItems(b *testing.B, rows, stride int) {
	const height, pieces = 150000, 64
	random := rand.New(rand.NewPCG(1, 0))
	l := lists{start: []int32{0}}
	for range pieces * rows {
		for range random.IntN(5) {
			l.items = append(l.items, int32(random.IntN(height)))
		}
		l.start = append(l.start, int32(len(l.items)))
	}
	x, dst, scratch := make([]float32, height), make([]float32, rows*stride), make([]float64, ItemsScratch)
	checked := NewLists(l.start, l.items)
	for name, add := range map[string]func(from, to int){
		"scalar": func(from, to int) { addLists(dst, stride, &checked, from, to, x, (*running)(scratch), addItems) },
		"fast":   func(from, to int) { AddItems(dst, stride, &checked, from, to, x, scratch) },
	} {
		b.Run(fmt.Sprintf("rows=%d/stride=%d/%s", rows, stride, name), func(b *testing.B) {
			for b.Loop() {
				for i := range pieces {
					add(i*rows, (i+1)*rows)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*len(l.items)), "ns/item")
		})
	}
}

// BenchmarkVector measures vectors that fit in a cache and vectors that do not.
func BenchmarkVector(b *testing.B) {
	for _, n := range []int{8192, 1 << 20} {
		x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
		s, v := make([]BFloat16, n), make([]BFloat16, n)
		for name, f := range map[string]func(){
			"dot/fast":         func() { Dot(x, y) },
			"dot/scalar":       func() { dot(x, y) },
			"axpy/fast":        func() { Axpy(0.5, x, y) },
			"axpy/scalar":      func() { axpy(0.5, x, y) },
			"addScaled/fast":   func() { AddScaled(z, x, 0.5, y) },
			"addScaled/scalar": func() { addScaled(z, x, 0.5, y) },
			"diff/fast":        func() { Diff(s, x, y) },
			"pairDot/fast":     func() { PairDot(s, v, v, x) },
			"pairDot/scalar":   func() { pairDot(s, v, v, x) },
			"pairAxpy/fast":    func() { PairAxpy(0.5, s, 0.5, v, x) },
			"pairAxpy/scalar":  func() { pairAxpy(0.5, s, 0.5, v, x) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(4 * n))
				for b.Loop() {
					f()
				}
			})
		}
	}
}
