// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/candidate"
	"hide/internal/store"
	"hide/internal/words"
)

// Game is the finding game of a session: members are the attacker of the papers with a budget
// of B passages, see eq. (1) of Li, Vorobeychik, Li and Malin. All of them get the same
// passages, each in an own order.
type Game struct {
	Number    int       `json:"number"` // from 1, in its project
	Session   int       `json:"session"`
	Candidate int       `json:"candidate"`
	Hash      string    `json:"hash"` // of the candidate
	By        string    `json:"by"`   // account of the broker
	At        time.Time `json:"at"`
	Budget    int       `json:"budget"` // B
	Plants    int       `json:"plants"` // planted identifiers that were asked for
	Planted   int       `json:"planted"`

	Labels []annotate.Label `json:"labels"` // that a confirmed find can have

	// A person who knows what follows can tell which passages are ranked and where plants are.

	Seed     string `json:"seed"`     // hex, of 32 random bytes
	Passages []int  `json:"passages"` // indices, ascending: a position among them tells nothing
	Ranked   []int  `json:"ranked"`   // those of them that the ranked attacker doubts most

	Notes []annotate.DocumentID `json:"documents"` // that the passages are of

	Ended  *time.Time  `json:"ended,omitempty"`
	Scores *GameScores `json:"scores,omitempty"` // counts; nil before the end
}

// The buckets of a project's space that games are in. Guesses and finds hold places of text,
// and go when notes are removed; the counts of a game stay.
const (
	bucketGames      = "review-games"      // number -> Game
	bucketGamePlants = "review-game-plant" // number of a game -> what planted identifiers are like
	bucketGuesses    = "review-guesses"    // game, position, account -> guess
	bucketFinds      = "review-finds"      // game, number -> find
)

// Limits of a game.
const (
	fewestBudget = 4
	mostBudget   = 100
)

// StartGame starts a finding game with budget passages, half of them those that the ranked
// attacker doubts most, half random ones of the rest. Passages that a sample or an earlier game
// has shown are left out: a person who sees a passage twice can tell what was planted in it.
func (s *Service) StartGame(ctx context.Context, by account.User, id project.ID, number, budget, plants int) error {
	ws, session, err := s.run(by, account.Sanitize, id, number)
	if err != nil {
		return err
	}
	ws.changing.Lock() // a draw must not show the same passages meanwhile
	defer ws.changing.Unlock()
	g := Game{Session: number, Candidate: session.Candidate, Hash: session.Hash, By: by.ID, At: s.now(), Budget: budget, Plants: plants}
	if err := session.must(g.At, Open); err != nil {
		return err
	}
	for _, refuse := range []func() error{g.check, func() error { return s.noGame(id, number) }, func() error { return s.notStale(ws, &session) }} {
		if err := refuse(); err != nil {
			return err
		}
	}
	if g.Labels, err = s.releases.LabelsOf(ctx, id, g.Candidate); err != nil {
		return err
	}
	misses, err := s.deal(ctx, ws, &session, &g)
	if err != nil {
		return err
	}
	err = s.projects.Transact(id, func(tx *store.Tx) error {
		n, err := tx.Next(bucketGames)
		g.Number = int(n)
		return errors.Join(err, store.PutJSON(tx, bucketGames, store.Key(n), g), store.PutJSON(tx, bucketGamePlants, store.Key(n), misses),
			tx.Audit(project.EventBy(by, "start game", id.Object("games", n), fmt.Sprintf("review %d, %d passages, %d planted", number, budget, g.Planted))))
	})
	s.projects.Tell(id, project.TopicReview)
	return err
}

func (g *Game) check() error {
	switch {
	case g.Budget < fewestBudget || g.Budget > mostBudget || g.Budget%2 != 0:
		return project.Invalidf(fmt.Sprintf("choose an even number from %d to %d", fewestBudget, mostBudget), "a game cannot have %d passages", g.Budget)
	case g.Plants < 0 || g.Plants > g.Budget/2:
		return project.Invalidf(fmt.Sprintf("plant 0 to %d", g.Budget/2), "a game of %d passages cannot have %d planted identifiers", g.Budget, g.Plants)
	}
	return nil
}

// noGame refuses a game before the last one has ended and is judged.
func (s *Service) noGame(id project.ID, number int) error {
	g, err := s.newestGame(id, number)
	if err != nil || g == nil {
		return err
	}
	if g.Ended == nil {
		return &project.Error{Kind: project.Stale, Message: fmt.Sprintf("a game of review %d is under way", number), Hint: "end it first"}
	}
	finds, err := s.storedFinds(id, g.Number)
	if open := toJudge(finds); open > 0 {
		return &project.Error{Kind: project.Stale, Message: fmt.Sprintf("%s of the last game not judged yet", words.Count(open, "find is", "finds are")), Hint: "say first whether each is an identifier"}
	}
	return err
}

// deal chooses the passages of a game, and says what its plants are like.
func (s *Service) deal(ctx context.Context, ws *workspace, session *Session, g *Game) ([]audit.Miss, error) {
	o, err := s.sheet(ws.ID, session.Candidate)
	if err != nil {
		return nil, err
	}
	if err := s.drawn(ws.ID, session); err != nil {
		return nil, err
	}
	notes, err := s.closeSeen(ctx, ws.ID, o, g.Candidate, g.Hash)
	if err != nil {
		return nil, err
	}
	var free []int
	var doubts []float64
	for i, p := range o.passages {
		if !o.closed[i] {
			free, doubts = append(free, i), append(doubts, float64(p.Doubt))
		}
	}
	if !slices.ContainsFunc(o.passages, func(p candidate.Passage) bool { return p.Doubt >= 0 }) {
		return nil, project.Invalidf("read a random sample instead", "no redaction model says which passages of the candidate are doubtful")
	}
	if len(free) < g.Budget {
		return nil, project.Invalidf("choose fewer passages, or freeze a larger candidate", "the game needs %d passages, and %s left that nobody has seen in a sample or in an earlier game", g.Budget, words.Count(len(free), "passage is", "passages are"))
	}
	misses, err := s.misses(ctx, ws, session.Candidate)
	if err != nil {
		return nil, err
	}
	var seed [32]byte
	rand.Read(seed[:]) // never fails: it ends the program instead
	g.Seed = hex.EncodeToString(seed[:])
	ranked, rest := audit.Doubtful(doubts, g.Budget/2)
	random := audit.Order(audit.Seed(seed, "random"), rest)[:g.Budget/2]
	for _, i := range ranked {
		g.Ranked = append(g.Ranked, free[i])
	}
	for _, i := range slices.Concat(ranked, random) {
		g.Passages = append(g.Passages, free[i])
	}
	slices.Sort(g.Ranked)
	slices.Sort(g.Passages)
	g.Notes = o.notesOf(g.Passages, notes)
	err = g.lay(ctx, o, misses)
	g.Planted = countPlants(o.shown)
	return misses, err
}

// lay puts the passages of a game on a sheet, with their plants. A position is a place among
// [Game.Passages].
func (g *Game) lay(ctx context.Context, o *sheet, misses []audit.Miss) error {
	seed, err := g.seed()
	if err != nil {
		return err
	}
	o.order = g.Passages
	return o.plant(ctx, g.Budget, audit.PlantSeed(seed, ""), g.Plants, misses)
}

func (g *Game) seed() ([32]byte, error) {
	return bytes32(g.Seed, fmt.Sprintf("the seed of game %d", g.Number))
}

// orderFor is the order of positions in which a member gets the passages.
func (g *Game) orderFor(person string) ([]int, error) {
	seed, err := g.seed()
	if err != nil {
		return nil, err
	}
	positions := make([]int, g.Budget)
	for i := range positions {
		positions[i] = i
	}
	return audit.Order(audit.Seed(seed, "order "+person), positions), nil
}

// gameSheet is the sheet of a game, in memory.
func (s *Service) gameSheet(ctx context.Context, ws *workspace, g *Game) (*sheet, error) {
	ws.mu.Lock()
	o := ws.sheets[g.Number]
	ws.mu.Unlock()
	if o != nil {
		return o, nil
	}
	o, err := s.sheet(ws.ID, g.Candidate)
	if err != nil {
		return nil, err
	}
	misses, err := s.storedMisses(ws.ID, bucketGamePlants, g.Number)
	if err != nil {
		return nil, err
	}
	if err := g.lay(ctx, o, misses); err != nil {
		return nil, err
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.sheets[g.Number] = o
	return o, nil
}

// games lists those of a session, oldest first; of all sessions for 0.
func (s *Service) games(id project.ID, session int) ([]Game, error) {
	all, err := project.ListJSON[Game](s.projects, id, bucketGames)
	return slices.DeleteFunc(all, func(g Game) bool { return session != 0 && g.Session != session }), err
}

// newestGame is the last game of a session, nil without one.
func (s *Service) newestGame(id project.ID, session int) (*Game, error) {
	all, err := s.games(id, session)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[len(all)-1], nil
}

// running is the game of a session that is under way.
func (s *Service) running(id project.ID, session int) (*Game, error) {
	g, err := s.newestGame(id, session)
	switch {
	case err != nil:
		return nil, err
	case g == nil:
		return nil, project.NotFoundf("review %d has no game: the broker has to start one", session)
	case g.Ended != nil:
		return nil, ended(session)
	}
	return g, nil
}

func ended(session int) error {
	return &project.Error{Kind: project.Stale, Message: fmt.Sprintf("the game of review %d has ended", session), Hint: "see the scores on the page of the review"}
}
