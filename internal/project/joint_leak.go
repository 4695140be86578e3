// SPDX-License-Identifier: Apache-2.0

package project

import (
	"math"
	"slices"

	"hide/internal/greedy"
	"hide/internal/store"
)

// textLeak is what the newest run that estimates it says of notes: with the L/C that
// was chosen in it, else with the one that leaks most. It is nil without such a run.
// Runs are large, and older ones than it are not read.
func (s *Service) textLeak(ws *workspace) (leak *TextLeak, err error) {
	err = s.store.View(string(ws.id), func(tx *store.Tx) error {
		var keys [][]byte
		err := tx.Keys(bucketRuns, nil, func(key []byte) error {
			keys = append(keys, slices.Clone(key))
			return nil
		})
		for len(keys) > 0 && leak == nil && err == nil {
			var r Run
			r, err = get[Run](tx, bucketRuns, keys[len(keys)-1])
			keys, leak = keys[:len(keys)-1], r.textLeak()
		}
		return err
	})
	return leak, err
}

func (r Run) textLeak() *TextLeak {
	var most *TextLeak
	for _, c := range r.Choices {
		leak := leakOf(c.Outcome)
		if !c.Done || leak == nil {
			continue
		}
		leak.Run, leak.LC = r.Number, c.LC
		if c.LC == r.Chosen {
			return leak
		}
		if most == nil || leak.Leak > most.Leak {
			most = leak
		}
	}
	return most
}

// leakOf is the share of documents with a leak, of those that the classifiers never
// saw where an outcome has such.
func leakOf(o greedy.Outcome) *TextLeak {
	if o.HeldOut != nil {
		o = *o.HeldOut
	}
	e := o.DocumentsWithLeak
	if o.Documents == 0 || math.IsNaN(e.Value) {
		return nil
	}
	share := func(n float64) float64 { return min(max(n/float64(o.Documents), 0), 1) }
	return &TextLeak{Leak: share(e.Value), Low: share(e.Low), High: share(e.High), Documents: o.Documents}
}
