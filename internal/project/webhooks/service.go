// SPDX-License-Identifier: Apache-2.0

// Package webhooks tells programs outside of hide that something has happened in a project.
// Brokers add webhooks; [Service.KeepSending] reads the audit trail, and sends each
// event that a webhook is for.
//
// Messages have numbers and times, and no text. They wait in an encrypted queue until the
// receiver has accepted them, also while hide is stopped. A message may arrive twice, and
// later than one that was made after it.
package webhooks

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/store"
	"hide/internal/webhook"
)

// Sender makes one attempt to send a message, and knows which addresses may be called.
type Sender interface {
	Send(ctx context.Context, m webhook.Message) webhook.Result
	Check(address string) error
	Hosts() []string
}

// Service keeps the webhooks of projects. Its methods may be called at the same time.
type Service struct {
	projects *project.Service
	wake     chan struct{} // one slot: there may be something to queue or to send
	changing sync.Mutex    // held from a change in the store to its entry in next

	mu      sync.Mutex                  // guards what follows
	sender  Sender                      // nil: webhooks are off
	report  func(error)                 // to the operator
	next    map[project.ID]map[int]plan // of each webhook that is on
	seen    uint64                      // the last row of the audit trail that was read
	figures Figures                     // without Waiting
}

// New makes the service. It sends nothing before [Service.KeepSending].
func New(projects *project.Service) *Service {
	s := &Service{projects: projects, wake: make(chan struct{}, 1), report: func(error) {}, next: map[project.ID]map[int]plan{}}
	projects.OnChange(func(id project.ID) {
		if s.has(id) {
			s.wakeUp()
		}
	})
	return s
}

// Webhook is a webhook as its brokers see it.
type Webhook struct {
	Number  int
	URL     string
	Events  []Event
	Created time.Time
	By      string // name of the person who added it

	Waiting int       // messages
	Next    time.Time // of the next attempt; zero if none waits
	Dropped int       // messages that were dropped, because too many waited
	Log     []Attempt // newest first
	Failing time.Time // since when all attempts failed; zero if the last one did not
	Off     *Off      // nil: it is on
}

// Webhooks are those of a project, and the hosts that the operator lists.
type Webhooks struct {
	Hosts []string // none: webhooks are off on this server
	All   []Webhook
}

// Webhooks lists the webhooks of a project. It shows no secret.
func (s *Service) Webhooks(_ context.Context, by account.User, id project.ID) (Webhooks, error) {
	if _, err := s.projects.Enter(by, account.ManageWork, id); err != nil {
		return Webhooks{}, err
	}
	var out Webhooks
	if sender := s.sends(); sender != nil {
		out.Hosts = sender.Hosts()
	}
	all, err := s.stored(id)
	for _, r := range all {
		out.All = append(out.All, s.shown(r))
	}
	return out, err
}

func (s *Service) shown(r record) Webhook {
	w := Webhook{Number: r.Number, URL: r.URL, Events: r.Events, Created: r.Created, By: s.projects.PersonName(r.By),
		Waiting: len(r.Queue), Dropped: r.Dropped, Log: r.Log, Failing: r.Failing, Off: r.Off}
	_, w.Next, _ = r.due(s.projects.Now())
	return w
}

// AddWebhook adds a webhook for events and gives its secret, which nobody can read again. The
// host of the address must be listed.
func (s *Service) AddWebhook(_ context.Context, by account.User, id project.ID, address string, events []Event) (Webhook, string, error) {
	if _, err := s.projects.Enter(by, account.ManageWork, id); err != nil {
		return Webhook{}, "", err
	}
	if err := s.check(address, events); err != nil {
		return Webhook{}, "", err
	}
	seen, err := s.projects.Store().Audited()
	if err != nil {
		return Webhook{}, "", err
	}
	r := record{URL: address, Secret: webhook.NewSecret(), Events: events, Created: s.projects.Now().UTC(), By: by.ID, Seen: seen}
	s.changing.Lock()
	defer s.changing.Unlock()
	err = s.projects.Transact(id, func(tx *store.Tx) error {
		if n, err := tx.Count(bucketWebhooks); err != nil || n >= MostWebhooks {
			return errors.Join(err, project.Invalidf("remove one first", "a project has at most %d webhooks", MostWebhooks))
		}
		n, err := tx.Next(bucketWebhooks)
		if err != nil {
			return err
		}
		r.Number = int(n)
		return errors.Join(store.PutJSON(tx, bucketWebhooks, store.Key(n), r),
			tx.Audit(project.EventBy(by, "add webhook", id.Object("webhooks", n), "to", hostOf(address)+":", project.Joined(events))))
	})
	if err != nil {
		return Webhook{}, "", err
	}
	s.remember(id, r)
	return s.shown(r), r.Secret, nil
}

func (s *Service) check(address string, events []Event) error {
	sender := s.sends()
	if sender == nil {
		return project.Invalidf("ask the operator to start hide with --webhook-host", "webhooks are off on this server")
	}
	if refused, ok := errors.AsType[*webhook.RefusedError](sender.Check(address)); ok {
		return project.Invalidf(refused.Next, "%s", refused.What)
	}
	if len(events) == 0 {
		return project.Invalidf("choose at least one", "no event is chosen")
	}
	for i, e := range events {
		if !slices.Contains(Events(), e) || slices.Contains(events[:i], e) {
			return project.Invalidf("choose among "+project.Joined(Events()), "an event is not one of the list, or is there twice")
		}
	}
	return nil
}

// RemoveWebhook removes a webhook, its secret and the messages that wait.
func (s *Service) RemoveWebhook(_ context.Context, by account.User, id project.ID, number int) error {
	if _, err := s.projects.Enter(by, account.ManageWork, id); err != nil {
		return err
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	ev := project.EventBy(by, "remove webhook", id.Object("webhooks", number))
	err := s.projects.Update(id, ev, func(tx *store.Tx) error {
		if _, err := find(tx, id, number); err != nil {
			return err
		}
		return tx.Delete(bucketWebhooks, store.Key(uint64(number)))
	})
	if err == nil {
		s.forget(id, number)
	}
	return err
}

// EnableWebhook turns a webhook on again. It gets what happens from now on.
func (s *Service) EnableWebhook(_ context.Context, by account.User, id project.ID, number int) error {
	if _, err := s.projects.Enter(by, account.ManageWork, id); err != nil {
		return err
	}
	seen, err := s.projects.Store().Audited()
	if err != nil {
		return err
	}
	ev := project.EventBy(by, "enable webhook", id.Object("webhooks", number))
	return s.change(id, number, func(tx *store.Tx, r *record) error {
		if r.Off == nil {
			return project.Invalidf("send a test", "webhook %d is on already", number)
		}
		r.Off, r.Failing, r.Dropped, r.Seen = nil, time.Time{}, 0, seen
		return tx.Audit(ev)
	})
}

// TestWebhook sends a message that says nothing, once, and says how that went. A webhook that
// is off gets it, too.
func (s *Service) TestWebhook(ctx context.Context, by account.User, id project.ID, number int) (Attempt, error) {
	if _, err := s.projects.Enter(by, account.ManageWork, id); err != nil {
		return Attempt{}, err
	}
	sender := s.sends()
	if sender == nil {
		return Attempt{}, project.Invalidf("ask the operator to start hide with --webhook-host", "webhooks are off on this server")
	}
	r, err := project.Read(s.projects, id, func(tx *store.Tx) (record, error) { return find(tx, id, number) })
	if err != nil {
		return Attempt{}, err
	}
	m := message{ID: newID(), Event: Test, At: s.projects.Now().UTC()}
	return s.attempt(context.WithoutCancel(ctx), sender, by, id, r, m) // what was sent goes on record
}

// hostOf is the host of an address with its port. The rest of the address may be a secret.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// newID is the id of a message. It is random, so that receivers learn nothing from it.
func newID() string { return "msg_" + rand.Text() }

// stored reads the webhooks of a project.
func (s *Service) stored(id project.ID) ([]record, error) {
	return project.ListJSON[record](s.projects, id, bucketWebhooks)
}

func find(tx *store.Tx, id project.ID, number int) (record, error) {
	r, err := store.GetJSON[record](tx, bucketWebhooks, store.Key(uint64(number)))
	if errors.Is(err, store.ErrNotFound) {
		err = project.NotFoundf("project %s has no webhook %d", id, number)
	}
	return r, err
}

// change changes a webhook in one transaction, in which fn writes the audit row.
func (s *Service) change(id project.ID, number int, fn func(*store.Tx, *record) error) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	var r record
	err := s.projects.Transact(id, func(tx *store.Tx) (err error) {
		if r, err = find(tx, id, number); err != nil {
			return err
		}
		if err := fn(tx, &r); err != nil {
			return err
		}
		return store.PutJSON(tx, bucketWebhooks, store.Key(uint64(number)), r)
	})
	if err == nil {
		s.remember(id, r)
	}
	return err
}
