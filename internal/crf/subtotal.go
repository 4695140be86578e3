// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"slices"

	"hide/internal/parallel"
)

// subtotals are sums over the tokens of a wide bundle in one block of documents. A pass
// computes them right after the block, while its rows are in the cache. Without them,
// every bundle would read its rows from memory.
type subtotals struct {
	of    table   // subtotal -> tokens, by block
	first []int32 // by block: its first subtotal, and at the end their number
}

// worthASubtotal is the minimum number of a bundle's tokens in a block.
const worthASubtotal = 24

// stretch is a part of a wide bundle's row of tokens that gets a subtotal.
type stretch struct {
	block, number int // of the subtotal
	from, to      int // in the row
}

// subtotal replaces tokens in wideOf by their subtotals. Subtotals are numbered after
// the tokens.
func (d *dataset) subtotal(ctx context.Context, workers int) error {
	blockOf := make([]uint16, len(d.gold)) // there are few more blocks than documentBlocks
	for block := range len(d.blocks) - 1 {
		for t := d.docs[d.blocks[block]]; t < d.docs[d.blocks[block+1]]; t++ {
			blockOf[t] = uint16(block)
		}
	}
	n := d.wideOf.len()
	found := make([][]stretch, n) // of each bundle
	err := parallel.Do(ctx, workers, pieces(bundlePiece, n), func(_, i int) {
		from, to := piece(i, bundlePiece, n)
		for b := from; b < to; b++ {
			found[b] = d.stretches(d.wideOf.row(b), blockOf)
		}
	})
	if err != nil {
		return err
	}
	whole := d.makeRoom(found)
	return parallel.Do(ctx, workers, pieces(bundlePiece, n), func(_, i int) {
		from, to := piece(i, bundlePiece, n)
		for b := from; b < to; b++ {
			d.replace(b, whole.row(b), found[b])
		}
	})
}

// makeRoom numbers the subtotals of all bundles, by block, and allocates the tables
// that replace fills. It returns the previous wideOf.
func (d *dataset) makeRoom(found [][]stretch) table {
	first := make([]int32, len(d.blocks))
	whole, start := d.wideOf, make([]int32, len(found)+1)
	for b, stretches := range found {
		n := len(whole.row(b)) + len(stretches)
		for _, s := range stretches {
			first[s.block+1]++
			n -= s.to - s.from
		}
		start[b+1] = start[b] + int32(n)
	}
	for block := range len(first) - 1 {
		first[block+1] += first[block]
	}
	sums, next := make([]int32, first[len(first)-1]+1), slices.Clone(first)
	for _, stretches := range found {
		for i := range stretches {
			s := &stretches[i]
			s.number = int(next[s.block])
			next[s.block]++
			sums[s.number+1] = int32(s.to - s.from)
		}
	}
	for i := range len(sums) - 1 {
		sums[i+1] += sums[i]
	}
	d.subtotals = subtotals{table{sums, make([]int32, sums[len(sums)-1])}, first}
	d.wideOf = table{start, make([]int32, start[len(found)])}
	return whole
}

// replace fills a bundle's row of wideOf and its subtotals.
func (d *dataset) replace(b int, whole []int32, stretches []stretch) {
	to, at := d.wideOf.items[d.wideOf.start[b]:d.wideOf.start[b]:d.wideOf.start[b+1]], 0
	for _, s := range stretches {
		to = append(to, whole[at:s.from]...)
		to = append(to, int32(len(d.gold)+s.number))
		copy(d.subtotals.of.row(s.number), whole[s.from:s.to])
		at = s.to
	}
	_ = append(to, whole[at:]...)
}

// stretches returns those of a bundle.
func (d *dataset) stretches(row []int32, blockOf []uint16) []stretch {
	var found []stretch
	for at := 0; len(row)-at >= worthASubtotal; {
		block := int(blockOf[row[at]])
		end := d.docs[d.blocks[block+1]]
		if row[at+worthASubtotal-1] < end {
			n, _ := slices.BinarySearch(row[at:], end)
			found = append(found, stretch{block, 0, at, at + n})
			at += n
			continue
		}
		for row[at] < end {
			at++
		}
	}
	return found
}
