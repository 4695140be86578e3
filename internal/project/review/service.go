// SPDX-License-Identifier: Apache-2.0

// Package review lets a board decide about a candidate release: a session with members, a
// shared view, a random sample that readers check, an exact bound of what is left, questions,
// a vote, and a decision that the release gate obeys.
//
//	s, err := reviews.PrepareReview(ctx, broker, project, candidate, ask)
//	err = reviews.AdvanceReview(ctx, broker, project, s.Number, review.Open)
//	...                                                          // CommitDraw, GiveNumber, NextPassage, AnswerPassage
//	err = reviews.Vote(ctx, member, project, s.Number, review.Vote{Choice: review.Approve})
//
// A [Session] is one record, and an answer of a reader another; each change is one transaction
// with its audit row, so a crash loses nothing. Text that members see comes from package
// candidate, which holds nothing but what would be published, and from planted surrogates.
package review

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/store"
	"hide/internal/words"
)

// Service runs the reviews of projects. Its methods may be called concurrently.
type Service struct {
	projects *project.Service
	releases *release.Service
	sanitize *sanitize.Service
	states   project.PerProject[*workspace]
}

// New makes the service. It becomes what decides about publishing candidates.
func New(projects *project.Service, releases *release.Service, s *sanitize.Service) *Service {
	made := &Service{projects: projects, releases: releases, sanitize: s}
	releases.SetDecisions(made)
	projects.BeforeClose(made.keepShownViews)
	return made
}

// The buckets of a project's space that this package writes.
const (
	bucketReviews = "reviews"      // number -> Session
	bucketDraws   = "review-draws" // number -> Draw
	bucketMisses  = "review-plant" // number of a draw -> what planted identifiers are like
	bucketAnswers = "review-reads" // draw, position, turn -> read
)

// workspace is a project with what is in memory of its reviews.
type workspace struct {
	*project.Workspace
	changing sync.Mutex // one change of the reviews at a time

	mu    sync.Mutex          // guards what follows
	rooms map[int]*room       // by session
	draws map[int]*openedDraw // by draw
	// sheets and guesses are those of games, by number.
	sheets  map[int]*sheet
	guesses map[int][]guess
	// figures are those of the run that was asked last: pages ask for them at each move of
	// the slider, and a stored run is large.
	figures struct {
		bundle int
		all    []sanitize.Result
	}
}

// room is who is in a session now.
type room struct {
	seen  map[string]time.Time // by account
	shown *Shown               // what everybody looks at; nil before anybody moved it
	moved bool                 // shown is newer than the stored one
	saved time.Time            // when shown was stored
}

func (s *Service) of(ws *project.Workspace) *workspace {
	return s.states.Of(ws, func(ws *project.Workspace) *workspace {
		return &workspace{Workspace: ws, rooms: map[int]*room{}, draws: map[int]*openedDraw{}, sheets: map[int]*sheet{}, guesses: map[int][]guess{}}
	})
}

// enter checks the role and finds the project.
func (s *Service) enter(by account.User, p account.Permission, id project.ID) (*workspace, error) {
	ws, err := s.projects.Enter(by, p, id)
	if err != nil {
		return nil, err
	}
	return s.of(ws), nil
}

// run is enter for a person who does something with a session.
func (s *Service) run(by account.User, p account.Permission, id project.ID, number int) (*workspace, Session, error) {
	ws, err := s.enter(by, p, id)
	if err != nil {
		return nil, Session{}, err
	}
	session, err := s.stored(id, number)
	return ws, session, err
}

// look is enter for everybody who may be a member of a review.
func (s *Service) look(by account.User, id project.ID) (*workspace, error) {
	ws, err := s.projects.EnterAny(by, id, account.SeeFigures, account.ReadNotes)
	if err != nil {
		return nil, err
	}
	return s.of(ws), nil
}

func (s *Service) now() time.Time { return s.projects.Now().UTC() }

// stored reads a session.
func (s *Service) stored(id project.ID, number int) (Session, error) {
	out, err := project.GetJSON[Session](s.projects, id, bucketReviews, store.Key(uint64(number)))
	if errors.Is(err, store.ErrNotFound) {
		return out, project.NotFoundf("project %s has no review %d", id, number)
	}
	return out, err
}

// change changes a session in one transaction with its audit row, and with what else belongs
// to the change. by has entered the project.
func (s *Service) change(ws *workspace, by account.User, number int, action string, fn func(*Session) (detail string, err error), also ...func(*store.Tx, *Session) error) (Session, error) {
	ws.changing.Lock()
	defer ws.changing.Unlock()
	session, err := s.stored(ws.ID, number)
	if err != nil {
		return session, err
	}
	was := ws.shown(&session)
	session.Shown = was
	detail, err := fn(&session)
	if err != nil {
		return session, err
	}
	ev := project.EventBy(by, action, ws.ID.Object("reviews", number), detail)
	err = s.projects.Update(ws.ID, ev, func(tx *store.Tx) error {
		for _, one := range also {
			if err := one(tx, &session); err != nil {
				return err
			}
		}
		return store.PutJSON(tx, bucketReviews, store.Key(uint64(number)), session)
	})
	if err == nil {
		ws.saved(&session, was, s.now())
		s.projects.Tell(ws.ID, project.TopicReview)
	}
	return session, err
}

// Ask is what a broker wants a review to decide.
type Ask struct {
	Question   string
	Agenda     []string
	Recipients []string
	Until      time.Time // its deadline; zero means in 30 days
}

// PrepareReview prepares a session about a candidate. The project's members can be added to it.
func (s *Service) PrepareReview(ctx context.Context, by account.User, id project.ID, candidate int, ask Ask) (Session, error) {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return Session{}, err
	}
	c, err := s.releases.Candidate(ctx, by, id, candidate)
	if err != nil {
		return Session{}, err
	}
	if err := s.mayReview(ws, c); err != nil {
		return Session{}, err
	}
	now := s.now()
	session := Session{
		Candidate: candidate, Hash: c.Hash, Kind: c.Kind, By: by.ID, Created: now, Question: strings.TrimSpace(ask.Question),
		Agenda: ask.Agenda, Recipients: ask.Recipients, Rule: ws.Rule(), State: Prepared, Until: ask.Until, Shown: Shown{LC: c.LC, B: usualBudget},
	}
	if session.Until.IsZero() {
		session.Until = now.Add(usualLength)
	}
	if err := session.checkAsk(now); err != nil {
		return Session{}, err
	}
	err = s.projects.Transact(id, func(tx *store.Tx) error {
		n, err := tx.Next(bucketReviews)
		if err != nil {
			return err
		}
		session.Number = int(n)
		return errors.Join(store.PutJSON(tx, bucketReviews, store.Key(n), session),
			tx.Audit(project.EventBy(by, "prepare review", id.Object("reviews", n), c.Title()+", hash "+c.Hash)))
	})
	s.projects.Tell(id, project.TopicReview)
	return session, err
}

// usualBudget is the attackers' budget that a session shows first.
const usualBudget = 1000

func (s *Session) checkAsk(now time.Time) error {
	if err := fits(s.Question, textLimit, "question"); err != nil {
		return err
	}
	if len(s.Agenda) > mostAgenda {
		return project.Invalidf("shorten the agenda", "an agenda has at most %d items", mostAgenda)
	}
	for _, line := range slices.Concat(s.Agenda, s.Recipients) {
		if err := fits(line, lineLimit, "line"); err != nil {
			return err
		}
	}
	if !s.Until.After(now) {
		return project.Invalidf("choose a later day", "the deadline of the review has passed")
	}
	return nil
}

// mayReview refuses candidates that nobody can publish.
func (s *Service) mayReview(ws *workspace, c release.Candidate) error {
	if c.Dropped || c.Published {
		return project.Invalidf("freeze a new candidate", "%s cannot be reviewed: it is %s", c.Title(), map[bool]string{true: "dropped", false: "published"}[c.Dropped])
	}
	why, err := s.releases.Stale(ws.Workspace, c)
	if err == nil && why != "" {
		err = project.Invalidf("freeze a new candidate", "%s cannot be reviewed: %s", c.Title(), why)
	}
	return err
}

// Reviews lists the reviews of a project, newest first.
func (s *Service) Reviews(ctx context.Context, by account.User, id project.ID) ([]Session, error) {
	if _, err := s.look(by, id); err != nil {
		return nil, err
	}
	all, err := project.ListJSON[Session](s.projects, id, bucketReviews)
	slices.Reverse(all)
	for i := range all {
		all[i] = all[i].seenBy(by.ID, s.now())
	}
	return all, err
}

// seenBy is a session as a person may see it: votes of others are hidden until all are in,
// except that they have voted.
func (s Session) seenBy(person string, now time.Time) Session {
	s.State = s.Current(now)
	if s.State == Decided {
		return s
	}
	s.Votes = slices.Clone(s.Votes)
	for i, v := range s.Votes {
		if v.By != person {
			s.Votes[i] = Vote{By: v.By, Name: v.Name, At: v.At}
		}
	}
	return s
}

// Review is a review as one of its members may see it, or a broker of the project.
func (s *Service) Review(ctx context.Context, by account.User, id project.ID, number int) (Session, error) {
	ws, out, err := s.member(by, id, number)
	if err != nil {
		return Session{}, err
	}
	out.Shown = ws.shown(&out)
	return out.seenBy(by.ID, s.now()), nil
}

// inSession refuses people who are not members, nor may run the review.
func (s *Service) inSession(by account.User, ws *workspace, session *Session) error {
	if session.Has(by.ID) || s.projects.May(by, ws.ID, account.Sanitize) {
		return nil
	}
	return notMember()
}

func notMember() error {
	return &project.Error{Kind: project.Forbidden, Message: "you are not a member of this review", Hint: "ask the broker who opened it to add you"}
}

// AddReviewer adds a member of the project to a session.
func (s *Service) AddReviewer(ctx context.Context, by account.User, id project.ID, number int, person string) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	_, err = s.addMember(ws, by, number, person)
	return err
}

func (s *Service) addMember(ws *workspace, by account.User, number int, person string) (Session, error) {
	if _, err := s.projects.RoleIn(account.User{ID: person}, ws.ID); err != nil {
		return Session{}, project.Invalidf("add the person to the project first", "this person is not a member of the project")
	}
	now := s.now()
	return s.change(ws, by, number, "add reviewer", func(session *Session) (string, error) {
		if err := session.must(now, Prepared, Open); err != nil {
			return "", err
		}
		m := Member{ID: person, Name: s.projects.PersonName(person), Joined: now}
		return person, session.addMember(m)
	})
}

// InviteReviewer makes an account for a new person, who becomes a member of the project with the role
// reviewer and of the session, and returns the one-time token of the link to sign in with.
func (s *Service) InviteReviewer(ctx context.Context, by account.User, id project.ID, number int, name string) (token string, err error) {
	ws, session, err := s.run(by, account.Sanitize, id, number)
	if err != nil {
		return "", err
	}
	if err := errors.Join(session.must(s.now(), Prepared, Open), session.full()); err != nil {
		return "", err
	}
	member, token, err := s.projects.InviteMember(ctx, by, id, name, account.Reviewer)
	if err != nil {
		return "", err
	}
	_, err = s.addMember(ws, by, number, member.ID)
	return token, err
}

// RemoveReviewer takes a member out of a session before the vote.
func (s *Service) RemoveReviewer(ctx context.Context, by account.User, id project.ID, number int, person string) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	now := s.now()
	_, err = s.change(ws, by, number, "remove reviewer", func(session *Session) (string, error) {
		if err := session.must(now, Prepared, Open); err != nil {
			return "", err
		}
		session.Members = slices.DeleteFunc(session.Members, func(m Member) bool { return m.ID == person })
		return person, nil
	})
	return err
}

// AdvanceReview lets a session go on: to [Open], to [Voting], to [Decided] when the votes are to be
// counted now, or to [Ended] without a decision, for a reason.
func (s *Service) AdvanceReview(ctx context.Context, by account.User, id project.ID, number int, to State, why string) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	now := s.now()
	_, err = s.change(ws, by, number, "review "+string(to), func(session *Session) (string, error) {
		switch to {
		case Open:
			return "", session.open(now)
		case Voting:
			return "", errors.Join(s.notStale(ws, session), session.callVote(now))
		case Decided:
			return "", s.decide(ws, session, now)
		case Ended:
			if session.Current(now).Over() {
				return "", session.must(now, Prepared, Open, Voting)
			}
			session.State, session.Closed, session.Why = Ended, &now, strings.TrimSpace(why)
			return session.Why, fits(why, lineLimit, "reason")
		}
		return "", project.Invalidf("choose open, voting, decided or ended", "a review cannot become %q", to)
	})
	return err
}

// notStale refuses to go on with a candidate that is out of date.
func (s *Service) notStale(ws *workspace, session *Session) error {
	c, err := s.releases.StoredCandidate(ws.ID, session.Candidate)
	if err != nil {
		return err
	}
	return s.mayReview(ws, c)
}

// Title names a session for lists.
func (s *Session) Title() string { return "review " + words.Number(s.Number) }
