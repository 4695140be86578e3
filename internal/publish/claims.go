// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"context"
	"fmt"
	"time"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/publish/policy"
	"hide/internal/publish/release"
)

// Claims are what a release of text claims.
type Claims struct {
	Placeholder string           `json:"placeholder"` // format, with LABEL for the label
	Labels      []annotate.Label `json:"labels"`      // possible labels of redactions
	Counts      ReleaseCounts    `json:"counts"`
	Parameters  Parameters       `json:"parameters,omitzero"` // zero without a redaction model
	Figures     Figures          `json:"figures,omitzero"`    // zero without a redaction model
	Provenance  Origin           `json:"provenance"`

	Attack *Attacked    `json:"attack,omitempty"` // nil if no attacker was tried
	Target *TargetClaim `json:"target,omitempty"` // nil without a target

	// What follows is for a release by a policy.

	Policy *PolicyClaim `json:"policy,omitempty"`
	Signed *Signed      `json:"signed,omitempty"`
	Agreed []string     `json:"agreed,omitempty"` // items of the checklist that a person confirmed
	// Like is the name of the earlier release whose numbers of notes and surrogates this one
	// continues. Its numbers can have gaps.
	Like string `json:"like,omitempty"`
}

// PolicyClaim names the policy, which is in policy.json.
type PolicyClaim struct {
	Name    string       `json:"name"`
	Version int          `json:"version"`
	Basis   policy.Basis `json:"basis"`
	SHA256  string       `json:"sha256"` // of policy.json
	// Means says which label of the default set another label corresponds to, "" for none. A
	// label that is not here is one of the default set.
	Means map[annotate.Label]annotate.Label `json:"means,omitempty"`
}

func policyClaim(r policy.Resolved) PolicyClaim {
	c := PolicyClaim{Name: r.Policy.Name, Version: r.Policy.Version, Basis: r.Policy.Basis, SHA256: r.Policy.SHA256()}
	for _, l := range r.Labels {
		if l.As == l.Label {
			continue
		}
		if c.Means == nil {
			c.Means = map[annotate.Label]annotate.Label{}
		}
		c.Means[l.Label] = l.As
	}
	return c
}

// ID names the policy with its version: "safe-harbor 1".
func (c PolicyClaim) ID() string { return fmt.Sprintf("%s %d", c.Name, c.Version) }

// Signed is the statement that a person signed.
type Signed struct {
	Text string    `json:"text"`
	By   string    `json:"by"`
	At   time.Time `json:"at"`
}

// Attacked is what an attacker who goes for the patients links.
type Attacked = release.Attacked

// Attacker is an attacker who goes for the patients. She is tried on the notes as they are
// published. docs are their originals, and note reads the i-th with its placeholders, which
// tell no more than the label. It is safe for concurrent use.
type Attacker func(ctx context.Context, docs []annotate.DocumentID, note func(i int) (text string, placeholders []annotate.Span, err error)) (*Attacked, error)

// ReleaseCounts can all be recomputed from the release, and Known from the originals.
type ReleaseCounts struct {
	Documents  int                    `json:"notes"`
	Tokens     int                    `json:"tokens"`     // published tokens, without visible replacements
	Redactions map[annotate.Label]int `json:"redactions"` // visible replacements by label
	Known      KnownCounts            `json:"known_identifiers,omitzero"`
}

// Parameters say how the bundle was chosen.
type Parameters struct {
	Mode  greedy.Mode `json:"mode"`
	LC    float64     `json:"lc"`
	At    float64     `json:"effective_lc,omitzero"` // the larger L/C that the ceiling required; 0 if none
	Steps []Step      `json:"steps"`
}

// Step is one classifier of the ensemble.
type Step struct {
	Learner   string        `json:"learner"`
	Threshold float64       `json:"threshold"`        // it redacts from this P(sensitive) on
	Hard      bool          `json:"hard"`             // it redacts by hard labels instead
	Whole     bool          `json:"whole"`            // it reads the original document, not the result of the steps before it
	Prices    greedy.Prices `json:"prices,omitempty"` // the odds of P(sensitive) are first divided by these, by kind of word
}

// Origin is the provenance of a release.
type Origin struct {
	Bundle            string `json:"bundle_sha256,omitzero"`
	Run               int    `json:"run,omitzero"`
	TrainingDocuments int    `json:"training_notes,omitzero"`
	AtRandom          int    `json:"training_notes_sampled_at_random,omitzero"`
	Finished          int    `json:"finished_notes"`  // released notes that people had finished
	Corpus            string `json:"corpus,omitzero"` // keyed fingerprint of the training documents and spans, comparable within one project only
	// Attuned is the factor by which a prior-shift correction raised the odds after the
	// figures were measured, 0 or 1 for none: more is redacted than they say.
	Attuned float64 `json:"prior_shift_factor,omitzero"`
}
