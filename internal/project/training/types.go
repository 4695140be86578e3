// SPDX-License-Identifier: Apache-2.0

package training

import (
	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/greedy"
	"time"
)

// Status is the content of the strip on the annotation page.
type Status struct {
	Model     int       // number of the newest model, 0 before the first
	Documents int       // finished documents it was trained on
	Finished  time.Time // when it was swapped in
	Took      time.Duration
	Scores    Scores // cross-validated; zero before the first
	Running   bool
	Queued    bool
	Iteration int     // of the running training
	Objective float64 // of the running training
	Phase     string  // "training", "checking", "suggesting"
	Learning  int     // finished documents in the running training
	Elapsed   time.Duration
	Error     string // of the last training, in words; "" on success
	NeedMore  int    // finished documents still needed for the first training
	Offer     Offer  // which suggestions are shown
}

// Offer says which suggestions are shown, and what the others wait for.
type Offer struct {
	Level    float64      // recall that suggestions must reach; 0 for none
	Model    bool         // the newest model's suggestions are shown
	Rules    bool         // rules suggest while no model does
	ByRules  []RuleRecall // recall of the rules by label, highest first; nil when a model suggests
	Patients int          // with a finished document: a check needs CheckFrom
}

// RuleRecall is the recall of the rules for a label in the finished documents.
type RuleRecall struct {
	Label     annotate.Label  `json:"label"`
	Recall    greedy.Estimate `json:"recall"`    // over its tokens
	Documents int             `json:"documents"` // in which it occurs
	Shown     bool            `json:"-"`         // suggestions of this label are shown
}

// BlindNotes are the notes annotated without suggestions, and what they show.
type BlindNotes struct {
	Share    float64        // of all notes, from the settings
	Done     int            // finished without suggestions on purpose
	Assisted int            // finished by people who saw some
	Bias     bootstrap.Bias // of the last check
	At       time.Time      // of the last check; zero before the first
}

// Scores are token-level figures from cross-validation by patient, with 95 % intervals
// over documents.
type Scores struct {
	Precision, Recall greedy.Estimate
	Folds, Documents  int
	Model             int  // number of the newest model when they were measured
	Random            bool // scored only on random documents, so they extrapolate
	At                time.Time
}

// CheckFrom is how many patients must have finished documents before a model can be
// checked.
const CheckFrom = checkFolds
