// SPDX-License-Identifier: Apache-2.0

package link

import "math/bits"

// An index says which rules give a pair. Each record has a row with one number for each rule:
// 0 if no block of the rule has the record, the number of its block plus 1, or severalBit and
// the number of a list of them.
type index struct {
	engine *engine
	rules  []*blocks
	width  int
	rows   []uint32
	lists  [][]uint32
}

func newIndex(e *engine, rules []*blocks) *index {
	x := &index{engine: e, rules: rules, width: len(rules), rows: make([]uint32, e.n*len(rules))}
	for r, b := range rules {
		for number := range b.len() {
			for _, p := range b.block(number) {
				x.put(&x.rows[int(p)*x.width+r], uint32(number+1))
			}
		}
	}
	return x
}

func (x *index) put(cell *uint32, number uint32) {
	switch {
	case *cell == 0:
		*cell = number
	case *cell&severalBit == 0:
		x.lists = append(x.lists, []uint32{*cell, number})
		*cell = severalBit | uint32(len(x.lists)-1)
	default:
		list := &x.lists[*cell&^severalBit]
		*list = append(*list, number)
	}
}

// givenBy is the set of rules that give a pair, one bit each.
func (x *index) givenBy(i, j uint32) uint32 {
	a, b := x.rows[int(i)*x.width:][:x.width], x.rows[int(j)*x.width:][:x.width]
	set := uint32(0)
	for r := range a {
		if a[r] == b[r] {
			if a[r] != 0 {
				set |= 1 << r
			}
		} else if (a[r]|b[r])&severalBit != 0 && x.common(a[r], b[r]) != 0 {
			set |= 1 << r
		}
	}
	return set
}

// common is the first number that two cells have in common, 0 if there is none. The lists are
// ascending.
func (x *index) common(a, b uint32) uint32 {
	var first, second [1]uint32
	for _, m := range listOf(a, x.lists, &first) {
		for _, n := range listOf(b, x.lists, &second) {
			if m == n {
				return m
			}
		}
	}
	return 0
}

// pairsOf calls yield with each pair of a block of a rule that no earlier block of the rule
// gives. rules is the set of rules that give the pair.
func (x *index) pairsOf(rule, block int, yield func(i, j uint32, rules uint32)) {
	members := x.rules[rule].block(block)
	for k, i := range members {
		for _, j := range members[k+1:] {
			if !x.engine.comparable(i, j) {
				continue
			}
			a, b := x.rows[int(i)*x.width+rule], x.rows[int(j)*x.width+rule]
			if (a|b)&severalBit != 0 && x.common(a, b) != uint32(block+1) {
				continue
			}
			yield(i, j, x.givenBy(i, j))
		}
	}
}

// isFirst reports whether a rule is the first of a set: it takes the pair.
func isFirst(rule int, set uint32) bool { return bits.TrailingZeros32(set) == rule }
