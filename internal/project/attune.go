// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// attuneSample is how many documents show what share of the notes is sensitive.
const attuneSample = 600

// attune tells the classifiers of a run in default mode what the documents are like
// that nobody has annotated, of which it looks at some.
func (s *Service) attune(ctx context.Context, ws *workspace, c corpus, p SanitizeParams, result *greedy.Result) error {
	if result.Mode != greedy.Default {
		return nil
	}
	learnt := map[annotate.DocumentID]bool{}
	for _, d := range c.docs {
		learnt[d.id] = true
	}
	var others []annotate.DocumentID
	for _, doc := range ws.all() {
		if !learnt[doc] {
			others = append(others, doc)
		}
	}
	var docs []greedy.Doc
	for d, err := range s.documents(ctx, ws, someOf(others, attuneSample, p.Seed)) {
		if err != nil {
			return err
		}
		docs = append(docs, greedy.NewDoc(annotate.Annotated{Document: d.Document}, nil))
	}
	result.Attune(docs)
	return ctx.Err()
}
