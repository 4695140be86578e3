// SPDX-License-Identifier: Apache-2.0

package webhooks

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"hide/internal/project"
	"hide/internal/store"
)

// Event is something that webhooks are told of. Names are stored and sent: do not change them.
type Event string

// The events.
const (
	TrainingFinished Event = "training.finished"
	TrainingFailed   Event = "training.failed"
	RunFinished      Event = "run.finished"
	RunFailed        Event = "run.failed"
	CandidateReady   Event = "candidate.ready"
	ReviewDecided    Event = "review.decided"
	ReleasePublished Event = "release.published"
	ReleaseWithdrawn Event = "release.withdrawn"
	ImportFinished   Event = "import.finished"

	// Test is sent when a person asks for it.
	Test Event = "webhook.test"
)

// Events are those that a webhook can be added for.
func Events() []Event {
	return []Event{ImportFinished, TrainingFinished, TrainingFailed, RunFinished, RunFailed, CandidateReady, ReviewDecided, ReleasePublished, ReleaseWithdrawn}
}

// recorded is the action of the audit trail that each event comes from. Detail must be equal
// if it is given.
var recorded = map[Event]struct{ action, detail string }{
	ImportFinished:   {action: "finish import"},
	TrainingFinished: {action: "train"},
	TrainingFailed:   {action: "fail training"},
	RunFinished:      {"end run", "finished"},
	RunFailed:        {"end run", "failed"},
	CandidateReady:   {action: "freeze candidate"},
	ReviewDecided:    {action: "review decided"},
	ReleasePublished: {action: "release"},
	ReleaseWithdrawn: {action: "withdraw release"},
}

// supersede is recorded where a newer release takes the place of one: that one is withdrawn.
const supersede = "supersede release"

// eventOf is the event of a row of the audit trail; "" for most.
func eventOf(row store.AuditRow) Event {
	if row.Action == supersede {
		return ReleaseWithdrawn
	}
	for event, from := range recorded {
		if row.Action == from.action && (from.detail == "" || row.Detail == from.detail) {
			return event
		}
	}
	return ""
}

// numberOf is the number in the object of a row, such as 3 in p1/releases/3; 0 without one.
func numberOf(object string) int {
	n, err := strconv.Atoi(object[strings.LastIndexByte(object, '/')+1:])
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// payload is what is sent. It has only numbers and times: a receiver asks hide for
// the rest, with an account.
type payload struct {
	Type      Event     `json:"type"`
	Timestamp time.Time `json:"timestamp"` // of the event
	Data      object    `json:"data"`
}

type object struct {
	Project project.ID `json:"project"`
	Number  int        `json:"number,omitzero"` // of the import, model, run, candidate, review or release
}

func (m message) body(id project.ID) ([]byte, error) {
	return json.Marshal(payload{m.Event, m.At, object{id, m.Number}})
}
