// SPDX-License-Identifier: Apache-2.0

package review_test

import (
	"strings"
	"testing"
	"time"

	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/signing"
	"hide/internal/store"
)

// answer lets a member read the next passage.
func (b *board) answer(found func(review.Passage) []review.Selection) *review.Passage {
	b.T.Helper()
	p, err := b.NextPassage(b.T.Context(), members[0], b.id, b.number)
	b.must(err)
	b.must(b.AnswerPassage(b.T.Context(), members[0], b.id, b.number, p.Draw, p.Position, found(*p), 60))
	return p
}

// What readers find while the repaired candidate is made is still readable in it: it may not be
// taken from the bound.
func TestARepairCountsOnlyWhatItRedacts(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	b.draw(review.Sampling{Random: 10, Anytime: true})
	b.answer(firstWord)
	until := time.Now().UTC()
	b.answer(firstWord)
	child := b.Froze(b.id, func() error {
		return b.StartRepair(ctx, projecttest.Broker, b.id, b.candidate.Number, release.Findings{Review: b.number, At: until, Found: []release.Found{{Candidate: b.candidate.Number, Marks: []release.Mark{{Note: 0, Start: 0, End: 4}}}}})
	})
	b.must(b.AdoptCandidate(ctx, projecttest.Broker, b.id, b.number, child.Number))
	if p := b.progress(); p.Repaired != 1 || p.Left != p.Bound-1 {
		t.Errorf("of two findings, one after the repair began, %d count as redacted: at most %d of %d", p.Repaired, p.Left, p.Bound)
	}
}

// A candidate that redacts the findings of one review redacts nothing that another found.
func TestARepairIsForItsOwnReview(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	b.draw(review.Sampling{Random: 10, Anytime: true})
	b.answer(firstWord)
	other := &board{Bench: b.Bench, id: b.id, candidate: b.candidate}
	other.open()
	other.draw(review.Sampling{Random: 20, Anytime: true})
	for range 10 {
		other.answer(firstWord)
	}
	child := b.Froze(b.id, func() error { return b.RepairFound(ctx, projecttest.Broker, b.id, b.number) })
	if err := b.AdoptCandidate(ctx, projecttest.Broker, b.id, other.number, child.Number); project.KindOf(err) != project.Invalid || !strings.Contains(err.Error(), "found in review 1") {
		t.Errorf("another review takes the repair: %v", err)
	}
	if p := other.progress(); p.Repaired != 0 || p.Left != p.Bound {
		t.Errorf("%d findings of the other review count as redacted", p.Repaired)
	}
	b.must(b.AdoptCandidate(ctx, projecttest.Broker, b.id, b.number, child.Number))
}

// A broker who abandons a draw does not lose what was found in it.
func TestFindingsOfAnAbandonedDrawAreRedacted(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	kept := func(candidate int) (n int) {
		all, err := b.Passages(b.id, candidate)
		b.must(err)
		for _, p := range all {
			n += int(p.Words)
		}
		return n
	}
	b.draw(review.Sampling{Random: 10})
	b.answer(firstWord)
	b.must(b.AbandonDraw(ctx, projecttest.Broker, b.id, b.number, "a test"))
	child := b.Froze(b.id, func() error { return b.RepairFound(ctx, projecttest.Broker, b.id, b.number) })
	if n := kept(b.candidate.Number) - kept(child.Number); n != 1 {
		t.Errorf("the repair redacts %d words, want 1", n)
	}
}

// No answer counts after its draw was abandoned. When notes are
// removed, places of text are forgotten, in memory too.
func TestAnswersEndWithTheirDraw(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	b.draw(review.Sampling{Random: 10})
	b.answer(firstWord)
	b.must(b.Update(b.id, project.SystemEvent("purge", "", ""), func(tx *store.Tx) error { return b.Board.Purge(tx, b.id) }))
	if p := b.progress(); p.Read != 0 {
		t.Errorf("after notes were removed %d answers are known", p.Read)
	}
	p := b.answer(nothing)
	b.must(b.AbandonDraw(ctx, projecttest.Broker, b.id, b.number, "a test"))
	projecttest.WantKind(t, b.AnswerPassage(ctx, members[1], b.id, b.number, p.Draw, p.Position+1, nil, 60), project.NotFound)
}

// A passage behind one that nobody has answered yet does not count, and neither does its repair.
// More passages than planned may be asked for and not read to their end. The evidence of both
// can be verified.
func TestEvidenceOfAnUnfinishedReadingIsValid(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	b.draw(review.Sampling{Random: 6, Anytime: true})
	for range 6 {
		b.answer(nothing)
	}
	b.must(b.ReadMore(ctx, projecttest.Broker, b.id, b.number, 6))
	_, err := b.NextPassage(ctx, members[1], b.id, b.number) // and goes away
	b.must(err)
	b.answer(firstWord)
	child := b.Froze(b.id, func() error { return b.RepairFound(ctx, projecttest.Broker, b.id, b.number) })
	b.must(b.AdoptCandidate(ctx, projecttest.Broker, b.id, b.number, child.Number))
	if p := b.progress(); p.Complete || p.Found != 0 || p.Repaired != 0 || p.Left != p.Bound {
		t.Errorf("complete %v, %d found, %d repaired, at most %d of %d", p.Complete, p.Found, p.Repaired, p.Left, p.Bound)
	}
	b.advance(review.Voting)
	b.must(b.vote(members[0], review.Vote{Choice: review.Approve}))
	b.advance(review.Decided)
	b.must(b.publish("Dr. Weiss"))
	e := &evidenced{board: b, dir: b.Dir(b.id, child.Name)}
	e.take()
	e.key, err = signing.Key(b.Core)
	b.must(err)
	if problems := e.verified(e.file, e.public()); problems != "" {
		t.Errorf("the evidence is refused: %s", problems)
	}
}
