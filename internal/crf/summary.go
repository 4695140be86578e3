// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"

	"hide/internal/crf/kernel"
)

// summary are the summed weights of bundles. With many states most bundles have
// weights for a few of them: those are kept as a list of numbers and their places,
// which is less to read than a row.
type summary struct {
	layout kernel.Layout
	rows   []float32 // [whole bundles][stride]
	parts  []part32  // of bundles in brief; the place of the first one of each has their number in its upper half

	whole, brief table // of the tokens at hand: token -> rows, and token -> first parts
}

// part32 is a number of a row.
type part32 struct {
	place  uint32
	weight float32
}

// upperHalf is how far up the number of parts stands in the place of the first.
const upperHalf = 16

func newSummary(l kernel.Layout) summary { return summary{layout: l} }

// size is how many numbers it takes.
func (s *summary) size() int { return len(s.rows) + 2*len(s.parts) }

// add numbers a row: twice where it is, and one more when it is in brief. One of zeros
// is nowhere, -1.
func (s *summary) add(row []float32) int32 {
	from, few := len(s.parts), s.layout.Stride/8
	if s.layout.Stride < 16 {
		few = -1
	}
	for place, v := range row {
		if v == 0 {
			continue
		}
		if len(s.parts)-from >= few {
			s.parts = s.parts[:from]
			return s.addWhole(row)
		}
		s.parts = append(s.parts, part32{uint32(place), v})
	}
	if len(s.parts) == from {
		return -1
	}
	s.parts[from].place |= uint32(len(s.parts)-from) << upperHalf
	return int32(2*from + 1)
}

func (s *summary) addWhole(row []float32) int32 {
	if len(s.rows)+len(row) > cap(s.rows) { // append would grow by a quarter, and copy as often
		s.rows = slices.Grow(s.rows, max(len(s.rows), 64*len(row)))
	}
	s.rows = append(s.rows, row...)
	return int32(2 * (len(s.rows)/len(row) - 1))
}

// begin forgets the tokens of the document before.
func (s *summary) begin() {
	for _, t := range []*table{&s.whole, &s.brief} {
		t.start, t.items = append(t.start[:0], 0), t.items[:0]
	}
}

// token appends a token, by the bundles that it has.
func (s *summary) token(bundles []int32) {
	for _, b := range bundles {
		if b%2 == 0 {
			s.whole.items = append(s.whole.items, b/2)
		} else {
			s.brief.items = append(s.brief.items, b/2)
		}
	}
	s.whole.end()
	s.brief.end()
}

// gather sets the row of each token to bias and the sum of its bundles.
func (s *summary) gather(rows []float32, bias []float32) {
	stride := s.layout.Stride
	kernel.Gather(rows, s.rows, s.whole.lists(), stride, bias)
	for t := range s.brief.len() {
		row := rows[t*stride : (t+1)*stride]
		for _, at := range s.brief.row(t) {
			first := s.parts[at]
			row[first.place%(1<<upperHalf)] += first.weight
			for _, p := range s.parts[at+1:][:first.place>>upperHalf-1] {
				row[p.place] += p.weight
			}
		}
	}
}
