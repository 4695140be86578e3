// SPDX-License-Identifier: Apache-2.0

// Package evidence writes what a board's review leaves behind for an expert, an auditor or a
// recipient: a signed pack of figures, hashes, votes and conditions, as JSON and as a page to
// print, and the signed status of a project's releases.
//
//	file, err := evidence.Sign(pack, key)        // JSON
//	page, err := evidence.Page(pack, file, key)  // HTML, with the same JSON in it
//
// A pack holds no text of a note and no identifier that anybody found: numbers, hashes, names
// of labels and accounts, and what members wrote about the review. Equal packs give equal
// files. Package verify, which shares no code with this one, checks them; docs/evidence.md has
// the layout byte by byte.
package evidence

import (
	"maps"
	"slices"
	"time"

	"hide/internal/greedy"
	"hide/internal/greedy/audit"
	"hide/internal/publish"
	"hide/internal/words"
)

// Schema is the version of the file and of the pack in it.
const Schema = "hide evidence 1"

// Statement is in every pack.
const Statement = "This pack is evidence for an expert or a board. It is not the determination that the release is de-identified: only a person can make that, and has to sign for it."

// Pack is everything that is known of one review. Times are in UTC.
type Pack struct {
	Schema    string    `json:"schema"`
	Tool      string    `json:"tool"`
	Version   string    `json:"version"` // of the program that wrote the pack
	AsOf      time.Time `json:"as_of"`   // of the newest event in the pack
	Statement string    `json:"statement"`

	Project   string    `json:"project"` // its id; the name is not told
	Review    Review    `json:"review"`
	Candidate Candidate `json:"candidate"`
	Technique Technique `json:"technique"`
	Policy    *Policy   `json:"policy,omitempty"` // of a release of text that follows one
	Attack    *Attack   `json:"attack,omitempty"` // nil if no attacker was tried
	Forecast  *Forecast `json:"forecast,omitempty"`
	Figures   *Figures  `json:"figures,omitempty"`
	Draws     []Draw    `json:"draws"` // all of the project until the review ended, abandoned ones too
	Reading   *Reading  `json:"reading,omitempty"`
	Votes     []Vote    `json:"votes"`
	Decision  *Decision `json:"decision,omitempty"`
	Release   *Release  `json:"release,omitempty"` // nil while the candidate is not published
}

// Review is what was asked of whom.
type Review struct {
	Number     int        `json:"number"`
	Question   string     `json:"question"`
	State      string     `json:"state"` // decided, expired or ended
	Why        string     `json:"why,omitempty"`
	By         string     `json:"by"` // name of the broker who proposed
	Created    time.Time  `json:"created"`
	Opened     *time.Time `json:"opened,omitempty"`
	Voting     *time.Time `json:"voting_since,omitempty"`
	Closed     *time.Time `json:"closed,omitempty"`
	Deadline   time.Time  `json:"deadline"`
	Rule       Rule       `json:"rule"`
	Members    []string   `json:"members"` // names
	Recipients []string   `json:"recipients"`
}

// Rule is the project's rule when the review was opened.
type Rule struct {
	Approvals int    `json:"approvals"`
	Quorum    int    `json:"quorum"`
	Abstain   bool   `json:"abstain"`
	Unanimous bool   `json:"unanimous"`
	Words     string `json:"words"`
}

// Candidate is what was reviewed.
type Candidate struct {
	Number    int       `json:"number"`
	Hash      string    `json:"hash"` // SHA-256 of the lines of SHA256SUMS without manifest.json
	Kind      string    `json:"kind"` // as in the manifest
	Created   time.Time `json:"created"`
	Documents int       `json:"documents"`
	Finished  int       `json:"finished"` // of them annotated to the end by people
	Words     int       `json:"words"`    // kept
	Inputs    Inputs    `json:"inputs"`
	Repairs   []Repair  `json:"repairs"`           // candidates that it replaced, oldest first
	Linkage   []string  `json:"linkage,omitempty"` // how records became patients, in words
}

// Inputs are fingerprints of what the candidate was made from.
type Inputs struct {
	Notes  string `json:"notes"`  // keyed: only the installation can compute it
	Labels int    `json:"labels"` // version of the names of labels
	Roles  string `json:"roles"`  // of attributes
	Model  string `json:"model"`  // SHA-256 of the redaction model
}

// Repair is a candidate that was replaced by one that redacts more and nothing less.
type Repair struct {
	Candidate int       `json:"candidate"`
	Hash      string    `json:"hash"`
	Replaced  time.Time `json:"replaced"` // when the next one was frozen
}

// Technique says how the candidate was made.
type Technique struct {
	LC       float64  `json:"lc"`    // L/C: how many wrongly redacted words one missed word is worth
	Model    int      `json:"model"` // number of the redaction model; 0 for none
	Rounds   int      `json:"rounds"`
	Labels   []Label  `json:"labels"`
	Excluded []string `json:"excluded"` // labels that stay readable
	Lines    []string `json:"lines"`    // more about it, in words
}

// Label is a type of identifier, and what became of it.
type Label struct {
	Label     string `json:"label"`
	Redacted  int    `json:"redacted"`            // visible replacements in the candidate
	Technique string `json:"technique,omitempty"` // by a policy, in words; "" for placeholders
}

// Forecast is what was expected to remain before anybody read.
type Forecast struct {
	Expected *float64 `json:"expected,omitempty"` // identifiers in unfinished notes
	AtMost   *float64 `json:"at_most,omitempty"`  // upper end of the 95 % interval
	Words    string   `json:"words"`
}

// Estimate is a figure with its 95 % interval.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Figures are those of the run at the candidate's L/C, measured on finished notes that no
// classifier was trained on. Estimates that are not finite are left out.
type Figures struct {
	Validity    *publish.Validity `json:"validity,omitempty"` // for the notes of the candidate; nil if it is not known
	Documents   int               `json:"documents"`
	Tokens      int               `json:"tokens"`
	Identifiers int               `json:"identifiers"`        // before redaction: the initial risk
	Missed      *Estimate         `json:"missed,omitempty"`   // identifiers
	Residual    *Estimate         `json:"residual,omitempty"` // sensitive tokens
	Excess      *Estimate         `json:"excess,omitempty"`   // other tokens redacted
	Attacker    *Estimate         `json:"attacker,omitempty"` // sensitive tokens that the papers' attacker finds
	Ranked      []Budget          `json:"ranked"`             // sensitive tokens among the B best ranked ones
	ByLabel     []LabelRun        `json:"by_label"`
}

// Budget is what the ranked attacker finds who looks at so many tokens.
type Budget struct {
	B     int      `json:"b"`
	Found Estimate `json:"found"`
}

// LabelRun is one label in the run.
type LabelRun struct {
	Label       string    `json:"label"`
	Identifiers int       `json:"identifiers"`
	Missed      *Estimate `json:"missed,omitempty"`
}

// Draw is a random sample of passages, or one that was begun and abandoned. Its order of
// reading follows from its seed; see [audit.Order].
type Draw struct {
	Number     int              `json:"number"` // from 1, without a gap
	Review     int              `json:"review"`
	Candidate  string           `json:"candidate"` // hash
	Parameters audit.Parameters `json:"parameters"`
	Readers    int              `json:"readers"` // of each passage

	Commitment string    `json:"commitment"`
	By         string    `json:"by"`
	At         time.Time `json:"at"`

	// What follows is empty before a number was given.

	Given   string     `json:"number_given,omitempty"`
	GivenBy string     `json:"given_by,omitempty"`
	GivenAt *time.Time `json:"given_at,omitempty"`
	// Secret and Seed are left out while people read passages of another review's draw.
	Secret   string `json:"secret,omitempty"`
	Seed     string `json:"seed,omitempty"`
	Doubtful []int  `json:"doubtful,omitempty"` // indices of the passages of greatest doubt
	// Order is the SHA-256 of the indices of the planned random passages, each as 8 bytes, big
	// endian, in the order of the draw.
	Order   string `json:"order_sha256,omitempty"`
	Planted int    `json:"planted"`

	Abandoned *time.Time `json:"abandoned,omitempty"`
	Why       string     `json:"why,omitempty"`
}

// Reading is what readers found in the sample of the review, and what it shows.
type Reading struct {
	Draw        int               `json:"draw"`
	Complete    bool              `json:"complete"` // every passage of the sample was read
	Reading     audit.Reading     `json:"reading"`
	Certificate audit.Certificate `json:"certificate"`
	Repaired    int               `json:"repaired"` // passages whose findings a repair has redacted
	Left        int               `json:"left"`     // at most so many passages of the candidate hold an identifier
}

// Vote is a member's vote.
type Vote struct {
	Name       string     `json:"name"`
	At         time.Time  `json:"at"`
	Choice     string     `json:"choice"` // approve, refuse or abstain
	Reason     string     `json:"reason,omitempty"`
	Conditions Conditions `json:"conditions"`
}

// Conditions are what an approval depends on.
type Conditions struct {
	AtMost     *int       `json:"at_most,omitempty"`
	Until      *time.Time `json:"until,omitempty"`
	Recipients []string   `json:"recipients,omitzero"` // nil for no limit
	LC         *float64   `json:"lc,omitempty"`
	Others     []string   `json:"others,omitempty"`
}

// Decision is what the votes came to.
type Decision struct {
	Outcome     string     `json:"outcome"` // approved, refused or no quorum
	At          time.Time  `json:"at"`
	Until       time.Time  `json:"valid_until"`
	Approved    int        `json:"approved"`
	Refused     int        `json:"refused"`
	Abstained   int        `json:"abstained"`
	Members     int        `json:"members"` // who could vote
	Conditions  Conditions `json:"conditions"`
	Words       []string   `json:"words"` // the conditions
	Met         []Met      `json:"met"`
	Forecast    string     `json:"expected_before_reading,omitempty"`
	Certificate string     `json:"at_most_after_reading,omitempty"`
	Bound       *int       `json:"bound,omitempty"` // passages that may still hold an identifier
}

// Met says how a condition in words was met.
type Met struct {
	Condition int       `json:"condition"` // its place in Conditions.Others, from 0
	How       string    `json:"how"`
	By        string    `json:"by"`
	At        time.Time `json:"at"`
}

// Release is the candidate after it was published.
type Release struct {
	Number     int         `json:"number"`
	Name       string      `json:"name"`
	SHA256     string      `json:"manifest_sha256"`
	Published  *time.Time  `json:"published,omitempty"` // nil if that was not recorded
	Recipients []Recipient `json:"recipients"`
	State
}

// Recipient got a release.
type Recipient struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"`
}

// State is whether a release may still be used.
type State struct {
	Status string     `json:"status"` // valid, withdrawn or superseded
	Reason string     `json:"reason,omitempty"`
	Since  *time.Time `json:"since,omitempty"`
	Newer  string     `json:"superseded_by,omitempty"` // name of the release
}

// The states.
const (
	Valid      = "valid"
	Withdrawn  = "withdrawn"
	Superseded = "superseded"
)

// FiguresOf takes what a pack tells of an outcome, and of the notes that it holds for.
func FiguresOf(o greedy.Outcome, v *publish.Validity) *Figures {
	o = o.Unseen()
	if o.Documents == 0 {
		return nil
	}
	f := &Figures{Validity: v, Documents: o.Documents, Tokens: o.Tokens, Identifiers: o.Identifiers, Ranked: []Budget{}, ByLabel: []LabelRun{}}
	f.Missed, f.Residual, f.Excess, f.Attacker = finite(o.IdentifiersMissed), finite(o.Residual), finite(o.FalsePositives), finite(o.Attack.Classifier)
	for _, b := range slices.Sorted(maps.Keys(o.Attack.Ranked)) {
		if e := finite(o.Attack.Ranked[b]); e != nil {
			f.Ranked = append(f.Ranked, Budget{b, *e})
		}
	}
	for _, c := range o.ByLabel {
		if c.Label != "" {
			f.ByLabel = append(f.ByLabel, LabelRun{string(c.Label), c.Spans, finite(c.SpansMissed)})
		}
	}
	return f
}

// finite is nil for an estimate that JSON cannot write.
func finite(e greedy.Estimate) *Estimate {
	if !words.Finite(e.Value) || !words.Finite(e.Low) || !words.Finite(e.High) {
		return nil
	}
	return &Estimate{e.Value, e.Low, e.High}
}

// Newest is the time of the newest event that the pack tells.
func (p *Pack) Newest() time.Time {
	times := []*time.Time{&p.Review.Created, p.Review.Opened, p.Review.Voting, p.Review.Closed, &p.Candidate.Created}
	if p.Review.State == "expired" {
		times = append(times, &p.Review.Deadline)
	}
	for i := range p.Draws {
		times = append(times, &p.Draws[i].At, p.Draws[i].GivenAt, p.Draws[i].Abandoned)
	}
	if p.Policy != nil && p.Policy.Signed != nil {
		times = append(times, &p.Policy.Signed.At)
	}
	if p.Decision != nil {
		times = append(times, &p.Decision.At)
		for i := range p.Decision.Met {
			times = append(times, &p.Decision.Met[i].At)
		}
	}
	if p.Release != nil {
		times = append(times, p.Release.Published, p.Release.Since)
		for i := range p.Release.Recipients {
			times = append(times, &p.Release.Recipients[i].At)
		}
	}
	var newest time.Time
	for _, at := range times {
		if at != nil && at.After(newest) {
			newest = *at
		}
	}
	return newest.UTC()
}
