// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"
	"slices"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/candidate"
)

// GameState is the last game of a session as its members see it: nothing tells which passages
// are ranked, random or planted.
type GameState struct {
	Number  int
	By      string // account
	At      time.Time
	Budget  int
	Players []Playing // the members who play, and others who have played

	// What follows is known after the end.

	Ended   *time.Time
	Planted int
	Scores  *GameScores
	ToJudge int // finds that nobody has judged
	Fresh   int // confirmed finds that no repair has redacted
	Labels  []annotate.Label
}

// Playing is how far a member is.
type Playing struct {
	ID       string // account
	Answered int
}

// Left is how many passages a person has still to answer, 0 for a person who does not play.
func (g *GameState) Left(person string) int {
	i := slices.IndexFunc(g.Players, func(p Playing) bool { return p.ID == person })
	if i < 0 || g.Ended != nil {
		return 0
	}
	return g.Budget - g.Players[i].Answered
}

// GameState is the last game of a session, nil without one.
func (s *Service) GameState(ctx context.Context, by account.User, id project.ID, number int) (*GameState, error) {
	ws, session, err := s.member(by, id, number)
	if err != nil {
		return nil, err
	}
	g, err := s.newestGame(id, number)
	if err != nil || g == nil {
		return nil, err
	}
	out := &GameState{Number: g.Number, By: g.By, At: g.At, Budget: g.Budget, Ended: g.Ended}
	guesses, err := s.guesses(ws, g.Number)
	if err != nil {
		return nil, err
	}
	players := session.players()
	for _, one := range guesses {
		if !slices.Contains(players, one.Member) {
			players = append(players, one.Member)
		}
	}
	for _, person := range players {
		out.Players = append(out.Players, Playing{person, len(answeredBy(guesses, person))})
	}
	if g.Ended == nil {
		return out, nil
	}
	out.Planted, out.Scores, out.Labels = g.Planted, g.Scores, g.Labels
	finds, err := s.storedFinds(id, g.Number)
	out.ToJudge, out.Fresh = toJudge(finds), fresh(&session, finds)
	return out, err
}

// fresh counts the confirmed finds that were judged after the last repair: a repair redacts
// all that were confirmed before it.
func fresh(session *Session, finds []find) (n int) {
	for _, f := range finds {
		if f.real() && !slices.ContainsFunc(session.Repairs, func(r Repair) bool { return !f.At.After(r.Until) }) {
			n++
		}
	}
	return n
}

// Find is something that members marked, in the text of the candidate.
type Find struct {
	Number   int    // from 1
	Game     int    // its number
	Position int    // of its passage, as in [Passage]
	Before   string // the passage before it
	Text     string // what was marked
	After    string
	Members  int            // who marked it, or a part of it
	Real     *bool          // nil before it is judged
	Label    annotate.Label // that the broker chose
}

// GameFinds lists what members marked in the last game of a session, for the broker to judge,
// in the order of the notes. Text is that of the candidate, without planted identifiers.
func (s *Service) GameFinds(ctx context.Context, by account.User, id project.ID, number int) ([]Find, error) {
	ws, _, err := s.run(by, account.Sanitize, id, number)
	if err != nil {
		return nil, err
	}
	g, err := s.newestGame(id, number)
	if err != nil || g == nil {
		return nil, err
	}
	finds, err := s.storedFinds(id, g.Number)
	if err != nil || len(finds) == 0 {
		return nil, err
	}
	guesses, err := s.guesses(ws, g.Number)
	if err != nil {
		return nil, err
	}
	o, err := s.sheet(id, g.Candidate)
	if err != nil {
		return nil, err
	}
	var out []Find
	for _, f := range finds {
		p := o.passages[g.Passages[f.Position]]
		note, err := o.text.Note(ctx, int(p.Note))
		if err != nil {
			return nil, err
		}
		one, err := f.in(note, p)
		if err != nil {
			return nil, err
		}
		one.Game, one.Members = g.Number, f.members(guesses)
		out = append(out, one)
	}
	return out, nil
}

// in is a find in its passage.
func (f find) in(note candidate.Note, p candidate.Passage) (Find, error) {
	span, err := annotate.NewOffsets(note.Text).Span(f.Mark.Start, f.Mark.End, f.Mark.Label)
	if err != nil {
		return Find{}, err
	}
	return Find{
		Number: f.Number, Position: f.Position, Before: note.Text[p.Start:span.Start], Text: note.Text[span.Start:span.End], After: note.Text[span.End:p.End], Real: f.Real, Label: f.Mark.Label,
	}, nil
}

// members counts who marked a find.
func (f find) members(guesses []guess) (n int) {
	for _, one := range guesses {
		if one.Position == f.Position && slices.ContainsFunc(one.Marks, f.touched) {
			n++
		}
	}
	return n
}
