// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// checkDraws recomputes what was committed to and what was drawn.
func (p *pack) checkDraws() (out []string) {
	for i, d := range p.Draws {
		wrong := d.wrong(p.Review.Number)
		switch {
		case d.Number != i+1:
			return append(out, fmt.Sprintf("draws: draw %d is missing: a project's draws are numbered without a gap", i+1))
		case i > 0 && d.At.Before(p.Draws[i-1].At):
			wrong = "it is older than the one before it"
		}
		if wrong != "" {
			out = append(out, fmt.Sprintf("draw %d: %s", d.Number, wrong))
		}
	}
	return out
}

// wrong says what of a draw is not as it must be.
func (d packDraw) wrong(review int) string {
	a := d.Parameters
	switch {
	case a.Passages < 0 || a.Passages > mostPassages || a.Doubtful < 0 || a.Planned < 0 || a.Doubtful+a.Planned > a.Passages:
		return "its parameters ask for more passages than there are"
	case !isHash(d.Candidate) || !isHash(d.Commitment):
		return "it has no commitment to a candidate"
	case d.Given == "" && (d.Secret != "" || d.Seed != "" || d.Order != "" || d.GivenAt != nil || len(d.Doubtful) > 0):
		return "passages were drawn without a number"
	case d.Given == "":
		return ""
	case d.GivenBy == d.By:
		return "the person who committed to it gave the number, too"
	case d.GivenAt == nil || d.GivenAt.Before(d.At):
		return "the number was given before the commitment"
	case d.Secret == "" && d.Review != review && d.Abandoned == nil:
		return "" // somebody reads it now
	}
	return d.wrongOrder()
}

func (d packDraw) wrongOrder() string {
	a := d.Parameters
	secret, err := hex.DecodeString(d.Secret)
	if err != nil || len(secret) != 32 {
		return "its secret is missing"
	}
	candidate, _ := hex.DecodeString(d.Candidate) // it is a hash
	text := fmt.Sprintf("passages=%d doubtful=%d planned=%d plants=%d any_time=%t alpha=%g", a.Passages, a.Doubtful, a.Planned, a.Plants, a.Anytime, a.Alpha)
	if c := DrawCommitment([32]byte(secret), [32]byte(candidate), text); hex.EncodeToString(c[:]) != d.Commitment {
		return "the commitment is not that to its secret, candidate and parameters"
	}
	seed := DrawSeed([32]byte(secret), d.Given)
	if hex.EncodeToString(seed[:]) != d.Seed {
		return "the seed does not follow from the secret and the number"
	}
	whole := make([]bool, a.Passages)
	for _, i := range d.Doubtful {
		if i < 0 || i >= a.Passages || whole[i] {
			return "its doubtful passages are not passages of the candidate"
		}
		whole[i] = true
	}
	if len(d.Doubtful) != a.Doubtful {
		return "it has another number of doubtful passages than its parameters"
	}
	if d.Planted < 0 || d.Planted > a.Plants {
		return "more was planted than its parameters say"
	}
	var rest []int
	for i, read := range whole {
		if !read {
			rest = append(rest, i)
		}
	}
	var drawn []byte
	for _, i := range DrawOrder(seed, rest)[:a.Planned] {
		drawn = binary.BigEndian.AppendUint64(drawn, uint64(i))
	}
	if hashOf(drawn) != d.Order {
		return "the order of its passages does not follow from the seed"
	}
	return ""
}

// checkReading recomputes the certificate.
func (p *pack) checkReading() (out []string) {
	r := p.Reading
	if r == nil {
		return nil
	}
	if r.Draw < 1 || r.Draw > len(p.Draws) {
		return []string{"reading: its draw is not listed"}
	}
	d := p.Draws[r.Draw-1]
	repaired := slices.ContainsFunc(p.Candidate.Repairs, func(r packRepair) bool { return r.Hash == d.Candidate })
	switch {
	case d.Review != p.Review.Number || d.Abandoned != nil || d.Given == "":
		return []string{fmt.Sprintf("reading: draw %d is not one that this review read", d.Number)}
	case d.Candidate != p.Candidate.Hash && !repaired:
		return []string{fmt.Sprintf("reading: draw %d is of another candidate, which no repair leads from", d.Number)}
	}
	differences, err := CheckCertificate(r.Reading, r.Certificate)
	if err != nil {
		return []string{"certificate: " + err.Error()}
	}
	for _, what := range differences {
		out = append(out, "certificate: "+what)
	}
	var claimed struct {
		CertificateBounds
		Reason string `json:"reason,omitempty"`
	}
	if strict(r.Certificate, &claimed) != nil {
		out = append(out, "certificate: it has fields that no certificate has")
	}
	return append(out, r.fits(d, repaired && d.Candidate != p.Candidate.Hash)...)
}

// fits compares a reading with its draw.
func (r *packReading) fits(d packDraw, repaired bool) (out []string) {
	var is reading
	if strict(r.Reading, &is) != nil {
		return []string{"reading: it is not written as it should be"}
	}
	a := d.Parameters
	if is.Alpha != a.Alpha || is.Anytime != a.Anytime || is.Planned != a.Planned || is.Doubtful.Passages != a.Doubtful || is.Random.Passages != a.Passages-a.Doubtful || is.Plants.Planned != d.Planted {
		out = append(out, fmt.Sprintf("reading: it does not have the parameters that draw %d was committed to", d.Number))
	}
	all := is.Doubtful.Read+is.Random.Read >= a.Doubtful+a.Planned
	if r.Complete && !all || !r.Complete && all && !a.Anytime { // with looks while people read, more may have been asked for
		out = append(out, "reading: it does not say truly whether everything was read")
	}
	c := is.certificate()
	if r.Repaired < 0 || r.Repaired > c.Found || r.Repaired > 0 && !repaired {
		out = append(out, "reading: more passages were repaired than repairs allow")
	}
	if r.Left != max(0, c.Bound-r.Repaired) {
		out = append(out, fmt.Sprintf("bound: at most %d passages are said to be left, the reading gives %d", r.Left, max(0, c.Bound-r.Repaired)))
	}
	return out
}

// usualValidity is how long an approval holds without a condition.
const usualValidity = 365 * 24 * time.Hour

// checkDecision counts the votes again.
func (p *pack) checkDecision() (out []string) {
	said := p.Decision
	if said == nil {
		if len(p.Votes) > 0 && p.Review.State == "decided" {
			out = append(out, "decision: it is missing")
		}
		return append(out, p.checkVotes(p.Review.Deadline)...)
	}
	out = p.checkVotes(said.At)
	is := p.counted()
	differs := func(what string, is bool) {
		if is {
			out = append(out, what)
		}
	}
	differs("votes: the decision counts others than are listed", is.Approved != said.Approved || is.Refused != said.Refused || is.Abstained != said.Abstained || is.Members != said.Members)
	differs(fmt.Sprintf("decision: it is said to be %q, the votes and the rule give %q", said.Outcome, is.Outcome), is.Outcome != said.Outcome)
	differs("conditions: they are not those of the approving votes together", !sameConditions(is.Conditions, said.Conditions))
	differs("valid until: it does not follow from the votes", !is.Until.Equal(said.Until))
	var left *int
	if r := p.Reading; r != nil {
		if c, err := RecomputeCertificate(r.Reading); err == nil && c.Refusal == "" {
			left = &r.Left
		}
	}
	differs("bound: the decision has another one than the reading", !reflect.DeepEqual(left, said.Bound))
	for i, m := range said.Met {
		differs(fmt.Sprintf("conditions: there is no condition %d that could be met", m.Condition+1), m.Condition < 0 || m.Condition >= len(said.Conditions.Others) || slices.ContainsFunc(said.Met[:i], func(o packMet) bool { return o.Condition == m.Condition }))
	}
	return out
}

// checkVotes checks who voted for what.
func (p *pack) checkVotes(end time.Time) (out []string) {
	voted := map[string]bool{}
	for _, v := range p.Votes {
		wrong := ""
		switch {
		case voted[v.Name]:
			wrong = "voted twice"
		case v.Name == p.Review.By:
			wrong = "proposed the release and voted"
		case !slices.Contains(p.Review.Members, v.Name):
			wrong = "is not a member and voted"
		case p.Review.Voting == nil || v.At.Before(*p.Review.Voting) || v.At.After(end):
			wrong = "voted outside of the vote"
		case !slices.Contains([]string{"approve", "refuse", "abstain"}, v.Choice) || v.Choice == "abstain" && !p.Review.Rule.Abstain:
			wrong = "voted for what the rule does not allow"
		case v.Choice == "refuse" && v.Reason == "" || v.Choice != "approve" && !sameConditions(v.Conditions, packConditions{}):
			wrong = "refused without a reason, or under conditions"
		}
		if voted[v.Name] = true; wrong != "" {
			out = append(out, fmt.Sprintf("votes: %s %s", v.Name, wrong))
		}
	}
	return out
}

// counted is the decision that follows from the votes and the rule.
func (p *pack) counted() (d packDecision) {
	for _, v := range p.Votes {
		switch v.Choice {
		case "approve":
			d.Approved++
			d.Conditions.and(v.Conditions)
		case "refuse":
			d.Refused++
		default:
			d.Abstained++
		}
	}
	for _, m := range p.Review.Members {
		if m != p.Review.By {
			d.Members++
		}
	}
	rule := p.Review.Rule
	switch {
	case d.Refused > 0 && (rule.Unanimous || d.Refused >= d.Approved):
		d.Outcome = "refused"
	case len(p.Votes) < max(rule.Quorum, 1) || d.Approved < max(rule.Approvals, 1):
		d.Outcome = "no quorum"
	default:
		d.Outcome = "approved"
	}
	if d.Outcome != "approved" {
		d.Conditions = packConditions{}
	}
	d.Until = p.Decision.At.Add(usualValidity)
	if u := d.Conditions.Until; u != nil {
		d.Until = *u
	}
	return d
}

// and makes the conditions those of both.
func (c *packConditions) and(o packConditions) {
	if o.AtMost != nil && (c.AtMost == nil || *c.AtMost > *o.AtMost) {
		c.AtMost = o.AtMost
	}
	if o.LC != nil && (c.LC == nil || *c.LC < *o.LC) {
		c.LC = o.LC
	}
	if o.Until != nil && (c.Until == nil || c.Until.After(*o.Until)) {
		c.Until = o.Until
	}
	if o.Recipients != nil {
		both := []string{}
		for _, r := range o.Recipients {
			if c.Recipients == nil || slices.Contains(c.Recipients, r) {
				both = append(both, r)
			}
		}
		c.Recipients = both
	}
	for _, other := range o.Others {
		if !slices.Contains(c.Others, other) {
			c.Others = append(c.Others, other)
		}
	}
}

// sameConditions compares recipients without their order.
func sameConditions(a, b packConditions) bool {
	recipients := func(c packConditions) (none bool, all []string) {
		return c.Recipients == nil, slices.Sorted(slices.Values(c.Recipients))
	}
	noneA, ofA := recipients(a)
	noneB, ofB := recipients(b)
	until := a.Until == nil && b.Until == nil || a.Until != nil && b.Until != nil && a.Until.Equal(*b.Until)
	return reflect.DeepEqual(a.AtMost, b.AtMost) && reflect.DeepEqual(a.LC, b.LC) && until && noneA == noneB && slices.Equal(ofA, ofB) && slices.Equal(a.Others, b.Others)
}

// missing lists what an approval of a published candidate lacks.
func (p *pack) missing() (out []string) {
	d := p.Decision
	if d == nil || d.Outcome != "approved" {
		return []string{"decision: the review did not approve the candidate"}
	}
	want := d.Conditions
	if want.AtMost != nil && (d.Bound == nil || *d.Bound > *want.AtMost) {
		out = append(out, fmt.Sprintf("conditions: at most %d passages may still hold an identifier, and the certificate does not show that", *want.AtMost))
	}
	if want.LC != nil && p.Technique.LC < *want.LC {
		out = append(out, fmt.Sprintf("conditions: L/C must be at least %g, and the candidate was made with %g", *want.LC, p.Technique.LC))
	}
	for i := range want.Others {
		if !slices.ContainsFunc(d.Met, func(m packMet) bool { return m.Condition == i }) {
			out = append(out, fmt.Sprintf("conditions: the pack does not say how condition %d in words was met; take a newer pack if it was met since", i+1))
		}
	}
	if p.Release == nil {
		return out
	}
	if at := p.Release.Published; at != nil && at.After(d.Until) {
		out = append(out, "release: it was published after the approval lapsed")
	}
	for _, r := range p.Release.Recipients {
		if want.Recipients != nil && !slices.Contains(want.Recipients, r.Name) {
			out = append(out, fmt.Sprintf("recipients: %s got the release and is not among the approved ones", r.Name))
		}
	}
	return out
}
