// SPDX-License-Identifier: Apache-2.0

package review

import (
	"cmp"
	"slices"

	"hide/internal/greedy/audit"
	"hide/internal/project/release"
)

// GameScores are the counts of a game. They hold no place and no text, and stay when notes
// are removed. Before all finds are judged they are those so far.
type GameScores struct {
	Players []PlayerScore `json:"players"` // by their first answer
	All     PlayerScore   `json:"all"`     // together: each thing counts once
	Ranked  Half          `json:"ranked"`  // passages that the ranked attacker doubts most
	Random  Half          `json:"random"`  // random ones of the rest
	Finds   int           `json:"finds"`   // distinct things that were marked in the text
	Judged  int           `json:"judged"`  // of them
}

// Final reports whether every find is judged.
func (s *GameScores) Final() bool { return s.Judged == s.Finds }

// PlayerScore is what one member did.
type PlayerScore struct {
	ID        string `json:"id,omitempty"` // account; "" for all together
	Passages  int    `json:"passages"`     // looked at
	Hasty     int    `json:"hasty"`        // of them, faster than anybody reads
	Marks     int    `json:"marks"`
	Right     int    `json:"right"` // marks of a planted or confirmed identifier
	Wrong     int    `json:"wrong"` // marks of what is not one
	Planted   int    `json:"planted"`
	Caught    int    `json:"caught"`     // of the planted ones that were seen
	Confirmed int    `json:"confirmed"`  // identifiers that anybody found in the passages looked at
	Found     int    `json:"found"`      // of them
	SureRight int    `json:"sure_right"` // sum of the sureness of right marks; 0 for all together
	SureWrong int    `json:"sure_wrong"`
}

// Share is a part of a whole that may be empty.
type Share struct{ Of, All int }

// Known reports whether the whole is not empty.
func (s Share) Known() bool { return s.All > 0 }

// Value is the share, from 0 to 1.
func (s Share) Value() float64 { return float64(s.Of) / float64(max(1, s.All)) }

// Precision is the share of right marks among those that are judged.
func (p PlayerScore) Precision() Share { return Share{p.Right, p.Right + p.Wrong} }

// Recall is the share of the identifiers that the member could find: planted ones that were
// seen, and confirmed ones that anybody found in the passages looked at.
func (p PlayerScore) Recall() Share { return Share{p.Caught + p.Found, p.Planted + p.Confirmed} }

// Sureness is the mean sureness of right and of wrong marks, from 1 to 3; 0 without any.
func (p PlayerScore) Sureness() (right, wrong float64) {
	return Share{p.SureRight, p.Right}.Value(), Share{p.SureWrong, p.Wrong}.Value()
}

// Sureness is that of the marks of all members.
func (s *GameScores) Sureness() (right, wrong float64) {
	var all PlayerScore
	for _, p := range s.Players {
		all.Right, all.SureRight = all.Right+p.Right, all.SureRight+p.SureRight
		all.Wrong, all.SureWrong = all.Wrong+p.Wrong, all.SureWrong+p.SureWrong
	}
	return all.Sureness()
}

// Half is half of the passages of a game.
type Half struct {
	Passages    int `json:"passages"`    // that anybody looked at
	With        int `json:"with"`        // of them, with a confirmed identifier
	Identifiers int `json:"identifiers"` // confirmed, in them
}

// Utility is U_A of eq. (1), the utility of an attacker who inspects passages and gains L for
// each with an identifier, with its 95 % interval. The interval is that of Clopper and
// Pearson for the share of passages.
type Utility struct{ Value, Low, High float64 }

// Utility is that of an attacker who inspects b passages such as those of the half.
func (h Half) Utility(l float64, b int) Utility {
	low, high := audit.ShareInterval(h.Passages, h.With, audit.Alpha)
	gain := l * float64(b)
	return Utility{gain * Share{h.With, h.Passages}.Value(), gain * low, gain * high}
}

// MachinePrecision is the share of the passages chosen by the rank that hold an identifier.
func (s *GameScores) MachinePrecision() Share { return Share{s.Ranked.With, s.Ranked.Passages} }

// MachineRecall is the share of the passages with an identifier that the rank chose.
func (s *GameScores) MachineRecall() Share {
	return Share{s.Ranked.With, s.Ranked.With + s.Random.With}
}

// RankWorth is how many times as much the ranked passages give as random ones, U_A*/U_A of
// Lemma 2; known is false if nothing was found in random ones.
func (s *GameScores) RankWorth() (times float64, known bool) {
	of, random := s.MachinePrecision(), Share{s.Random.With, s.Random.Passages}
	if random.Of == 0 || !of.Known() {
		return 0, false
	}
	return of.Value() / random.Value(), true
}

// findsOf are the distinct things that were marked: overlapping marks are one.
func findsOf(guesses []guess) (out []find) {
	for _, g := range guesses {
		for _, m := range g.Marks {
			for _, span := range m.Spans {
				out = append(out, find{Position: g.Position, Mark: span})
			}
		}
	}
	slices.SortFunc(out, func(a, b find) int {
		return cmp.Or(cmp.Compare(a.Mark.Note, b.Mark.Note), cmp.Compare(a.Mark.Start, b.Mark.Start), cmp.Compare(a.Mark.End, b.Mark.End))
	})
	merged := out[:0]
	for _, f := range out {
		if n := len(merged); n > 0 && overlap(merged[n-1].Mark, f.Mark) {
			merged[n-1].Mark.End = max(merged[n-1].Mark.End, f.Mark.End)
			continue
		}
		merged = append(merged, f)
	}
	for i := range merged {
		merged[i].Number = i + 1
	}
	return merged
}

// toJudge counts the finds that nobody has judged.
func toJudge(finds []find) (n int) {
	for _, f := range finds {
		if f.Real == nil {
			n++
		}
	}
	return n
}

// touched reports whether a mark overlaps a find.
func (f find) touched(m suspected) bool {
	return slices.ContainsFunc(m.Spans, func(s release.Mark) bool { return overlap(s, f.Mark) })
}

func overlap(a, b release.Mark) bool { return a.Note == b.Note && a.Start < b.End && b.Start < a.End }

// score counts a game.
func (g *Game) score(guesses []guess, finds []find) *GameScores {
	out := &GameScores{Players: []PlayerScore{}, Finds: len(finds)}
	out.Judged = out.Finds - toJudge(finds)
	for _, one := range guesses {
		i := slices.IndexFunc(out.Players, func(p PlayerScore) bool { return p.ID == one.Member })
		if i < 0 {
			i = len(out.Players)
			out.Players = append(out.Players, PlayerScore{ID: one.Member})
		}
		out.Players[i].count(one, finds)
	}
	out.All = together(guesses, finds)
	out.halves(g, guesses, finds)
	return out
}

// count adds an answer.
func (p *PlayerScore) count(one guess, finds []find) {
	p.Passages++
	if one.Hasty {
		p.Hasty++
	}
	caught, found := false, map[int]bool{}
	for _, m := range one.Marks {
		p.Marks++
		caught = caught || m.Caught
		right, judged := m.Caught, true
		for _, f := range finds {
			if f.Position != one.Position || !f.touched(m) {
				continue
			}
			judged = judged && f.Real != nil
			if f.real() {
				right, found[f.Number] = true, true
			}
		}
		switch {
		case right:
			p.Right++
			p.SureRight += int(m.Sure)
		case judged:
			p.Wrong++
			p.SureWrong += int(m.Sure)
		}
	}
	if one.Planted {
		p.Planted++
	}
	if caught {
		p.Caught++
	}
	p.Found += len(found)
	for _, f := range finds {
		if f.Position == one.Position && f.real() {
			p.Confirmed++
		}
	}
}

// together counts what all members did as if they were one person who marks each thing once.
func together(guesses []guess, finds []find) (p PlayerScore) {
	planted, caught := map[int]bool{}, map[int]bool{}
	looked := map[int]bool{}
	for _, one := range guesses {
		looked[one.Position] = true
		if one.Hasty {
			p.Hasty++
		}
		planted[one.Position] = one.Planted
		for _, m := range one.Marks {
			if m.Caught {
				caught[one.Position] = true
			}
		}
	}
	for _, is := range planted {
		if is {
			p.Planted++
		}
	}
	for _, f := range finds {
		switch {
		case f.real():
			p.Found++
		case f.Real != nil:
			p.Wrong++
		}
	}
	p.Passages, p.Caught, p.Confirmed = len(looked), len(caught), p.Found
	p.Marks, p.Right = len(finds)+p.Caught, p.Found+p.Caught
	return p
}

// halves counts the confirmed identifiers in the ranked and the random passages that somebody
// looked at.
func (s *GameScores) halves(g *Game, guesses []guess, finds []find) {
	in := map[int]int{}
	for _, f := range finds {
		if f.real() {
			in[f.Position]++
		}
	}
	counted := map[int]bool{}
	for _, one := range guesses {
		if counted[one.Position] {
			continue
		}
		counted[one.Position] = true
		half := &s.Random
		if slices.Contains(g.Ranked, g.Passages[one.Position]) {
			half = &s.Ranked
		}
		half.Passages++
		half.Identifiers += in[one.Position]
		if in[one.Position] > 0 {
			half.With++
		}
	}
}
