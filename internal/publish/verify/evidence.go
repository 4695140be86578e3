// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// evidenceName and statusName name the files in problems.
const (
	evidenceName = "evidence"
	statusFile   = "status"
)

// Evidence is what an evidence pack shows about a release, recomputed from the pack.
type Evidence struct {
	Key       string             `json:"key"` // fingerprint of the key that signed it
	Project   string             `json:"project"`
	Review    int                `json:"review"`
	State     string             `json:"state"`
	Outcome   string             `json:"outcome,omitempty"`
	Candidate string             `json:"candidate"`
	AsOf      string             `json:"as_of"`
	Draws     int                `json:"draws"` // of the project
	Abandoned int                `json:"abandoned_draws"`
	Bounds    *CertificateBounds `json:"bounds,omitempty"`
	Left      *int               `json:"left,omitempty"` // at most so many passages hold an identifier
	Status    string             `json:"status,omitempty"`
}

// pack is the signed part of an evidence pack, its fields in the order of the file.
type pack struct {
	Schema    string          `json:"schema"`
	Tool      string          `json:"tool"`
	Version   string          `json:"version"`
	AsOf      time.Time       `json:"as_of"`
	Statement string          `json:"statement"`
	Project   string          `json:"project"`
	Review    packReview      `json:"review"`
	Candidate packCandidate   `json:"candidate"`
	Technique packTechnique   `json:"technique"`
	Policy    *packPolicy     `json:"policy,omitempty"`
	Attack    *attackClaim    `json:"attack,omitempty"`
	Forecast  *packForecast   `json:"forecast,omitempty"`
	Figures   json.RawMessage `json:"figures,omitempty"` // nothing can be recomputed from them
	Draws     []packDraw      `json:"draws"`
	Reading   *packReading    `json:"reading,omitempty"`
	Votes     []packVote      `json:"votes"`
	Decision  *packDecision   `json:"decision,omitempty"`
	Release   *packRelease    `json:"release,omitempty"`
}

type packReview struct {
	Number     int        `json:"number"`
	Question   string     `json:"question"`
	State      string     `json:"state"`
	Why        string     `json:"why,omitempty"`
	By         string     `json:"by"`
	Created    time.Time  `json:"created"`
	Opened     *time.Time `json:"opened,omitempty"`
	Voting     *time.Time `json:"voting_since,omitempty"`
	Closed     *time.Time `json:"closed,omitempty"`
	Deadline   time.Time  `json:"deadline"`
	Rule       packRule   `json:"rule"`
	Members    []string   `json:"members"`
	Recipients []string   `json:"recipients"`
}

type packRule struct {
	Approvals int    `json:"approvals"`
	Quorum    int    `json:"quorum"`
	Abstain   bool   `json:"abstain"`
	Unanimous bool   `json:"unanimous"`
	Words     string `json:"words"`
}

type packCandidate struct {
	Number    int       `json:"number"`
	Hash      string    `json:"hash"`
	Kind      string    `json:"kind"`
	Created   time.Time `json:"created"`
	Documents int       `json:"documents"`
	Finished  int       `json:"finished"`
	Words     int       `json:"words"`
	Inputs    struct {
		Notes  string `json:"notes"`
		Labels int    `json:"labels"`
		Roles  string `json:"roles"`
		Model  string `json:"model"`
	} `json:"inputs"`
	Repairs []packRepair `json:"repairs"`
	Linkage []string     `json:"linkage,omitempty"`
}

type packRepair struct {
	Candidate int       `json:"candidate"`
	Hash      string    `json:"hash"`
	Replaced  time.Time `json:"replaced"`
}

type packTechnique struct {
	LC     float64 `json:"lc"`
	Model  int     `json:"model"`
	Rounds int     `json:"rounds"`
	Labels []struct {
		Label     string `json:"label"`
		Redacted  int    `json:"redacted"`
		Technique string `json:"technique,omitempty"`
	} `json:"labels"`
	Excluded []string `json:"excluded"`
	Lines    []string `json:"lines"`
}

type packPolicy struct {
	Name    string      `json:"name"`
	Version int         `json:"version"`
	Basis   string      `json:"basis"`
	Words   string      `json:"basis_words"`
	SHA256  string      `json:"sha256"`
	Signed  *packSigned `json:"signed,omitempty"`
	Agreed  []string    `json:"agreed,omitempty"`
}

type packSigned struct {
	Text string    `json:"text"`
	By   string    `json:"by"`
	At   time.Time `json:"at"`
}

type packForecast struct {
	Expected *float64 `json:"expected,omitempty"`
	AtMost   *float64 `json:"at_most,omitempty"`
	Words    string   `json:"words"`
}

type packParameters struct {
	Passages int     `json:"passages"`
	Doubtful int     `json:"doubtful"`
	Planned  int     `json:"planned"`
	Plants   int     `json:"plants"`
	Anytime  bool    `json:"any_time"`
	Alpha    float64 `json:"alpha"`
}

type packDraw struct {
	Number     int            `json:"number"`
	Review     int            `json:"review"`
	Candidate  string         `json:"candidate"`
	Parameters packParameters `json:"parameters"`
	Readers    int            `json:"readers"`
	Commitment string         `json:"commitment"`
	By         string         `json:"by"`
	At         time.Time      `json:"at"`
	Given      string         `json:"number_given,omitempty"`
	GivenBy    string         `json:"given_by,omitempty"`
	GivenAt    *time.Time     `json:"given_at,omitempty"`
	Secret     string         `json:"secret,omitempty"`
	Seed       string         `json:"seed,omitempty"`
	Doubtful   []int          `json:"doubtful,omitempty"`
	Order      string         `json:"order_sha256,omitempty"`
	Planted    int            `json:"planted"`
	Abandoned  *time.Time     `json:"abandoned,omitempty"`
	Why        string         `json:"why,omitempty"`
}

type packReading struct {
	Draw        int             `json:"draw"`
	Complete    bool            `json:"complete"`
	Reading     json.RawMessage `json:"reading"`
	Certificate json.RawMessage `json:"certificate"`
	Repaired    int             `json:"repaired"`
	Left        int             `json:"left"`
}

type packVote struct {
	Name       string         `json:"name"`
	At         time.Time      `json:"at"`
	Choice     string         `json:"choice"`
	Reason     string         `json:"reason,omitempty"`
	Conditions packConditions `json:"conditions"`
}

type packConditions struct {
	AtMost     *int       `json:"at_most,omitempty"`
	Until      *time.Time `json:"until,omitempty"`
	Recipients []string   `json:"recipients,omitzero"`
	LC         *float64   `json:"lc,omitempty"`
	Others     []string   `json:"others,omitempty"`
}

type packDecision struct {
	Outcome     string         `json:"outcome"`
	At          time.Time      `json:"at"`
	Until       time.Time      `json:"valid_until"`
	Approved    int            `json:"approved"`
	Refused     int            `json:"refused"`
	Abstained   int            `json:"abstained"`
	Members     int            `json:"members"`
	Conditions  packConditions `json:"conditions"`
	Words       []string       `json:"words"`
	Met         []packMet      `json:"met"`
	Forecast    string         `json:"expected_before_reading,omitempty"`
	Certificate string         `json:"at_most_after_reading,omitempty"`
	Bound       *int           `json:"bound,omitempty"`
}

type packMet struct {
	Condition int       `json:"condition"`
	How       string    `json:"how"`
	By        string    `json:"by"`
	At        time.Time `json:"at"`
}

type packRelease struct {
	Number     int        `json:"number"`
	Name       string     `json:"name"`
	SHA256     string     `json:"manifest_sha256"`
	Published  *time.Time `json:"published,omitempty"`
	Recipients []struct {
		Name string    `json:"name"`
		At   time.Time `json:"at"`
	} `json:"recipients"`
	packState
}

type packState struct {
	Status string     `json:"status"`
	Reason string     `json:"reason,omitempty"`
	Since  *time.Time `json:"since,omitempty"`
	Newer  string     `json:"superseded_by,omitempty"`
}

// CheckEvidence checks an evidence pack, as JSON or as a page, and compares it with the
// release that was verified: the signature with the given key, commitments, seeds and orders
// of all draws, every bound, the decision from the votes and the rule, the conditions, and
// what the release says of its review. What disagrees is added to the problems of the report.
func (r *Report) CheckEvidence(file []byte, key ed25519.PublicKey) {
	p, err := openEvidence(file, key)
	if err != nil {
		r.Add(evidenceName, "%v", err)
		return
	}
	r.Evidence = p.shown(key)
	for _, check := range []func() []string{p.checkForm, p.checkDraws, p.checkReading, p.checkDecision, p.checkState, p.missing, func() []string { return p.against(r, key) }} {
		for _, what := range check() {
			r.Add(evidenceName, "%s", what)
		}
	}
}

// openEvidence checks signatures and structure.
func openEvidence(file []byte, key ed25519.PublicKey) (*pack, error) {
	file, err := jsonOf(file, key)
	if err != nil {
		return nil, err
	}
	body, err := openSigned(file, evidenceSchema, "pack", evidencePrefix, key)
	if err != nil {
		return nil, err
	}
	p := &pack{}
	if err := exactly(body, p); err != nil {
		return nil, fmt.Errorf("the pack: %w", err)
	}
	return p, nil
}

func (p *pack) shown(key ed25519.PublicKey) *Evidence {
	e := &Evidence{Key: keyFingerprint(key), Project: p.Project, Review: p.Review.Number, State: p.Review.State, Candidate: p.Candidate.Hash, AsOf: p.AsOf.Format(time.RFC3339), Draws: len(p.Draws)}
	for _, d := range p.Draws {
		if d.Abandoned != nil {
			e.Abandoned++
		}
	}
	if p.Decision != nil {
		e.Outcome = p.Decision.Outcome
	}
	if p.Reading != nil {
		e.Bounds, _ = RecomputeCertificate(p.Reading.Reading) // checkReading says what is wrong
		if e.Bounds != nil && e.Bounds.Refusal == "" {
			e.Left = &p.Reading.Left
		}
	}
	if p.Release != nil {
		e.Status = p.Release.Status
	}
	return e
}

func keyFingerprint(key ed25519.PublicKey) string { return hashOf(key) }

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// checkForm checks what has one form.
func (p *pack) checkForm() (out []string) {
	if p.Schema != evidenceSchema {
		out = append(out, "schema: the pack is of another schema than its file")
	}
	if p.Review.Number < 1 || !isHash(p.Candidate.Hash) {
		out = append(out, "candidate: the review has no number, or the candidate no hash")
	}
	if !slices.Contains([]string{"decided", "expired", "ended"}, p.Review.State) || (p.Review.State == "decided") != (p.Decision != nil) {
		out = append(out, "review: its state is not that of a review that is over")
	}
	for i, r := range p.Candidate.Repairs {
		if !isHash(r.Hash) || r.Candidate >= p.Candidate.Number || i > 0 && (r.Candidate <= p.Candidate.Repairs[i-1].Candidate || r.Replaced.Before(p.Candidate.Repairs[i-1].Replaced)) {
			out = append(out, fmt.Sprintf("repairs: repair %d is not in order", i+1))
		}
	}
	return out
}

func isHash(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == sha256.Size
}

// checkState checks the status of the release.
func (p *pack) checkState() []string {
	if p.Release == nil {
		return nil
	}
	s := p.Release.packState
	switch {
	case s.wrong() != "":
		return []string{"release: " + s.wrong()}
	case s.Status == stateWithdrawn:
		return []string{"release: it was withdrawn on " + s.Since.Format("2 January 2006") + ": " + s.Reason}
	}
	return nil
}

// against compares the pack with the release.
func (p *pack) against(r *Report, key ed25519.PublicKey) (out []string) {
	said := r.Review
	if said == nil {
		return []string{"release: the manifest says nothing about a review"}
	}
	if said.Candidate != p.Candidate.Hash {
		return []string{fmt.Sprintf("candidate: the review was about the files with the hash %s, and this release has %s", p.Candidate.Hash, said.Candidate)}
	}
	differs := func(what string, is bool) {
		if is {
			out = append(out, what+": the manifest of the release says something else")
		}
	}
	differs("project", r.project != "" && r.project != p.Project) // manifests of text name one
	differs("kind", r.Kind != p.Candidate.Kind)
	differs("review", said.Session != p.Review.Number)
	differs("rule", said.Rule != p.Review.Rule.Words)
	differs("public key", said.Key != keyFingerprint(key))
	differs("policy", !p.Policy.sameAs(r.policy))
	differs("attack", !slices.Equal(p.Attack.says(), r.Attack))
	if d := p.Decision; d != nil {
		differs("decision", !sameSecond(said.Decided, d.At))
		differs("valid until", !sameSecond(said.Until, d.Until))
		differs("votes", said.Approved != d.Approved || said.Refused != d.Refused || said.Abstained != d.Abstained)
		differs("conditions", !slices.Equal(said.Conditions, d.Words))
		differs("forecast", said.Forecast != d.Forecast)
		differs("certificate", said.Certificate != d.Certificate)
	}
	if p.Release != nil && p.Release.SHA256 != r.SHA256 {
		out = append(out, "release: its manifest.json has another SHA-256 than the pack says")
	}
	return out
}

// sameAs compares what pack and release say of the policy.
func (p *packPolicy) sameAs(said *Policy) bool {
	if p == nil || said == nil {
		return p == nil && said == nil
	}
	same := p.Name == said.Name && p.Version == said.Version && p.Basis == said.Basis && p.SHA256 == said.SHA256 && slices.Equal(p.Agreed, said.Agreed)
	if p.Signed == nil || said.Signed == nil {
		same = same && p.Signed == nil && said.Signed == nil
	} else {
		same = same && p.Signed.Text == said.Signed.Text && p.Signed.By == said.Signed.By && sameSecond(said.Signed.At, p.Signed.At)
	}
	return same
}

func sameSecond(said string, at time.Time) bool {
	t, err := time.Parse(time.RFC3339Nano, said)
	return err == nil && t.Equal(at.Truncate(time.Second))
}
