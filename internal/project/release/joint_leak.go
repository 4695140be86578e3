// SPDX-License-Identifier: Apache-2.0

package release

import (
	"math"
	"slices"

	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/sanitize"
)

// textLeak is how likely a note still holds a sensitive term when a bundle has redacted
// it, by the run that the bundle was chosen in; the newest bundle when none is named. It
// is nil when that run is gone or has no such figure. Before any bundle was chosen it is
// what the newest run with a figure says.
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

// leakAt is what the run says of a bundle that was chosen in it.
func leakAt(r sanitize.Run, b sanitize.Bundle) *TextLeak {
	for _, c := range r.Choices {
		if leak := leakOf(c.Outcome); c.LC == b.LC && c.Done && leak != nil {
			leak.Bundle, leak.Run, leak.LC = b.Number, r.Number, c.LC
			return leak
		}
	}
	return nil
}

// newestLeak is what the newest run that estimates it says of notes, with the L/C that
// leaks most, nil without such a run. Runs are large, and older ones than it are not
// read.
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

// leakOf is the share of documents with a leak, of documents that the classifiers never
// saw where an outcome has such.
func leakOf(o greedy.Outcome) *TextLeak {
	o = o.Unseen()
	e := o.DocumentsWithLeak
	if o.Documents == 0 || math.IsNaN(e.Value) {
		return nil
	}
	share := func(n float64) float64 { return min(max(n/float64(o.Documents), 0), 1) }
	return &TextLeak{Leak: share(e.Value), Low: share(e.Low), High: share(e.High), Documents: o.Documents}
}
