// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
)

// A person who sees a passage twice can tell what is planted in it. So passages that people
// have seen in the sample of any draw of the project, or in a game, are in no later game, and
// nothing is planted in them later.

// bucketShown has, for each draw, the passages that people see because of it.
const bucketShown = "review-shown" // number of a draw -> shownByDraw

// seenOnce are passages of a candidate that people have seen, and the notes that they are of.
// Other candidates have the same notes in another order, and divide them differently.
type seenOnce struct {
	Hash     string                `json:"hash"`
	Passages []int                 `json:"passages"`
	Notes    []annotate.DocumentID `json:"documents"`
}

// shownByDraw are the passages of a draw. It is stored when they are drawn: what is planted
// must be the same whenever the draw is opened, whatever is shown later.
type shownByDraw struct {
	seenOnce
	Closed []int `json:"closed,omitempty"` // passages that people had seen before
}

// storedShown is what a draw shows.
func (s *Service) storedShown(id project.ID, draw int) (shownByDraw, error) {
	out, err := project.GetJSON[shownByDraw](s.projects, id, bucketShown, store.Key(uint64(draw)))
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return out, err
}

// put stores what a draw shows, in the transaction that changes the draw.
func (d shownByDraw) put(draw int) func(*store.Tx) error {
	return func(tx *store.Tx) error { return store.PutJSON(tx, bucketShown, store.Key(uint64(draw)), d) }
}

// closeSeen closes the passages of a sheet that people have seen. It returns the notes of the
// candidate, by place.
func (s *Service) closeSeen(ctx context.Context, id project.ID, o *sheet, candidate int, hash string) ([]annotate.DocumentID, error) {
	notes, err := s.releases.NotesOf(ctx, id, candidate)
	if err != nil {
		return nil, err
	}
	games, err := s.games(id, 0)
	if err != nil {
		return nil, err
	}
	draws, err := project.ListJSON[shownByDraw](s.projects, id, bucketShown)
	if err != nil {
		return nil, err
	}
	var all []seenOnce
	for _, g := range games {
		all = append(all, seenOnce{g.Hash, g.Passages, g.Notes})
	}
	for _, d := range draws {
		all = append(all, d.seenOnce)
	}
	o.closed = o.among(hash, notes, all)
	return notes, nil
}

// among are the passages of a sheet that people have seen. Passages of other candidates begin
// and end elsewhere: all passages of their notes count.
func (o *sheet) among(hash string, notes []annotate.DocumentID, all []seenOnce) map[int]bool {
	out, of := map[int]bool{}, map[annotate.DocumentID]bool{}
	for _, one := range all {
		if one.Hash == hash {
			for _, i := range one.Passages {
				out[i] = true
			}
			continue
		}
		for _, n := range one.Notes {
			of[n] = true
		}
	}
	for i, p := range o.passages {
		if of[notes[p.Note]] {
			out[i] = true
		}
	}
	return out
}

// notesOf are the notes that passages are of; notes are those of the candidate, by place.
func (o *sheet) notesOf(passages []int, notes []annotate.DocumentID) (out []annotate.DocumentID) {
	for _, i := range passages {
		out = append(out, notes[o.passages[i].Note])
	}
	return out
}

// closedOnes are the indices of the closed passages.
func (o *sheet) closedOnes() []int { return slices.Sorted(maps.Keys(o.closed)) }

// drawn refuses a game while nobody knows which passages the sample of a session has.
func (s *Service) drawn(id project.ID, session *Session) error {
	d, err := s.newestDraw(id, session)
	if project.KindOf(err) == project.NotFound {
		return nil
	}
	if err == nil && !d.Begun() {
		return &project.Error{Kind: project.Stale, Message: fmt.Sprintf("the passages of draw %d are not drawn yet, and a game may not show them", d.Number), Hint: "let a member give the number first, or abandon the draw"}
	}
	return err
}
