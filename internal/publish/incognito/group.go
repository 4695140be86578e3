// SPDX-License-Identifier: Apache-2.0

package incognito

import (
	"math"
	"slices"

	"hide/internal/publish/table"
)

// group holds the different rows by some quasi-identifiers and all sensitive
// attributes, each once.
type group struct {
	codes  []int32 // [point][attribute], flat: quasi-identifiers, then sensitive ones
	weight []int32 // [point] rows
	quasi  int
	width  int
	sizes  []int // [sensitive attribute] different values
}

func newGroup(columns []*table.Column, quasi, rows int) *group {
	g := &group{quasi: quasi, width: len(columns)}
	for _, c := range columns[quasi:] {
		g.sizes = append(g.sizes, len(c.Domain))
	}
	all := &group{quasi: quasi, width: len(columns), sizes: g.sizes, weight: make([]int32, rows), codes: make([]int32, 0, rows*len(columns))}
	for row := range rows {
		for _, c := range columns {
			all.codes = append(all.codes, c.Codes[row])
		}
		all.weight[row] = 1
	}
	return all.merge()
}

func (g *group) at(point int) []int32 { return g.codes[point*g.width : point*g.width+g.width] }

// of drops all quasi-identifiers but some.
func (g *group) of(members []int) *group {
	if len(members) == g.quasi {
		return g
	}
	some := &group{quasi: len(members), width: len(members) + g.width - g.quasi, sizes: g.sizes, weight: slices.Clone(g.weight)}
	for p := range g.weight {
		codes := g.at(p)
		for _, i := range members {
			some.codes = append(some.codes, codes[i])
		}
		some.codes = append(some.codes, codes[g.quasi:]...)
	}
	return some.merge()
}

// merge joins equal points.
func (g *group) merge() *group {
	order := make([]int32, len(g.weight))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return slices.Compare(g.at(int(a)), g.at(int(b))) })
	merged := &group{quasi: g.quasi, width: g.width, sizes: g.sizes}
	for i, p := range order {
		if i == 0 || !slices.Equal(g.at(int(p)), g.at(int(order[i-1]))) {
			merged.codes, merged.weight = append(merged.codes, g.at(int(p))...), append(merged.weight, 0)
		}
		merged.weight[len(merged.weight)-1] += g.weight[p]
	}
	return merged
}

// scratch are reused buffers of counting, and its last result.
type scratch struct {
	class  []int32  // [point]
	size   []int32  // [class] rows
	failed []bool   // [class]
	keys   []uint64 // [point]
	number map[uint64]uint64
	dense  []int32
	start  []int32
	order  []int32
	counts []int32
}

// failing counts the rows in classes that fail when the points of a group are generalized
// to a node over the group's quasi-identifiers.
func (l *lattice) failing(g *group, members []int, n node) int {
	l.evaluated++
	s := &l.scratch
	l.classify(g, members, n)
	s.failed = slices.Grow(s.failed[:0], len(s.size))[:len(s.size)]
	rows := 0
	for class, size := range s.size {
		s.failed[class] = int(size) < l.K
		if s.failed[class] {
			rows += int(size)
		}
	}
	if len(l.models) > 0 {
		rows += l.undiverse(g)
	}
	return rows
}

// classify numbers the classes of points and counts their rows.
func (l *lattice) classify(g *group, members []int, n node) {
	s := &l.scratch
	s.keys = slices.Grow(s.keys[:0], len(g.weight))[:len(g.weight)]
	clear(s.keys)
	radix := uint64(1) // keys are less
	for i, attribute := range members {
		nodes, size := l.trees[attribute].Nodes[n[i]], uint64(len(l.trees[attribute].Labels[n[i]]))
		if radix > math.MaxUint64/size {
			radix = s.renumber()
		}
		for p := range s.keys {
			s.keys[p] = s.keys[p]*size + uint64(nodes[g.at(p)[i]])
		}
		radix *= size
	}
	classes := radix
	if radix > maxDense {
		classes = s.renumber()
	}
	s.count(g, classes)
}

// maxDense is up to which keys are looked up in a slice.
const maxDense = 1 << 20

// renumber makes keys small, in the order of appearance, and counts them.
func (s *scratch) renumber() uint64 {
	if s.number == nil {
		s.number = map[uint64]uint64{}
	}
	clear(s.number)
	for p, key := range s.keys {
		number, known := s.number[key]
		if !known {
			number = uint64(len(s.number))
			s.number[key] = number
		}
		s.keys[p] = number
	}
	return uint64(len(s.number))
}

// count numbers keys below a bound as classes.
func (s *scratch) count(g *group, bound uint64) {
	s.dense = slices.Grow(s.dense[:0], int(bound))[:bound]
	clear(s.dense) // class, from 1
	s.class, s.size = s.class[:0], s.size[:0]
	for p, key := range s.keys {
		if s.dense[key] == 0 {
			s.size = append(s.size, 0)
			s.dense[key] = int32(len(s.size))
		}
		class := s.dense[key] - 1
		s.class = append(s.class, class)
		s.size[class] += g.weight[p]
	}
}

// undiverse counts the rows in classes that are large enough and fail a model.
func (l *lattice) undiverse(g *group) int {
	s := &l.scratch
	l.sortByClass()
	rows := 0
	for class := range s.size {
		points := s.order[s.start[class]:s.start[class+1]]
		if !s.failed[class] && l.fails(g, points) {
			s.failed[class] = true
			rows += int(s.size[class])
		}
	}
	return rows
}

// sortByClass brings the points of each class together, by counting.
func (l *lattice) sortByClass() {
	s := &l.scratch
	s.start = slices.Grow(s.start[:0], len(s.size)+1)[:len(s.size)+1]
	clear(s.start)
	for _, class := range s.class {
		s.start[class+1]++
	}
	for i := 1; i < len(s.start); i++ {
		s.start[i] += s.start[i-1]
	}
	next := slices.Clone(s.start)
	s.order = slices.Grow(s.order[:0], len(s.class))[:len(s.class)]
	for p, class := range s.class {
		s.order[next[class]] = int32(p)
		next[class]++
	}
}

func (l *lattice) fails(g *group, points []int32) bool {
	for i, models := range l.models {
		counts := slices.Grow(l.scratch.counts[:0], g.sizes[i])[:g.sizes[i]]
		clear(counts)
		for _, p := range points {
			counts[g.at(int(p))[g.quasi+i]] += g.weight[p]
		}
		l.scratch.counts = counts
		for _, m := range models {
			if !m.Holds(counts) {
				return true
			}
		}
	}
	return false
}
