// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/publish/release"
	"hide/internal/store"
)

// Decisions are what a project's reviews have decided.
type Decisions interface {
	// Approval is the valid approval of a candidate for these recipients. Without one it is
	// an error of the kind Invalid that says what is missing. If the project's rule needs
	// no review, a candidate without a review is approved by nobody.
	Approval(ws *project.Workspace, c Candidate, recipients []string) (Approval, error)
	// Sampled is what people have read of the newest of these candidates that they read of,
	// beside its forecast. If nobody has read, it is the forecast of the redaction model.
	Sampled(ws *project.Workspace, about About) (Sampled, error)
}

// Approval is what lets a candidate be published.
type Approval struct {
	Number int // of the review; 0 if the rule needs none
	Says   release.Review
}

// SetDecisions sets who decides. It is called before any project is used.
func (s *Service) SetDecisions(d Decisions) { s.decided = d }

// mostRecipients and recipientLimit bound the recipients of a release.
const (
	mostRecipients = 50
	recipientLimit = 120
)

// StartPublishCandidate starts to publish an approved candidate: the same bytes, with the
// review in the manifest. It refuses a candidate that is stale, dropped, published, or not
// approved for these recipients; and one whose forecast does not hold and of which nobody has
// read a sample, unless despite says why it is published all the same.
func (s *Service) StartPublishCandidate(ctx context.Context, by account.User, id project.ID, number int, recipients []string, despite Despite) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	recipients, err = cleanRecipients(recipients)
	if err != nil {
		return err
	}
	c, err := s.StoredCandidate(id, number)
	if err != nil {
		return err
	}
	if _, err := s.mayPublish(ws, c, recipients); err != nil {
		return err
	}
	if err := s.mayGoUncertified(ws, by, About{Candidate: number}, despite.Uncertified); err != nil {
		return err
	}
	if c.Linkage == nil { // frozen by an earlier version, which did not ask
		if err := s.LinkedOrSaid(ctx, ws.Workspace, by, despite.Unlinked); err != nil {
			return err
		}
	}
	return s.start(ws, Status{Kind: c.Kind, Total: 1}, func(ctx context.Context) error {
		return s.publishCandidate(ctx, ws, by, number, recipients, despite.Unlinked)
	})
}

func cleanRecipients(all []string) ([]string, error) {
	var out []string
	for _, name := range all {
		name = strings.Join(strings.Fields(name), " ")
		if name == "" || slices.Contains(out, name) {
			continue
		}
		if !project.FitsName(name, recipientLimit) {
			return nil, project.Invalidf("shorten the name", "a recipient's name has at most %d visible characters", recipientLimit)
		}
		out = append(out, name)
	}
	if len(out) > mostRecipients {
		return nil, project.Invalidf("name an institution instead of its people", "a release has at most %d recipients", mostRecipients)
	}
	return out, nil
}

// mayPublish is the approval of a candidate, or why it cannot be published.
func (s *Service) mayPublish(ws *workspace, c Candidate, recipients []string) (Approval, error) {
	if err := c.there(); err != nil {
		return Approval{}, err
	}
	if c.Published {
		return Approval{}, &project.Error{Kind: project.Stale, Message: fmt.Sprintf("candidate %d is published already, as %s", c.Number, c.Name)}
	}
	why, err := s.Stale(ws.Workspace, c)
	if err != nil {
		return Approval{}, err
	}
	if why != "" {
		return Approval{}, project.Obstructed(project.NotApproved, "freeze a new candidate and let it be reviewed", "candidate %d is out of date: %s", c.Number, why)
	}
	if s.decided == nil {
		if rule := ws.Rule(); rule.Needed() {
			return Approval{}, gate(ws.Workspace, Publish)
		}
		return Approval{Says: release.Review{Rule: ws.Rule().Words()}}, s.mayOnBasis(ws, c, Approval{})
	}
	approval, err := s.decided.Approval(ws.Workspace, c, recipients)
	if err == nil {
		err = s.mayOnBasis(ws, c, approval)
	}
	return approval, err
}

// publishCandidate writes a candidate's files, checks their hash, and records the release.
func (s *Service) publishCandidate(ctx context.Context, ws *workspace, by account.User, number int, recipients []string, unlinked bool) error {
	c, err := s.StoredCandidate(ws.ID, number)
	if err != nil {
		return err
	}
	approval, err := s.mayPublish(ws, c, recipients) // again: it may have lapsed since
	if err != nil {
		return err
	}
	kept, err := s.frozen(ws.ID, number)
	if err != nil {
		return err
	}
	from := s.Dir(ws.ID, c.Name) + madeSuffix
	err = release.Rebuild(ctx, from, c.Files, func(f release.File) io.Reader {
		in, err := s.shelf(ws.ID).Open(ctx, number, c.Files, f.Path)
		if err != nil {
			return failing{err}
		}
		return in
	})
	if err != nil {
		return err
	}
	if listed, err := release.Listed(from); err != nil || release.CandidateHash(listed) != c.Hash {
		return errors.Join(err, errors.New("the frozen files do not have the hash that was approved"), os.RemoveAll(from))
	}
	r := c.Release
	now := s.projects.Now().UTC().Truncate(time.Second)
	r.By, r.Review, r.Recipients, r.PublishedAt = by.ID, approval.Number, recipients, &now
	if r.Linkage == nil {
		if err := s.linkOlder(ctx, ws, c, &r, from, kept, unlinked); err != nil {
			return errors.Join(err, os.RemoveAll(from))
		}
	}
	return errors.Join(s.appear(ws.Workspace, by, r, from, approval.Says, kept), os.RemoveAll(from))
}

// linkOlder adds what a candidate of an earlier version does not say of linkage. The candidate
// is not out of date, so its notes are counted as they were.
func (s *Service) linkOlder(ctx context.Context, ws *workspace, c Candidate, r *Release, from string, kept Kept, unlinked bool) error {
	counting, err := s.countingFor(ctx, ws, unlinked)
	if err != nil {
		return err
	}
	docs, err := s.docsOf(ws.Workspace, c)
	if err != nil {
		return err
	}
	if c.Kind == KindJoint { // has finished notes only
		rows, err := mappedRows(kept[bucketPlaces])
		if err != nil {
			return err
		}
		docs = nil
		for _, row := range rows {
			docs = append(docs, row.Document)
		}
	}
	m := Making{Release: *r, Dir: from}
	m.Linkage = counting.linkage(docs)
	err = m.linkInto(kept)
	*r = m.Release
	return err
}

// failing is a reader that only fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// frozen is what the store is to keep of a candidate's release.
func (s *Service) frozen(id project.ID, number int) (Kept, error) {
	kept := Kept{}
	err := s.projects.View(id, func(tx *store.Tx) error {
		return tx.Scan(bucketFrozen, store.Key(uint64(number)), func(key, value []byte) error {
			kept[string(key[len(store.Key(0)):])] = value
			return nil
		})
	})
	return kept, err
}
