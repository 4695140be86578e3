// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"math/rand/v2"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/drift"
)

const driftSample = 600 // documents looked at of those to be published

// compareDocuments tells whether the documents that estimates are not made from,
// finished or not, are like those that they are made from. It is nil when every
// document is among the latter, and knows nothing when there are too few of either to
// tell. Where the alarm rings, local are documents to annotate first.
func (s *Service) compareDocuments(ctx context.Context, ws *workspace, c corpus, sensitive func(annotate.Label) bool, seed uint64) (report *drift.Report, local []annotate.DocumentID, err error) {
	measured := c.measured()
	var reference []annotate.DocumentID
	measures := map[annotate.DocumentID]bool{}
	for i, d := range c.docs {
		if c.random[i] || measured == len(c.docs) {
			reference, measures[d.id] = append(reference, d.id), true
		}
	}
	others := ws.allBut(measures)
	switch {
	case len(others) == 0:
		return nil, nil, nil
	case len(others) < drift.LeastUnits:
		return &drift.Report{}, nil, nil
	}
	scorer, err := drift.NewScorer(ctx, onlySensitive(c, sensitive))
	if errors.Is(err, drift.ErrNothingSensitive) {
		return &drift.Report{}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	looked := someOf(others, driftSample, seed)
	target, err := s.profiles(ctx, ws, scorer, looked)
	if err != nil {
		return nil, nil, err
	}
	known, err := s.profiles(ctx, ws, scorer, someOf(reference, driftSample, seed))
	if err != nil {
		return nil, nil, err
	}
	if report, err = drift.Compare(ctx, known, target, seed); err != nil {
		return nil, nil, err
	}
	return report, ws.localNotes(report, looked, target), nil
}

// keepDrift enters into the run under way whether its figures carry over.
func (s *Service) keepDrift(ctx context.Context, ws *workspace, c corpus, p SanitizeParams) error {
	s.sanitizeEvent(ws, c, greedy.Event{Doing: "comparing the other notes with those measured", Share: shareSanitizing}, nil)
	report, local, err := s.compareDocuments(ctx, ws, c, sensitive(p.Labels), p.Seed)
	if err != nil {
		return err
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.running.Drift, ws.running.Local = report, local
	return nil
}

func someOf(docs []annotate.DocumentID, n int, seed uint64) []annotate.DocumentID {
	rand.New(rand.NewPCG(seed, uint64(len(docs)))).Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	return docs[:min(n, len(docs))]
}

// onlySensitive is the corpus with the spans that are sensitive, all with nil.
func onlySensitive(c corpus, sensitive func(annotate.Label) bool) []annotate.Note {
	out := make([]annotate.Note, len(c.docs))
	for i, d := range c.docs {
		out[i] = annotate.NewNote(d.Annotated).Only(sensitive)
	}
	return out
}

func (s *Service) profiles(ctx context.Context, ws *workspace, r *drift.Scorer, docs []annotate.DocumentID) ([]drift.Profile, error) {
	var out []drift.Profile
	for d, err := range s.documents(ctx, ws, docs) {
		if err != nil {
			return nil, err
		}
		out = append(out, r.Profile(new(annotate.NewNote(d.Annotated))))
	}
	return out, nil
}
