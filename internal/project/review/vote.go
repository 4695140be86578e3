// SPDX-License-Identifier: Apache-2.0

package review

import (
	"context"
	"slices"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/project"
)

// AskQuestion asks a question in a session.
func (s *Service) AskQuestion(ctx context.Context, by account.User, id project.ID, number int, text string) error {
	return s.say(by, id, number, "ask", func(session *Session, now time.Time) error {
		if len(session.Questions) >= mostQuestions {
			return project.Invalidf("answer the open ones first", "a review has at most %d questions", mostQuestions)
		}
		session.Questions = append(session.Questions, Question{Number: len(session.Questions) + 1, By: by.ID, Name: s.projects.PersonName(by.ID), At: now, Text: text})
		return fits(text, textLimit, "question")
	})
}

// AnswerQuestion answers a question.
func (s *Service) AnswerQuestion(ctx context.Context, by account.User, id project.ID, number, question int, text string) error {
	return s.say(by, id, number, "answer", func(session *Session, now time.Time) error {
		if question < 1 || question > len(session.Questions) {
			return project.NotFoundf("review %d has no question %d", number, question)
		}
		q := &session.Questions[question-1]
		q.Answers = append(q.Answers, Answer{By: by.ID, Name: s.projects.PersonName(by.ID), At: now, Text: text})
		return fits(text, textLimit, "answer")
	})
}

func (s *Service) say(by account.User, id project.ID, number int, action string, fn func(*Session, time.Time) error) error {
	ws, err := s.look(by, id)
	if err != nil {
		return err
	}
	now := s.now()
	_, err = s.change(ws, by, number, action, func(session *Session) (string, error) {
		if err := s.inSession(by, ws, session); err != nil {
			return "", err
		}
		if err := session.must(now, Prepared, Open, Voting); err != nil {
			return "", err
		}
		return "", fn(session, now)
	})
	return err
}

// Vote takes a member's vote. The last one closes the vote.
func (s *Service) Vote(ctx context.Context, by account.User, id project.ID, number int, v Vote) (Session, error) {
	ws, err := s.look(by, id)
	if err != nil {
		return Session{}, err
	}
	v.By, v.Name, v.At, v.Reason = by.ID, s.projects.PersonName(by.ID), s.now(), strings.TrimSpace(v.Reason)
	session, err := s.change(ws, by, number, "vote", func(session *Session) (string, error) {
		if err := session.vote(v); err != nil {
			return "", err
		}
		if err := s.notStale(ws, session); err != nil {
			return "", err
		}
		if !session.allVoted() {
			return "", nil
		}
		return "last vote", s.decide(ws, session, v.At)
	})
	return session.seenBy(by.ID, s.now()), err
}

// decide counts the votes, and puts what was known then on record.
func (s *Service) decide(ws *workspace, session *Session, now time.Time) error {
	if err := s.notStale(ws, session); err != nil {
		return err
	}
	if err := session.count(now); err != nil {
		return err
	}
	b, err := s.bound(ws, session)
	d := session.Decision
	d.Forecast, d.Certificate, d.Bound, d.Read = b.forecast, b.certificate, b.left, b.read
	return err
}

// MeetCondition records how a condition in words was met.
func (s *Service) MeetCondition(ctx context.Context, by account.User, id project.ID, number, condition int, how string) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	now := s.now()
	_, err = s.change(ws, by, number, "meet condition", func(session *Session) (string, error) {
		d := session.Decision
		if d == nil || condition < 0 || condition >= len(d.Conditions.Others) {
			return "", project.NotFoundf("review %d has no condition %d", number, condition+1)
		}
		d.Met = slices.DeleteFunc(d.Met, func(m Met) bool { return m.Condition == condition })
		d.Met = append(d.Met, Met{Condition: condition, How: strings.TrimSpace(how), By: s.projects.PersonName(by.ID), At: now})
		return "", fits(how, textLimit, "statement")
	})
	return err
}

// Waiting reports whether the vote of a person is missing.
func (s *Session) Waiting(person string, now time.Time) bool {
	voted := slices.ContainsFunc(s.Votes, func(v Vote) bool { return v.By == person })
	return s.Has(person) && s.Current(now) == Voting && !voted && person != s.By
}
