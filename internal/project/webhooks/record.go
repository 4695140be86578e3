// SPDX-License-Identifier: Apache-2.0

package webhooks

import (
	"fmt"
	"slices"
	"time"

	"hide/internal/store"
	"hide/internal/webhook"
)

// bucketWebhooks holds the webhooks of a project: number -> record.
const bucketWebhooks = "webhooks"

// Limits.
const (
	MostWebhooks = 10  // of a project
	mostQueued   = 100 // messages of a webhook
	mostLogged   = 20  // attempts of a webhook
	oldest       = 24 * time.Hour
	offAfter     = 5 * 24 * time.Hour // of failures
)

// delays are the times between the attempts to send a message: 24 hours in all.
var delays = []time.Duration{5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 8 * time.Hour, longestDelay}

const longestDelay = 8 * time.Hour

// record is a webhook as it is stored.
type record struct {
	Number  int       `json:"number"`
	URL     string    `json:"url"`
	Secret  string    `json:"secret"`
	Events  []Event   `json:"events"`
	Created time.Time `json:"created"`
	By      string    `json:"by"`
	Seen    uint64    `json:"seen"` // events up to this row of the audit trail are queued

	Queue   []message `json:"queue,omitempty"` // oldest first
	Dropped int       `json:"dropped,omitzero"`
	Log     []Attempt `json:"log,omitempty"`    // newest first
	Failing time.Time `json:"failing,omitzero"` // since when all attempts failed
	Off     *Off      `json:"off,omitempty"`
}

// message is an event that waits for its attempt.
type message struct {
	ID     string    `json:"id"`
	Event  Event     `json:"event"`
	Number int       `json:"number,omitzero"`
	At     time.Time `json:"at"`    // of the event
	Tries  int       `json:"tries"` // attempts that failed
	Next   time.Time `json:"next"`
}

// Attempt is an attempt to send a message.
type Attempt struct {
	At      time.Time `json:"at"`
	Event   Event     `json:"event"`
	Status  int       `json:"status,omitzero"`  // of the answer; 0 without one
	Problem string    `json:"problem,omitzero"` // "" if the message was accepted
	Last    bool      `json:"last,omitzero"`    // no more attempts follow: hide has given up
}

// Words states how the attempt went.
func (a Attempt) Words() string {
	switch {
	case a.Status == 0:
		return a.Problem
	case a.Problem == "":
		return fmt.Sprintf("status %d", a.Status)
	}
	return fmt.Sprintf("status %d: %s", a.Status, a.Problem)
}

// Off says why a webhook gets no more messages.
type Off struct {
	At  time.Time `json:"at"`
	Why string    `json:"why"`
}

func messageOf(row store.AuditRow, now time.Time) message {
	return message{ID: newID(), Event: eventOf(row), Number: numberOf(row.Object), At: row.Time, Next: now}
}

// wants reports whether a row of the audit trail has to be queued. What happened long ago,
// because the server was down or webhooks were off, nobody waits for any more.
func (r *record) wants(row store.AuditRow, now time.Time) bool {
	return r.Off == nil && row.Seq > r.Seen && now.Sub(row.Time) <= oldest && slices.Contains(r.Events, eventOf(row))
}

// enqueue appends a message, and drops the oldest ones that are too many.
func (r *record) enqueue(m message) {
	r.Queue = append(r.Queue, m)
	if over := len(r.Queue) - mostQueued; over > 0 {
		r.Queue = slices.Delete(r.Queue, 0, over)
		r.Dropped += over
	}
}

// due is the message to send first, and when; false without any.
func (r *record) due(now time.Time) (m message, at time.Time, waits bool) {
	for _, one := range r.Queue {
		next := one.Next
		if next.Sub(now) > longestDelay { // the clock was set back
			next = now
		}
		if !waits || next.Before(at) {
			m, at, waits = one, next, true
		}
	}
	return m, at, waits && r.Off == nil
}

// attempted notes how an attempt went.
func (r *record) attempted(m message, result webhook.Result, now time.Time) Attempt {
	a := Attempt{At: now, Event: m.Event, Status: result.Status, Problem: result.Problem}
	i := slices.IndexFunc(r.Queue, func(one message) bool { return one.ID == m.ID })
	switch {
	case result.Problem == "":
		r.Failing = time.Time{}
	case r.Failing.IsZero() || r.Failing.After(now):
		r.Failing = now
	}
	if i >= 0 && result.Problem != "" && r.Queue[i].Tries < len(delays) {
		r.Queue[i].Next = now.Add(delays[r.Queue[i].Tries])
		r.Queue[i].Tries++
	} else if i >= 0 {
		a.Last = result.Problem != ""
		r.Queue = slices.Delete(r.Queue, i, i+1)
	}
	if r.Log = slices.Insert(r.Log, 0, a); len(r.Log) > mostLogged {
		r.Log = r.Log[:mostLogged]
	}
	switch {
	case result.Gone() && r.Off == nil:
		r.turnOff("the receiver wants no more messages (status 410)", now)
	case a.Last && now.Sub(r.Failing) >= offAfter:
		r.turnOff(fmt.Sprintf("every message has failed for %d days", int(offAfter.Hours()/24)), now)
	}
	return a
}

func (r *record) turnOff(why string, now time.Time) {
	r.Off, r.Queue = &Off{now, why}, nil
}
