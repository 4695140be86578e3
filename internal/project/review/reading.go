// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/store"
)

// read is one reader's answer about a passage. It is stored in the project's space.
type read struct {
	Position int            `json:"position"` // in the order of reading, from 0
	Reader   string         `json:"reader"`   // account
	At       time.Time      `json:"at"`
	Seconds  float64        `json:"seconds"`          // that the passage was in view
	Hasty    bool           `json:"hasty,omitempty"`  // faster than anybody can read
	Marks    []release.Mark `json:"marks,omitempty"`  // identifiers found, in the candidate
	Caught   *bool          `json:"caught,omitempty"` // the planted identifier; nil without one
}

// claim is a passage that a reader has on the screen.
type claim struct {
	reader string
	until  time.Time
}

// claimFor is how long a passage waits for its reader before others get it.
const claimFor = 5 * time.Minute

// Passage is a passage to read. Its text is that of the candidate, with a planted identifier
// in some.
type Passage struct {
	Draw     int
	Position int    // from 0; an answer names it
	Of       int    // passages to read
	Mine     int    // that this reader has answered
	Before   string // text of the note before it; places as in Text
	Text     string
	After    string
	Places   []annotate.Span // of placeholders in Text, in bytes
	Words    int             // kept words
}

// contextBytes is how much of the note a passage shows on either side, at most.
const contextBytes = 600

// reading is the draw that a session reads now, in memory.
func (s *Service) reading(ctx context.Context, ws *workspace, session *Session) (*openedDraw, error) {
	d, err := s.newestDraw(ws.ID, session)
	if err != nil {
		return nil, err
	}
	if !d.Begun() {
		return nil, &project.Error{Kind: project.Stale, Message: fmt.Sprintf("the passages of draw %d are not drawn yet", d.Number), Hint: "a member who is not the broker has to give a number"}
	}
	return s.opened(ctx, ws, d)
}

// NextPassage is the next passage for a reader to read, nil if none is left. A passage is shown to
// one reader at a time.
func (s *Service) NextPassage(ctx context.Context, by account.User, id project.ID, number int) (*Passage, error) {
	ws, session, err := s.member(by, id, number)
	if err != nil {
		return nil, err
	}
	now := s.now()
	if err := session.must(now, Open, Voting); err != nil {
		return nil, err
	}
	o, err := s.reading(ctx, ws, &session)
	if err != nil {
		return nil, err
	}
	ws.mu.Lock()
	at, mine := o.claim(by.ID, now)
	ws.mu.Unlock()
	if at < 0 {
		return nil, nil
	}
	p, err := o.passage(ctx, at)
	p.Draw, p.Mine = o.draw.Number, mine
	return &p, err
}

// claim finds a passage for a reader, -1 for none, and counts those that the reader answered.
// The caller holds the lock of the workspace.
func (o *openedDraw) claim(reader string, now time.Time) (at, mine int) {
	answered := o.answered()
	for _, r := range o.reads {
		if r.Reader == reader {
			mine++
		}
	}
	for at := range o.shown {
		if slices.Contains(answered[at], reader) {
			continue
		}
		held := slices.DeleteFunc(slices.Clone(o.turns[at]), func(c claim) bool {
			return now.After(c.until) || c.reader == reader || slices.Contains(answered[at], c.reader)
		})
		if len(answered[at])+len(held) >= o.draw.Readers {
			continue
		}
		o.turns[at] = append(held, claim{reader, now.Add(claimFor)})
		return at, mine
	}
	return -1, mine
}

// answered lists the readers of each passage.
func (o *openedDraw) answered() map[int][]string {
	out := map[int][]string{}
	for _, r := range o.reads {
		out[r.Position] = append(out[r.Position], r.Reader)
	}
	return out
}

// AnswerPassage takes a reader's answer about a passage: the identifiers in it, none for "nothing".
// seconds is how long it was in view.
func (s *Service) AnswerPassage(ctx context.Context, by account.User, id project.ID, number, draw, position int, found []Selection, seconds float64) error {
	ws, session, err := s.member(by, id, number)
	if err != nil {
		return err
	}
	if err := session.must(s.now(), Open, Voting); err != nil {
		return err
	}
	o, err := s.reading(ctx, ws, &session)
	if err != nil {
		return err
	}
	if o.draw.Number != draw || position < 0 || position >= len(o.shown) {
		return &project.Error{Kind: project.Stale, Message: "this passage is not among those to read any more", Hint: "go on with the next passage"}
	}
	r := read{Position: position, Reader: by.ID, Seconds: max(0, seconds)}
	r.Hasty = o.hasty(position, r.Seconds)
	if r.Caught, r.Marks, err = o.mark(ctx, position, found); err != nil {
		return err
	}
	return s.keep(ws, by, o, r)
}

// keep stores an answer. A reader answers a passage once, and nothing after the decision.
func (s *Service) keep(ws *workspace, by account.User, o *openedDraw, r read) error {
	ws.changing.Lock()
	defer ws.changing.Unlock()
	r.At = s.now()
	session, err := s.stored(ws.ID, o.draw.Session)
	if err != nil {
		return err
	}
	if err := session.must(r.At, Open, Voting); err != nil {
		return err
	}
	d, err := s.storedDraw(ws.ID, o.draw.Number)
	if err != nil {
		return err
	}
	ws.mu.Lock()
	o = ws.draws[o.draw.Number] // it may be longer by now
	var readers []string
	if o != nil {
		readers = o.answered()[r.Position]
	}
	ws.mu.Unlock()
	switch {
	case o == nil || d.Abandoned != nil:
		return &project.Error{Kind: project.Stale, Message: "the broker has abandoned this draw", Hint: "go back to the review"}
	case slices.Contains(readers, r.Reader):
		return &project.Error{Kind: project.Stale, Message: "you have answered this passage already", Hint: "go on with the next passage"}
	case len(readers) >= o.draw.Readers:
		return &project.Error{Kind: project.Stale, Message: "somebody else has answered this passage", Hint: "go on with the next passage"}
	}
	key := append(append(store.Key(uint64(o.draw.Number)), store.Key(uint64(r.Position))...), byte(len(readers)))
	ev := project.EventBy(by, "read passage", ws.ID.Object("draws", o.draw.Number), fmt.Sprintf("position %d", r.Position+1))
	if err := s.projects.Update(ws.ID, ev, func(tx *store.Tx) error { return store.PutJSON(tx, bucketAnswers, key, r) }); err != nil {
		return err
	}
	ws.mu.Lock()
	o.reads = append(o.reads, r)
	ws.mu.Unlock()
	s.projects.Tell(ws.ID, project.TopicReview)
	return nil
}
