// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"context"
	"errors"

	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/project"
	"hide/internal/project/linkage"
	"hide/internal/publish/transform"
	"hide/internal/store"
)

// attack runs the retrieval attacker on the notes as the draft would publish them, against all
// patients of the project. The result is nil where there is nothing to compare.
func (s *Service) attack(ctx context.Context, ws *workspace, l *loaded, progress func(done, total int)) (*retrieve.Result, error) {
	return linkage.Attack(ctx, ws.Workspace, l.Docs, func(i int) (out linkage.Note, err error) {
		d, _, err := ws.Fetch(l.Docs[i])
		if err != nil {
			return out, err
		}
		n, err := s.readNote(ws.ID, l.Number, l.Docs[i])
		if err != nil {
			return out, err
		}
		out.Text, out.Placeholders = publishedText(d.Text, n.Decisions)
		return out, nil
	}, progress)
}

// publishedText is a note as it is published, with the placeholders in it: they tell the
// attacker nothing, while a year or three digits of a ZIP code do.
func publishedText(text string, ds []transform.Decision) (string, []annotate.Span) {
	out, places := transform.ApplyPlaces(text, ds)
	var blank []annotate.Span
	for i, d := range ds {
		if d.Action.Blank() {
			blank = append(blank, places[i])
		}
	}
	return out, blank
}

// readNote reads what a draft knows of a note.
func (s *Service) readNote(id project.ID, draft uint64, doc annotate.DocumentID) (storedNote, error) {
	n, err := project.GetJSON[storedNote](s.projects, id, bucketPlaces, placeKey(draft, doc))
	if errors.Is(err, store.ErrNotFound) {
		err = errChanged
	}
	return n, err
}
