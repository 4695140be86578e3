// SPDX-License-Identifier: Apache-2.0

package crf

import "slices"

// subtotals are sums over the tokens of a wide bundle in one block of documents. A
// pass makes them when it has done the block, whose rows are then in a near cache;
// what lies in all blocks would have to come from memory for every bundle.
type subtotals struct {
	of    table   // subtotal -> tokens, by block
	first []int32 // of each block, and their number
}

// worthASubtotal is how many of a bundle's tokens a block must have.
const worthASubtotal = 24

// subtotal takes the tokens that get a subtotal out of wideOf and puts the subtotal
// there instead, numbered from the number of tokens on.
func (d *dataset) subtotal() {
	n := int32(len(d.gold))
	rest := make([][]int32, d.wideOf.len()) // of each bundle, what is not looked at yet
	kept := make([][]int32, len(rest))      // and what remains
	var often []int
	for b := range rest {
		if row := d.wideOf.row(b); len(row) >= worthASubtotal {
			often, rest[b] = append(often, b), row
		}
	}
	d.subtotals = subtotals{of: newTable(0, 0), first: []int32{0}}
	for _, doc := range d.blocks[1:] {
		for _, b := range often {
			end, _ := slices.BinarySearch(rest[b], d.docs[doc])
			tokens := rest[b][:end]
			rest[b] = rest[b][end:]
			if end < worthASubtotal {
				kept[b] = append(kept[b], tokens...)
				continue
			}
			kept[b] = append(kept[b], n+int32(d.subtotals.of.len()))
			d.subtotals.of.items = append(d.subtotals.of.items, tokens...)
			d.subtotals.of.end()
		}
		d.subtotals.first = append(d.subtotals.first, int32(d.subtotals.of.len()))
	}
	d.subtotals.of = table{slices.Clone(d.subtotals.of.start), slices.Clone(d.subtotals.of.items)} // without what they had room for
	d.replaceWide(kept)
}

// replaceWide puts new rows into wideOf where there are any.
func (d *dataset) replaceWide(rows [][]int32) {
	t := newTable(len(rows), len(d.wideOf.items)-len(d.subtotals.of.items)+d.subtotals.of.len())
	for b, row := range rows {
		if row == nil {
			row = d.wideOf.row(b)
		}
		t.items = append(t.items, row...)
		t.end()
	}
	d.wideOf = t
}
