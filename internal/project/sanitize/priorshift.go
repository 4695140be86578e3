// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
)

// priorSample is how many documents the share of sensitive tokens is estimated from.
const priorSample = 600

// correctPrior corrects the classifiers of a run in default mode for prior shift (Saerens et
// al. 2002): it estimates the share of sensitive tokens on a sample of the unannotated
// documents and records by which factor odds were raised.
func (s *Service) correctPrior(ctx context.Context, ws *workspace, c project.Corpus, p Params, result *greedy.Result) error {
	if result.Mode != greedy.Default {
		return nil
	}
	learnt := map[annotate.DocumentID]bool{}
	for _, d := range c.Docs {
		learnt[d.ID] = true
	}
	others := ws.AllBut(learnt)
	s.sanitizeEvent(ws, c, greedy.Event{Doing: "estimating how much of the other notes is sensitive", Share: shareComparing}, nil)
	var docs []annotate.Note
	for d, err := range ws.Documents(ctx, project.SomeOf(others, priorSample, p.Seed)) {
		if err != nil {
			return err
		}
		docs = append(docs, annotate.NewNote(annotate.Annotated{Document: d.Document}))
	}
	r, err := result.CorrectPrior(ctx, docs)
	if err != nil {
		return err
	}
	ws.run.Change(func(now *Run) { now.Attuned = r })
	return nil
}
