// SPDX-License-Identifier: Apache-2.0

package review_test

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/review"
	"hide/internal/store"
)

// TestAGameRefusesWhatWouldSpoilIt: who may not play, what was answered, what has ended, and
// what leaves too few passages. Nothing of it changes the game.
func TestAGameRefusesWhatWouldSpoilIt(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	start := func(budget, plants int) error {
		return b.StartGame(ctx, projecttest.Broker, b.id, b.number, budget, plants)
	}
	guess := func(who account.User, game, position int, found ...review.Suspicion) error {
		return b.Guess(ctx, who, b.id, b.number, game, position, found, 60)
	}
	for _, c := range [][2]int{{2, 0}, {5, 0}, {102, 0}, {8, 5}, {8, -1}, {42, 0}} {
		projecttest.WantKind(t, start(c[0], c[1]), project.Invalid)
	}
	projecttest.WantKind(t, b.StartGame(ctx, members[0], b.id, b.number, 8, 0), project.Forbidden)
	projecttest.WantKind(t, guess(members[0], 1, 0), project.NotFound)
	_, err := b.CommitDraw(ctx, projecttest.Broker, b.id, b.number, review.Sampling{Random: 30})
	b.must(err)
	projecttest.WantKind(t, start(8, 0), project.Stale) // nobody knows yet which passages are in the sample
	_, err = b.GiveNumber(ctx, members[0], b.id, b.number, "4711")
	b.must(err)
	if err := start(12, 0); err == nil || !strings.Contains(err.Error(), "10 passages are left") {
		t.Errorf("too few passages: %v", err)
	}
	b.must(start(8, 2))
	projecttest.WantKind(t, start(8, 0), project.Stale)

	_, err = b.NextGuess(ctx, projecttest.Broker, b.id, b.number)
	projecttest.WantKind(t, err, project.Invalid)
	_, err = b.NextGuess(ctx, projecttest.Annotator, b.id, b.number)
	projecttest.WantKind(t, err, project.Forbidden)
	first, err := b.NextGuess(ctx, members[0], b.id, b.number)
	b.must(err)
	other, err := b.NextGuess(ctx, members[1], b.id, b.number)
	b.must(err)
	if first.Of != 8 || first.Mine != 0 || other == nil {
		t.Errorf("the first passage is %+v", first)
	}
	projecttest.WantKind(t, guess(projecttest.Broker, first.Draw, first.Position), project.Invalid)
	projecttest.WantKind(t, guess(projecttest.Annotator, first.Draw, first.Position), project.Forbidden)
	projecttest.WantKind(t, guess(members[0], first.Draw+1, first.Position), project.Stale)
	projecttest.WantKind(t, guess(members[0], first.Draw, 8), project.Stale)
	projecttest.WantKind(t, guess(members[0], first.Draw, first.Position, review.Suspicion{Selection: review.Selection{Start: 0, End: 9000}, Sure: review.Sure}), project.Invalid)
	projecttest.WantKind(t, guess(members[0], first.Draw, first.Position, review.Suspicion{Selection: review.Selection{Start: 0, End: 4}}), project.Invalid)
	b.must(guess(members[0], first.Draw, first.Position))
	projecttest.WantKind(t, guess(members[0], first.Draw, first.Position), project.Stale)
	projecttest.WantKind(t, b.JudgeGuess(ctx, projecttest.Broker, b.id, b.number, first.Draw, 1, true, ""), project.Stale)
	projecttest.WantKind(t, b.EndGame(ctx, members[0], b.id, b.number), project.Forbidden)

	g, err := b.GameState(ctx, members[1], b.id, b.number)
	if err != nil || g.Left(members[0].ID) != 7 || g.Left(members[1].ID) != 8 || g.Left(projecttest.Broker.ID) != 0 || g.Scores != nil || g.Planted != 0 {
		t.Errorf("the game is %+v, %v", g, err)
	}
	b.must(b.EndGame(ctx, projecttest.Broker, b.id, b.number))
	projecttest.WantKind(t, b.EndGame(ctx, projecttest.Broker, b.id, b.number), project.Stale)
	projecttest.WantKind(t, guess(members[1], other.Draw, other.Position), project.Stale)
	projecttest.WantKind(t, b.JudgeGuess(ctx, projecttest.Broker, b.id, b.number, g.Number, 1, true, ""), project.NotFound)
	projecttest.WantKind(t, start(4, 0), project.Invalid) // 2 of the 10 are left
}

// TestConfirmedFindsAreRedactedAndLearned: what members find becomes part of a repair and of
// the notes, also when the repaired candidate is played again; the bound of the sample counts
// none of it. The last answer ends a game.
func TestConfirmedFindsAreRedactedAndLearned(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	b.draw(review.Sampling{Random: 10})
	b.readAll(nothing)
	bound := b.progress().Bound
	// play lets every member mark the first readable word of each passage, and confirms the
	// first n of them.
	play := func(budget, confirm int) (texts []string) {
		t.Helper()
		b.must(b.StartGame(ctx, projecttest.Broker, b.id, b.number, budget, 0))
		for range budget {
			for _, who := range members {
				p, err := b.NextGuess(ctx, who, b.id, b.number)
				b.must(err)
				w, _ := wordsOf(p, p.Text)
				start, end := annotate.NewOffsets(p.Text).Range(w[0].span)
				b.must(b.Guess(ctx, who, b.id, b.number, p.Draw, p.Position, []review.Suspicion{{Selection: review.Selection{Start: start, End: end}, Sure: review.Likely}}, 60))
			}
		}
		finds, err := b.GameFinds(ctx, projecttest.Broker, b.id, b.number)
		if err != nil || len(finds) != budget || finds[0].Members != 3 {
			t.Fatalf("after all have played there are %d finds of %d, %v", len(finds), budget, err)
		}
		projecttest.WantKind(t, b.StartGame(ctx, projecttest.Broker, b.id, b.number, 4, 0), project.Stale)
		for _, f := range finds {
			b.must(b.JudgeGuess(ctx, projecttest.Broker, b.id, b.number, f.Game, f.Number, f.Number <= confirm, "PATIENT"))
			if f.Number <= confirm {
				texts = append(texts, f.Text)
			}
		}
		return texts
	}
	kept := func() (n int) {
		t.Helper()
		all, err := b.Passages(b.id, b.review().Candidate)
		b.must(err)
		for _, p := range all {
			n += int(p.Words)
		}
		return n
	}
	repair := func(want int) {
		t.Helper()
		before := kept()
		if g, err := b.GameState(ctx, projecttest.Broker, b.id, b.number); err != nil || g.Fresh != want {
			t.Errorf("%d confirmed finds wait for a repair, want %d", g.Fresh, want)
		}
		child := b.Froze(b.id, func() error { return b.RepairFound(ctx, projecttest.Broker, b.id, b.number) })
		b.must(b.AdoptCandidate(ctx, projecttest.Broker, b.id, b.number, child.Number))
		if got := before - kept(); got != want {
			t.Errorf("the repair redacts %d words, want %d", got, want)
		}
		if g, err := b.GameState(ctx, projecttest.Broker, b.id, b.number); err != nil || g.Fresh != 0 {
			t.Errorf("after the repair %d finds wait for one", g.Fresh)
		}
		if p := b.progress(); p.Bound != bound || p.Left != bound || p.Repaired != 0 || p.Found != 0 {
			t.Errorf("finds of the game changed the bound: %+v", p)
		}
	}
	first := play(8, 5)
	repair(len(first))
	second := play(4, 2) // its places are those of the repaired candidate
	repair(len(second))

	b.advance(review.Voting)
	b.must(b.vote(members[0], review.Vote{Choice: review.Refuse, Reason: "a test"}))
	b.advance(review.Decided)
	added, _, err := b.AddReviewFindings(ctx, projecttest.Broker, b.id, b.number)
	if err != nil || added != len(first)+len(second) {
		t.Errorf("%d of %d finds became spans, %v", added, len(first)+len(second), err)
	}
	scores := mustScores(t, b)
	b.must(b.Update(b.id, project.SystemEvent("purge", "", ""), func(tx *store.Tx) error { return b.Board.Purge(tx, b.id) }))
	if finds, err := b.GameFinds(ctx, projecttest.Broker, b.id, b.number); err != nil || len(finds) != 0 {
		t.Errorf("after notes were removed %d finds are left, %v", len(finds), err)
	}
	if after := mustScores(t, b); after.All != scores.All || after.Ranked != scores.Ranked {
		t.Errorf("after notes were removed the scores are %+v, were %+v", after, scores)
	}
}

func mustScores(t *testing.T, b *board) *review.GameScores {
	t.Helper()
	g, err := b.GameState(t.Context(), projecttest.Broker, b.id, b.number)
	if err != nil || g.Scores == nil {
		t.Fatalf("the game is %+v, %v", g, err)
	}
	return g.Scores
}

// TestNothingIsPlantedInPassagesOfAGame: who has seen a passage in a game could tell what is
// planted in it later.
func TestNothingIsPlantedInPassagesOfAGame(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	b.must(b.StartGame(ctx, projecttest.Broker, b.id, b.number, 20, 10))
	shown, _, err := b.GamePassages(b.id, b.number)
	b.must(err)
	b.must(b.EndGame(ctx, projecttest.Broker, b.id, b.number))
	if d := b.draw(review.Sampling{Random: 40, Plants: 40}); d.Planted != 20 {
		t.Errorf("%d are planted in 40 passages of which a game has shown 20", d.Planted)
	}
	check := func() {
		t.Helper()
		for at := range 40 {
			i, err := b.SamplePassage(b.id, b.number, at)
			b.must(err)
			if planted, err := b.SamplePlanted(b.id, b.number, at); err != nil || planted == slices.Contains(shown, i) {
				t.Errorf("passage %d: planted %v, shown before %v", i, planted, !planted)
			}
		}
	}
	check()
	b.Reopen()
	check()
}
