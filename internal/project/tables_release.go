// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hide/internal/account"
	"hide/internal/parallel"
	"hide/internal/publish/table"
	"hide/internal/publish/weak"
	"hide/internal/store"
	"hide/internal/words"
)

// StartPublishTable starts to release a table of the project's patients. people is
// how many rows whoever asks has been told of: when there are others by now it is
// refused, and so it is while something else is being published.
func (s *Service) StartPublishTable(ctx context.Context, by account.User, id ID, set TableSettings, people int) error {
	ws, err := s.Enter(by, account.Sanitize, id)
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
	there, err := s.people(ctx, ws)
	if err != nil {
		return err
	}
	if there.Rows() != people {
		return &Error{Kind: Stale, Message: "the table would have " + words.Count(there.Rows(), "patient", "patients") + " by now", Hint: "look at the figures again, and confirm"}
	}
	return s.startRelease(ws, PublishStatus{Kind: ReleaseTable, Total: people}, func(ctx context.Context) error { return s.releaseTable(ctx, ws, by, set) })
}

// startRelease runs work as the project's only publishing.
func (s *Service) startRelease(ws *Workspace, begun PublishStatus, work func(context.Context) error) error {
	begun.Running = true
	ws.mu.Lock()
	busy := ws.publish.Running
	if !busy {
		ws.publish = begun
	}
	ws.mu.Unlock()
	if busy {
		return &Error{Kind: Stale, Message: "a release is being written already", Hint: "wait for it, or cancel it first"}
	}
	ws.publishing.wait()
	ws.publishing.set(s.jobs.Submit(publishKey(ws.ID), func(ctx context.Context) error {
		err := parallel.Guard(func() error { return work(ctx) })
		s.endRelease(ws, err)
		return err
	}))
	s.Tell(ws.ID, TopicPublish)
	return nil
}

func (s *Service) endRelease(ws *Workspace, err error) {
	ws.mu.Lock()
	ws.publish.Running = false
	switch {
	case errors.Is(err, context.Canceled):
		ws.publish.Error = "publishing was cancelled; nothing was released"
	case err != nil:
		ws.publish.Error = "publishing failed, nothing was released: " + ErrorWords(err)
	}
	ws.mu.Unlock()
	s.Tell(ws.ID, TopicPublish)
}

// releaseTable writes a table, which is verified before it appears, and records it.
func (s *Service) releaseTable(ctx context.Context, ws *Workspace, by account.User, set TableSettings) error {
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
	r, dir, err := s.beginRelease(ws, by, ReleaseTable)
	if err != nil {
		return err
	}
	r.Table = &TableRelease{Settings: set, Alone: v.Alone, Report: report}
	for _, c := range v.Table.Columns {
		if c.Role != table.Text {
			r.Table.Columns = append(r.Table.Columns, c.Name)
		}
	}
	if r.SHA256, err = result.Write(ctx, dir, weak.Origin{Tool: s.opts.Version, Created: r.Created, Warnings: r.Beside}, r.Table.Report); err != nil {
		return err
	}
	return s.keepRelease(ws, by, r, dir, sealed{})
}

// beginRelease reserves a release and says where it goes.
func (s *Service) beginRelease(ws *Workspace, by account.User, kind ReleaseKind) (Release, string, error) {
	number, err := s.reserveRelease(ws, by)
	if err != nil {
		return Release{}, "", err
	}
	earlier, err := s.beside(ws.ID, kind)
	if err != nil {
		return Release{}, "", err
	}
	r := Release{Number: number, Name: releaseName(number), Kind: kind, Created: s.opts.Now().UTC(), By: by.ID, Beside: earlier.Says}
	dir := s.releaseDir(ws.ID, r.Name)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return r, dir, fmt.Errorf("make the folder for releases: %w", err)
	}
	return r, dir, nil
}

// sealed is what stays in the store of a release, by bucket: as sensitive as the notes.
type sealed map[string][]byte

// keepRelease puts a release on record whose files have been verified; when that
// fails they go.
func (s *Service) keepRelease(ws *Workspace, by account.User, r Release, dir string, kept sealed) error {
	r.Verified = true
	if err := s.listBeside(ws.ID, r); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	what := string(r.Kind)
	if r.Kind == ReleaseText {
		what = fmt.Sprintf("%d documents", r.Documents)
	}
	ev := EventBy(by, "release", ws.ID.Object("releases", r.Number), fmt.Sprintf("%s, manifest %s", what, r.SHA256))
	err := s.Update(ws.ID, ev, func(tx *store.Tx) error {
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
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.releases++
	return nil
}
