// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/drift"
)

const (
	driftSample    = 600     // documents looked at of those to be published
	driftThreshold = 1. / 11 // P(sensitive) from which a token counts as redacted: that of L/C 10
)

// driftScorer scores documents for [drift.Compare]. Of two models, each of which
// learnt from the patients that the other did not, a document is read by one that
// did not see it; documents that neither has seen are read by each in turn, so that
// scores are alike on both sides.
type driftScorer struct {
	models [2]*crf.Model
	half   map[string]int // group -> the model that has not seen it
	unseen int
}

// compareDocuments tells whether the documents that estimates are not made from,
// finished or not, are like those that they are made from. It is nil when every
// document is among the latter, or when there are too few of them to learn from.
// Where the alarm rings, local are documents to annotate first.
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
	if len(others) < drift.LeastUnits {
		return nil, nil, nil
	}
	scorer, err := newDriftScorer(ctx, c, sensitive)
	if err != nil || scorer == nil {
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
	s.sanitizeEvent(ws, c, greedy.Event{Doing: "comparing the other notes with those measured", Share: 0.97}, nil)
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

// newDriftScorer is nil when a half of the patients has nothing sensitive.
func newDriftScorer(ctx context.Context, c corpus, sensitive func(annotate.Label) bool) (*driftScorer, error) {
	r := &driftScorer{half: map[string]int{}}
	var halves [2][]crf.Doc
	var marked [2]int
	for _, d := range c.docs {
		h, seen := r.half[d.Group()]
		if !seen {
			h = len(r.half) % 2
			r.half[d.Group()] = h
		}
		spans := slices.Clone(d.Spans)
		if sensitive != nil {
			spans = slices.DeleteFunc(spans, func(s annotate.Span) bool { return !sensitive(s.Label) })
		}
		halves[1-h] = append(halves[1-h], crf.NewDoc(annotate.Annotated{Document: d.Document, Spans: spans}))
		marked[1-h] += len(spans)
	}
	for h, docs := range halves {
		if marked[h] == 0 {
			return nil, nil
		}
		var err error
		if r.models[h], _, err = crf.Train(ctx, docs, crf.Options{Binary: true}); err != nil {
			return nil, fmt.Errorf("compare documents: %w", err)
		}
	}
	return r, nil
}

func (s *Service) profiles(ctx context.Context, ws *workspace, r *driftScorer, docs []annotate.DocumentID) ([]drift.Profile, error) {
	var out []drift.Profile
	for d, err := range s.documents(ctx, ws, docs) {
		if err != nil {
			return nil, err
		}
		out = append(out, r.profile(d.Document))
	}
	return out, nil
}

func (r *driftScorer) profile(d annotate.Document) drift.Profile {
	h, seen := r.half[d.Group()]
	if !seen {
		h = r.unseen % 2
		r.unseen++
	}
	scores := r.models[h].Sensitive(crf.NewDoc(annotate.Annotated{Document: d}))
	redacted := make([]bool, len(scores))
	for i, p := range scores {
		redacted[i] = p >= driftThreshold
	}
	return drift.Describe(d, scores, redacted)
}
