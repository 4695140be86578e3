// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"time"

	"hide/internal/annotate"
)

// Options of a run.
type Options struct {
	PassOne bool // no second pass
}

// Progress is the state of the running or the last run.
type Progress struct {
	Running     bool
	Doing       string // "reading notes", "comparing records", ...
	Pass        int    // 1 or 2, 0 before the first
	Done, Total int    // of what is done now
	Error       string // of the last run, in words; "" on success
}

// State is a project's linkage.
type State struct {
	Linked  bool // a run has ended; the rest is zero otherwise
	Figures Figures
	Run     Run
	// ImportedSince is how many notes came after the run. Their records are alone, unless their
	// patient's key was there before.
	ImportedSince int
}

// Run is what a run measured. It stays as it is when people decide.
type Run struct {
	Passes     []Pass      `json:"passes"` // before the first pass, and after each
	Fields     []Field     `json:"fields"`
	Ignored    []Column    `json:"ignored"` // structured fields that say nothing of the patient
	Prior      float64     `json:"prior"`   // share of pairs that are one person
	Rules      []Rule      `json:"rules"`
	Histogram  []Bin       `json:"histogram"`
	Thresholds []Threshold `json:"thresholds"` // by rising threshold, without decisions
	Compared   int         `json:"compared"`   // pairs
	Splits     int         `json:"splits"`     // links that were refused because their groups do not fit
	Seconds    float64     `json:"seconds"`
}

// Pass is what is known after a pass.
type Pass struct {
	Links    int `json:"links"`
	Patients int `json:"patients"`
	Found    int `json:"found"`  // places in notes where known identifiers stand
	Values   int `json:"values"` // values of the records
}

// Field is a compared field with its model of errors [Fellegi and Sunter 1969].
type Field struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	From    []string `json:"from"`    // where its values come from, in words
	Records int      `json:"records"` // that have a value
	Levels  []Level  `json:"levels"`
}

// Level is a level of agreement: M is its probability among pairs of one person, U among pairs
// of two, Weight is log2(M/U).
type Level struct {
	Name   string  `json:"name"`
	M      float64 `json:"m"`
	U      float64 `json:"u"`
	Weight float64 `json:"weight"`
}

// Column is a structured field of the notes, and why it is compared or not.
type Column struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Rule says which pairs are compared.
type Rule struct {
	Words string `json:"words"`
	Pairs int    `json:"pairs"`
	Only  int    `json:"only"` // pairs that no other rule gives
	Cut   int    `json:"cut"`  // blocks that were too large to compare all their pairs
}

// Bin counts compared pairs with a weight, prior included, from Low to Low+1 bits.
type Bin struct {
	Low     int     `json:"low"`
	Pairs   int     `json:"pairs"`
	Matches float64 `json:"matches"` // expected pairs of one person among them
}

// Threshold is what links would be with a threshold.
type Threshold struct {
	Link      float64 `json:"link"`
	Links     int     `json:"links"`
	False     float64 `json:"false"`
	Missed    float64 `json:"missed"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	Patients  int     `json:"patients"`
}

// PairID names two records by their numbers, A < B.
type PairID struct{ A, B uint64 }

func (p PairID) String() string { return fmt.Sprintf("%d,%d", p.A, p.B) }

// Bar is one part of the weight of a pair.
type Bar struct {
	Field  string  // a field, "prior", or what corrects for families and addresses
	Level  string  // of agreement, "missing" if a record has no value
	Weight float64 // bits, the part of the rare value included
	Rare   float64 // bits, because the value is rare or common
}

// Status says why a pair is shown.
type Status string

// The states of a pair.
const (
	Bridge    Status = "bridge"    // without this link the patient falls apart
	Uncertain Status = "uncertain" // between the thresholds
	Conflict  Status = "conflict"  // linked, though their birth dates differ
	Split     Status = "split"     // likely, but the groups on both sides do not fit
	Clear     Status = "clear"
	Decided   Status = "decided"
)

// Pair is two records that may be one person.
type Pair struct {
	Pair        PairID
	Probability float64
	Status      Status
	Linked      bool   // both records count for one patient now
	Left, Right Record // with their identities; Left is record A
	Rows        []Row  // the identities side by side
	Bars        []Bar  // the waterfall; nil for a pair whose probability is beyond doubt
	Decision    *Decision
}

// Row is a field of two records beside each other.
type Row struct {
	Field       string
	Left, Right []Value
	Same        bool // they have a value in common
	Differs     bool // both have values, and none in common
}

// Record is a record as people read it.
type Record struct {
	Number  uint64
	Key     string // the patient's key, or the name of a note without one
	Keyed   bool
	Notes   []annotate.DocumentID // that are in the project now
	Patient uint64                // the record that stands for its patient
}

// String names the record by its number.
func (r Record) String() string { return fmt.Sprintf("record %d", r.Number) }

// GoString is String: %#v must not show the key either.
func (r Record) GoString() string { return r.String() }

// Value is what is known of a patient in one field.
type Value struct {
	Text  string
	From  Origin
	Notes []annotate.DocumentID // up to [MostNotes] that have it
	Count int                   // notes that have it
}

// MostNotes is how many notes of a value are listed.
const MostNotes = 5

// String does not show the value: it is of a patient.
func (v Value) String() string { return fmt.Sprintf("a value of %d notes", v.Count) }

// GoString is String: %#v must not show the value either.
func (v Value) GoString() string { return v.String() }

// Origin is where a value comes from. Names are stored: do not change them.
type Origin string

// The origins, the most certain first.
const (
	FromFields   Origin = "structured field"
	FromIdentity Origin = "typed identity"
	FromPeople   Origin = "marked"
	FromModel    Origin = "suggested"
	FromRules    Origin = "found by rules"
	FromKnown    Origin = "known identifier found"
)

// Queue is pairs to review: bridges first, then by how uncertain they are.
type Queue struct {
	Pairs   []Pair
	Offset  int
	Left    int // pairs that wait
	Decided int
}

// Decision is what a person said of two records.
type Decision struct {
	Number uint64
	Pair   PairID
	Same   bool
	By     string // name
	At     time.Time
	Notes  [2][]annotate.DocumentID // of the records of Pair that are in the project now
	// Gone says that one of the records is not in the project now. The decision waits in case it
	// comes back.
	Gone bool
}

// Cluster is a patient of several records.
type Cluster struct {
	Patient uint64   // the record that stands for the patient
	Records []Record // ascending
	Links   []Link
	Bridges int
}

// Link is a link within a patient.
type Link struct {
	Pair        PairID
	Probability float64
	Bridge      bool
	Decided     bool
}

// Clusters is a page of them: those with bridges first, then the largest.
type Clusters struct {
	Clusters []Cluster
	Offset   int
	Total    int
}

// View is the identifier view: one row for each patient.
type View struct {
	Fields []string
	Rows   []Patient
	Offset int
	Total  int // patients that fit the query
	All    int // patients
}

// Patient is a row of the identifier view.
type Patient struct {
	Number  uint64 // of the record that stands for the patient
	Records []Record
	Notes   int
	Values  []Survivor // one for each field of the view
	Links   []Link
}

// Survivor is the value of a patient in a field: the most frequent one, of equally frequent ones
// the newest. Others are all other values.
type Survivor struct {
	Value
	Others   []Value
	Conflict bool // the values cannot be of one person as written, such as two birth dates
}
