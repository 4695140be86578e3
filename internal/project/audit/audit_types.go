// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"time"

	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/project"
)

// Audit is a sample of what would be published with a bundle, which people read for
// identifiers. The sample is drawn from the unfinished documents, or from all
// documents if every one is finished.
type Audit struct {
	Number    int       `json:"number"` // from 1
	Bundle    int       `json:"bundle"`
	Run       int       `json:"run"`
	LC        float64   `json:"lc"`
	Created   time.Time `json:"created"`
	By        string    `json:"by"`        // name of the person
	Documents int       `json:"documents"` // that the sample represents
	Asked     int       `json:"asked"`     // requested notes: more than Notes if the project has fewer
	Notes     []Note    `json:"notes"`     // in order of reading
	Seed      uint64    `json:"seed"`
	Revisions string    `json:"revisions"` // fingerprint of the documents that it represents

	Read    int           `json:"-"` // notes read
	Result  *audit.Result `json:"-"` // nil until all are read; only [Service.SampleAudits] fills it in
	Changed bool          `json:"-"` // documents have changed since, so the audit is out of date
}

// Note is a document of a sample. Readers do not see which ones were drawn at
// random.
type Note struct {
	Document annotate.DocumentID `json:"document"`
	Picked   bool                `json:"picked"`          // chosen because the model doubts it most; otherwise drawn at random
	Found    int                 `json:"found,omitempty"` // identifiers still readable
	Read     bool                `json:"read,omitempty"`
	Glanced  bool                `json:"glanced,omitempty"` // as [AuditAnswer] has it
}

// Answer is a reader's answer about a note of a sample.
type Answer struct {
	Marks   []int // tokens of the redacted text, by [annotate.Tokenize], that are still readable identifiers; may be empty
	Glanced bool  // the whole note was not in view long enough to read it
	// Over is the Reading of the [AuditText] that this answer replaces.
	Over string
}

// Text is a note of a sample as it would be published.
type Text struct {
	Audit, Index int // Index is from 1
	Notes, Read  int // of the audit
	Text         ReleasedText
	Marks        []int  // tokens of Text, by [annotate.Tokenize], that are still readable identifiers
	Seen         bool   // it has been read before
	By           string // who read it
	Reading      string // changes with every answer; "" without an answer
}

// Drawing is the state of a sample being drawn, or how the drawing ended.
type Drawing struct {
	Running     bool
	Done, Total int
	Error       string
}

// Findings are the identifiers that people found in a completed audit.
type Findings struct {
	Audit  int
	Labels []annotate.Label // that the bundle's release redacts
	All    []Finding        // by note and place
	Lost   int              // found in notes of older audits without stored places: they cannot become spans
}

// Open counts the findings that are not yet in their notes.
func (f Findings) Open() int {
	n := 0
	for _, finding := range f.All {
		if !finding.Added {
			n++
		}
	}
	return n
}

// Finding is an identifier that was still readable: neighbouring tokens that a
// reader marked.
type Finding struct {
	project.Excerpt      // the words of it that remain in its note, or all words when Added; Label is the model's guess
	Index           int  // of the note in the audit, from 1
	From            int  // its first token in the redacted text
	Added           bool // annotations of the note cover it with labels that the audit's bundle redacts
	// Passing are the labels of its annotations that the bundle does not redact.
	// Adding the finding changes these labels.
	Passing []annotate.Label
}

// LabelledFinding is a finding that becomes a span with a label.
type LabelledFinding struct {
	Index, From int // as in [AuditFinding]
	Label       annotate.Label
}

// ReleasedText is one document of a release.
type ReleasedText struct {
	ID         string       `json:"id"`
	Text       string       `json:"text"`
	Redactions []ReleasedAt `json:"redactions"`
}

// ReleasedAt is the place of a placeholder in a released text.
type ReleasedAt struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}
