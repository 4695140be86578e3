// SPDX-License-Identifier: Apache-2.0

package crf

// manyTokens is how many tokens short documents are swept together up to: to begin
// and to end each by itself takes as long as twenty tokens, and the rows of more would
// not stay in the nearest cache.
const manyTokens = 512

// together is the end of the documents after from that are swept together, of one at
// least.
func (d *dataset) together(from, to int) int {
	end := from + 1
	for end < to && d.docs[end+1]-d.docs[from] <= manyTokens {
		end++
	}
	return end
}

// windows are the tokens of the tables that are scored together.
func (d *dataset) windows() []int32 {
	windows := []int32{0}
	for block := range len(d.blocks) - 1 {
		for from, to := d.blocks[block], d.blocks[block+1]; from < to; {
			end := d.together(from, to)
			windows = cut(windows, d.docs[end], tokenPiece)
			from = end
		}
	}
	return windows
}

// windows are the subtotals that are made together.
func (s *subtotals) windows() []int32 {
	windows := []int32{0}
	for _, end := range s.first[1:] {
		windows = cut(windows, end, bundlePiece)
	}
	return windows
}

// cut appends the ends of pieces of what is from the last end up to another.
func cut(ends []int32, end int32, piece int) []int32 {
	for from := ends[len(ends)-1]; from < end; {
		from = min(from+int32(piece), end)
		ends = append(ends, from)
	}
	return ends
}
