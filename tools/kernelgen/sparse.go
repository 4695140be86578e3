// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

// sparse makes the kernels of rows of two halves where every transition is allowed, most
// weights are fixed at 1, and the others are those of BIO. A product with M is then one sum
// over all places, shared by all results, plus corrections for a few rows or columns of the
// first half, for the places of O and for the continuations.
type sparse struct{ split }

func (g *generator) sparse() {
	for _, half := range []int{2, 3} {
		s := sparse{split{generator: g, half: half, free: true}}
		s.forward()
		s.backward()
		s.expect()
	}
}

func (s sparse) name(what string) string { return fmt.Sprintf("%sSparse%dAVX2", what, 16*s.half) }

// The first rows of the tables; the listed rows or columns follow.
const (
	restAt  = iota // the terms of the shared sum
	ownAt          // of the transitions into O, or from it
	maskAt         // 1 for every state
	lanesAt        // M-1 of the continuations
	listAt
)

func (s sparse) table(tables integer, which, v int) memory {
	return at(tables, which*s.rowBytes()+32*v)
}

// listed sums the listed rows of a table, each times its number, whose position is in the
// list. There are four times as many rows as groups.
func (s sparse) listed(width int, numbers, tables, list, groups integer) []vector {
	ways := 2
	sums := s.zeros(ways * width)
	table, item, n := s.GP64(), s.GP64(), s.GP64()
	s.LEAQ(s.table(tables, listAt, 0), table)
	s.MOVQ(list, item)
	s.MOVQ(groups, n)
	s.times(n, func() {
		for i := range 4 {
			place := s.GP64()
			s.MOVLQSX(at(item, 4*i), place)
			b := s.broadcast(memory{Base: numbers, Index: place, Scale: 1})
			for v := range width {
				s.VFMADD231PS(at(table, 32*(i*width+v)), b, sums[i%ways*width+v])
			}
		}
		s.advance(4*32*width, table)
		s.advance(16, item)
	})
	for v := range width {
		s.VADDPS(sums[width+v], sums[v], sums[v])
	}
	return sums[:width]
}

func (s sparse) forward() {
	s.function(s.name("forward"), "func(psi, alpha, a, tables *float32, rows *int32, n, groups int) (exponent int)",
		"does what forwardFree does. groups is how many fours of rows are listed.")
	restore := s.flushing()
	f := forward{split: s.split, psi: s.param("psi"), alpha: s.param("alpha"), a: s.param("a"), n: s.param("n"), exponent: s.GP64()}
	s.XORQ(f.exponent, f.exponent)
	s.times(f.n, func() {
		f.next(s.entered(f.alpha))
		s.advance(s.rowBytes(), f.psi, f.alpha)
		s.advance(4, f.a)
	})
	restore()
	s.VZEROUPPER()
	s.Store(f.exponent, s.ReturnIndex(0))
	s.RET()
}

// entered is sum_i alpha[t-1][i] M[i][j].
func (s sparse) entered(alpha integer) []vector {
	before, tables := s.GP64(), s.param("tables")
	s.LEAQ(at(alpha, -s.rowBytes()), before)
	all, rest, own := s.zero(), s.zero(), s.zero()
	for v := range 2 * s.half {
		a := s.load(at(before, 32*v))
		s.VADDPS(a, all, all)
		s.VFMADD231PS(s.table(tables, restAt, v), a, rest)
		s.VFMADD231PS(s.table(tables, ownAt, v), a, own)
	}
	for _, sum := range []vector{all, rest, own} {
		s.foldAll(sum, s.add)
	}
	sums := s.listed(s.half, before, tables, s.param("rows"), s.param("groups"))
	for v, y := range sums {
		s.VFMADD231PS(s.table(tables, maskAt, v), rest, y)
	}
	s.VBLENDPS(imm(1), own, sums[0], sums[0])
	for v := range s.half {
		y := s.YMM()
		s.VMULPS(s.table(tables, maskAt, s.half+v), all, y)
		for h := range 2 {
			a := s.load(at(before, 32*(h*s.half+v)))
			s.VFMADD231PS(s.table(tables, lanesAt, h*s.half+v), a, y)
		}
		sums = append(sums, y)
	}
	return sums
}

func (s sparse) backward() {
	s.function(s.name("backward"), "func(rows, alpha, beta, q, ring, a, b, z, tables *float32, columns *int32, from, to, groups int) (peak float32)",
		"does what backwardFree does. groups is how many fours of columns are listed.")
	s.goBack(func(b backward) { b.earlier(s.left()) })
}

// left is sum_j M[i][j] q[j].
func (s sparse) left() []vector {
	q, tables := s.param("q"), s.param("tables")
	rest, own := s.zero(), s.zero()
	for v := range 2 * s.half {
		y := s.load(at(q, 32*v))
		s.VFMADD231PS(s.table(tables, restAt, v), y, rest)
		s.VFMADD231PS(s.table(tables, ownAt, v), y, own)
	}
	s.foldAll(rest, s.add)
	s.foldAll(own, s.add)
	sums := s.listed(2*s.half, q, tables, s.param("columns"), s.param("groups"))
	for v, y := range sums {
		s.VFMADD231PS(s.table(tables, maskAt, v), rest, y)
	}
	for v := range s.half {
		inside := s.load(at(q, 32*(s.half+v)))
		for h := range 2 {
			s.VFMADD231PS(s.table(tables, lanesAt, h*s.half+v), inside, sums[h*s.half+v])
		}
	}
	s.VBLENDPS(imm(1), own, sums[0], sums[0])
	return sums
}

func (s sparse) expect() {
	s.function(s.name("expect"), "func(alpha, ring *float32, rows *int32, n int, sums *float64, groups int)",
		"adds alpha[t][i] ring[t][j] of n rows to sums: of the listed rows i those of the first half, then those into O, then the continuations.")
	restore := s.flushing()
	e := expect{split: s.split, rows: 4, ring: s.param("ring"), n: s.param("n")}
	alpha, list, into := s.param("alpha"), s.param("rows"), s.param("sums")
	s.times(s.param("groups"), func() {
		s.block(e, alpha, list, into)
		s.advance(4*e.rows, list)
		s.advance(e.rows*64*s.half, into)
	})
	s.intoO(e, alpha, into)
	e.continued(alpha, into, 2*s.rowBytes())
	restore()
	s.finish()
}

// block computes some listed rows.
func (s sparse) block(e expect, first, list, into integer) {
	sums := s.zeros(e.rows * s.half)
	alpha, ring, n := s.GP64(), s.GP64(), s.GP64()
	s.MOVQ(first, alpha)
	s.MOVQ(e.ring, ring)
	s.MOVQ(e.n, n)
	places := make([]integer, e.rows)
	for i := range places {
		places[i] = s.GP64()
		s.MOVLQSX(at(list, 4*i), places[i])
	}
	s.times(n, func() {
		r := make([]vector, s.half)
		for v := range r {
			r[v] = s.load(at(ring, 32*v))
		}
		for i, place := range places {
			a := s.broadcast(memory{Base: alpha, Index: place, Scale: 1})
			for v := range r {
				s.VFMADD231PS(r[v], a, sums[i*len(r)+v])
			}
		}
		s.advance(s.rowBytes(), alpha, ring)
	})
	for i, sum := range sums {
		s.addDoubles(sum, at(into, 64*i))
	}
}

// intoO computes the transitions into O.
func (s sparse) intoO(e expect, first, into integer) {
	sums := s.zeros(2 * s.half)
	alpha, ring, n := s.GP64(), s.GP64(), s.GP64()
	s.MOVQ(first, alpha)
	s.MOVQ(e.ring, ring)
	s.MOVQ(e.n, n)
	s.times(n, func() {
		r := s.broadcast(at(ring, 0))
		for v, sum := range sums {
			s.VFMADD231PS(at(alpha, 32*v), r, sum)
		}
		s.advance(s.rowBytes(), alpha, ring)
	})
	for i, sum := range sums {
		s.addDoubles(sum, at(into, 64*i))
	}
}
