// SPDX-License-Identifier: Apache-2.0

package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"hide/internal/account"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/store"
	"hide/internal/words"
)

// openedDraw is a draw with its passages in memory.
type openedDraw struct {
	draw Draw
	*sheet

	reads []read          // answers, in the order in which they came
	turns map[int][]claim // who has a passage on the screen

	counted  int       // answers that counted
	progress *Progress // at that number; nil before the first
}

// openDraw puts the passages of a draw on a sheet, in the order in which they are read, with
// the planted identifiers. It depends on what is stored alone.
func (s *Service) openDraw(ctx context.Context, ws *workspace, d Draw, sheet *sheet) (*openedDraw, error) {
	o := &openedDraw{draw: d, sheet: sheet, turns: map[int][]claim{}}
	secret, err := d.secret()
	if err != nil {
		return nil, err
	}
	doubtful, rest := audit.Doubtful(o.doubts(), d.Parameters.Doubtful)
	o.order = append(slices.Clone(doubtful), audit.Order(audit.Seed(secret, d.Entropy), rest)...)
	misses, err := s.storedMisses(ws.ID, bucketMisses, d.Number)
	if err != nil {
		return nil, err
	}
	if err := o.plant(ctx, d.Parameters.Doubtful+d.Parameters.Planned, audit.PlantSeed(secret, d.Entropy), d.Parameters.Plants, misses); err != nil {
		return nil, err
	}
	return o, o.more(ctx, d.More)
}

// opened is a draw in memory, with the answers so far.
func (s *Service) opened(ctx context.Context, ws *workspace, d Draw) (*openedDraw, error) {
	ws.mu.Lock()
	o := ws.draws[d.Number]
	ws.mu.Unlock()
	if o != nil {
		return o, nil
	}
	sheet, err := s.sheet(ws.ID, d.Candidate)
	if err != nil {
		return nil, err
	}
	shown, err := s.storedShown(ws.ID, d.Number)
	if err != nil {
		return nil, err
	}
	sheet.closed = map[int]bool{}
	for _, i := range shown.Closed {
		sheet.closed[i] = true
	}
	if o, err = s.openDraw(ctx, ws, d, sheet); err != nil {
		return nil, err
	}
	if o.reads, err = s.storedReads(ws.ID, d.Number); err != nil {
		return nil, err
	}
	slices.SortStableFunc(o.reads, func(a, b read) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if there := ws.draws[d.Number]; there != nil {
		return there, nil
	}
	ws.draws[d.Number] = o
	return o, nil
}

// storedReads are the answers of a draw, by passage.
func (s *Service) storedReads(id project.ID, draw int) ([]read, error) {
	return project.Read(s.projects, id, func(tx *store.Tx) ([]read, error) { return scanned[read](tx, bucketAnswers, draw) })
}

// ReadMore lets readers go on after the planned passages, in the same random order. It needs
// a draw whose bound may be looked at while people read: with a fixed number of passages,
// reading on until the result is pleasant would make the bound wrong.
func (s *Service) ReadMore(ctx context.Context, by account.User, id project.ID, number, more int) error {
	ws, session, err := s.run(by, account.Sanitize, id, number)
	if err != nil {
		return err
	}
	if err := session.must(s.now(), Open); err != nil {
		return err
	}
	ws.changing.Lock()
	defer ws.changing.Unlock()
	o, err := s.reading(ctx, ws, &session)
	if err != nil {
		return err
	}
	d := o.draw
	if err := d.mayReadMore(&session, more); err != nil {
		return err
	}
	longer := *o.sheet
	longer.shown = slices.Clip(longer.shown)
	if err := longer.more(ctx, more); err != nil {
		return err
	}
	notes, err := s.releases.NotesOf(ctx, id, d.Candidate)
	if err != nil {
		return err
	}
	shown, err := s.storedShown(id, d.Number)
	if err != nil {
		return err
	}
	added := o.order[d.Asked():][:more]
	shown.Passages, shown.Notes = append(shown.Passages, added...), append(shown.Notes, o.notesOf(added, notes)...)
	d.More += more
	if err := s.putDraw(ws, by, "read more", d, words.Count(more, "more passage", "more passages"), shown.put(d.Number)); err != nil {
		return err
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.draws[d.Number] = &openedDraw{draw: d, sheet: &longer, reads: o.reads, turns: o.turns, counted: -1, progress: o.progress}
	s.projects.Tell(id, project.TopicReview)
	return nil
}

// mayReadMore refuses to add passages to a draw whose bound they would make wrong.
func (d Draw) mayReadMore(session *Session, more int) error {
	left := d.Left()
	switch {
	case !d.Parameters.Anytime:
		return project.Invalidf("abandon this draw and begin another; both stay on record", "draw %d has a fixed number of passages: its bound holds at that number only", d.Number)
	case d.Hash != session.Hash:
		return project.Invalidf("draw again from the repaired candidate", "draw %d is of candidate %d, and the review is about candidate %d now", d.Number, d.Candidate, session.Candidate)
	case left == 0:
		return project.Invalidf("call the vote when they are read", "no passage is left to draw: draw %d has all of them", d.Number)
	case more < 1 || more > mostPlanned:
		return project.Invalidf(fmt.Sprintf("choose 1 to %s", words.Number(min(left, mostPlanned))), "cannot add %d passages", more)
	case more > left:
		return project.Invalidf("choose fewer", "%s left to draw", words.Count(left, "passage is", "passages are"))
	}
	return nil
}

// Asked is how many passages are to be read.
func (d Draw) Asked() int { return d.Parameters.Doubtful + d.Parameters.Planned + d.More }

// Left is how many passages of the candidate are not among those to be read.
func (d Draw) Left() int { return max(0, d.Parameters.Passages-d.Asked()) }
