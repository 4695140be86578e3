// SPDX-License-Identifier: Apache-2.0

package webhooks

import (
	"time"

	"hide/internal/project"
)

// What follows is about memory: which webhooks there are, and when each has to send. It
// spares reading all webhooks whenever a project changes.

// plan is when a webhook has to send; zero for nothing.
type plan struct {
	at      time.Time
	waiting int // messages
}

// due reports whether it has to send now. A time that is too far away is of a clock that was
// set back since.
func (p plan) due(now time.Time) bool {
	return !p.at.IsZero() && (!p.at.After(now) || p.at.Sub(now) > longestDelay)
}

// Figures count messages since the start.
type Figures struct {
	Waiting   int    // now, of webhooks that are on
	Delivered uint64 // accepted by their receivers
	GivenUp   uint64 // refused until the last attempt, or of webhooks that were turned off
	Dropped   uint64 // because too many waited
}

// WebhookFigures are those of all projects.
func (s *Service) WebhookFigures() Figures {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.figures
	for _, webhooks := range s.next {
		for _, p := range webhooks {
			f.Waiting += p.waiting
		}
	}
	return f
}

func (s *Service) count(delivered, givenUp, dropped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.figures.Delivered += uint64(delivered)
	s.figures.GivenUp += uint64(givenUp)
	s.figures.Dropped += uint64(dropped)
}

func (s *Service) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Service) sends() Sender {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sender
}

func (s *Service) reporter() func(error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.report
}

// has reports whether a project has webhooks that are on.
func (s *Service) has(id project.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.next[id]) > 0
}

// readUpTo is the last row of the audit trail that was read, and whether any webhook is on.
func (s *Service) readUpTo() (row uint64, any bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen, len(s.next) > 0
}

// readTo notes that the rows after one, up to last, were read. It refuses that if a webhook has
// come meanwhile that may want some of them.
func (s *Service) readTo(after, last uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen != after {
		return false
	}
	s.seen = last
	return true
}

// remember notes when a webhook has to send. For a new one the trail is read from where it was
// added; what the others have queued of it, they do not queue again.
func (s *Service) remember(id project.ID, r record) {
	_, at, _ := r.due(s.projects.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Off != nil {
		s.drop(id, r.Number)
		return
	}
	if len(s.next) == 0 {
		s.seen = r.Seen
	}
	if s.next[id] == nil {
		s.next[id] = map[int]plan{}
	}
	if _, old := s.next[id][r.Number]; !old {
		s.seen = min(s.seen, r.Seen)
	}
	s.next[id][r.Number] = plan{at, len(r.Queue)}
}

func (s *Service) forget(id project.ID, number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(id, number)
}

// drop is forget for a caller that holds mu.
func (s *Service) drop(id project.ID, number int) {
	delete(s.next[id], number)
	if len(s.next[id]) == 0 {
		delete(s.next, id)
	}
}

func (s *Service) forgetProject(id project.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.next, id)
}

// due lists the webhooks that have to send now.
func (s *Service) due(now time.Time) (all []one) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, webhooks := range s.next {
		for number, p := range webhooks {
			if p.due(now) {
				all = append(all, one{id, number})
			}
		}
	}
	return all
}

// soonest is when the first webhook has to send; zero if none has.
func (s *Service) soonest() (first time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, webhooks := range s.next {
		for _, p := range webhooks {
			if !p.at.IsZero() && (first.IsZero() || p.at.Before(first)) {
				first = p.at
			}
		}
	}
	return first
}
