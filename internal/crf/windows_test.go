// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestWindowsAreWhatIsScoredTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 50 {
		d := dataset{docs: []int32{0}}
		for range 1 + random.IntN(60) {
			n := []int{0, 1, 20, 300, manyTokens, manyTokens + 1, tokenPiece, 2*tokenPiece + 7}[random.IntN(8)]
			d.docs = append(d.docs, d.docs[len(d.docs)-1]+int32(n))
		}
		d.blocks = blocksOf(d.docs, 7)
		windows := d.windows()
		want := []int32{0}
		for block := range len(d.blocks) - 1 {
			for from, to := d.blocks[block], d.blocks[block+1]; from < to; {
				end := d.together(from, to)
				if n := d.docs[end] - d.docs[from]; end > from+1 && n > manyTokens {
					t.Fatalf("%d documents with %d tokens are swept together", end-from, n)
				}
				for at := d.docs[from]; at < d.docs[end]; at += tokenPiece {
					want = append(want, min(at+tokenPiece, d.docs[end]))
				}
				from = end
			}
		}
		if !slices.Equal(windows, want) {
			t.Fatalf("windows %d, scored are %d", windows, want)
		}
	}
}

func TestPiecesEndWhereTheyShould(t *testing.T) {
	ends := []int32{0}
	for _, end := range []int32{3, 3, 12, 13} {
		ends = cut(ends, end, 4)
	}
	if want := []int32{0, 3, 7, 11, 12, 13}; !slices.Equal(ends, want) {
		t.Errorf("pieces of four end at %d, want %d", ends, want)
	}
}
