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

// Sureness is how sure a member is that a mark is an identifier. Numbers are stored.
type Sureness int

// The steps.
const (
	Guessed Sureness = 1
	Likely  Sureness = 2
	Sure    Sureness = 3
)

// Suspicion is what a member takes for an identifier, and how sure the member is.
type Suspicion struct {
	Selection
	Sure Sureness
}

// guess is a member's answer about a passage of a game.
type guess struct {
	Position int         `json:"position"`
	Member   string      `json:"member"` // account
	At       time.Time   `json:"at"`
	Seconds  float64     `json:"seconds"`
	Hasty    bool        `json:"hasty,omitempty"`
	Planted  bool        `json:"planted,omitempty"` // the passage has a planted identifier
	Marks    []suspected `json:"marks,omitempty"`
}

// suspected is one mark of a guess: a planted identifier, words of the note, or both.
type suspected struct {
	Sure   Sureness       `json:"sure"`
	Caught bool           `json:"caught,omitempty"` // the planted identifier
	Spans  []release.Mark `json:"spans,omitempty"`
}

// find is one thing in the candidate that members marked, which the broker judges.
type find struct {
	Number   int          `json:"number"` // from 1, in its game
	Position int          `json:"position"`
	Mark     release.Mark `json:"mark"`
	Real     *bool        `json:"real,omitempty"` // nil before it is judged
	By       string       `json:"by,omitempty"`   // account of the judge
	At       *time.Time   `json:"at,omitempty"`
}

func (f find) real() bool { return f.Real != nil && *f.Real }

// player is a member who plays in the game that is under way.
func (s *Service) player(by account.User, id project.ID, number int) (*workspace, Session, *Game, error) {
	ws, session, err := s.member(by, id, number)
	switch {
	case err != nil:
		return nil, session, nil, err
	case by.ID == session.By:
		return nil, session, nil, project.Invalidf("let the other members play", "the broker who opened the review does not play")
	case !session.Has(by.ID):
		return nil, session, nil, notMember()
	}
	if err := session.must(s.now(), Open, Voting); err != nil {
		return nil, session, nil, err
	}
	g, err := s.running(id, number)
	return ws, session, g, err
}

// NextGuess is the next passage of the game for a member, nil if none is left.
func (s *Service) NextGuess(ctx context.Context, by account.User, id project.ID, number int) (*Passage, error) {
	ws, _, g, err := s.player(by, id, number)
	if err != nil {
		return nil, err
	}
	guesses, err := s.guesses(ws, g.Number)
	if err != nil {
		return nil, err
	}
	order, err := g.orderFor(by.ID)
	if err != nil {
		return nil, err
	}
	done := answeredBy(guesses, by.ID)
	at := slices.IndexFunc(order, func(at int) bool { return !done[at] })
	if at < 0 {
		return nil, nil
	}
	o, err := s.gameSheet(ctx, ws, g)
	if err != nil {
		return nil, err
	}
	p, err := o.passage(ctx, order[at])
	p.Draw, p.Mine = g.Number, len(done)
	return &p, err
}

// answeredBy are the positions that a member has answered.
func answeredBy(guesses []guess, person string) map[int]bool {
	out := map[int]bool{}
	for _, one := range guesses {
		if one.Member == person {
			out[one.Position] = true
		}
	}
	return out
}

// Guess takes a member's answer about a passage of a game, with no suspicion for "nothing".
// The last answer of all members ends the game.
func (s *Service) Guess(ctx context.Context, by account.User, id project.ID, number, game, position int, found []Suspicion, seconds float64) error {
	ws, session, g, err := s.player(by, id, number)
	if err != nil {
		return err
	}
	if g.Number != game || position < 0 || position >= g.Budget {
		return &project.Error{Kind: project.Stale, Message: "this passage is not in the game that is under way", Hint: "go on with the next passage"}
	}
	o, err := s.gameSheet(ctx, ws, g)
	if err != nil {
		return err
	}
	one := guess{Position: position, Member: by.ID, At: s.now(), Seconds: max(0, seconds), Planted: o.shown[position].Plant != nil}
	one.Hasty = o.hasty(position, one.Seconds)
	for _, f := range found {
		if f.Sure < Guessed || f.Sure > Sure {
			return project.Invalidf("press 1, 2 or 3 for each mark", "a mark does not say how sure you are")
		}
		caught, spans, err := o.mark(ctx, position, []Selection{f.Selection})
		if err != nil {
			return err
		}
		one.Marks = append(one.Marks, suspected{Sure: f.Sure, Caught: caught != nil && *caught, Spans: spans})
	}
	return s.keepGuess(ws, by, &session, g.Number, one)
}

// keepGuess stores an answer, and ends the game with the last one.
func (s *Service) keepGuess(ws *workspace, by account.User, session *Session, game int, one guess) error {
	ws.changing.Lock()
	defer ws.changing.Unlock()
	g, err := s.running(ws.ID, session.Number)
	if err != nil {
		return err
	}
	guesses, err := s.guesses(ws, game)
	if err != nil {
		return err
	}
	if g.Number != game || answeredBy(guesses, by.ID)[one.Position] {
		return &project.Error{Kind: project.Stale, Message: "you have answered this passage already", Hint: "go on with the next passage"}
	}
	guesses = append(slices.Clip(guesses), one)
	key := append(append(store.Key(uint64(game)), store.Key(uint64(one.Position))...), by.ID...)
	ev := project.EventBy(by, "guess", ws.ID.Object("games", game), fmt.Sprintf("position %d", one.Position+1))
	err = s.projects.Update(ws.ID, ev, func(tx *store.Tx) error {
		if err := underWay(tx, g); err != nil {
			return err
		}
		if err := store.PutJSON(tx, bucketGuesses, key, one); err != nil || !g.complete(session, guesses) {
			return err
		}
		if err := g.end(tx, guesses, one.At); err != nil {
			return err
		}
		return tx.Audit(project.EventBy(by, "end game", ws.ID.Object("games", game), "all members have played"))
	})
	if err != nil {
		return err
	}
	ws.mu.Lock()
	ws.guesses[game] = guesses
	ws.mu.Unlock()
	s.projects.Tell(ws.ID, project.TopicReview)
	return nil
}

// players are the members who play.
func (s *Session) players() []string {
	return slices.DeleteFunc(s.accounts(), func(person string) bool { return person == s.By })
}

// complete reports whether every member has answered every passage.
func (g *Game) complete(session *Session, guesses []guess) bool {
	for _, person := range session.players() {
		if len(answeredBy(guesses, person)) < g.Budget {
			return false
		}
	}
	return true
}

// EndGame ends a game before all members have played to the end.
func (s *Service) EndGame(ctx context.Context, by account.User, id project.ID, number int) error {
	ws, _, err := s.run(by, account.Sanitize, id, number)
	if err != nil {
		return err
	}
	ws.changing.Lock()
	defer ws.changing.Unlock()
	g, err := s.running(id, number)
	if err != nil {
		return err
	}
	guesses, err := s.guesses(ws, g.Number)
	if err != nil {
		return err
	}
	err = s.projects.Update(id, project.EventBy(by, "end game", id.Object("games", g.Number)), func(tx *store.Tx) error {
		if err := underWay(tx, g); err != nil {
			return err
		}
		return g.end(tx, guesses, s.now())
	})
	s.projects.Tell(id, project.TopicReview)
	return err
}

// underWay refuses a game that the removal of notes has ended since it was read.
func underWay(tx *store.Tx, g *Game) error {
	is, err := store.GetJSON[Game](tx, bucketGames, store.Key(uint64(g.Number)))
	if err == nil && is.Ended != nil {
		err = ended(g.Session)
	}
	return err
}

// end ends a game: the distinct things that members marked are listed to be judged.
func (g *Game) end(tx *store.Tx, guesses []guess, now time.Time) error {
	finds := findsOf(guesses)
	for _, f := range finds {
		if err := store.PutJSON(tx, bucketFinds, findKey(g.Number, f.Number), f); err != nil {
			return err
		}
	}
	g.Ended, g.Scores = &now, g.score(guesses, finds)
	return store.PutJSON(tx, bucketGames, store.Key(uint64(g.Number)), g)
}

func findKey(game, number int) []byte {
	return append(store.Key(uint64(game)), store.Key(uint64(number))...)
}

// JudgeGuess says whether something that members marked is an identifier, and of which label;
// "" if that is not known.
func (s *Service) JudgeGuess(ctx context.Context, by account.User, id project.ID, number, game, at int, real bool, label annotate.Label) error {
	ws, _, err := s.run(by, account.Sanitize, id, number)
	if err != nil {
		return err
	}
	ws.changing.Lock()
	defer ws.changing.Unlock()
	g, err := s.newestGame(id, number)
	if err != nil {
		return err
	}
	if g == nil || g.Number != game || g.Ended == nil {
		return &project.Error{Kind: project.Stale, Message: fmt.Sprintf("game %d is not the last game of review %d, or has not ended", game, number), Hint: "open the page of the review again"}
	}
	finds, err := s.storedFinds(id, game)
	if err != nil {
		return err
	}
	if at < 1 || at > len(finds) {
		return project.NotFoundf("game %d has no find %d", game, at)
	}
	guesses, err := s.guesses(ws, game)
	if err != nil {
		return err
	}
	now := s.now()
	f := &finds[at-1]
	f.Real, f.By, f.At, f.Mark.Label = &real, by.ID, &now, label
	g.Scores = g.score(guesses, finds)
	says := map[bool]string{true: "an identifier", false: "not an identifier"}[real]
	ev := project.EventBy(by, "judge find", id.Object("games", game), fmt.Sprintf("find %d: %s", at, says))
	err = s.projects.Update(id, ev, func(tx *store.Tx) error {
		if _, err := tx.Get(bucketFinds, findKey(game, at)); err != nil {
			return err // notes were removed meanwhile
		}
		if err := store.PutJSON(tx, bucketFinds, findKey(game, at), f); err != nil {
			return err
		}
		return store.PutJSON(tx, bucketGames, store.Key(uint64(game)), g)
	})
	s.projects.Tell(id, project.TopicReview)
	return err
}

// guesses are the answers of a game, in memory.
func (s *Service) guesses(ws *workspace, game int) ([]guess, error) {
	ws.mu.Lock()
	out, known := ws.guesses[game]
	ws.mu.Unlock()
	if known {
		return out, nil
	}
	out, err := project.Read(s.projects, ws.ID, func(tx *store.Tx) ([]guess, error) { return scanned[guess](tx, bucketGuesses, game) })
	if err != nil {
		return nil, err
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if there, known := ws.guesses[game]; known { // newer
		return there, nil
	}
	ws.guesses[game] = out
	return out, nil
}

// storedFinds are the finds of a game, by number.
func (s *Service) storedFinds(id project.ID, game int) ([]find, error) {
	return project.Read(s.projects, id, func(tx *store.Tx) ([]find, error) { return scanned[find](tx, bucketFinds, game) })
}

// scanned are the values of a game or a draw in a bucket, in the order of their keys.
func scanned[T any](tx *store.Tx, bucket string, number int) (out []T, err error) {
	err = tx.Scan(bucket, store.Key(uint64(number)), func(_, raw []byte) error {
		one, err := store.DecodeJSON[T](bucket, raw)
		out = append(out, one)
		return err
	})
	return out, err
}

// confirmed are the finds of a session's games that the broker confirmed, by candidate.
func (s *Service) confirmed(id project.ID, session *Session) (out []release.Found, err error) {
	all, err := s.games(id, session.Number)
	if err != nil {
		return nil, err
	}
	for _, g := range all {
		finds, err := s.storedFinds(id, g.Number)
		if err != nil {
			return nil, err
		}
		in := release.Found{Candidate: g.Candidate}
		for _, f := range finds {
			if f.real() {
				in.Marks = append(in.Marks, f.Mark)
			}
		}
		if len(in.Marks) > 0 {
			out = append(out, in)
		}
	}
	return out, nil
}
