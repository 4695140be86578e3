// SPDX-License-Identifier: Apache-2.0

package review

import (
	"fmt"
	"os"
	"testing"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/sanitize"
	"hide/web"
	"hide/web/webtest"
)

// board is a real project with an open review. The broker proposes; the annotator and the
// reviewer of the project are its members.
type board struct {
	*projecttest.Bench
	id        project.ID
	candidate release.Candidate
	number    int
}

const notes = 40

var shared projecttest.Shared

func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }

func newBoard(t *testing.T) *board {
	t.Helper()
	b := &board{Bench: shared.Copy(t, prepare), id: "p1", number: 1}
	var err error
	b.candidate, err = b.Candidate(t.Context(), projecttest.Broker, b.id, 1)
	b.must(err)
	return b
}

func prepare(bench *projecttest.Bench) {
	b := &board{Bench: bench}
	ctx := b.T.Context()
	b.id = b.FinishedProject(projecttest.Notes(notes))
	run := b.Ran(b.id, sanitize.Params{LC: []float64{1, 10}, Folds: 2})
	chosen, err := b.Choose(ctx, projecttest.Broker, b.id, run.Number, 10)
	b.must(err)
	for _, m := range []account.User{projecttest.Annotator, projecttest.Reviewer} {
		_, err := b.SetMember(ctx, projecttest.Broker, b.id, m.ID, m.Role)
		b.must(err)
	}
	b.must(b.SetRule(ctx, projecttest.Broker, b.id, project.DefaultRule()))
	c := b.Froze(b.id, func() error {
		return b.StartPublish(ctx, projecttest.Broker, b.id, release.Freeze, chosen.Number, release.Despite{Uncertified: "a test"})
	})
	s, err := b.PrepareReview(ctx, projecttest.Broker, b.id, c.Number, review.Ask{Question: "May 40 redacted notes go to Dr. Weiss for one year?", Recipients: []string{"Dr. Weiss"}, Agenda: []string{"What remains", "Vote"}})
	b.must(err)
	for _, m := range []account.User{projecttest.Annotator, projecttest.Reviewer} {
		b.must(b.AddReviewer(ctx, projecttest.Broker, b.id, s.Number, m.ID))
	}
	b.must(b.AdvanceReview(ctx, projecttest.Broker, b.id, s.Number, review.Open, ""))
}

func (b *board) must(err error) {
	b.T.Helper()
	if err != nil {
		b.T.Fatal(err)
	}
}

// draw draws passages to read.
func (b *board) draw(how review.Sampling) {
	b.T.Helper()
	_, err := b.CommitDraw(b.T.Context(), projecttest.Broker, b.id, b.number, how)
	b.must(err)
	_, err = b.GiveNumber(b.T.Context(), projecttest.Reviewer, b.id, b.number, "4711")
	b.must(err)
}

// path is a page of the review.
func (b *board) path(rest string) string {
	return fmt.Sprintf("/p/%s/reviews/%d%s", b.id, b.number, rest)
}

func (b *board) features() []web.Feature {
	return []web.Feature{New(b.All, b.All, b.All, webtest.Accounts{}, webtest.Origin)}
}

func (b *board) server() *webtest.Server { return webtest.New(b.T, b.All, b.features()...) }

// signIn opens a browser of a person.
func signIn(t *testing.T, base string, role account.Role) *browsertest.Browser {
	t.Helper()
	v := browsertest.Start(t)
	v.SetCookie(base, web.CookieName(base, false), string(role))
	return v
}
