// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/publish/kanonymity"
	"hide/internal/publish/table"
	"hide/internal/store"
	"hide/internal/words"
)

// StartPublishTable starts to release a table of the project's patients. people is the
// number of rows that the caller saw: another number is refused, and so is a second
// publication at the same time.
func (s *Service) StartPublishTable(ctx context.Context, by account.User, id project.ID, set TableSettings, people int) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	if err := set.check(); err != nil {
		return err
	}
	if set.Among {
		if err := s.populationFits(ctx, ws); err != nil {
			return err
		}
	}
	there, err := s.People(ctx, ws.Workspace)
	if err != nil {
		return err
	}
	if there.Rows() != people {
		return &project.Error{Kind: project.Stale, Message: "the table would have " + words.Count(there.Rows(), "patient", "patients") + " by now", Hint: "check the new figures, and confirm"}
	}
	return s.Start(ws.Workspace, Status{Kind: KindTable, Total: people}, func(ctx context.Context) error { return s.releaseTable(ctx, ws, by, set) })
}

// releaseTable writes a table, verifies it before it appears, and records it.
func (s *Service) releaseTable(ctx context.Context, ws *workspace, by account.User, set TableSettings) error {
	v, err := s.tableView(ctx, ws, set.Among)
	if err != nil {
		return err
	}
	result, err := set.anonymize(ctx, v.Table)
	if err != nil {
		return err
	}
	report, err := result.Report(ctx)
	if err != nil {
		return err
	}
	r, dir, err := s.Begin(ws.Workspace, by, KindTable)
	if err != nil {
		return err
	}
	r.Table = &TableRelease{Settings: set, Alone: v.Alone, Report: report}
	for _, c := range v.Table.Columns {
		if c.Role != table.Text {
			r.Table.Columns = append(r.Table.Columns, c.Name)
		}
	}
	if r.SHA256, err = result.Write(ctx, dir, kanonymity.Origin{Tool: s.projects.Version(), Created: r.Created, Warnings: r.Beside}, r.Table.Report); err != nil {
		return err
	}
	return s.Keep(ws.Workspace, by, r, dir, Kept{})
}

// Begin reserves a release and returns its place.
func (s *Service) Begin(ws *project.Workspace, by account.User, kind Kind) (Release, string, error) {
	number, err := s.reserveRelease(ws, by)
	if err != nil {
		return Release{}, "", err
	}
	earlier, err := s.beside(ws.ID, kind)
	if err != nil {
		return Release{}, "", err
	}
	r := Release{Number: number, Name: releaseName(number), Kind: kind, Created: s.projects.Now().UTC(), By: by.ID, Beside: earlier.Says}
	dir := s.Dir(ws.ID, r.Name)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return r, dir, fmt.Errorf("make the folder for releases: %w", err)
	}
	return r, dir, nil
}

// Kept is what the store keeps about a release, by bucket. It is as sensitive as the
// notes.
type Kept map[string][]byte

// Keep records a release whose files have been verified. If that fails, it removes the
// files.
func (s *Service) Keep(ws *project.Workspace, by account.User, r Release, dir string, kept Kept) error {
	r.Verified = true
	if s.budgets != nil && !r.Kind.Strong() {
		if err := s.budgets.ListBeside(ws.ID, r); err != nil {
			return errors.Join(err, os.RemoveAll(dir))
		}
	}
	what := string(r.Kind)
	if r.Kind == KindText {
		what = fmt.Sprintf("%d documents", r.Documents)
	}
	ev := project.EventBy(by, "release", ws.ID.Object("releases", r.Number), fmt.Sprintf("%s, manifest %s", what, r.SHA256))
	err := s.projects.Update(ws.ID, ev, func(tx *store.Tx) error {
		for bucket, content := range kept {
			if err := tx.Put(bucket, store.Key(uint64(r.Number)), content); err != nil {
				return err
			}
		}
		return store.PutJSON(tx, bucketReleases, store.Key(uint64(r.Number)), r)
	})
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	ws.AddRelease()
	return nil
}
