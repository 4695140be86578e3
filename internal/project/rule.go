// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"fmt"

	"hide/internal/account"
	"hide/internal/store"
	"hide/internal/words"
)

// Rule says who decides whether a project may publish. The zero value needs nobody: one
// broker publishes alone, and each release says so.
type Rule struct {
	// Approvals is how many people must approve, besides the broker who proposes.
	Approvals int `json:"approvals"`
	// Quorum is how many people must vote, abstentions included; at least Approvals.
	Quorum int `json:"quorum"`
	// Abstain says that members may abstain.
	Abstain bool `json:"abstain"`
	// Unanimous says that one vote against refuses. Otherwise more must approve than refuse.
	Unanimous bool `json:"unanimous"`
}

// DefaultRule is that of a new project: one other person.
func DefaultRule() Rule { return Rule{Approvals: 1, Quorum: 1, Abstain: true} }

// mostApprovals bounds a rule: a review has at most this many members.
const mostApprovals = 30

// Needed reports whether a release needs an approval.
func (r Rule) Needed() bool { return r.Approvals > 0 }

// Words state the rule: "two other people must approve".
func (r Rule) Words() string {
	if !r.Needed() {
		return "none: one person may publish without a review"
	}
	s := words.Count(r.Approvals, "other person", "other people") + " must approve"
	if r.Quorum > r.Approvals {
		s += ", of at least " + words.Number(r.Quorum) + " who vote"
	}
	if r.Unanimous {
		s += "; one vote against refuses"
	}
	if !r.Abstain {
		s += "; nobody may abstain"
	}
	return s
}

func (r Rule) check() error {
	if r.Approvals < 0 || r.Approvals > mostApprovals || r.Quorum > mostApprovals {
		return Invalidf(fmt.Sprintf("choose 0 to %d", mostApprovals), "a rule asks at most %d people", mostApprovals)
	}
	return nil
}

var ruleKey = []byte("rule")

// readRule loads the stored rule. Projects from before there were rules have none.
func (ws *Workspace) readRule(tx *store.Tx) error {
	var err error
	ws.rule, err = store.FindJSON[Rule](tx, bucketProject, ruleKey)
	return err
}

// Rule is the project's rule for publishing.
func (ws *Workspace) Rule() Rule {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.rule
}

// Rule returns the project's rule for publishing.
func (s *Service) Rule(ctx context.Context, by account.User, id ID) (Rule, error) {
	ws, err := s.EnterAny(by, id, account.ReadNotes, account.SeeFigures)
	if err != nil {
		return Rule{}, err
	}
	return ws.Rule(), nil
}

// SetRule changes the project's rule for publishing. Releases that are out keep theirs. A
// quorum below the approvals is raised to them.
func (s *Service) SetRule(ctx context.Context, by account.User, id ID, r Rule) error {
	ws, err := s.Enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	r.Quorum = max(r.Quorum, r.Approvals)
	if err := r.check(); err != nil {
		return err
	}
	err = s.Update(id, EventBy(by, "publishing rule", id.Object(), r.Words()), func(tx *store.Tx) error {
		return store.PutJSON(tx, bucketProject, ruleKey, r)
	})
	if err != nil {
		return err
	}
	ws.mu.Lock()
	ws.rule = r
	ws.mu.Unlock()
	s.Tell(id, TopicPublish)
	return nil
}
