// SPDX-License-Identifier: Apache-2.0

// Package review shows the sessions in which a board decides about a candidate: the list, the
// page of a session, which all members see live, and the page on which a member reads the
// random sample, one passage at a time.
//
// What all members of a role see is in live parts. What depends on the person is in sections
// that the page fetches again after each step of the session. Text of notes is only on the
// reading page, and comes from the candidate.
package review

import (
	"context"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/sanitize"
	"hide/web/ui"
)

// Sessions is what these pages ask of sessions. Each method checks the permission of by first.
type Sessions interface {
	ui.Projects
	Reviews(ctx context.Context, by account.User, id project.ID) ([]review.Session, error)
	Review(ctx context.Context, by account.User, id project.ID, number int) (review.Session, error)
	PrepareReview(ctx context.Context, by account.User, id project.ID, candidate int, ask review.Ask) (review.Session, error)
	AdvanceReview(ctx context.Context, by account.User, id project.ID, number int, to review.State, why string) error
	AddReviewer(ctx context.Context, by account.User, id project.ID, number int, person string) error
	InviteReviewer(ctx context.Context, by account.User, id project.ID, number int, name string) (token string, err error)
	RemoveReviewer(ctx context.Context, by account.User, id project.ID, number int, person string) error
	AskQuestion(ctx context.Context, by account.User, id project.ID, number int, text string) error
	AnswerQuestion(ctx context.Context, by account.User, id project.ID, number, question int, text string) error
	Vote(ctx context.Context, by account.User, id project.ID, number int, v review.Vote) (review.Session, error)
	MeetCondition(ctx context.Context, by account.User, id project.ID, number, condition int, how string) error
	TakeFloor(ctx context.Context, by account.User, id project.ID, number int) error
	GiveFloor(ctx context.Context, by account.User, id project.ID, number int) error
	MoveShown(ctx context.Context, by account.User, id project.ID, number int, lc float64, b int) error
	HereInReview(ctx context.Context, by account.User, id project.ID, number int) error
	PresentInReview(ctx context.Context, by account.User, id project.ID, number int) ([]string, error)
	ReviewGate(ctx context.Context, by account.User, id project.ID, number int) (missing []string, err error)
}

// Readings is what these pages ask of candidates and of reading them. Each method checks the
// permission of by first.
type Readings interface {
	Candidate(ctx context.Context, by account.User, id project.ID, number int) (release.Candidate, error)
	Candidates(ctx context.Context, by account.User, id project.ID) ([]release.Candidate, error)
	Members(ctx context.Context, by account.User, id project.ID) ([]project.Member, error)
	Publishing(ctx context.Context, by account.User, id project.ID) (release.Status, error)
	ReviewForecast(ctx context.Context, by account.User, id project.ID, number int) (review.Forecast, error)
	ReviewFigures(ctx context.Context, by account.User, id project.ID, number int) ([]sanitize.Result, error)
	ReadingProgress(ctx context.Context, by account.User, id project.ID, number int) (*review.Progress, error)
	PlanReading(ctx context.Context, by account.User, id project.ID, number, doubtful, plants int) (audit.Outlook, error)
	Draws(ctx context.Context, by account.User, id project.ID) ([]review.Draw, error)
	CommitDraw(ctx context.Context, by account.User, id project.ID, number int, how review.Sampling) (review.Draw, error)
	GiveNumber(ctx context.Context, by account.User, id project.ID, number int, text string) (review.Draw, error)
	ReadMore(ctx context.Context, by account.User, id project.ID, number, more int) error
	AbandonDraw(ctx context.Context, by account.User, id project.ID, number int, why string) error
	Disagreements(ctx context.Context, by account.User, id project.ID, number int) ([]review.Disagreement, error)
	NextPassage(ctx context.Context, by account.User, id project.ID, number int) (*review.Passage, error)
	AnswerPassage(ctx context.Context, by account.User, id project.ID, number, draw, position int, found []review.Selection, seconds float64) error
	RepairFound(ctx context.Context, by account.User, id project.ID, number int) error
	AdoptCandidate(ctx context.Context, by account.User, id project.ID, number, repaired int) error
	Evidence(ctx context.Context, by account.User, id project.ID, number int) (page, file []byte, err error)
	AddReviewFindings(ctx context.Context, by account.User, id project.ID, number int) (added, skipped int, err error)
}

// Handlers answers for these pages.
type Handlers struct {
	projects Sessions
	readings Readings
	games    Games
	names    ui.Names
	origin   string // of the server, for one-time links
}

// New makes the handlers of these pages.
func New(projects Sessions, readings Readings, games Games, names ui.Names, origin string) *Handlers {
	return &Handlers{projects, readings, games, names, origin}
}

const at = "/p/:project/reviews/:number"

// Routes lists the pages and forms. Members of a review are members of the project with any
// role; whether they are members of the review is asked by [Handlers.session] and the services.
func (h *Handlers) Routes() []ui.Route {
	return []ui.Route{
		ui.Get("/p/:project/reviews", ui.SignedIn, h.list),
		ui.Post("/p/:project/reviews", account.Sanitize, h.prepare),
		ui.Get(at, ui.SignedIn, h.show),
		ui.Get(at+"/read", ui.SignedIn, h.read),
		ui.Post(at+"/read", ui.SignedIn, h.answer),
		ui.Get(at+"/game", ui.SignedIn, h.play),
		ui.Post(at+"/game", ui.SignedIn, h.guess),
		ui.Get(at+"/evidence.html", account.SeeFigures, h.evidencePage),
		ui.Get(at+"/evidence.json", account.SeeFigures, h.evidenceFile),

		ui.Post(at+"/here", ui.SignedIn, h.here),
		ui.Post(at+"/floor", ui.SignedIn, h.floor),
		ui.Post(at+"/move", ui.SignedIn, h.move),
		ui.Post(at+"/question", ui.SignedIn, h.ask),
		ui.Post(at+"/question/answer", ui.SignedIn, h.reply),
		ui.Post(at+"/number", ui.SignedIn, h.giveNumber),
		ui.Post(at+"/vote", ui.SignedIn, h.vote),

		ui.Post(at+"/advance", account.Sanitize, h.advance),
		ui.Post(at+"/members/add", account.Sanitize, h.addMember),
		ui.Post(at+"/members/invite", account.Sanitize, h.invite),
		ui.Post(at+"/members/remove", account.Sanitize, h.removeMember),
		ui.Post(at+"/draw", account.Sanitize, h.commitDraw),
		ui.Post(at+"/draw/more", account.Sanitize, h.readMore),
		ui.Post(at+"/draw/abandon", account.Sanitize, h.abandonDraw),
		ui.Post(at+"/game/start", account.Sanitize, h.startGame),
		ui.Post(at+"/game/end", account.Sanitize, h.endGame),
		ui.Post(at+"/game/judge", account.Sanitize, h.judge),
		ui.Post(at+"/repair", account.Sanitize, h.repair),
		ui.Post(at+"/adopt", account.Sanitize, h.adopt),
		ui.Post(at+"/findings", account.Sanitize, h.addFindings),
		ui.Post(at+"/met", account.Sanitize, h.meet),
	}
}

// Parts are what all members of a role see of a session: nothing personal is in them.
func (h *Handlers) Parts() []ui.LivePart {
	part := func(name string, pause time.Duration, render func(live) templ.Component) ui.LivePart {
		return ui.LivePart{
			Name: name, Target: "#" + name, Needs: ui.SignedIn, Pause: pause,
			Topics: []project.Topic{project.TopicReview, project.TopicPublish},
			Admits: h.admits,
			Render: func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
				v, err := h.loadLive(ctx, u, id, q.Get("review"))
				if err != nil {
					return nil, err
				}
				return render(v), nil
			},
		}
	}
	return []ui.LivePart{
		h.shownPart(),
		part("review-head", 300*time.Millisecond, headPart),
		part("review-bound", time.Second, boundPart),
		part("review-progress", time.Second, progressPart),
		part("review-game", time.Second, gamePart),
		part("review-questions", time.Second, questionsPart),
		part("review-votes", time.Second, votesPart),
	}
}

// shownPart is what the floor moves. It asks for little, because it is rendered often.
func (h *Handlers) shownPart() ui.LivePart {
	return ui.LivePart{
		Name: "review-shown", Target: "#review-shown", Needs: ui.SignedIn, Topics: []project.Topic{project.TopicReview}, Admits: h.admits,
		Render: func(ctx context.Context, u account.User, id project.ID, q url.Values) (templ.Component, error) {
			s, err := h.session(ctx, u, id, q.Get("review"))
			if err != nil {
				return nil, err
			}
			return shownPart(s.Shown, h.nameOf(s.Shown.Floor)), nil
		},
	}
}
