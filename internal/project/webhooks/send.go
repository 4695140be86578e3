// SPDX-License-Identifier: Apache-2.0

package webhooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"hide/internal/account"
	"hide/internal/parallel"
	"hide/internal/project"
	"hide/internal/store"
	"hide/internal/webhook"
)

const (
	rowsAtOnce = 10_000      // of the audit trail, in one transaction
	mostAtOnce = 8           // messages that are sent at the same time
	lookEvery  = time.Minute // at the clock: timers stand still while a computer sleeps
)

// KeepSending sends what happens, until ctx ends or the function that it returns is called.
// failed receives what the operator has to know: errors of the store, and webhooks that are
// turned off.
func (s *Service) KeepSending(ctx context.Context, sender Sender, failed func(error)) (stop func(), err error) {
	s.mu.Lock()
	s.report = failed
	s.mu.Unlock()
	if err := s.StartWebhooks(sender); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var sending sync.WaitGroup
	sending.Go(func() {
		for ctx.Err() == nil {
			var next time.Time
			err := parallel.Guard(func() (err error) {
				next, err = s.SendDue(ctx)
				return err
			})
			if err != nil && ctx.Err() == nil {
				failed(err)
			}
			s.sleep(ctx, next, err != nil)
		}
	})
	return func() { cancel(); sending.Wait() }, nil
}

// sleep waits until something is due or has happened. After an error it waits for the clock
// alone, so that a broken store is not asked all the time.
func (s *Service) sleep(ctx context.Context, next time.Time, failed bool) {
	wait, wake := lookEvery, s.wake
	if !next.IsZero() {
		wait = min(wait, next.Sub(s.projects.Now()))
	}
	if failed {
		wait, wake = lookEvery, nil
	}
	timer := time.NewTimer(max(0, wait))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
	case <-timer.C:
	}
}

// StartWebhooks lets webhooks be added and tested, and finds the messages that wait. Webhooks
// that cannot be read stay off, and the operator is told: they must not keep a server from
// starting.
func (s *Service) StartWebhooks(sender Sender) error {
	ids, err := s.projects.IDs()
	if err != nil {
		return err
	}
	seen, err := s.projects.Store().Audited()
	if err != nil {
		return err
	}
	for _, id := range ids {
		all, err := s.stored(id)
		if err != nil {
			s.leaveOut(id, err)
			continue
		}
		for _, r := range all {
			s.remember(id, r)
			if r.Off == nil {
				seen = min(seen, r.Seen)
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sender, s.seen = sender, seen
	return nil
}

// SendDue queues what has happened since the last call, and makes one attempt for each
// webhook with a message that is due. It says when to call it again; the zero time if no
// message waits. It is not called twice at the same time.
func (s *Service) SendDue(ctx context.Context) (next time.Time, err error) {
	failed := s.collect() // what is queued already does not wait for it
	sender := s.sends()
	if sender == nil {
		return next, failed
	}
	var group errgroup.Group
	group.SetLimit(mostAtOnce)
	for _, w := range s.due(s.projects.Now()) {
		group.Go(func() error { return s.sendNext(ctx, sender, w) })
	}
	err = errors.Join(failed, group.Wait())
	return s.soonest(), err
}

// leaveOut turns the webhooks of a project off until the next start, because they are damaged.
func (s *Service) leaveOut(id project.ID, err error) {
	s.forgetProject(id)
	s.reporter()(fmt.Errorf("the webhooks of project %s are off until the next start: %w", id, err))
}

// isDamage reports whether trying again would not help.
func isDamage(err error) bool {
	_, damaged := errors.AsType[*store.DamageError](err)
	return damaged
}

// one is a webhook of a project.
type one struct {
	project project.ID
	number  int
}

// sendNext makes an attempt with the first message of a webhook.
func (s *Service) sendNext(ctx context.Context, sender Sender, w one) error {
	r, err := project.Read(s.projects, w.project, func(tx *store.Tx) (record, error) { return find(tx, w.project, w.number) })
	if project.KindOf(err) == project.NotFound { // removed meanwhile, or destroyed with its project
		s.forget(w.project, w.number)
		return nil
	}
	if isDamage(err) {
		s.leaveOut(w.project, err)
		return nil
	}
	if err != nil {
		return err
	}
	m, _, waits := r.due(s.projects.Now())
	if !waits || ctx.Err() != nil {
		return nil
	}
	_, err = s.attempt(ctx, sender, account.User{ID: store.System}, w.project, r, m)
	if project.KindOf(err) == project.NotFound {
		return nil
	}
	return err
}

// attempt sends a message and puts on record how that went.
func (s *Service) attempt(ctx context.Context, sender Sender, by account.User, id project.ID, r record, m message) (a Attempt, err error) {
	body, err := m.body(id)
	if err != nil {
		return a, err
	}
	result := sender.Send(ctx, webhook.Message{URL: r.URL, Secret: r.Secret, ID: m.ID, Body: body})
	if ctx.Err() != nil { // the message stays in the queue
		return a, ctx.Err()
	}
	now := s.projects.Now().UTC()
	where := id.Object("webhooks", r.Number)
	var off *Off
	var gone, accepted int // of the queue
	err = s.change(id, r.Number, func(tx *store.Tx, r *record) error {
		was, waited := r.Off, len(r.Queue)
		a = r.attempted(m, result, now)
		if gone, accepted = waited-len(r.Queue), 0; gone > 0 && a.Problem == "" {
			accepted = 1
		}
		err := tx.Audit(project.EventBy(by, "send webhook", where, string(m.Event)+",", a.Words()))
		if was == nil && r.Off != nil {
			off = r.Off
			err = errors.Join(err, tx.Audit(project.SystemEvent("disable webhook", where, off.Why)))
		}
		return err
	})
	if err == nil {
		s.count(accepted, gone-accepted, 0)
	}
	if err == nil && off != nil {
		s.reporter()(fmt.Errorf("webhook %d of project %s is turned off: %s; a broker of the project can turn it on again on its page “Webhooks”", r.Number, id, off.Why))
	}
	return a, err
}

// collect queues the events of rows that nobody has read.
func (s *Service) collect() error {
	for {
		after, any := s.readUpTo()
		if !any {
			return nil
		}
		found := map[project.ID][]store.AuditRow{}
		rows, last, err := s.projects.Store().AuditRowsAfter(after, rowsAtOnce, func(r store.AuditRow) bool {
			return eventOf(r) != "" && s.has(project.ID(r.Space))
		})
		if err != nil {
			return fmt.Errorf("look for events for webhooks: %w", err)
		}
		for _, r := range rows {
			found[project.ID(r.Space)] = append(found[project.ID(r.Space)], r)
		}
		var failed error
		for id, rows := range found {
			if err := s.queue(id, rows); isDamage(err) {
				s.leaveOut(id, err)
			} else if err != nil {
				failed = errors.Join(failed, fmt.Errorf("queue events for webhooks of project %s: %w", id, err))
			}
		}
		if failed != nil { // the rows are read again; what was queued of them is not queued twice
			return failed
		}
		if s.readTo(after, last) && last == after {
			return nil
		}
	}
}

// queue queues rows for the webhooks of a project that want them.
func (s *Service) queue(id project.ID, rows []store.AuditRow) error {
	now := s.projects.Now().UTC()
	all, err := s.stored(id)
	if project.KindOf(err) == project.NotFound { // destroyed
		s.forgetProject(id)
		return nil
	}
	for _, r := range all {
		wanted := func(row store.AuditRow) bool { return r.wants(row, now) }
		if err != nil || !slices.ContainsFunc(rows, wanted) {
			continue
		}
		var dropped int
		err = s.change(id, r.Number, func(tx *store.Tx, r *record) error {
			had := len(r.Queue)
			dropped = r.Dropped
			for _, row := range rows {
				if r.wants(row, now) {
					r.enqueue(messageOf(row, now))
				}
				r.Seen = max(r.Seen, row.Seq)
			}
			dropped = r.Dropped - dropped
			return tx.Audit(project.SystemEvent("queue webhook", id.Object("webhooks", r.Number), fmt.Sprintf("%d messages, %d dropped", len(r.Queue)-had+dropped, dropped)))
		})
		if err == nil {
			s.count(0, 0, dropped)
		}
		if project.KindOf(err) == project.NotFound { // removed meanwhile
			err = nil
		}
	}
	return err
}
