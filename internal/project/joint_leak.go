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
func (s *Service) textLeak(ws *workspace) (*TextLeak, error) {
	var runs []Run
	err := s.store.View(string(ws.id), func(tx *store.Tx) (err error) {
		runs, err = list[Run](tx, bucketRuns)
		return err
	})
	for _, r := range slices.Backward(runs) {
		if leak := r.textLeak(); leak != nil && err == nil {
			return leak, nil
		}
	}
	return nil, err
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
