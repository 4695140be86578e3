// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/store"
)

// presentFor is how long a person counts as present after a sign of the page.
const presentFor = 45 * time.Second

// keepShown is how often the shared view is stored while it moves. It is stored, too, with
// every other change of the session.
const keepShown = 5 * time.Second

func (ws *workspace) room(session int) *room {
	r := ws.rooms[session]
	if r == nil {
		r = &room{seen: map[string]time.Time{}}
		ws.rooms[session] = r
	}
	return r
}

// shown is what everybody looks at now.
func (ws *workspace) shown(session *Session) Shown {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if r := ws.room(session.Number); r.shown != nil {
		return *r.shown
	}
	return session.Shown
}

// saved notes that a session was stored as it is. was is the view that the change began with:
// a view that has moved since keeps what moved, and gets the floor that was stored.
func (ws *workspace) saved(session *Session, was Shown, now time.Time) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	r, stored := ws.room(session.Number), session.Shown
	r.saved = now
	if r.shown == nil || *r.shown == was {
		r.shown, r.moved = &stored, false
		return
	}
	r.shown.Floor = stored.Floor
}

// HereInReview says that a member has the page of a session open. Pages call it about every 20
// seconds.
func (s *Service) HereInReview(ctx context.Context, by account.User, id project.ID, number int) error {
	ws, session, err := s.member(by, id, number)
	if err != nil {
		return err
	}
	now := s.now()
	ws.mu.Lock()
	r := ws.room(session.Number)
	_, was := r.seen[by.ID]
	fresh := !was || now.Sub(r.seen[by.ID]) > presentFor
	r.seen[by.ID] = now
	ws.mu.Unlock()
	if fresh {
		s.projects.Tell(id, project.TopicReview)
	}
	return nil
}

// member reads a session for one of its members, or for a broker of the project.
func (s *Service) member(by account.User, id project.ID, number int) (*workspace, Session, error) {
	ws, err := s.look(by, id)
	if err != nil {
		return nil, Session{}, err
	}
	session, err := s.stored(id, number)
	if err != nil {
		return nil, session, err
	}
	return ws, session, s.inSession(by, ws, &session)
}

// PresentInReview lists the accounts of members who have the page open, in the order of the members.
func (s *Service) PresentInReview(ctx context.Context, by account.User, id project.ID, number int) ([]string, error) {
	ws, err := s.look(by, id)
	if err != nil {
		return nil, err
	}
	session, err := s.stored(id, number)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, person := range append([]string{session.By}, session.accounts()...) {
		if ws.present(number, person, s.now()) && !slices.Contains(out, person) {
			out = append(out, person)
		}
	}
	return out, nil
}

func (s *Session) accounts() (out []string) {
	for _, m := range s.Members {
		out = append(out, m.ID)
	}
	return out
}

func (ws *workspace) present(session int, person string, now time.Time) bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	seen, ever := ws.room(session).seen[person]
	age := now.Sub(seen)
	return ever && age >= 0 && age <= presentFor
}

// TakeFloor gives a member the floor: only this member moves what everybody looks at. It is
// refused while another member who is present has it; a broker of the project may take it
// from anybody.
func (s *Service) TakeFloor(ctx context.Context, by account.User, id project.ID, number int) error {
	ws, session, err := s.member(by, id, number)
	if err != nil {
		return err
	}
	now := s.now()
	if err := session.must(now, Open, Voting); err != nil {
		return err
	}
	_, err = s.change(ws, by, number, "take floor", func(session *Session) (string, error) {
		holder := session.Shown.Floor
		if holder != "" && holder != by.ID && ws.present(number, holder, now) && !s.projects.May(by, id, account.Sanitize) {
			return "", &project.Error{Kind: project.Stale, Message: fmt.Sprintf("%s has the floor", s.projects.PersonName(holder)), Hint: "ask for it; it is free again when its holder gives it back or leaves"}
		}
		session.Shown.Floor = by.ID
		return "", session.must(now, Open, Voting)
	})
	return err
}

// GiveFloor gives the floor back.
func (s *Service) GiveFloor(ctx context.Context, by account.User, id project.ID, number int) error {
	ws, session, err := s.member(by, id, number)
	if err != nil {
		return err
	}
	if ws.shown(&session).Floor != by.ID {
		return nil
	}
	_, err = s.change(ws, by, number, "give floor", func(session *Session) (string, error) {
		if session.Shown.Floor == by.ID { // nobody took it meanwhile
			session.Shown.Floor = ""
		}
		return "", nil
	})
	return err
}

// MoveShown moves what everybody looks at: L/C and the attackers' budget. Only the member who has
// the floor may.
func (s *Service) MoveShown(ctx context.Context, by account.User, id project.ID, number int, lc float64, b int) error {
	ws, session, err := s.member(by, id, number)
	if err != nil {
		return err
	}
	now := s.now()
	if err := session.must(now, Open, Voting); err != nil {
		return err
	}
	if !(lc > 0) || math.IsInf(lc, 1) || b < 0 {
		return project.Invalidf("choose a value of the slider", "L/C is a number above 0, and B is at least 0")
	}
	keep, err := ws.move(&session, by.ID, lc, b, now)
	if err != nil {
		return err
	}
	s.projects.Tell(id, project.TopicReview)
	if !keep {
		return nil
	}
	_, err = s.change(ws, by, number, "move", func(*Session) (string, error) { return fmt.Sprintf("L/C %g, B %d", lc, b), nil })
	return err
}

// move moves the shared view in memory; keep says that it is time to store it.
func (ws *workspace) move(session *Session, by string, lc float64, b int, now time.Time) (keep bool, err error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	r := ws.room(session.Number)
	shown := session.Shown
	if r.shown != nil {
		shown = *r.shown
	}
	if shown.Floor != by {
		return false, &project.Error{Kind: project.Stale, Message: "you do not have the floor", Hint: "take the floor, or choose “Look on my own”"}
	}
	shown.LC, shown.B = lc, b
	r.shown, r.moved = &shown, true
	return now.Sub(r.saved) > keepShown, nil
}

// keepShownViews stores shared views that moved since they were stored, when the server stops.
func (s *Service) keepShownViews() (err error) {
	for _, ws := range s.states.All() {
		ws.mu.Lock()
		var moved []int
		for number, r := range ws.rooms {
			if r.moved {
				moved = append(moved, number)
			}
		}
		ws.mu.Unlock()
		for _, number := range moved {
			_, one := s.change(ws, account.Operator(), number, "move", func(*Session) (string, error) { return "kept at the end", nil })
			err = errors.Join(err, one)
		}
	}
	return err
}

// ForgetProject drops what is in memory of a destroyed project.
func (s *Service) ForgetProject(id project.ID) { s.states.Forget(id) }

// Purge deletes what planted identifiers are like, and the answers of readers and of games, when
// notes are removed: they lead to passages that are gone. The bounds and the counts that they gave stay
// on record; a game that is under way ends.
func (s *Service) Purge(tx *store.Tx, id project.ID) error {
	games, err := store.ListJSON[Game](tx, bucketGames)
	if err != nil {
		return err
	}
	for _, g := range games {
		if g.Ended != nil {
			continue
		}
		guesses, err := scanned[guess](tx, bucketGuesses, g.Number)
		if err == nil {
			err = g.end(tx, guesses, s.now())
		}
		if err != nil {
			return err
		}
	}
	for _, bucket := range []string{bucketMisses, bucketAnswers, bucketGamePlants, bucketGuesses, bucketFinds} {
		err = errors.Join(err, tx.DeletePrefix(bucket, nil))
	}
	s.forgetTexts(id)
	return err
}

// forgetTexts drops the passages of a project that are in memory, and answers about them.
func (s *Service) forgetTexts(id project.ID) {
	for _, ws := range s.states.All() {
		if ws.ID == id {
			ws.mu.Lock()
			clear(ws.draws)
			clear(ws.sheets)
			clear(ws.guesses)
			ws.mu.Unlock()
		}
	}
}
