// SPDX-License-Identifier: Apache-2.0

package training

import (
	"time"

	"hide/internal/annotate"
	"hide/internal/crf/score"
	"hide/internal/project"
)

// Names of tagger scores, as pages use them; see package score.
type (
	Report      = score.Report
	Level       = score.Level
	Tally       = score.Tally
	Mean        = score.Mean
	Intervals   = score.Intervals
	Interval    = score.Interval
	Share       = score.Share
	Calibration = score.Calibration
	Bin         = score.Bin
	I2B2Figures = score.I2B2Figures
	ErrorKind   = score.Kind
	Reason      = score.Reason
	ReasonCount = score.ReasonCount
)

// The kinds of errors.
const (
	Miss  = score.Miss
	Alarm = score.Alarm
)

// Reasons lists the reasons of errors in the order in which they are tried.
func Reasons() []Reason { return score.Reasons() }

// ErrorSort is an order of groups of errors.
type ErrorSort string

// The orders.
const (
	ByCount ErrorSort = "count" // most errors first
	ByLeaks ErrorSort = "leaks" // most missed words first
	ByNotes ErrorSort = "notes" // most notes first
	ByText  ErrorSort = "text"
)

// ErrorFilter selects part of the errors of the last check. The zero value selects
// everything, most errors first, 50 groups.
type ErrorFilter struct {
	Kind   ErrorKind      // "" for both
	Label  annotate.Label // "" for any
	Reason Reason         // "" for any
	Sort   ErrorSort      // "" means ByCount
	Offset int            // in groups
	Limit  int            // of groups; 0 means 50, at most 200
}

// Check is the result of the last check of a model on finished notes: figures and labels,
// no text.
type Check struct {
	At        time.Time // zero before the first
	Model     int       // the newest one at the time of the check
	Documents int       // tagged notes, each by a model that was not trained on its patient
	Folds     int
	Random    bool    // Report covers only random notes
	Report    *Report // nil before the first
	Wrong     int     // errors found
	Misses    int     // misses among the kept errors
	Alarms    int
	Omitted   int // errors that are not kept
	NeedMore  int // finished notes still needed before the first
	Patients  int // patients still needed before the first; a note without a patient counts as one
}

// ErrorsPage is the errors of the last check and where they are.
type ErrorsPage struct {
	Check
	Leaking []LeakingNote // notes with missed words, most words first, at most 20

	Labels   []annotate.Label // labels with errors, sorted
	Reasons  []ReasonCount    // of the errors with the filter's kind and label
	Matching int              // errors that match the filter
	Texts    int              // groups of these errors
	Groups   []ErrorGroup     // groups from Offset on
}

// LeakingNote is a note with words that no suggestion covers. Start and End are the place
// of the first of them.
type LeakingNote struct {
	Document   annotate.DocumentID
	Name       string
	Words      int
	Start, End annotate.RuneOff
}

// ErrorGroup is the errors of one kind and label on one text.
type ErrorGroup struct {
	Kind      ErrorKind
	Label     annotate.Label
	Text      string // in lower case
	Count     int
	Documents int
	Leaks     int           // words that no suggestion covers
	Reasons   []ReasonCount // most frequent first
	Places    []ErrorPlace  // at most 25, in the order of the notes
}

// ErrorPlace is one error in its note. Score is the suggestion's score for a false alarm,
// and the model's probability of PHI for a miss.
type ErrorPlace struct {
	project.Excerpt
	Name    string // of the note
	Reason  Reason
	Changed bool // the note changed after the check
}
