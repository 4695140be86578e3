// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"context"
	"encoding/json"
	"errors"

	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/project"
	"hide/internal/publish"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
	"hide/internal/store"
)

// attack runs the retrieval attacker on the notes as the draft would publish them, against all
// patients of the project. The result is nil where there is nothing to compare.
func (s *Service) attack(ctx context.Context, ws *workspace, l *loaded, progress func(done, total int)) (*retrieve.Result, error) {
	var originals []annotate.Document
	texts := map[annotate.DocumentID]int{}
	for n, err := range ws.Documents(ctx, ws.All()) {
		if err != nil {
			return nil, err
		}
		texts[n.ID] = len(originals)
		originals = append(originals, n.Document)
	}
	published := make([]retrieve.Published, 0, len(l.Docs))
	for _, doc := range l.Docs {
		i, there := texts[doc]
		if !there {
			continue // deleted in the meantime, so the draft is stale
		}
		n, err := s.readNote(ws.ID, l.Number, doc)
		if err != nil {
			return nil, err
		}
		one := retrieve.Published{Name: originals[i].Name}
		one.Text, one.Hidden = publishedText(originals[i].Text, n.Decisions)
		published = append(published, one)
	}
	result, err := retrieve.Release(ctx, published, originals, retrieve.Params{Progress: progress})
	if errors.Is(err, retrieve.ErrNoNotes) || errors.Is(err, retrieve.ErrOnePatient) {
		return nil, nil
	}
	return &result, err
}

// publishedText is a note as it is published, with the placeholders in it: they tell the
// attacker nothing, while a year or three digits of a ZIP code do.
func publishedText(text string, ds []transform.Decision) (string, []annotate.Span) {
	var blank []annotate.Span
	moved := annotate.ByteOff(0)
	for _, d := range ds {
		if d.Action == policy.Keep {
			continue
		}
		start := d.Start + moved
		end := start + annotate.ByteOff(len(d.Replacement))
		moved += annotate.ByteOff(len(d.Replacement)) - (d.End - d.Start)
		if d.Action.Blank() {
			blank = append(blank, annotate.Span{Start: start, End: end, Label: d.Label})
		}
	}
	return transform.Apply(text, ds), blank
}

// readNote reads what a draft knows of a note.
func (s *Service) readNote(id project.ID, draft uint64, doc annotate.DocumentID) (storedNote, error) {
	n, err := project.GetJSON[storedNote](s.projects, id, bucketPlaces, placeKey(draft, doc))
	if errors.Is(err, store.ErrNotFound) {
		err = errChanged
	}
	return n, err
}

// attacked is a result as a manifest has it.
func attacked(r *retrieve.Result) (*publish.Attacked, error) {
	if r == nil {
		return nil, nil
	}
	figures, err := json.Marshal(r)
	return &publish.Attacked{Words: r.Words(), Figures: figures}, err
}
