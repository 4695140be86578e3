// SPDX-License-Identifier: Apache-2.0

package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/signing"
	"hide/internal/publish/evidence"
)

// Evidenced is the reading of a session as its evidence has it: numbers and names of readers.
type Evidenced struct {
	Draw     int           `json:"draw"`
	Reading  audit.Reading `json:"reading"`
	Complete bool          `json:"complete"`
	Repaired int           `json:"repaired"`
	Left     int           `json:"left"`
}

func evidenced(p *Progress) *Evidenced {
	return &Evidenced{p.Draw.Number, p.Reading, p.Complete, p.Repaired, p.Left}
}

// Evidence writes the evidence pack of a review that is over: as a page to print, and as JSON.
// Both are signed by the installation.
func (s *Service) Evidence(ctx context.Context, by account.User, id project.ID, number int) (page, file []byte, err error) {
	ws, session, err := s.run(by, account.SeeFigures, id, number)
	if err != nil {
		return nil, nil, err
	}
	if err := session.must(s.now(), Decided, Expired, Ended); err != nil {
		return nil, nil, err
	}
	pack, err := s.pack(ctx, ws, &session)
	if err != nil {
		return nil, nil, err
	}
	key, err := signing.Key(s.projects)
	if err != nil {
		return nil, nil, err
	}
	if file, err = evidence.Sign(pack, key); err != nil {
		return nil, nil, err
	}
	if page, err = evidence.Page(ctx, pack, file, key); err != nil {
		return nil, nil, err
	}
	return page, file, s.projects.Record(id, project.EventBy(by, "take evidence", id.Object("reviews", number)))
}

// pack gathers everything on record. It reads the clock only to see that the session is over.
func (s *Service) pack(ctx context.Context, ws *workspace, session *Session) (p evidence.Pack, err error) {
	c, err := s.releases.StoredCandidate(ws.ID, session.Candidate)
	if err != nil {
		return p, err
	}
	p = evidence.Pack{
		Schema: evidence.Schema, Tool: "hide", Version: s.projects.Version(), Statement: evidence.Statement, Project: string(ws.ID),
		Review: s.packReview(session), Candidate: packCandidate(session, c), Votes: packVotes(session.Votes), Decision: packDecision(session.Decision),
	}
	if p.Draws, err = s.packDraws(ws, session); err != nil {
		return p, err
	}
	if p.Reading, err = s.packReading(ctx, ws, session); err != nil {
		return p, err
	}
	if p.Technique, err = s.packTechnique(ws, session, c); err != nil {
		return p, err
	}
	if a := c.Attack; a != nil {
		p.Attack = &evidence.Attack{Words: a.Words, Figures: a.Figures}
	}
	if p.Policy = packPolicy(c.Release); p.Policy != nil {
		if err := s.packRules(ctx, ws, c, &p.Technique); err != nil {
			return p, err
		}
	}
	if c.HasText() {
		if p.Forecast, err = s.packForecast(ws, session); err != nil {
			return p, err
		}
	}
	if c.Kind == release.KindText {
		v, err := s.validity(ws, c)
		if err != nil {
			return p, err
		}
		p.Figures = evidence.FiguresOf(c.Outcome, v)
	}
	r, err := s.releases.ReleaseOf(ws.ID, session.Candidate)
	if r != nil && r.Review == session.Number {
		p.Release = packRelease(*r)
	}
	p.AsOf = p.Newest()
	return p, err
}

func (s *Service) packReview(session *Session) evidence.Review {
	r := evidence.Review{
		Number: session.Number, Question: session.Question, State: string(session.Current(s.now())), Why: session.Why, By: s.projects.PersonName(session.By),
		Created: session.Created, Opened: session.Opened, Voting: session.Voted, Closed: session.Closed, Deadline: session.Until.UTC(),
		Rule:    evidence.Rule{Approvals: session.Rule.Approvals, Quorum: session.Rule.Quorum, Abstain: session.Rule.Abstain, Unanimous: session.Rule.Unanimous, Words: session.Rule.Words()},
		Members: []string{}, Recipients: append([]string{}, session.Recipients...),
	}
	for _, m := range session.Members {
		r.Members = append(r.Members, m.Name)
	}
	return r
}

func packCandidate(session *Session, c release.Candidate) evidence.Candidate {
	out := evidence.Candidate{
		Number: c.Number, Hash: c.Hash, Kind: cmp.Or(string(c.Kind), "text"), Created: c.Created, Documents: c.Documents, Finished: c.Finished, Words: c.Tokens,
		Inputs: evidence.Inputs{Notes: c.Inputs.Notes, Labels: c.Inputs.Labels, Roles: c.Inputs.Roles, Model: c.Inputs.Model}, Repairs: []evidence.Repair{},
		Linkage: c.LinkageSaid(),
	}
	for _, r := range session.Repairs {
		out.Repairs = append(out.Repairs, evidence.Repair{Candidate: r.From, Hash: r.Hash, Replaced: r.At.UTC()})
	}
	return out
}

// packDraws lists all draws of the project that were begun before the review ended.
func (s *Service) packDraws(ws *workspace, session *Session) ([]evidence.Draw, error) {
	all, err := project.ListJSON[Draw](s.projects, ws.ID, bucketDraws)
	if err != nil {
		return nil, err
	}
	out := []evidence.Draw{}
	for _, d := range all {
		if d.At.After(session.ended()) {
			break
		}
		one, err := s.packDraw(ws, d)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// ended is when the session was over.
func (s *Session) ended() time.Time {
	if s.Closed != nil {
		return *s.Closed
	}
	return s.Until
}

func (s *Service) packDraw(ws *workspace, d Draw) (evidence.Draw, error) {
	out := evidence.Draw{
		Number: d.Number, Review: d.Session, Candidate: d.Hash, Parameters: d.Parameters, Readers: d.Readers,
		Commitment: d.Commitment, By: s.projects.PersonName(d.By), At: d.At, Given: d.Entropy, GivenAt: d.GivenAt, Planted: d.Planted, Abandoned: d.Abandoned, Why: d.Why,
	}
	if !d.Begun() {
		return out, nil
	}
	out.GivenBy = s.projects.PersonName(d.GivenBy)
	of, err := s.stored(ws.ID, d.Session)
	if err != nil || d.Abandoned == nil && !of.Current(s.now()).Over() {
		return out, err // who knows the secret can tell where the plants are
	}
	secret, err := d.secret()
	if err != nil {
		return out, err
	}
	out.Doubtful = d.Selected
	out.Decided(secret)
	return out, nil
}

// packReading is what was read by the decision, or up to now without one. It is nil if nothing
// was drawn, or the candidate is gone.
func (s *Service) packReading(ctx context.Context, ws *workspace, session *Session) (*evidence.Reading, error) {
	if d := session.Decision; d != nil {
		return packEvidenced(d.Read), nil
	}
	p, err := s.progress(ctx, ws, session)
	if project.KindOf(err) == project.NotFound || p == nil {
		return nil, nil
	}
	return packEvidenced(evidenced(p)), err
}

func packEvidenced(e *Evidenced) *evidence.Reading {
	if e == nil {
		return nil
	}
	return &evidence.Reading{Draw: e.Draw, Complete: e.Complete, Reading: e.Reading, Certificate: audit.Certify(e.Reading), Repaired: e.Repaired, Left: e.Left}
}

// packTechnique says how the candidate was made.
func (s *Service) packTechnique(ws *workspace, session *Session, c release.Candidate) (evidence.Technique, error) {
	t := evidence.Technique{LC: c.LC, Labels: []evidence.Label{}, Excluded: []string{}, Lines: []string{}}
	if c.Kind != release.KindText {
		t.Lines = otherTechnique(c.Release)
		return t, nil
	}
	t.Model = c.Bundle
	t.Lines = append(t.Lines, "Each identifier that the redaction model finds or a person marked is replaced by a placeholder that names its label. All other text is as in the note, byte for byte.")
	labels := map[string]int{}
	for _, n := range session.Draws {
		d, err := s.storedDraw(ws.ID, n)
		if err != nil {
			return t, err
		}
		for _, l := range d.Labels {
			labels[string(l)] = 0
		}
	}
	for l, n := range c.Redacted {
		labels[l] = n
	}
	for l, n := range labels {
		t.Labels = append(t.Labels, evidence.Label{Label: l, Redacted: n})
	}
	slices.SortFunc(t.Labels, func(a, b evidence.Label) int { return strings.Compare(a.Label, b.Label) })
	b, err := s.sanitize.StoredBundle(ws.ID, c.Bundle)
	if project.KindOf(err) == project.NotFound {
		return t, nil
	}
	t.Rounds = b.Rounds
	if b.Target != nil && err == nil {
		run, gone := s.sanitize.StoredRun(ws.Workspace, b.Run)
		if gone == nil {
			t.Lines = append(t.Lines, run.TargetWords())
		} else if project.KindOf(gone) != project.NotFound {
			err = gone
		}
	}
	t.Excluded = append(t.Excluded, labelNames(b.Excluded)...)
	return t, err
}

// packPolicy is what a release says of its policy; nil without one.
func packPolicy(r release.Release) *evidence.Policy {
	if r.Policy == nil {
		return nil
	}
	out := &evidence.Policy{Name: r.Policy.Name, Version: r.Policy.Version, Basis: string(r.Policy.Basis), Words: r.Policy.Basis.Words(), SHA256: r.Policy.SHA256, Agreed: r.Agreed}
	if s := r.Signed; s != nil {
		out.Signed = &evidence.Signed{Text: s.Text, By: s.By, At: s.At.UTC()}
	}
	return out
}

// packRules says for each label what the policy does with it. Labels that the policy keeps are
// told as such.
func (s *Service) packRules(ctx context.Context, ws *workspace, c release.Candidate, t *evidence.Technique) error {
	t.Lines = []string{"Each identifier that the redaction model finds, that structured data gives, or that a person marked is treated as the policy says. A person may have decided differently about single places, within the basis. All other text is as in the note, byte for byte."}
	t.Excluded = []string{} // the policy has a rule for every label
	if c.Dropped {
		return nil // and the policy file with it
	}
	p, err := s.releases.PolicyOf(ctx, ws.ID, c)
	if err != nil {
		return err
	}
	t.Labels = t.Labels[:0]
	for _, l := range p.Labels {
		t.Labels = append(t.Labels, evidence.Label{Label: string(l.Label), Redacted: c.Redacted[string(l.Label)], Technique: l.Rule.Words()})
	}
	return nil
}

func labelNames(all []annotate.Label) (out []string) {
	for _, l := range all {
		out = append(out, string(l))
	}
	return out
}

// otherTechnique describes releases that are not text. Their manifests have the rest.
func otherTechnique(r release.Release) []string {
	switch {
	case r.Strong != nil:
		return []string{fmt.Sprintf("Differential privacy with epsilon %v, counted by: %s.", r.Strong.Epsilon, strings.Join(r.Strong.Dimensions, ", ")), r.Strong.Promise}
	case r.Table != nil:
		return []string{fmt.Sprintf("Quasi-identifiers are generalized until every equivalence class has at least %d rows (k-anonymity). The manifest of the release lists each attribute with its role.", r.Table.Settings.K)}
	}
	return []string{"Attributes are generalized and terms in the notes recoded or suppressed. The manifest of the release lists each attribute with its role."}
}

func (s *Service) packForecast(ws *workspace, session *Session) (*evidence.Forecast, error) {
	f, err := s.forecast(ws, account.Operator(), session.Candidate)
	if err != nil {
		return nil, err
	}
	out := &evidence.Forecast{Words: f.Words()}
	if f.Known {
		out.Expected, out.AtMost = &f.Expected, &f.AtMost
	}
	return out, nil
}

func packVotes(all []Vote) []evidence.Vote {
	out := []evidence.Vote{}
	for _, v := range all {
		out = append(out, evidence.Vote{Name: v.Name, At: v.At, Choice: string(v.Choice), Reason: v.Reason, Conditions: packConditions(v.Conditions)})
	}
	return out
}

func packConditions(c Conditions) evidence.Conditions {
	out := evidence.Conditions(c)
	if c.Until != nil {
		utc := c.Until.UTC()
		out.Until = &utc
	}
	return out
}

func packDecision(d *Decision) *evidence.Decision {
	if d == nil {
		return nil
	}
	out := &evidence.Decision{
		Outcome: string(d.Outcome), At: d.At, Until: d.Until.UTC(), Approved: d.Approved, Refused: d.Refused, Abstained: d.Abstained, Members: d.Members,
		Conditions: packConditions(d.Conditions), Words: append([]string{}, d.Conditions.Words()...), Met: []evidence.Met{},
		Forecast: d.Forecast, Certificate: d.Certificate, Bound: d.Bound,
	}
	for _, m := range d.Met {
		out.Met = append(out.Met, evidence.Met(m))
	}
	return out
}

func packRelease(r release.Release) *evidence.Release {
	return &evidence.Release{Number: r.Number, Name: r.Name, SHA256: r.SHA256, Published: r.PublishedAt, Recipients: append([]evidence.Recipient{}, r.Given()...), State: r.State()}
}
