// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
)

// attuneSample is how many documents show what share of the notes is sensitive.
const attuneSample = 600

// attune tells the classifiers of a run in default mode what the documents are like
// that nobody has annotated, of which it looks at some, and enters into the run by
// how much odds were raised.
func (s *Service) attune(ctx context.Context, ws *workspace, c project.Corpus, p Params, result *greedy.Result) error {
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
	for d, err := range ws.Documents(ctx, project.SomeOf(others, attuneSample, p.Seed)) {
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
