// SPDX-License-Identifier: Apache-2.0

package training

import (
	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/greedy"
	"time"
)

// Status is what the strip on the annotation page says.
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
	Learning  int     // finished documents that the running training learns from
	Elapsed   time.Duration
	Error     string // of the last training, in words; "" when it went well
	NeedMore  int    // finished documents still missing before the first training
	Offer     Offer  // which suggestions people are shown
}

// Offer says which suggestions people are shown, and what the others wait for.
type Offer struct {
	Level    float64      // recall that suggestions must have reached; 0 for none
	Model    bool         // those of the newest model are shown
	Rules    bool         // rules suggest while no model does
	ByRules  []RuleRecall // what the rules find, by label, most recall first; nil when a model suggests
	Patients int          // of whom a document is done: a check needs CheckFrom
}

// RuleRecall is how much of a label the rules find in the finished documents.
type RuleRecall struct {
	Label     annotate.Label  `json:"label"`
	Recall    greedy.Estimate `json:"recall"`    // of its tokens
	Documents int             `json:"documents"` // in which it occurs
	Shown     bool            `json:"-"`         // suggestions of this label are shown
}

// BlindNotes are the notes annotated without suggestions, and what they tell.
type BlindNotes struct {
	Share    float64        // of all notes, as it is set
	Done     int            // finished without suggestions on purpose
	Assisted int            // finished by people who were shown some
	Bias     bootstrap.Bias // of the last check
	At       time.Time      // of the last check; zero before the first
}

// Scores are token-level figures from cross-validation by patient, with 95 %
// intervals over documents.
type Scores struct {
	Precision, Recall greedy.Estimate
	Folds, Documents  int
	Model             int  // number of the model that was newest when they were measured
	Random            bool // scored on randomly chosen documents only, so fit to be extrapolated
	At                time.Time
}

// CheckFrom is of how many patients documents must be done before a model can be
// checked.
const CheckFrom = checkFolds
