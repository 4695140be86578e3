// SPDX-License-Identifier: Apache-2.0

package links_test

import (
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project/links"
)

// TestPairsNameTheirNotes writes pairs and decisions by the numbers of records and notes.
func TestPairsNameTheirNotes(t *testing.T) {
	many, one := []annotate.DocumentID{3, 8, 12, 40, 41}, []annotate.DocumentID{9}
	pair := links.Pair{Pair: links.PairID{A: 2, B: 7}, Status: links.Uncertain, Probability: .25}
	pair.Left, pair.Right = links.Record{Number: 2, Key: "Ostrander", Notes: many}, links.Record{Number: 7, Key: "k7", Notes: one}
	decision := links.Decision{Number: 4, Pair: pair.Pair, Same: true, By: "Bea", Notes: [2][]annotate.DocumentID{many[:3], nil}, Gone: true}
	var w strings.Builder
	pair.Write(&w)
	decision.Write(&w)
	want := "record 2 (notes 3, 8, 12 and 2 more) and record 7 (note 9): uncertain, probability 0.250\n" +
		"decision 4: record 2 (notes 3, 8, 12) and record 7 (no note) are the same person, by Bea on 0001-01-01 00:00, not in the project now\n"
	if w.String() != want {
		t.Errorf("%s\nwant\n%s", w.String(), want)
	}
}
