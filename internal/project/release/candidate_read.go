// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/candidate"
	"hide/internal/store"
)

// CandidateStale is [Service.Stale] of a candidate that can still be published, "" otherwise.
func (s *Service) CandidateStale(ctx context.Context, by account.User, id project.ID, number int) (string, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return "", err
	}
	c, err := s.StoredCandidate(id, number)
	if err != nil || c.Dropped || c.Published {
		return "", err
	}
	return s.Stale(ws.Workspace, c)
}

// Candidates lists a project's candidates, newest first.
func (s *Service) Candidates(ctx context.Context, by account.User, id project.ID) ([]Candidate, error) {
	if _, err := s.enter(by, account.SeeFigures, id); err != nil {
		return nil, err
	}
	all, err := project.ListJSON[Candidate](s.projects, id, bucketCandidates)
	all = slices.DeleteFunc(all, func(c Candidate) bool { return c.Unfinished })
	slices.Reverse(all)
	for i := range all {
		all[i].By = s.projects.PersonName(all[i].By)
	}
	return all, err
}

// Candidate describes a candidate.
func (s *Service) Candidate(ctx context.Context, by account.User, id project.ID, number int) (Candidate, error) {
	if _, err := s.enter(by, account.SeeFigures, id); err != nil {
		return Candidate{}, err
	}
	c, err := s.StoredCandidate(id, number)
	c.By = s.projects.PersonName(c.By)
	return c, err
}

// StoredCandidate reads a candidate as it is on record, for a caller that has entered the project.
func (s *Service) StoredCandidate(id project.ID, number int) (Candidate, error) {
	c, err := project.GetJSON[Candidate](s.projects, id, bucketCandidates, store.Key(uint64(number)))
	if errors.Is(err, store.ErrNotFound) || c.Unfinished {
		return c, project.NotFoundf("project %s has no candidate %d", id, number)
	}
	return c, err
}

// CandidateText opens the notes of a candidate, as they would be published.
func (s *Service) CandidateText(ctx context.Context, by account.User, id project.ID, number int) (*candidate.Text, error) {
	if _, err := s.enter(by, account.SeeFigures, id); err != nil {
		return nil, err
	}
	return s.TextOf(id, number)
}

// TextOf opens the notes of a candidate, for a caller that has entered the project.
func (s *Service) TextOf(id project.ID, number int) (*candidate.Text, error) {
	c, err := s.StoredCandidate(id, number)
	if err != nil {
		return nil, err
	}
	if err := c.there(); err != nil {
		return nil, err
	}
	t, err := s.shelf(id).Text(number, c.Files)
	if errors.Is(err, candidate.ErrNoText) {
		return nil, project.Invalidf("open its files instead", "candidate %d has no notes to read: it is %s", number, c.Kind.Words())
	}
	return t, err
}

// Passages are those of a candidate with notes, for a caller that has entered the project.
func (s *Service) Passages(id project.ID, number int) ([]candidate.Passage, error) {
	return s.shelf(id).Passages(number)
}

// NotesOf are the notes that a candidate's notes were made from, in its order, for a caller that has
// entered the project. The order of each candidate is random.
func (s *Service) NotesOf(ctx context.Context, id project.ID, number int) (out []annotate.DocumentID, err error) {
	c, err := s.StoredCandidate(id, number)
	if err != nil {
		return nil, err
	}
	rows, err := s.rowsOf(id, c)
	if err != nil {
		return nil, err
	}
	text, err := s.TextOf(id, number)
	if err != nil {
		return nil, err
	}
	for n, err := range text.All(ctx) {
		if err != nil {
			return nil, err
		}
		out = append(out, rows[n.ID].Document)
	}
	return out, nil
}

// LabelsOf are the labels that a candidate with notes redacts, for a caller that has entered the
// project.
func (s *Service) LabelsOf(ctx context.Context, id project.ID, number int) ([]annotate.Label, error) {
	c, err := s.StoredCandidate(id, number)
	if err != nil {
		return nil, err
	}
	if c.Joint != nil {
		return c.Joint.Labels, nil
	}
	in, err := s.shelf(id).Open(ctx, number, c.Files, "manifest.json")
	if err != nil {
		return nil, err
	}
	var m struct {
		Claims struct{ Labels []annotate.Label }
	}
	err = json.NewDecoder(in).Decode(&m)
	return m.Claims.Labels, err
}

// there refuses a candidate whose files are deleted.
func (c Candidate) there() error {
	if c.Dropped {
		return &project.Error{Kind: project.NotFound, Message: fmt.Sprintf("candidate %d was dropped: %s", c.Number, c.Why), Hint: "freeze a new candidate"}
	}
	return nil
}

// WriteCandidateFile writes a file of a candidate, such as a table, for its reviewers.
func (s *Service) WriteCandidateFile(ctx context.Context, by account.User, id project.ID, number int, name string, w io.Writer) error {
	c, err := s.Candidate(ctx, by, id, number)
	if err != nil {
		return err
	}
	if err := c.there(); err != nil {
		return err
	}
	if err := s.projects.CheckOutgoing(); err != nil {
		return err
	}
	in, err := s.shelf(id).Open(ctx, number, c.Files, name)
	if err != nil {
		return project.NotFoundf("candidate %d has no such file", number)
	}
	if err := s.projects.Record(id, project.EventBy(by, "read candidate file", id.Object("candidates", number), name)); err != nil {
		return err
	}
	_, err = io.Copy(w, in)
	return err
}
