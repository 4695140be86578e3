// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"hide/internal/annotate"
	"hide/internal/greedy"
)

// Statement is what each release of text says about itself.
const Statement = "Evidence for an expert's determination under 45 CFR 164.514(b)(1), not the determination. " +
	"Figures are estimates on annotated notes, with 95 % intervals. The text may still hold identifiers that nobody marked."

// Names of the files of a release of text, beside those of every release.
const (
	notesFile = "notes.jsonl"
	notesDir  = "notes"
)

// Claims are what a release of text claims.
type Claims struct {
	Placeholder string           `json:"placeholder"` // form, with LABEL where the label goes
	Labels      []annotate.Label `json:"labels"`      // that redactions may carry
	Counts      ReleaseCounts    `json:"counts"`
	Parameters  Parameters       `json:"parameters"`
	Figures     greedy.Outcome   `json:"figures"`
	Provenance  Origin           `json:"provenance"`
}

// ReleaseCounts can all be recomputed from the release.
type ReleaseCounts struct {
	Documents  int                    `json:"notes"`
	Tokens     int                    `json:"tokens"`     // published, placeholders not counted
	Redactions map[annotate.Label]int `json:"redactions"` // placeholders by label
}

// Parameters are how the bundle was chosen.
type Parameters struct {
	Mode  greedy.Mode `json:"mode"`
	LC    float64     `json:"lc"`
	At    float64     `json:"effective_lc,omitzero"` // the larger L/C that a ceiling took in its place; 0 where none did
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
	TrainingDocuments int    `json:"training_notes"`
	AtRandom          int    `json:"training_notes_sampled_at_random"`
	Finished          int    `json:"finished_notes"` // released notes that people had marked and finished
	Corpus            string `json:"corpus"`         // keyed fingerprint of the documents and spans trained on: comparable in one project only
	// Attuned is the factor by which a prior-shift correction raised the odds after the
	// figures were measured, 0 or 1 for none: more is redacted than they say.
	Attuned float64 `json:"prior_shift_factor,omitzero"`
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
