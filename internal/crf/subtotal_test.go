// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"
	"testing"
)

func TestSubtotalsStandForTheirTokens(t *testing.T) {
	docs, _ := notes(1, 150)
	d := datasetOf(t, docs, Options{Features: HIDE, Pairs: Observed, MinCount: 1})
	n, block := int32(len(d.gold)), 0
	for i := range int32(d.subtotals.of.len()) {
		for i >= d.subtotals.first[block+1] {
			block++
		}
		tokens := d.subtotals.of.row(int(i))
		first, last := d.docs[d.blocks[block]], d.docs[d.blocks[block+1]]
		if len(tokens) < worthASubtotal || tokens[0] < first || tokens[len(tokens)-1] >= last {
			t.Fatalf("subtotal %d has tokens %v, its block has %d to %d", i, tokens, first, last)
		}
	}
	plain, err := d.wide.inverse(t.Context(), d.wideOf.len(), 3)
	if err != nil {
		t.Fatal(err)
	}
	replaced := 0
	for b := range d.wideOf.len() {
		var tokens []int32
		for _, item := range d.wideOf.row(b) {
			if item < n {
				tokens = append(tokens, item)
				continue
			}
			tokens = append(tokens, d.subtotals.of.row(int(item-n))...)
			replaced++
		}
		if !slices.Equal(tokens, plain.row(b)) {
			t.Fatalf("bundle %d has tokens %v, want %v", b, tokens, plain.row(b))
		}
	}
	if replaced != d.subtotals.of.len() || replaced == 0 || len(d.blocks) < 10 {
		t.Errorf("%d of %d subtotals in use, %d blocks", replaced, d.subtotals.of.len(), len(d.blocks)-1)
	}
}
