// SPDX-License-Identifier: Apache-2.0

package project

import (
	"time"

	"hide/internal/annotate"
	"hide/internal/greedy/audit"
)

// SampleAudit is a sample of what would be published with a bundle, which people
// read for identifiers. It is of the unfinished documents; of all, when every
// document is finished.
type SampleAudit struct {
	Number    int           `json:"number"` // from 1
	Bundle    int           `json:"bundle"`
	Run       int           `json:"run"`
	LC        float64       `json:"lc"`
	Created   time.Time     `json:"created"`
	By        string        `json:"by"`        // name of the person
	Documents int           `json:"documents"` // that the sample stands for
	Notes     []AuditedNote `json:"notes"`     // in order of reading
	Seed      uint64        `json:"seed"`
	Revisions string        `json:"revisions"` // fingerprint of the documents it stands for

	Read    int           `json:"-"` // notes read
	Result  *audit.Result `json:"-"` // nil until all are read
	Changed bool          `json:"-"` // documents have changed since: it is about another publication
}

// AuditedNote is a document of a sample. Which were drawn at random is not told to
// who reads them.
type AuditedNote struct {
	Document annotate.DocumentID `json:"document"`
	Picked   bool                `json:"picked"`          // the model doubts it most; otherwise it was drawn at random
	Found    int                 `json:"found,omitempty"` // identifiers still readable
	Read     bool                `json:"read,omitempty"`
}

// AuditText is a note of a sample as it would be published.
type AuditText struct {
	Audit, Index int // Index is from 1
	Notes, Read  int // of the audit
	Text         ReleasedText
	Marks        []int // tokens of Text, by [annotate.Tokenize], that are still readable identifiers
	Seen         bool  // it has been read before
}

// AuditDrawing says how the drawing of a sample stands, or how it ended.
type AuditDrawing struct {
	Running     bool
	Done, Total int
	Error       string
}
