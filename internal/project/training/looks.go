// SPDX-License-Identifier: Apache-2.0

package training

import (
	"context"
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/crf"
	"hide/internal/parallel"
	"hide/internal/project"
)

// Each model scores a few open notes: those that people have open, then the top of the
// list, then a random sample that is large enough to choose the next note from. All other
// notes are tagged when somebody opens them. So a new model costs as much in a project of
// 10,000 notes as in one of 500.

const (
	scoredAtOnce = 16 // notes from one update of the scores to the next
	scoredWindow = 50 // notes at the top of the list
)

// scoreOpen queues the scoring of open notes by the newest model.
func (ws *workspace) scoreOpen() {
	ws.unlessHeld(func() {
		ws.retag.Enqueue(
			func(ctx context.Context) error {
				return parallel.Low(func() error { return ws.service.scoreSteps(ctx, ws) })
			},
			func(p *progress, _ error) { p.phase = "" }, // without scores, the random order decides
		)
	})
}

func (s *Service) scoreSteps(ctx context.Context, ws *workspace) error {
	_, model := s.newest(ws)
	if model == nil {
		return nil
	}
	open := ws.toScore()
	s.phase(ws.retag, "suggesting", len(open))
	scored := map[annotate.DocumentID]bootstrap.Look{}
	for docs := range slices.Chunk(open, scoredAtOnce) {
		for d, err := range ws.Documents(ctx, docs) {
			if err == nil {
				err = ws.giveWay(ctx)
			}
			if project.KindOf(err) == project.NotFound {
				continue // removed in the meantime
			}
			if err != nil {
				return err
			}
			scored[d.ID] = bootstrap.LookAt(model, new(annotate.NewNote(annotate.Annotated{Document: d.Document})).View())
		}
		if !ws.publishLooks(model, scored, false) {
			return nil // a newer model scores them
		}
		s.projects.Tell(ws.ID, project.TopicQueue)
	}
	ws.publishLooks(model, scored, true)
	return nil
}

// toScore lists the unfinished documents that a new model scores, most urgent first.
func (ws *workspace) toScore() []annotate.DocumentID {
	window, some := ws.SomeUnfinished(scoredWindow, bootstrap.LookSample)
	seen := map[annotate.DocumentID]bool{}
	return slices.DeleteFunc(slices.Concat(ws.Opened(), window, some), func(doc annotate.DocumentID) bool {
		again := seen[doc]
		seen[doc] = true
		return again
	})
}

// publishLooks adds scores to those of the previous model, or replaces them when all are
// there. It returns false if the model is no longer the newest.
func (ws *workspace) publishLooks(model *crf.Model, scored map[annotate.DocumentID]bootstrap.Look, all bool) bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.model.model != model {
		return false
	}
	looks := map[annotate.DocumentID]bootstrap.Look{} // callers may hold the old map
	if !all {
		maps.Copy(looks, ws.model.looks)
	}
	maps.Copy(looks, scored)
	ws.model.looks = looks
	return true
}
