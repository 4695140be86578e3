// SPDX-License-Identifier: Apache-2.0

package crf

import "testing"

func TestWeightsAreLaidOutByUsage(t *testing.T) {
	docs, _ := notes(1, 60)
	for _, o := range []Options{
		{Features: HIDE, Pairs: Observed},
		{Features: HIDE, Pairs: All, MinCount: 1, MinDocuments: 1},
		{Pairs: Observed, MinCount: 1, MinDocuments: 1},
		{},
	} {
		d := datasetOf(t, docs, o.withDefaults())
		terms := func(k int) int { return int(d.termsOf.start[k+1] - d.termsOf.start[k]) }
		for k := d.states.transitions(); k < d.rowsAt(); k++ {
			direct := len(d.directOf.row(k))
			switch {
			case k < d.spreadAt() && terms(k) == 0,
				k >= d.spreadAt() && k < d.aloneAt() && (terms(k) > 0 || direct > 0),
				k >= d.aloneAt() && (terms(k) > 0 || d.pairs[k] != 0 || direct == 0),
				k >= d.onceAt() && direct != 1:
				t.Fatalf("weight %d of state %d has %d terms and %d tokens; alone from %d, once from %d", k, d.pairs[k], terms(k), direct, d.aloneAt(), d.onceAt())
			}
		}
		if o.Pairs == Observed && !(d.aloneAt() < d.onceAt() && d.onceAt() < d.rowsAt()) {
			t.Errorf("no weights are alone, or none are of one token: %d, %d, %d", d.aloneAt(), d.onceAt(), d.rowsAt())
		}
	}
}
