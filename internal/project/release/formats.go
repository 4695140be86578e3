// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/store"
)

// takeable is the folder of a release that may be handed out. It has just been verified.
func (s *Service) takeable(ctx context.Context, by account.User, id project.ID, number int) (Release, string, error) {
	r, err := s.Release(ctx, by, id, number)
	if err != nil {
		return r, "", err
	}
	if r.Gone {
		return r, "", GoneError(r, nil)
	}
	if r.IsWithdrawn() {
		return r, "", project.Invalidf("give nobody a copy of it; publish a new release", "%s is withdrawn: %s", r.Name, r.Withdrawn.Reason)
	}
	if err := s.projects.CheckOutgoing(); err != nil {
		return r, "", err
	}
	dir := s.Dir(id, r.Name)
	return r, dir, unchanged(dir, r)
}

// WriteReleaseAs verifies a release of text again and writes its notes in a format of notes,
// see [format.Writable]. Their names are the numbers of the release, and their spans are the
// visible replacements.
func (s *Service) WriteReleaseAs(ctx context.Context, by account.User, id project.ID, number int, name string, w io.Writer) error {
	notes, err := s.releasedNotes(ctx, by, id, number, name)
	if err != nil {
		return err
	}
	ev := project.EventBy(by, "download release", id.Object("releases", number), "as", name)
	if err := s.projects.Transact(id, func(tx *store.Tx) error { return tx.Audit(ev) }); err != nil {
		return err
	}
	return format.Write(w, name, notes)
}

// ReleaseLosses says what a file of [Service.WriteReleaseAs] does not hold of the notes.
func (s *Service) ReleaseLosses(ctx context.Context, by account.User, id project.ID, number int, name string) ([]string, error) {
	notes, err := s.releasedNotes(ctx, by, id, number, name)
	if err != nil {
		return nil, err
	}
	return format.Losses(name, notes)
}

// releasedNotes are the notes of a release of text that may be handed out in a format.
func (s *Service) releasedNotes(ctx context.Context, by account.User, id project.ID, number int, name string) (iter.Seq2[annotate.Annotated, error], error) {
	r, dir, err := s.takeable(ctx, by, id, number)
	if err != nil {
		return nil, err
	}
	if r.Kind != KindText {
		return nil, project.Invalidf("take it as a zip file", "%s is not a release of text: it holds %s", r.Name, r.Kind.Words())
	}
	if !slices.Contains(format.Writable(), name) {
		return nil, project.Invalidf("use one of "+project.Joined(format.Writable()), "unknown format of notes")
	}
	return readReleased(ctx, r, filepath.Join(dir, "notes.jsonl")), nil
}

// readReleased yields the notes of a file of released notes.
func readReleased(ctx context.Context, r Release, path string) iter.Seq2[annotate.Annotated, error] {
	return func(yield func(annotate.Annotated, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(annotate.Annotated{}, GoneError(r, err))
			return
		}
		defer f.Close()
		dec := json.NewDecoder(bufio.NewReader(f))
		for {
			var t audit.ReleasedText
			err := dec.Decode(&t)
			if errors.Is(err, io.EOF) {
				return
			}
			var d annotate.Annotated
			if err = errors.Join(err, ctx.Err()); err == nil {
				d, err = annotated(t)
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// annotated is a released note with its visible replacements as spans.
func annotated(t audit.ReleasedText) (annotate.Annotated, error) {
	d := annotate.Annotated{Document: annotate.Document{Name: t.ID, Text: t.Text}}
	offsets := annotate.NewOffsets(t.Text)
	for _, p := range t.Redactions {
		span, err := offsets.Span(p.Start, p.End, p.Label)
		if err != nil {
			return d, fmt.Errorf("released note %s: %w", t.ID, err)
		}
		d.Spans = append(d.Spans, span)
	}
	return d, nil
}
