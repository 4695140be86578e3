// SPDX-License-Identifier: Apache-2.0

package training

import (
	"context"
	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/crf"
	"math/rand/v2"
)

// scoreSample scores a sample of the unfinished documents with the newest model, for the
// queue and the next choice, until ctx ends.
func (s *Service) scoreSample(ctx context.Context, ws *workspace, model *crf.Model) error {
	open := ws.Unfinished(ws.All())
	rand.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	open = open[:min(len(open), bootstrap.LookSample)]
	looks := make(map[annotate.DocumentID]bootstrap.Look, len(open))
	for d, err := range ws.Documents(ctx, open) {
		if err != nil {
			return err
		}
		looks[d.ID] = bootstrap.LookAt(model, new(annotate.NewNote(annotate.Annotated{Document: d.Document})).View())
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.model.model == model {
		ws.model.looks = looks
	}
	return nil
}
