// SPDX-License-Identifier: Apache-2.0

package review

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/words"
)

// State is where a session is. Names are stored: do not change them.
type State string

// The states, in their order.
const (
	Prepared State = "prepared" // the broker writes the agenda and invites members
	Open     State = "open"     // members look, read, ask and answer
	Voting   State = "voting"   // members vote
	Decided  State = "decided"  // the votes are counted
	Expired  State = "expired"  // its deadline passed without a decision
	Ended    State = "ended"    // the broker ended it without a decision
)

// Over reports whether a session has ended.
func (s State) Over() bool { return s == Decided || s == Expired || s == Ended }

// Limits of a session.
const (
	MostMembers   = 30
	mostQuestions = 200
	mostAgenda    = 20
	textLimit     = 2000 // characters of a question, an answer or a reason
	lineLimit     = 300  // characters of a line of the agenda
	usualLength   = 30 * 24 * time.Hour
	usualValidity = 365 * 24 * time.Hour
)

// Session is a review of one candidate.
type Session struct {
	Number    int          `json:"number"` // from 1
	Candidate int          `json:"candidate"`
	Hash      string       `json:"hash"` // of the candidate
	Kind      release.Kind `json:"kind,omitempty"`
	By        string       `json:"by"` // account of the broker who opened it
	Created   time.Time    `json:"created"`

	Question   string       `json:"question"` // what is asked: "May 96 redacted notes go to Dr. Weiss?"
	Agenda     []string     `json:"agenda,omitempty"`
	Recipients []string     `json:"recipients,omitempty"` // who is to get the release
	Rule       project.Rule `json:"rule"`                 // at the time of opening

	State   State      `json:"state"`
	Opened  *time.Time `json:"opened,omitempty"`
	Voted   *time.Time `json:"voting_since,omitempty"`
	Closed  *time.Time `json:"closed,omitempty"`
	Until   time.Time  `json:"deadline"`
	Why     string     `json:"why,omitempty"` // it was ended
	Repairs []Repair   `json:"repairs,omitempty"`

	Members   []Member   `json:"members"`
	Questions []Question `json:"questions,omitempty"`
	Draws     []int      `json:"draws,omitempty"` // numbers of its draws, the newest last
	Votes     []Vote     `json:"votes,omitempty"` // shown to others once it is decided
	Decision  *Decision  `json:"decision,omitempty"`

	Shown Shown `json:"shown"` // what everybody looks at
}

// Shown is what everybody in a session looks at, moved by the member who has the floor.
type Shown struct {
	LC    float64 `json:"lc"`
	B     int     `json:"b"`               // budget of the attackers, in tokens looked at
	Floor string  `json:"floor,omitempty"` // account of the member who has the floor
}

// Member is a person in a session.
type Member struct {
	ID     string    `json:"id"` // account
	Name   string    `json:"name"`
	Joined time.Time `json:"joined"`
}

// Repair replaced the candidate by one that redacts more.
type Repair struct {
	From  int       `json:"from"`  // number of the candidate
	Hash  string    `json:"hash"`  // of that
	At    time.Time `json:"at"`    // when the other one was frozen
	Until time.Time `json:"until"` // it redacts what was found until then
}

// Question is a question of a member.
type Question struct {
	Number  int       `json:"number"` // from 1
	By      string    `json:"by"`     // account
	Name    string    `json:"name"`
	At      time.Time `json:"at"`
	Text    string    `json:"text"`
	Answers []Answer  `json:"answers,omitempty"`
}

// Answer is an answer to a question.
type Answer struct {
	By   string    `json:"by"`
	Name string    `json:"name"`
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// Choice is what a member votes for. Names are stored.
type Choice string

// The choices.
const (
	Approve Choice = "approve"
	Refuse  Choice = "refuse"
	Abstain Choice = "abstain"
)

// Vote is a member's vote. It cannot be changed.
type Vote struct {
	By         string     `json:"by"`
	Name       string     `json:"name"`
	At         time.Time  `json:"at"`
	Choice     Choice     `json:"choice"`
	Reason     string     `json:"reason,omitempty"` // required to refuse
	Conditions Conditions `json:"conditions"`       // of an approval
}

// Outcome is what a session decided. Names are stored.
type Outcome string

// The outcomes.
const (
	Approved Outcome = "approved"
	Refused  Outcome = "refused"
	NoQuorum Outcome = "no quorum" // too few voted
)

// Decision is what the votes come to.
type Decision struct {
	Outcome    Outcome    `json:"outcome"`
	At         time.Time  `json:"at"`
	Until      time.Time  `json:"valid_until"` // of an approval
	Approved   int        `json:"approved"`
	Refused    int        `json:"refused"`
	Abstained  int        `json:"abstained"`
	Members    int        `json:"members"`
	Conditions Conditions `json:"conditions"` // of all approving members together
	Met        []Met      `json:"met,omitempty"`
	// Forecast and Certificate are those at the time of the decision, in words.
	Forecast    string `json:"expected_before_reading,omitempty"`
	Certificate string `json:"at_most_after_reading,omitempty"`
	Bound       *int   `json:"bound,omitempty"` // passages that may still hold an identifier; nil without a certificate
	// Read is the reading behind the certificate, for the evidence: what is read cannot be
	// computed again once notes have been removed. nil if nothing was drawn.
	Read *Evidenced `json:"read,omitempty"`
}

// Met says how a condition in words was met.
type Met struct {
	Condition int       `json:"condition"` // its place in Conditions.Others, from 0
	How       string    `json:"how"`
	By        string    `json:"by"` // name
	At        time.Time `json:"at"`
}

// Current is the state at a time: a deadline that has passed ends a session.
func (s *Session) Current(now time.Time) State {
	if !s.State.Over() && now.After(s.Until) {
		return Expired
	}
	return s.State
}

// member is the member with this account, nil for none.
func (s *Session) member(id string) *Member {
	i := slices.IndexFunc(s.Members, func(m Member) bool { return m.ID == id })
	if i < 0 {
		return nil
	}
	return &s.Members[i]
}

// Has reports whether a person is a member.
func (s *Session) Has(id string) bool { return s.member(id) != nil }

// must refuses what needs another state, or a clock that goes on.
func (s *Session) must(now time.Time, states ...State) error {
	if now.Before(s.Created.Add(-time.Minute)) {
		return &project.Error{Kind: project.Invalid, Message: fmt.Sprintf("the server's clock says %s, before review %d was made", now.Format("2 Jan 2006 15:04"), s.Number), Hint: "set the clock of the server"}
	}
	is := s.Current(now)
	if slices.Contains(states, is) {
		return nil
	}
	return &project.Error{Kind: project.Stale, Message: fmt.Sprintf("review %d is %s", s.Number, is), Hint: hints[is]}
}

// hints say what to do in a state that does not allow what was asked for.
var hints = map[State]string{
	Prepared: "a broker has to open it first",
	Open:     "a broker has to call the vote first",
	Voting:   "the vote is under way: wait for its end",
	Decided:  "read what was decided; a new review can decide again",
	Expired:  "a broker can open a new review",
	Ended:    "a broker can open a new review",
}

// addMember adds a member.
func (s *Session) addMember(m Member) error {
	if s.Has(m.ID) {
		return project.Invalidf("invite somebody else", "%s is a member of this review already", m.Name)
	}
	if err := s.full(); err != nil {
		return err
	}
	s.Members = append(s.Members, m)
	return nil
}

// full refuses one member too many.
func (s *Session) full() error {
	if len(s.Members) >= MostMembers {
		return project.Invalidf("remove a member first", "a review has at most %d members", MostMembers)
	}
	return nil
}

// open lets the members in.
func (s *Session) open(now time.Time) error {
	if err := s.must(now, Prepared); err != nil {
		return err
	}
	others := slices.DeleteFunc(slices.Clone(s.Members), func(m Member) bool { return m.ID == s.By })
	if len(others) < max(1, s.Rule.Approvals) {
		return project.Invalidf("invite more members", "the rule of the project says: %s. This review has %s besides the broker", s.Rule.Words(), words.Count(len(others), "member", "members"))
	}
	s.State, s.Opened = Open, &now
	return nil
}

// callVote begins the vote.
func (s *Session) callVote(now time.Time) error {
	if err := s.must(now, Open); err != nil {
		return err
	}
	s.State, s.Voted = Voting, &now
	return nil
}

// Voters is how many members may vote: the broker who proposes may not.
func (s *Session) Voters() int {
	n := len(s.Members)
	if s.Has(s.By) {
		n--
	}
	return n
}

// vote takes a vote, and counts the votes when everybody has voted.
func (s *Session) vote(v Vote) error {
	if err := s.must(v.At, Voting); err != nil {
		return err
	}
	switch i := slices.IndexFunc(s.Votes, func(o Vote) bool { return o.By == v.By }); {
	case !s.Has(v.By):
		return &project.Error{Kind: project.Forbidden, Message: "you are not a member of this review", Hint: "ask the broker who opened it"}
	case v.By == s.By:
		return project.Invalidf("let the other members decide", "the broker who proposes the release does not vote")
	case i >= 0:
		return &project.Error{Kind: project.Stale, Message: fmt.Sprintf("you have voted already, on %s: a vote cannot be changed", s.Votes[i].At.Format("2 Jan at 15:04")), Hint: "tell the broker if it was a mistake: a broker can end the review, and open a new one"}
	case v.Choice != Approve && v.Choice != Refuse && v.Choice != Abstain:
		return project.Invalidf("choose approve, refuse or abstain", "there is no such vote")
	case v.Choice == Abstain && !s.Rule.Abstain:
		return project.Invalidf("approve or refuse", "the rule of the project lets nobody abstain")
	case v.Choice == Refuse && v.Reason == "":
		return project.Invalidf("write why", "a refusal needs a reason")
	case v.Choice != Approve && !v.Conditions.None():
		return project.Invalidf("approve with conditions, or leave them empty", "only an approval has conditions")
	}
	if err := v.Conditions.check(v.At); err != nil {
		return err
	}
	s.Votes = append(s.Votes, v)
	return nil
}

// allVoted reports whether nobody is left to vote.
func (s *Session) allVoted() bool { return len(s.Votes) >= s.Voters() }

// fits checks a text of a person. It may have several lines.
func fits(text string, limit int, what string) error {
	if strings.TrimSpace(text) == "" || !project.FitsName(strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "\r", " "), limit) {
		return project.Invalidf("shorten it", "a %s has 1 to %d visible characters", what, limit)
	}
	return nil
}

// count ends the vote: the votes come to a decision under the session's rule.
func (s *Session) count(now time.Time) error {
	if err := s.must(now, Voting); err != nil {
		return err
	}
	d := Decision{At: now, Until: now.Add(usualValidity), Members: s.Voters()}
	for _, v := range s.Votes {
		switch v.Choice {
		case Approve:
			d.Approved++
			d.Conditions = d.Conditions.and(v.Conditions)
		case Refuse:
			d.Refused++
		case Abstain:
			d.Abstained++
		}
	}
	d.Outcome = s.outcome(d)
	if d.Outcome != Approved {
		d.Conditions = Conditions{}
	}
	if u := d.Conditions.Until; u != nil {
		d.Until = *u
	}
	s.State, s.Closed, s.Decision = Decided, &now, &d
	return nil
}

func (s *Session) outcome(d Decision) Outcome {
	switch {
	case s.Rule.Unanimous && d.Refused > 0, d.Refused > 0 && d.Refused >= d.Approved:
		return Refused
	case len(s.Votes) < max(1, s.Rule.Quorum), d.Approved < max(1, s.Rule.Approvals):
		return NoQuorum
	}
	return Approved
}
