// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"fmt"
	"time"

	"hide/internal/annotate"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/project/release"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
	"hide/internal/publish/transform"
)

// Subset says which notes are released.
type Subset = release.Subset

// Key describes the stored key of a release with surrogates or shifted dates. A person
// with the key and the originals can link them with the release.
type Key struct {
	Release  int    // number
	Name     string // "release-3"
	Created  time.Time
	Patients int   // whose surrogates are stored with it
	Shared   []int // other releases with the same key; each has a copy of its own
}

// Settings say how a draft is made. They are stored with it.
type Settings struct {
	Policy policy.Policy `json:"policy"`
	// Pairs say which label of the default set a label of the project is, where its name does
	// not tell; "" is none.
	Pairs  map[annotate.Label]annotate.Label `json:"pairs,omitempty"`
	Bundle int                               `json:"bundle,omitempty"` // redaction model; 0 replaces only what people marked and what is known
	Subset Subset                            `json:"subset"`
	// KeepKnown leaves known identifiers as they are unless the model or a person found them.
	KeepKnown bool `json:"keep_known,omitempty"`
	// Like is an earlier release whose note numbers and surrogates are used again; 0 for none.
	Like   int              `json:"like,omitempty"`
	Locale surrogate.Locale `json:"locale,omitempty"` // of invented values; "" means English
}

// Draft describes the draft of a project. It holds no text of notes.
type Draft struct {
	Settings
	Version string    `json:"version"` // changes with every preparation and every decision
	Created time.Time `json:"created"` // when it was prepared
	By      string    `json:"by"`      // name of the person who prepared it

	Notes    int              `json:"notes"`
	Patients int              `json:"patients"`
	Places   int              `json:"places"`   // of identifiers
	Problems int              `json:"problems"` // places that a person must decide about before the release
	Chosen   int              `json:"chosen"`   // places that a person decided about
	ByLabel  []Count          `json:"by_label"`
	Removed  []annotate.Label `json:"removed"` // labels of the project that the policy removes or changes
	Undo     int              `json:"undo"`    // how many changes can be undone

	Stale     string `json:"stale,omitempty"`     // why it is not what would be prepared today, "" if it is
	Published string `json:"published,omitempty"` // name of the release that was made of it, "" if none was

	// Attack is what the retrieval attacker links in the text as it would be published; nil
	// where there is nothing to compare.
	Attack *Attack `json:"attack,omitempty"`
}

// Attack is the result of the retrieval attacker.
type Attack struct {
	retrieve.Result
	Before bool `json:"before_last_decision,omitempty"` // decisions have changed since; it runs again before the release
}

// Count counts the places of one label with one action.
type Count struct {
	Label    annotate.Label `json:"label"`
	Action   policy.Action  `json:"action"`
	N        int            `json:"places"`
	Problems int            `json:"problems"`
}

// Status is the state of the running or the last preparation.
type Status struct {
	Running bool
	Doing   string // "finding identifiers"
	Done    int
	Total   int
	Error   string
}

// Filter selects places. Empty fields select all.
type Filter struct {
	Label    annotate.Label
	Action   policy.Action
	By       transform.Source
	Problem  transform.Problem
	Problems bool   // only places with any problem
	Chosen   bool   // only places that a person decided about
	Patient  string // key in the files; the name of the note if it names no patient
	Note     annotate.DocumentID
	Words    string // part of the words of the place or of its replacement, in any case
}

// Row is a place with its context, what becomes of it and what stands in its place.
type Row struct {
	transform.Place
	Name     string // of the note
	Patient  string // key in the files; the name of the note if it names no patient
	Before   string // up to 40 characters in front of it on the line
	Words    string // of the place
	After    string
	Runes    Runes // the place in code points, for links
	Decision transform.Decision
}

// Runes are the ends of a place in code points of its note.
type Runes struct{ Start, End annotate.RuneOff }

// String describes a row without text.
func (r Row) String() string { return fmt.Sprintf("note %d, %v", r.Note, r.Decision) }

// GoString is String.
func (r Row) GoString() string { return r.String() }

// Which selects the places of a change: those listed, or without a list all that pass the
// filter.
type Which struct {
	Places []transform.Place
	Filter Filter
	Total  int    // how many pass the filter, as the person saw it
	Seen   string // version of the draft that the person saw; "" is not compared
}

// Changed says what a change did.
type Changed struct {
	Places   int    // with a new choice
	Patients int    // whose notes were planned again
	Problems int    // that are left in the draft
	Version  string // of the draft now
}

// Answers are what a person says to publish a draft.
type Answers struct {
	// Statement is the name of the person who signs the statement of the policy's basis.
	Statement string
	// Agreed are the items of the basis's checklist that are confirmed.
	Agreed []string
	// Uncertified and Found answer obstacles of the redaction model, see [release.Despite].
	Uncertified string
	Found       int
	// Unlinked says to publish although records look like the same people.
	Unlinked bool
}
