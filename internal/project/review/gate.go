// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/signing"
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
	all, err := s.about(id, session.Hash)
	if err != nil {
		return nil, err
	}
	if newest := all[len(all)-1]; newest.Number > session.Number {
		return []string{fmt.Sprintf("review %d is newer: it decides about %s", newest.Number, c.Title())}, nil
	}
	missing, err := s.missing(ws, &session, c, session.Recipients)
	if err != nil {
		return nil, err
	}
	why, err := s.releases.Stale(ws.Workspace, c)
	if why != "" && !c.Published {
		missing = append(missing, why)
	}
	return missing, err
}

// about are the reviews of the candidate with a hash, oldest first. The newest decides.
func (s *Service) about(id project.ID, hash string) ([]Session, error) {
	all, err := project.ListJSON[Session](s.projects, id, bucketReviews)
	return slices.DeleteFunc(all, func(one Session) bool { return one.Hash != hash }), err
}

// missing lists what a candidate lacks to be published to recipients, by the decision of a
// session.
func (s *Service) missing(ws *workspace, session *Session, c release.Candidate, recipients []string) ([]string, error) {
	b, err := s.bound(ws, session)
	if err != nil {
		return nil, err
	}
	return session.missing(c, b.left, recipients, s.now()), nil
}

// Approval implements [release.Decisions].
func (s *Service) Approval(p *project.Workspace, c release.Candidate, recipients []string) (release.Approval, error) {
	ws, rule := s.of(p), p.Rule()
	all, err := s.about(ws.ID, c.Hash)
	if err != nil {
		return release.Approval{}, err
	}
	if len(all) == 0 {
		if rule.Needed() {
			return release.Approval{}, notApproved(c, "no review has been opened on it")
		}
		return release.Approval{Says: publicReview(nil, rule, "")}, nil
	}
	newest := all[len(all)-1]
	if newest.State == Prepared && !rule.Needed() {
		return release.Approval{Says: publicReview(nil, rule, "")}, nil
	}
	missing, err := s.missing(ws, &newest, c, recipients)
	if err != nil {
		return release.Approval{}, err
	}
	if len(missing) > 0 {
		return release.Approval{}, notApproved(c, strings.Join(missing, "; "))
	}
	key, err := signing.PublicFingerprint(s.projects)
	return release.Approval{Number: newest.Number, Says: publicReview(&newest, newest.Rule, key)}, err
}

func notApproved(c release.Candidate, why string) error {
	return project.Obstructed(project.NotApproved, "see the review of the candidate", "%s cannot be published: %s", c.Title(), why)
}
