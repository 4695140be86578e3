// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"time"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// Schema is the version of release that this package writes.
const Schema = "hide release 1"

// Statement is what each release says about itself.
const Statement = "Evidence for an expert's determination under 45 CFR 164.514(b)(1), not the determination. " +
	"Figures are estimates on annotated documents, with 95 % intervals. Text may still hold what nobody marked."

// Names of the files of a release.
const (
	manifestFile = "manifest.json"
	sumsFile     = "SHA256SUMS"
	notesFile    = "notes.jsonl"
	notesDir     = "notes"
)

// Manifest is manifest.json: everything that a release claims.
type Manifest struct {
	Schema      string           `json:"schema"`
	Tool        string           `json:"tool"`
	Created     time.Time        `json:"created"`
	Name        string           `json:"name"`    // of the release: "release-1"
	Project     string           `json:"project"` // its id, not its name
	Statement   string           `json:"statement"`
	Warnings    []string         `json:"warnings"`    // what was said to whoever published it
	Placeholder string           `json:"placeholder"` // form, with LABEL where the label goes
	Labels      []annotate.Label `json:"labels"`      // that redactions may carry
	Counts      ReleaseCounts    `json:"counts"`
	Parameters  Parameters       `json:"parameters"`
	Figures     greedy.Outcome   `json:"figures"`
	Provenance  Origin           `json:"provenance"`
	Files       []FileSum        `json:"files"` // all but the manifest and SHA256SUMS, by path
}

// ReleaseCounts can all be recomputed from the release.
type ReleaseCounts struct {
	Documents  int                    `json:"documents"`
	Tokens     int                    `json:"tokens"`     // published, placeholders not counted
	Redactions map[annotate.Label]int `json:"redactions"` // placeholders by label
}

// Parameters are how the bundle was chosen.
type Parameters struct {
	Mode  greedy.Mode `json:"mode"`
	LC    float64     `json:"lc"`
	At    float64     `json:"redacts_as,omitzero"` // the larger L/C that a ceiling took in its place; 0 where none did
	Steps []Step      `json:"steps"`
}

// Step is how one classifier of the ensemble marks.
type Step struct {
	Learner   string        `json:"learner"`
	Threshold float64       `json:"threshold"`        // marks where P(sensitive) is at least this
	Hard      bool          `json:"hard"`             // marks by hard labels instead
	Whole     bool          `json:"whole"`            // reads the document as it is, not what the steps before it left
	Prices    greedy.Prices `json:"prices,omitempty"` // by which the odds of P(sensitive) are divided first, by kind of word
}

// Origin says what a release was made with.
type Origin struct {
	Bundle            string `json:"bundle_sha256"`
	Run               int    `json:"run"`
	TrainingDocuments int    `json:"training_documents"`
	AtRandom          int    `json:"training_documents_at_random"`
	Finished          int    `json:"finished_documents"` // of the released ones, those that people had marked and finished
	Corpus            string `json:"corpus"`             // keyed fingerprint of the documents and spans trained on: comparable in one project only
	// Attuned is the factor by which odds were raised after the figures were measured,
	// 0 or 1 for not at all. More is redacted than they say.
	Attuned float64 `json:"attuned,omitzero"`
}

// FileSum is one file of a release.
type FileSum struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// released is one line of notes.jsonl.
type released struct {
	ID         string            `json:"id"`
	Text       string            `json:"text"`
	Redactions []releasedReplace `json:"redactions"`
}

// releasedReplace says where a placeholder stands, in code points of the
// released text.
type releasedReplace struct {
	Start annotate.RuneOff `json:"start"`
	End   annotate.RuneOff `json:"end"`
	Label annotate.Label   `json:"label"`
}
