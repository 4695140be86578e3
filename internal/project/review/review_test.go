// SPDX-License-Identifier: Apache-2.0

package review_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/sanitize"
)

var members = []account.User{
	{ID: "u-m1", Name: "Mia", Role: account.Reviewer}, {ID: "u-m2", Name: "Max", Role: account.Reviewer}, {ID: "u-m3", Name: "Moe", Role: account.Reviewer},
}

// board is a project with a candidate and an open review of it with three members.
type board struct {
	*projecttest.Bench
	id        project.ID
	candidate release.Candidate
	number    int
}

func newBoard(t *testing.T, rule project.Rule) *board {
	t.Helper()
	b := &board{Bench: shared.Copy(t, prepare), id: "p1"}
	var err error
	b.candidate, err = b.Candidate(t.Context(), projecttest.Broker, b.id, 1)
	b.must(err)
	b.must(b.SetRule(t.Context(), projecttest.Broker, b.id, rule))
	b.open()
	return b
}

var shared projecttest.Shared

func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }

// prepare makes the candidate that the tests begin with.
func prepare(bench *projecttest.Bench) {
	b := &board{Bench: bench}
	b.id = b.FinishedProject(projecttest.Notes(40))
	run := b.Ran(b.id, sanitize.Params{LC: []float64{1, 10}, Folds: 2})
	chosen, err := b.Choose(b.T.Context(), projecttest.Broker, b.id, run.Number, 10)
	b.must(err)
	for _, m := range members {
		_, err := b.SetMember(b.T.Context(), projecttest.Broker, b.id, m.ID, account.Reviewer)
		b.must(err)
	}
	b.Froze(b.id, func() error {
		return b.StartPublish(b.T.Context(), projecttest.Broker, b.id, release.Freeze, chosen.Number, release.Despite{Uncertified: "a test"})
	})
}

func (b *board) open() {
	b.T.Helper()
	s, err := b.PrepareReview(b.T.Context(), projecttest.Broker, b.id, b.candidate.Number, review.Ask{Question: "May these notes go to Dr. Weiss?", Recipients: []string{"Dr. Weiss"}})
	if err != nil {
		b.T.Fatal(err)
	}
	b.number = s.Number
	for _, m := range members {
		b.must(b.AddReviewer(b.T.Context(), projecttest.Broker, b.id, b.number, m.ID))
	}
	b.advance(review.Open)
}

func (b *board) must(err error) {
	b.T.Helper()
	if err != nil {
		b.T.Fatal(err)
	}
}

func (b *board) advance(to review.State) {
	b.T.Helper()
	b.must(b.AdvanceReview(b.T.Context(), projecttest.Broker, b.id, b.number, to, "a test"))
}

func (b *board) review() review.Session {
	b.T.Helper()
	s, err := b.Review(b.T.Context(), projecttest.Broker, b.id, b.number)
	b.must(err)
	return s
}

func (b *board) progress() *review.Progress {
	b.T.Helper()
	p, err := b.ReadingProgress(b.T.Context(), members[0], b.id, b.number)
	b.must(err)
	return p
}

func (b *board) draw(how review.Sampling) review.Draw {
	b.T.Helper()
	_, err := b.CommitDraw(b.T.Context(), projecttest.Broker, b.id, b.number, how)
	b.must(err)
	d, err := b.GiveNumber(b.T.Context(), members[0], b.id, b.number, "4711")
	b.must(err)
	return d
}

// readAll lets members read in turn until nothing is left. answer decides what is found.
func (b *board) readAll(answer func(review.Passage) []review.Selection) (read int) {
	b.T.Helper()
	for i := 0; ; i++ {
		p, err := b.NextPassage(b.T.Context(), members[i%3], b.id, b.number)
		b.must(err)
		if p == nil {
			return i
		}
		b.must(b.AnswerPassage(b.T.Context(), members[i%3], b.id, b.number, p.Draw, p.Position, answer(*p), 60))
	}
}

func nothing(review.Passage) []review.Selection { return nil }

func (b *board) vote(who account.User, v review.Vote) error {
	_, err := b.Vote(b.T.Context(), who, b.id, b.number, v)
	return err
}

func (b *board) publish(recipients ...string) error {
	if err := b.StartPublishCandidate(b.T.Context(), projecttest.Broker, b.id, b.review().Candidate, recipients, release.Despite{}); err != nil {
		return err
	}
	if _, st := b.Published(b.id); st.Error != "" {
		return fmt.Errorf("%s", st.Error)
	}
	return nil
}

func TestOnlyTheApprovedCandidateIsPublishedUnderItsConditions(t *testing.T) {
	b := newBoard(t, project.Rule{Approvals: 2, Quorum: 3, Abstain: true})
	if err := b.publish("Dr. Weiss"); err == nil || !strings.Contains(err.Error(), "has not decided") {
		t.Errorf("published before the vote: %v", err)
	}
	b.draw(review.Sampling{Random: 30, Doubtful: 5})
	b.readAll(nothing)
	b.advance(review.Voting)
	most := 1000
	until := time.Now().Add(time.Hour)
	b.must(b.vote(members[0], review.Vote{Choice: review.Approve, Conditions: review.Conditions{AtMost: &most, Recipients: []string{"Dr. Weiss", "Dr. Ng"}, Others: []string{"sign the agreement"}}}))
	b.must(b.vote(members[1], review.Vote{Choice: review.Approve, Conditions: review.Conditions{Until: &until, Recipients: []string{"Dr. Weiss"}}}))
	if s := b.review(); s.State != review.Voting || s.Votes[0].Choice != "" {
		t.Errorf("votes are shown before all are in: %+v", s.Votes)
	}
	b.must(b.vote(members[2], review.Vote{Choice: review.Abstain}))
	d := b.review().Decision
	if d == nil || d.Outcome != review.Approved || d.Certificate == "" || d.Bound == nil || !d.Until.Equal(until) {
		t.Fatalf("the decision is %+v", d)
	}
	for _, c := range []struct {
		to   []string
		want string
	}{{nil, "name the recipients"}, {[]string{"Dr. Ng"}, "Dr. Ng is not among"}, {[]string{"Dr. Weiss"}, "sign the agreement"}} {
		if err := b.publish(c.to...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("published to %v: %v", c.to, err)
		}
	}
	if missing, err := b.ReviewGate(t.Context(), members[0], b.id, b.number); err != nil || len(missing) != 1 || !strings.Contains(missing[0], "sign the agreement") {
		t.Errorf("the gate lacks %q, %v", missing, err)
	}
	b.must(b.MeetCondition(t.Context(), projecttest.Broker, b.id, b.number, 0, "signed on Monday"))
	if missing, err := b.ReviewGate(t.Context(), members[0], b.id, b.number); err != nil || len(missing) != 0 {
		t.Errorf("all is met, and the gate lacks %q, %v", missing, err)
	}
	if _, err := b.ReviewGate(t.Context(), projecttest.Annotator, b.id, b.number); project.KindOf(err) != project.Forbidden {
		t.Errorf("the gate tells somebody who is not a member: %v", err)
	}
	b.must(b.publish("Dr. Weiss"))
	r, err := b.Release(t.Context(), projecttest.Reviewer, b.id, b.candidate.Number)
	b.must(err)
	if r.Review != b.number || len(r.Recipients) != 1 {
		t.Errorf("the release says review %d, recipients %v", r.Review, r.Recipients)
	}
}

func TestARefusalAndABrokenRuleAreObeyed(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	b.advance(review.Voting)
	if err := b.vote(projecttest.Broker, review.Vote{Choice: review.Approve}); err == nil {
		t.Error("the broker voted")
	}
	if err := b.vote(members[0], review.Vote{Choice: review.Refuse}); err == nil {
		t.Error("a refusal without a reason counts")
	}
	b.must(b.vote(members[0], review.Vote{Choice: review.Refuse, Reason: "too many names"}))
	if err := b.vote(members[0], review.Vote{Choice: review.Approve}); project.KindOf(err) != project.Stale {
		t.Errorf("a second vote: %v", err)
	}
	if err := b.vote(projecttest.Reviewer, review.Vote{Choice: review.Approve}); err == nil {
		t.Error("somebody voted who is not a member")
	}
	b.advance(review.Decided)
	if err := b.vote(members[1], review.Vote{Choice: review.Approve}); project.KindOf(err) != project.Stale {
		t.Errorf("a vote after the end: %v", err)
	}
	if err := b.publish(); err == nil || !strings.Contains(err.Error(), "refused it") {
		t.Errorf("published what was refused: %v", err)
	}
	b.must(b.SetRule(t.Context(), projecttest.Broker, b.id, project.Rule{}))
	if err := b.publish(); err == nil || !strings.Contains(err.Error(), "refused it") {
		t.Errorf("published what was refused, under another rule: %v", err)
	}
}

// The bound that members see is that of the engine for what they answered, it stays after
// the program was opened again, and a repair takes what was found from it.
func TestReadingGivesABoundThatARepairInherits(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	d := b.draw(review.Sampling{Random: 30, Doubtful: 5, Anytime: true})
	if d.Secret != "" || len(d.Selected) != 5 {
		t.Fatalf("the draw is %+v", d)
	}
	found := 0
	read := b.readAll(func(p review.Passage) []review.Selection {
		if p.Position%10 != 3 {
			return nil
		}
		for _, tok := range annotate.Tokenize(p.Text) {
			if inside(p.Places, tok) {
				continue
			}
			from, to := annotate.NewOffsets(p.Text).Range(annotate.Span{Start: tok.Start, End: tok.End})
			found++
			return []review.Selection{{Start: from, End: to}}
		}
		return nil
	})
	p := b.progress()
	if read != 35 || !p.Complete || p.Found != found || p.Refusal != "" || p.Left != p.Bound || p.Bound <= found {
		t.Fatalf("after %d answers: %+v", read, p)
	}
	if p.Curve[len(p.Curve)-1].Bound != p.Bound {
		t.Error("the curve does not end at the bound")
	}
	b.Reopen()
	if again := b.progress(); again.Bound != p.Bound || again.Found != p.Found {
		t.Errorf("after opening again the bound is %d, was %d", again.Bound, p.Bound)
	}
	child := b.Froze(b.id, func() error { return b.RepairFound(t.Context(), projecttest.Broker, b.id, b.number) })
	b.must(b.AdoptCandidate(t.Context(), projecttest.Broker, b.id, b.number, child.Number))
	if after := b.progress(); after.Left != p.Bound-found || after.Repaired != found {
		t.Errorf("after the repair at most %d, want %d", after.Left, p.Bound-found)
	}
	if err := b.AdoptCandidate(t.Context(), projecttest.Broker, b.id, b.number, b.candidate.Number); err == nil {
		t.Error("a candidate was adopted that is not a repair")
	}
	b.advance(review.Voting)
	b.must(b.vote(members[0], review.Vote{Choice: review.Approve}))
	b.advance(review.Decided)
	if _, _, err := b.AddReviewFindings(t.Context(), projecttest.Broker, b.id, b.number); err == nil {
		t.Error("spans were added while the approved candidate waits")
	}
	b.must(b.publish())
	added, _, err := b.AddReviewFindings(t.Context(), projecttest.Broker, b.id, b.number)
	if err != nil || added != found {
		t.Errorf("%d of %d findings became spans, %v", added, found, err)
	}
}

func inside(places []annotate.Span, tok annotate.Token) bool {
	for _, p := range places {
		if p.Start < tok.End && tok.Start < p.End {
			return true
		}
	}
	return false
}

// Readers go on beyond the planned passages only if the bound may be looked at meanwhile.
func TestReadersGoOnInTheSameOrder(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	b.draw(review.Sampling{Random: 10, Anytime: true})
	b.readAll(nothing)
	before := b.progress()
	b.must(b.ReadMore(t.Context(), projecttest.Broker, b.id, b.number, 20))
	if p := b.progress(); p.Complete || p.Draw.Asked() != 30 || p.Read != 10 {
		t.Errorf("with 20 more: %d of %d are read", p.Read, p.Draw.Asked())
	}
	if read := b.readAll(nothing); read != 20 {
		t.Errorf("%d more were read, want 20", read)
	}
	after := b.progress()
	_, foretold := before.Ahead(20)
	if !after.Complete || after.Read != 30 || after.Bound >= before.Bound || foretold != after.Bound {
		t.Errorf("the bound was %d, foretold %d, and is %d after %d", before.Bound, foretold, after.Bound, after.Read)
	}
	if err := b.ReadMore(t.Context(), projecttest.Broker, b.id, b.number, 11); err == nil {
		t.Error("more were added than there are")
	}
	b.must(b.AbandonDraw(t.Context(), projecttest.Broker, b.id, b.number, "a test"))
	b.draw(review.Sampling{Random: 10})
	if err := b.ReadMore(t.Context(), projecttest.Broker, b.id, b.number, 5); err == nil {
		t.Error("a fixed number of passages was raised")
	}
}

// Planted identifiers measure recall; readers who miss them get no certificate. Nobody can
// tell a plant from what they answer.
func TestReadersWhoMissPlantsGetNoCertificate(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	d := b.draw(review.Sampling{Random: 40, Plants: 25})
	if d.Planted < 20 {
		t.Fatalf("only %d are planted", d.Planted)
	}
	b.readAll(nothing)
	p := b.progress()
	if p.Recall == nil || p.Recall.Caught != 0 || p.Refusal == "" || p.Found != 0 {
		t.Errorf("readers who find nothing have %+v", p.Certificate)
	}
}

func TestADrawIsBoundToTheBrokersSecretAndAnothersNumber(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	how := review.Sampling{Random: 30}
	d, err := b.CommitDraw(t.Context(), projecttest.Broker, b.id, b.number, how)
	b.must(err)
	if all, err := b.Draws(t.Context(), members[0], b.id); err != nil || all[0].Secret != "" || all[0].Commitment != d.Commitment {
		t.Errorf("before the number is given the draw is %+v, %v", all, err)
	}
	if _, err := b.NextPassage(t.Context(), members[0], b.id, b.number); project.KindOf(err) != project.Stale {
		t.Errorf("read before the draw: %v", err)
	}
	if _, err := b.GiveNumber(t.Context(), projecttest.Broker, b.id, b.number, "4711"); err == nil {
		t.Error("the broker gave the number")
	}
	if _, err := b.CommitDraw(t.Context(), projecttest.Broker, b.id, b.number, how); project.KindOf(err) != project.Stale {
		t.Errorf("a second draw beside the first: %v", err)
	}
	b.must(b.AbandonDraw(t.Context(), projecttest.Broker, b.id, b.number, "too few passages"))
	b.draw(review.Sampling{Random: 40})
	all, err := b.Draws(t.Context(), members[0], b.id)
	if err != nil || len(all) != 2 || all[0].Abandoned == nil || all[0].Secret != "" || all[1].Secret != "" {
		t.Errorf("the draws on record are %+v, %v", all, err)
	}
	if _, err := b.CommitDraw(t.Context(), projecttest.Broker, b.id, b.number, review.Sampling{Random: 1 << 20}); err == nil {
		t.Error("more passages than there are")
	}
}

// The floor is with one member; others cannot move the view, and take the floor when its
// holder is gone.
func TestTheFloorIsFreeWhenItsHolderIsGone(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	b.must(b.HereInReview(ctx, members[0], b.id, b.number))
	b.must(b.TakeFloor(ctx, members[0], b.id, b.number))
	if err := b.TakeFloor(ctx, members[1], b.id, b.number); project.KindOf(err) != project.Stale {
		t.Errorf("the floor was taken from a member who is here: %v", err)
	}
	if err := b.MoveShown(ctx, members[1], b.id, b.number, 20, 100); project.KindOf(err) != project.Stale {
		t.Errorf("moved without the floor: %v", err)
	}
	b.must(b.MoveShown(ctx, members[0], b.id, b.number, 20, 100))
	if s := b.review(); s.Shown.LC != 20 || s.Shown.B != 100 || s.Shown.Floor != members[0].ID {
		t.Errorf("everybody sees %+v", s.Shown)
	}
	b.Reopen() // nobody is here any more
	if s := b.review(); s.Shown.LC != 20 {
		t.Errorf("after opening again everybody sees %+v", s.Shown)
	}
	b.must(b.TakeFloor(ctx, members[1], b.id, b.number))
}

// The view moves in memory between two times that it is stored: the floor must not get lost
// in between.
func TestTheFloorChangesHandsAfterMoves(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	ctx := t.Context()
	for i, m := range members {
		b.must(b.TakeFloor(ctx, m, b.id, b.number))
		for lc := range 3 {
			b.must(b.MoveShown(ctx, m, b.id, b.number, float64(lc+1), 100*i))
		}
		if s := b.review(); s.Shown != (review.Shown{LC: 3, B: 100 * i, Floor: m.ID}) {
			t.Errorf("everybody sees %+v, want the view of %s", s.Shown, m.Name)
		}
		b.must(b.GiveFloor(ctx, m, b.id, b.number))
		if s := b.review(); s.Shown != (review.Shown{LC: 3, B: 100 * i}) {
			t.Errorf("after the floor was given back everybody sees %+v", s.Shown)
		}
	}
}

func TestAReviewHasAtMostThirtyMembers(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	for i := len(members); i <= review.MostMembers; i++ {
		m := fmt.Sprintf("u-x%d", i)
		if _, err := b.SetMember(t.Context(), projecttest.Broker, b.id, m, account.Reviewer); err != nil {
			t.Fatal(err)
		}
		err := b.AddReviewer(t.Context(), projecttest.Broker, b.id, b.number, m)
		if (err != nil) != (i == review.MostMembers) {
			t.Errorf("member %d: %v", i+1, err)
		}
	}
}

func TestAStaleCandidateStopsTheVote(t *testing.T) {
	b := newBoard(t, project.DefaultRule())
	b.advance(review.Voting)
	n := b.MustNote(projecttest.Broker, b.id, 1)
	b.MustEdit(projecttest.Broker, b.id, 1, n.Layer.Revision, annotate.Edit{Verb: annotate.VerbReopen})
	if err := b.vote(members[0], review.Vote{Choice: review.Approve}); err == nil || !strings.Contains(err.Error(), "have changed since") {
		t.Errorf("a vote on a stale candidate: %v", err)
	}
	if s := b.review(); len(s.Votes) != 0 {
		t.Error("the vote was kept")
	}
}
