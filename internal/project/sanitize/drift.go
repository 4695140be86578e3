// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"errors"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/drift"
	"hide/internal/project"
)

const driftSample = 600 // number of documents to be published that are compared

// compareDocuments tests whether the documents outside the estimates, finished or not,
// are like those that the estimates are based on. The result is nil if the estimates use
// every document, and inconclusive if there are too few documents on either side. After a
// drift warning, local lists documents to annotate first.
func (s *Service) compareDocuments(ctx context.Context, ws *workspace, c project.Corpus, sensitive func(annotate.Label) bool, seed uint64) (report *drift.Report, local []annotate.DocumentID, err error) {
	measured := c.Measured()
	var reference []annotate.DocumentID
	measures := map[annotate.DocumentID]bool{}
	for i, d := range c.Docs {
		if c.Random[i] || measured == len(c.Docs) {
			reference, measures[d.ID] = append(reference, d.ID), true
		}
	}
	others := ws.AllBut(measures)
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
	looked := project.SomeOf(others, driftSample, seed)
	target, err := s.profiles(ctx, ws, scorer, looked)
	if err != nil {
		return nil, nil, err
	}
	known, err := s.profiles(ctx, ws, scorer, project.SomeOf(reference, driftSample, seed))
	if err != nil {
		return nil, nil, err
	}
	if report, err = drift.Compare(ctx, known, target, seed); err != nil {
		return nil, nil, err
	}
	return report, ws.localNotes(report, looked, target), nil
}

// keepDrift records in the running run whether its figures carry over.
func (s *Service) keepDrift(ctx context.Context, ws *workspace, c project.Corpus, p Params) error {
	s.sanitizeEvent(ws, c, greedy.Event{Doing: "comparing the other notes with the measured notes", Share: shareSanitizing}, nil)
	report, local, err := s.compareDocuments(ctx, ws, c, sensitive(p.Labels), p.Seed)
	if err != nil {
		return err
	}
	ws.run.Change(func(r *Run) { r.Drift, r.Local = report, local })
	return nil
}

// onlySensitive is the corpus with only its sensitive spans; nil means all.
func onlySensitive(c project.Corpus, sensitive func(annotate.Label) bool) []annotate.Note {
	out := make([]annotate.Note, len(c.Docs))
	for i, d := range c.Docs {
		out[i] = annotate.NewNote(d.Annotated).Only(sensitive)
	}
	return out
}

func (s *Service) profiles(ctx context.Context, ws *workspace, r *drift.Scorer, docs []annotate.DocumentID) ([]drift.Profile, error) {
	var out []drift.Profile
	for d, err := range ws.Documents(ctx, docs) {
		if err != nil {
			return nil, err
		}
		out = append(out, r.Profile(new(annotate.NewNote(d.Annotated))))
	}
	return out, nil
}
