// SPDX-License-Identifier: Apache-2.0

package review_test

import (
	"math"
	"sync"
	"testing"

	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/review"
)

// A view that cannot be stored would stop every later change of the review, votes too.
func TestAnEndlessLossIsRefused(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	b.must(b.TakeFloor(ctx, members[0], b.id, b.number))
	projecttest.WantKind(t, b.MoveShown(ctx, members[0], b.id, b.number, math.Inf(1), 10), project.Invalid)
	b.must(b.AskQuestion(ctx, members[1], b.id, b.number, "May we go on?"))
	b.advance(review.Voting)
	lc := math.Inf(1)
	projecttest.WantKind(t, b.vote(members[0], review.Vote{Choice: review.Approve, Conditions: review.Conditions{LC: &lc}}), project.Invalid)
	b.must(b.vote(members[0], review.Vote{Choice: review.Approve}))
}

// A member moves the view and reads the session just before the floor changes hands.
func TestALateMoveDoesNotTakeTheFloorBack(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	b.must(b.TakeFloor(ctx, members[0], b.id, b.number))
	old := b.review()
	b.must(b.TakeFloor(ctx, projecttest.Broker, b.id, b.number))
	projecttest.WantKind(t, b.MoveAsOf(members[0], b.id, old, 20, 100), project.Stale)
	if s := b.review(); s.Shown.Floor != projecttest.Broker.ID || s.Shown.LC == 20 {
		t.Errorf("everybody sees %+v", s.Shown)
	}
}

// Two browsers commit, or give a number, at the same time: one of them does it.
func TestADrawIsCommittedAndDrawnOnce(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	once := func(do func(i int) error) {
		t.Helper()
		var all sync.WaitGroup
		errs := make([]error, 6)
		for i := range errs {
			all.Go(func() { errs[i] = do(i) })
		}
		all.Wait()
		done := 0
		for _, err := range errs {
			if err == nil {
				done++
			} else if project.KindOf(err) != project.Stale {
				t.Error(err)
			}
		}
		if done != 1 {
			t.Errorf("it was done %d times", done)
		}
	}
	once(func(int) error {
		_, err := b.CommitDraw(ctx, projecttest.Broker, b.id, b.number, review.Sampling{Random: 10})
		return err
	})
	once(func(i int) error {
		_, err := b.GiveNumber(ctx, members[i%3], b.id, b.number, string(rune('1'+i))+"4711")
		return err
	})
	if all, err := b.Draws(ctx, projecttest.Broker, b.id); err != nil || len(all) != 1 || len(b.review().Draws) != 1 {
		t.Errorf("%d draws are on record, %v", len(all), err)
	}
}
