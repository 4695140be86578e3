// SPDX-License-Identifier: Apache-2.0

package training

import (
	"context"
	"hide/internal/account"
	"hide/internal/bootstrap"
	"hide/internal/crf/score"
	"hide/internal/project"
)

// biasOf compares the two kinds of notes among the documents of a check.
func biasOf(c project.Corpus, checked []score.Prediction) bootstrap.Bias {
	var reads []bootstrap.Read
	for i, d := range c.Docs {
		if c.Help[i] == project.HelpShown || c.Help[i] == project.HelpBlind {
			reads = append(reads, bootstrap.Read{Group: d.Group(), Assisted: c.Help[i] == project.HelpShown, Document: checked[i]})
		}
	}
	return bootstrap.BiasOf(reads, checkSeed)
}

// BlindNotes is what the last check of a model says about notes annotated with and
// without suggestions.
func (s *Service) BlindNotes(ctx context.Context, by account.User, id project.ID) (BlindNotes, error) {
	ws, err := s.enterAny(by, id, account.ManageWork, account.ReadNotes)
	if err != nil {
		return BlindNotes{}, err
	}
	last, err := s.lastCheck(id)
	if err != nil {
		return BlindNotes{}, err
	}
	b := BlindNotes{Share: ws.Settings().Blind}
	b.Done, b.Assisted = ws.HelpCounts()
	if last != nil {
		b.Bias, b.At = last.Bias, last.At
	}
	return b, nil
}
