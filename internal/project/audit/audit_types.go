// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"time"

	"hide/internal/annotate"
	"hide/internal/greedy/audit"
	"hide/internal/project"
)

// Audit is a sample of what would be published with a bundle, which people
// read for identifiers. It is of the unfinished documents; of all, when every
// document is finished.
type Audit struct {
	Number    int       `json:"number"` // from 1
	Bundle    int       `json:"bundle"`
	Run       int       `json:"run"`
	LC        float64   `json:"lc"`
	Created   time.Time `json:"created"`
	By        string    `json:"by"`        // name of the person
	Documents int       `json:"documents"` // that the sample stands for
	Asked     int       `json:"asked"`     // how many notes were asked for: more than Notes where there are no more
	Notes     []Note    `json:"notes"`     // in order of reading
	Seed      uint64    `json:"seed"`
	Revisions string    `json:"revisions"` // fingerprint of the documents it stands for

	Read    int           `json:"-"` // notes read
	Result  *audit.Result `json:"-"` // nil until all are read; [Service.SampleAudits] alone fills it in
	Changed bool          `json:"-"` // documents have changed since: it is about another publication
}

// Note is a document of a sample. Which were drawn at random is not told to
// who reads them.
type Note struct {
	Document annotate.DocumentID `json:"document"`
	Picked   bool                `json:"picked"`          // the model doubts it most; otherwise it was drawn at random
	Found    int                 `json:"found,omitempty"` // identifiers still readable
	Read     bool                `json:"read,omitempty"`
	Glanced  bool                `json:"glanced,omitempty"` // as [AuditAnswer] has it
}

// Answer is what somebody says of a note of a sample.
type Answer struct {
	Marks   []int // tokens of the redacted text, by [annotate.Tokenize], that are still readable identifiers; none is an answer too
	Glanced bool  // its end was not in view, or too shortly for anybody to have read it
	// Over is the Reading of the [AuditText] that it takes the place of.
	Over string
}

// Text is a note of a sample as it would be published.
type Text struct {
	Audit, Index int // Index is from 1
	Notes, Read  int // of the audit
	Text         ReleasedText
	Marks        []int  // tokens of Text, by [annotate.Tokenize], that are still readable identifiers
	Seen         bool   // it has been read before
	By           string // who did
	Reading      string // changes with what is said of it; "" when nothing is
}

// Drawing says how the drawing of a sample stands, or how it ended.
type Drawing struct {
	Running     bool
	Done, Total int
	Error       string
}

// Findings are the identifiers that people found in an audit, when all of its
// notes are read.
type Findings struct {
	Audit  int
	Labels []annotate.Label // that the bundle's release redacts
	All    []Finding        // by note and place
	Lost   int              // in notes drawn before places were kept: no span can be made of them
}

// Open is how many are not yet in their notes.
func (f Findings) Open() int {
	n := 0
	for _, finding := range f.All {
		if !finding.Added {
			n++
		}
	}
	return n
}

// Finding is an identifier that was still readable: neighbouring tokens that
// somebody marked.
type Finding struct {
	project.Excerpt      // from the first to the last word left of it in its note, all of it when Added; Label is what the model takes it for
	Index           int  // of the note in the audit, from 1
	From            int  // its first token in the redacted text
	Added           bool // annotations of the note cover it, with labels that the audit's bundle redacts
	// Passing are labels of annotations on it that the bundle lets pass. When it is added
	// they get another, whole.
	Passing []annotate.Label
}

// LabelledFinding is a finding to become a span.
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

// ReleasedAt is where a placeholder stands in a released text.
type ReleasedAt struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}
