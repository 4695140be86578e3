// SPDX-License-Identifier: Apache-2.0

package release

import (
	"math"
	"slices"

	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/sanitize"
)

// textLeak is the probability that a note still holds a sensitive term after a bundle has
// redacted it, estimated by the bundle's run; the newest bundle if none is named. It is
// nil if the run is deleted or has no such figure. Before any bundle exists it uses the
// newest run with a figure.
func (s *Service) textLeak(ws *workspace, bundle int) (*TextLeak, error) {
	all, err := s.sanitize.StoredBundles(ws.ID)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 && bundle == 0 {
		return s.newestLeak(ws)
	}
	at := len(all) - 1
	if bundle > 0 {
		at = slices.IndexFunc(all, func(b sanitize.Bundle) bool { return b.Number == bundle })
	}
	if at < 0 {
		return nil, project.NotFoundf("project %s has no bundle %d", ws.ID, bundle)
	}
	run, err := s.sanitize.StoredRun(ws.Workspace, all[at].Run)
	if project.KindOf(err) == project.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return leakAt(run, all[at]), nil
}

// leakAt is the run's estimate for a bundle.
func leakAt(r sanitize.Run, b sanitize.Bundle) *TextLeak {
	for _, c := range r.Choices {
		if leak := leakOf(c.Outcome); c.LC == b.LC && c.Done && leak != nil {
			leak.Bundle, leak.Run, leak.LC = b.Number, r.Number, c.LC
			return leak
		}
	}
	return nil
}

// newestLeak is the estimate of the newest run that has one, for the L/C that leaks most;
// nil without such a run. Runs are large, so older ones are not read.
func (s *Service) newestLeak(ws *workspace) (leak *TextLeak, err error) {
	err = s.sanitize.NewestRuns(ws.ID, func(r sanitize.Run) bool {
		leak = mostLeak(r)
		return leak != nil
	})
	return leak, err
}

func mostLeak(r sanitize.Run) *TextLeak {
	var most *TextLeak
	for _, c := range r.Choices {
		leak := leakOf(c.Outcome)
		if !c.Done || leak == nil {
			continue
		}
		leak.Run, leak.LC = r.Number, c.LC
		if most == nil || leak.Leak > most.Leak {
			most = leak
		}
	}
	return most
}

// leakOf is the share of documents with a leak, among documents that the classifiers
// never saw if the outcome has them.
func leakOf(o greedy.Outcome) *TextLeak {
	o = o.Unseen()
	e := o.DocumentsWithLeak
	if o.Documents == 0 || math.IsNaN(e.Value) {
		return nil
	}
	share := func(n float64) float64 { return min(max(n/float64(o.Documents), 0), 1) }
	return &TextLeak{Leak: share(e.Value), Low: share(e.Low), High: share(e.High), Documents: o.Documents}
}
