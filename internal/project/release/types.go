// SPDX-License-Identifier: Apache-2.0

package release

import (
	"cmp"
	"fmt"
	"time"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/audit"
	"hide/internal/publish"
	"hide/internal/publish/cube"
	"hide/internal/publish/dp"
	"hide/internal/publish/ledger"
	"hide/internal/publish/release"
)

// Kind is what a release holds. Names are stored: do not change them.
type Kind string

// The kinds of release.
const (
	KindText      Kind = "" // redacted notes
	KindTable     Kind = "table"
	KindCube      Kind = "cube"
	KindSequences Kind = "sequences"
	KindJoint     Kind = "joint" // notes with their fields
	KindQuery     Kind = "query" // the answer to a question
)

// Release is one publication.
type Release struct {
	Kind   Kind           `json:"kind,omitempty"`
	Table  *TableRelease  `json:"table,omitempty"`  // of a table
	Strong *StrongRelease `json:"strong,omitempty"` // of counts, sequences or an answer
	Joint  *JointRelease  `json:"joint,omitempty"`  // of notes with their fields

	Number    int            `json:"number"` // from 1
	Name      string         `json:"name"`   // folder and file name: "release-1"
	Bundle    int            `json:"bundle"`
	LC        float64        `json:"lc"`
	Created   time.Time      `json:"created"`
	By        string         `json:"by"`
	Documents int            `json:"documents"`
	Redacted  map[string]int `json:"redacted"` // placeholders by label
	Tokens    int            `json:"tokens"`
	// Known counts the known identifiers in the originals of text and of notes with their
	// fields; zero without any.
	Known publish.KnownCounts `json:"known_identifiers,omitzero"`

	// Attack is what an attacker who goes for the patients links, of a release with notes; nil
	// if the attacker was not tried or had nobody to confuse.
	Attack *publish.Attacked `json:"attack,omitempty"`

	// Linkage says how records became patients; nil in releases of earlier versions. The manifest
	// has it, without the counts if the release costs epsilon.
	Linkage *release.Linkage `json:"linkage,omitempty"`

	// What the manifest of a release by a policy says of it.
	Policy *publish.PolicyClaim   `json:"policy,omitempty"`
	Signed *publish.Signed        `json:"signed,omitempty"`
	Agreed []string               `json:"agreed,omitempty"`
	Like   string                 `json:"like,omitempty"`
	Subset string                 `json:"subset,omitempty"` // which notes it holds, in words; "" for all without a draft
	Draft  uint64                 `json:"draft,omitempty"`  // number of the draft that it was made from, 0 for none
	Hidden map[annotate.Label]int `json:"hidden,omitempty"` // surrogates and shifted dates by label, which the manifest does not tell

	SHA256  string         `json:"sha256"`  // of the manifest
	Outcome greedy.Outcome `json:"outcome"` // the figures at the time of choosing
	// Validity says whether Outcome holds for the notes of the release; nil in releases of earlier
	// versions, and without a redaction model.
	Validity *publish.Validity `json:"validity,omitempty"`
	Gone     bool              `json:"gone"`     // its files are missing, for example after a restore
	Verified bool              `json:"verified"` // the verifier found no problem right after writing
	// Removed is set when notes of the release were removed from the project afterwards: it
	// was compared with the originals when it was published, and cannot be again.
	Removed *RemovedNotes `json:"removed,omitempty"`
	// EarlierWords states what the other releases of the same patients at that time mean for
	// this one; its manifest repeats it.
	EarlierWords []string `json:"beside,omitempty"`
	// Warnings are what the publisher of text was shown, and Audit is the audit valid at
	// that time, if any. The manifest carries both, the audit in words.
	Warnings []string      `json:"warnings,omitempty"`
	Audit    *audit.Result `json:"audit,omitempty"`

	Review     int      `json:"review,omitempty"`     // the number of the review that approved it; 0 for none
	Recipients []string `json:"recipients,omitempty"` // who got it, as the broker recorded

	PublishedAt *time.Time  `json:"published_at,omitempty"` // of a candidate; others are published when they are created
	Receipts    []Receipt   `json:"receipts,omitempty"`     // of recipients who got it later
	Withdrawn   *Withdrawal `json:"withdrawn,omitempty"`    // nil while it may be used
}

// HasText reports whether a release has notes to read.
func (k Kind) HasText() bool { return k == KindText || k == KindJoint }

// Model is the redaction model that says how doubtful the text is, 0 for none. Of notes with
// their fields it is the one of the estimate of what is left in them.
func (r Release) Model() int {
	if r.Joint != nil && r.Joint.Leak != nil {
		return r.Joint.Leak.Bundle
	}
	return r.Bundle
}

// RemovedNotes says what became of the originals of a release.
type RemovedNotes struct {
	Notes int       `json:"notes"` // 0 if the number is not known
	At    time.Time `json:"at"`    // the last time that notes were removed
}

// Status is the state of the current or last publication.
type Status struct {
	Running bool
	Kind    Kind
	Doing   string // what is counted, "" for writing notes
	Done    int
	Total   int
	Error   string
	Note    string // a message if there is no error
	Made    int    // the number of the release if it ended well; 0 otherwise
	Frozen  int    // the number of the candidate, if one was frozen; 0 otherwise

	Asked  any // the settings of a release that costs epsilon; the type depends on the kind
	Before int // the earlier release that already answers the request; 0 otherwise
}

// StrongRelease is the record of a release that cost epsilon.
type StrongRelease struct {
	Epsilon    ledger.Micro       `json:"micro_epsilon"`
	Method     cube.Method        `json:"method,omitempty"` // of counts
	Dimensions []string           `json:"dimensions"`       // attributes that are counted by
	Cells      float64            `json:"cells,omitempty"`  // of counts
	Height     int                `json:"height,omitempty"` // of sequences
	Promise    string             `json:"promise"`
	Conditions []string           `json:"conditions"`
	Warnings   []string           `json:"warnings"`
	Source     string             `json:"source"`
	Phases     []cube.Phase       `json:"phases"`
	Errors     []dp.ExpectedError `json:"expected_errors"`
	Entry      uint64             `json:"entry"` // of its debit in the ledger
	Asked      *Asked             `json:"asked,omitempty"`
	Trends     []dp.Trend         `json:"trends,omitempty"`
}

// Asked is the record of a query and its answer.
type Asked struct {
	Question string      `json:"question"`
	Domain   cube.Domain `json:"domain"`
	Columns  []string    `json:"columns"` // the last one is the count
	Groups   int         `json:"groups"`
	Rows     [][]string  `json:"rows"` // the first groups, at most 1,000; the release has all
	Within   float64     `json:"within"`
	Unjoined int64       `json:"unjoined,omitempty"`
}

// Strong reports whether releases of a kind cost epsilon.
func (k Kind) Strong() bool {
	return k == KindCube || k == KindSequences || k == KindQuery
}

// Unit is the unit of protection of a budget.
const Unit = "patient"

// What names a weak release in the ledger.
func (r Release) What() string { return fmt.Sprintf("%s, %s", r.Name, cmp.Or(string(r.Kind), "text")) }
