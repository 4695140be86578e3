// SPDX-License-Identifier: Apache-2.0

package review_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/review"
)

// A clock that was set back would date votes before the session that they belong to.
func TestAClockBeforeTheReviewStopsIt(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	b.advance(review.Voting)
	b.ReopenAt(func() time.Time { return time.Now().AddDate(-1, 0, 0) })
	if err := b.vote(members[0], review.Vote{Choice: review.Approve}); err == nil || !strings.Contains(err.Error(), "set the clock of the server") && !strings.Contains(err.Error(), "the server's clock says") {
		t.Errorf("a vote a year before its review: %v", err)
	}
	if s := b.review(); len(s.Votes) != 0 || s.State != review.Voting {
		t.Errorf("the review is %s with %d votes", s.State, len(s.Votes))
	}
}

// A member votes from two browsers at once, and a member votes when the vote is closed.
func TestOneVoteOfAMemberCounts(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	b.advance(review.Voting)
	var all sync.WaitGroup
	errs := make(chan error, 8)
	for range cap(errs) {
		all.Go(func() { errs <- b.vote(members[0], review.Vote{Choice: review.Approve}) })
	}
	all.Wait()
	close(errs)
	taken := 0
	for err := range errs {
		switch {
		case err == nil:
			taken++
		case project.KindOf(err) != project.Stale:
			t.Errorf("a second vote: %v", err)
		}
	}
	if s := b.review(); taken != 1 || len(s.Votes) != 1 {
		t.Errorf("%d votes were taken and %d are kept of one member", taken, len(s.Votes))
	}
	b.must(b.AdvanceReview(t.Context(), projecttest.Broker, b.id, b.number, review.Decided, ""))
	if err := b.vote(members[1], review.Vote{Choice: review.Refuse, Reason: "late"}); project.KindOf(err) != project.Stale {
		t.Errorf("a vote after the end: %v", err)
	}
	if s := b.review(); len(s.Votes) != 1 || s.Decision.Outcome != review.Approved {
		t.Errorf("the late vote changed the decision: %+v", s.Decision)
	}
}

// A reader who answers faster than anybody reads is counted, by name; the answers stay.
func TestAReaderWhoIsTooFastIsCounted(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	b.draw(review.Sampling{Random: 4})
	for i := range 4 {
		p, err := b.NextPassage(t.Context(), members[0], b.id, b.number)
		b.must(err)
		b.must(b.AnswerPassage(t.Context(), members[0], b.id, b.number, p.Draw, p.Position, nil, []float64{0.1, 60}[i%2]))
	}
	p := b.progress()
	if !p.Complete || len(p.Readers) != 1 || p.Readers[0].Passages != 4 || p.Readers[0].Hasty != 2 {
		t.Errorf("complete %v, readers %+v", p.Complete, p.Readers)
	}
}

// There are fewer passages than asked for, or more plants than places for them.
func TestASampleThatCannotBeIsRefused(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	for _, how := range []review.Sampling{{Random: 100_000}, {Random: 5000, Doubtful: 10}, {Random: 0}, {Random: 10, Doubtful: -1}, {Random: 5, Plants: 6}, {Random: 5, Readers: 3}} {
		if _, err := b.CommitDraw(t.Context(), projecttest.Broker, b.id, b.number, how); project.KindOf(err) != project.Invalid {
			t.Errorf("%+v: %v", how, err)
		}
	}
	if s := b.review(); len(s.Draws) != 0 {
		t.Errorf("refused draws are on record: %v", s.Draws)
	}
}
