// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"

	"hide/internal/account"
	"hide/internal/project"
)

// GamePassages are the indices of the passages of the last game of a session, by position,
// and of its ranked half.
func (s *Service) GamePassages(id project.ID, session int) (passages, ranked []int, err error) {
	g, err := s.newestGame(id, session)
	if err != nil || g == nil {
		return nil, nil, err
	}
	return g.Passages, g.Ranked, nil
}

// SamplePassage is the index of a passage of the sample of a session, by position.
func (s *Service) SamplePassage(id project.ID, session, at int) (int, error) {
	o, err := s.sampleOf(id, session)
	if err != nil {
		return 0, err
	}
	return o.order[at], nil
}

// SamplePlanted reports whether a passage of the sample has a planted identifier.
func (s *Service) SamplePlanted(id project.ID, session, at int) (bool, error) {
	o, err := s.sampleOf(id, session)
	return err == nil && o.shown[at].Plant != nil, err
}

func (s *Service) sampleOf(id project.ID, number int) (*openedDraw, error) {
	ws, session, err := s.run(account.Operator(), account.Sanitize, id, number)
	if err != nil {
		return nil, err
	}
	return s.reading(context.Background(), ws, &session)
}

// MoveAsOf moves the view of a session as it was read before.
func (s *Service) MoveAsOf(by account.User, id project.ID, session Session, lc float64, b int) error {
	ws, err := s.look(by, id)
	if err == nil {
		_, err = ws.move(&session, by.ID, lc, b, s.now())
	}
	return err
}
