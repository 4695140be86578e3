// SPDX-License-Identifier: Apache-2.0

package training

import (
	"time"

	"hide/internal/annotate"
	"hide/internal/crf/score"
	"hide/internal/project"
)

// What scores of taggers are called where pages show them; see package score.
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
	ByLeaks ErrorSort = "leaks" // most words left first
	ByNotes ErrorSort = "notes" // most notes first
	ByText  ErrorSort = "text"
)

// ErrorFilter selects part of the errors of the last check. The zero value is
// everything, most errors first, 50 groups.
type ErrorFilter struct {
	Kind   ErrorKind      // "" for both
	Label  annotate.Label // "" for any
	Reason Reason         // "" for any
	Sort   ErrorSort      // "" means ByCount
	Offset int            // in groups
	Limit  int            // of groups; 0 means 50, at most 200
}

// Check is what the last check of a model measured on finished notes: figures and
// labels, no text of theirs.
type Check struct {
	At        time.Time // zero before the first
	Model     int       // the newest when it was made
	Documents int       // notes that were tagged, each by a model that had not seen its patient
	Folds     int
	Random    bool    // Report is of randomly chosen notes only
	Report    *Report // nil before the first
	Wrong     int     // errors found
	Misses    int     // of these, as far as they are kept
	Alarms    int
	Omitted   int // of these, those that are not kept
	NeedMore  int // finished notes missing before the first
	Patients  int // patients missing before the first, notes without one counting as one each
}

// ErrorsPage is what the last check of a model found wrong, and where.
type ErrorsPage struct {
	Check
	Leaking []LeakingNote // notes with words left, most words first, at most 20

	Labels   []annotate.Label // with errors, sorted
	Reasons  []ReasonCount    // of the errors of the filter's kind and label
	Matching int              // errors that pass the filter
	Texts    int              // groups that these make
	Groups   []ErrorGroup     // the part of these from Offset on
}

// LeakingNote is a note with words that no suggestion covers. Start and End are
// where the first of them stand.
type LeakingNote struct {
	Document   annotate.DocumentID
	Name       string
	Words      int
	Start, End annotate.RuneOff
}

// ErrorGroup is errors of one kind and label on one text.
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

// ErrorPlace is one error in its note. Score is, of a false alarm, the
// suggestion's; of a miss, how sensitive the model held it to be.
type ErrorPlace struct {
	project.Excerpt
	Name    string // of the note
	Reason  Reason
	Changed bool // somebody changed the note after the check
}
