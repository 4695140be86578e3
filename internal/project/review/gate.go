// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"
	"fmt"

	"hide/internal/account"
	"hide/internal/project"
)

// ReviewGate lists what the candidate of a session lacks to be published to the recipients
// that the session names; nothing if it may be published.
func (s *Service) ReviewGate(ctx context.Context, by account.User, id project.ID, number int) ([]string, error) {
	ws, session, err := s.member(by, id, number)
	if err != nil {
		return nil, err
	}
	c, err := s.releases.StoredCandidate(id, session.Candidate)
	if err != nil {
		return nil, err
	}
	if c.Dropped {
		return []string{fmt.Sprintf("the files of %s were deleted: %s", c.Title(), c.Why)}, nil
	}
	all, err := project.ListJSON[Session](s.projects, id, bucketReviews)
	if err != nil {
		return nil, err
	}
	for _, later := range all {
		if later.Hash == session.Hash && later.Number > session.Number {
			return []string{fmt.Sprintf("review %d is newer: it decides about %s", later.Number, c.Title())}, nil
		}
	}
	b, err := s.bound(ws, &session)
	if err != nil {
		return nil, err
	}
	missing := session.missing(c, b.left, session.Recipients, s.now())
	why, err := s.releases.Stale(ws.Workspace, c)
	if why != "" && !c.Published {
		missing = append(missing, why)
	}
	return missing, err
}
