// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"fmt"
	"time"

	"hide/internal/annotate"
	"hide/internal/publish/policy"
	"hide/internal/publish/surrogate"
)

// Source says who found an identifier. The names are stored: do not change them.
type Source string

// The sources.
const (
	ByPerson Source = "person"
	ByModel  Source = "model"
	ByKnown  Source = "known"  // structured data beside the note
	ByRepeat Source = "repeat" // the words of an identifier of the patient, where nobody marked them
)

// Span is an identifier in a note. Its label is one of the project's.
type Span struct {
	Start, End annotate.ByteOff
	Label      annotate.Label
	By         Source
}

// Note is a note with its identifiers, in order and without overlap.
type Note struct {
	ID    annotate.DocumentID
	Text  string
	Spans []Span
	Date  time.Time // zero if unknown
}

// Place is a stretch of a note.
type Place struct {
	Note       annotate.DocumentID
	Start, End annotate.ByteOff
}

// Patient is what a plan needs to know of one patient.
type Patient struct {
	ID         string
	Notes      []Note // by date or number
	Choices    map[Place]Choice
	Identities []annotate.Identity
	Book       surrogate.Book // of an earlier release, or zero
}

// Decision is what becomes of one place. Its Span is the whole stretch that is replaced: for
// a dropped sentence, the sentence.
type Decision struct {
	Span
	As          annotate.Label // of the default set, "" for none
	Action      policy.Action  // what the replacement is; with a Problem, what the policy or person wants
	To          policy.Level
	Replacement string  // "" if the words stay
	Person      int     // number of the person or value among those of its label, from 1; 0 without
	Problem     Problem // why a person must decide first, "" if it is decided
	Chosen      bool    // a person decided
	Dropped     []Span  // the identifiers in a dropped sentence, otherwise nil
}

// Places are the places whose choices decide about d.
func (d Decision) Places(note annotate.DocumentID) []Place {
	if d.Dropped == nil {
		return []Place{{note, d.Start, d.End}}
	}
	out := make([]Place, len(d.Dropped))
	for i, s := range d.Dropped {
		out[i] = Place{note, s.Start, s.End}
	}
	return out
}

// Plan has the decisions about the notes of a patient, in the order of the notes. The
// decisions about a note are in order and do not overlap.
type Plan struct {
	Notes  [][]Decision
	People []Person
	Book   surrogate.Book
	Shift  int // days by which dates move, 0 if none does
}

// Problems is the number of decisions that a person must make.
func (p Plan) Problems() int {
	n := 0
	for _, note := range p.Notes {
		for _, d := range note {
			if d.Problem != "" {
				n++
			}
		}
	}
	return n
}

// Person is somebody whom the notes of a patient name.
type Person struct {
	Number  int
	Group   string   // PATIENT or DOCTOR
	Self    bool     // the patient
	Names   []string // the forms in the notes, each once
	Written string   // the placeholder or the invented name, "" if the name stays
	Places  []Place
}

// The types below hold text of notes. They print without it, so that a log line reveals nothing.

// String describes a note without its text.
func (n Note) String() string {
	return fmt.Sprintf("note %d, %d bytes, %d spans", n.ID, len(n.Text), len(n.Spans))
}

// GoString is String.
func (n Note) GoString() string { return n.String() }

// String describes a patient without notes and names.
func (p Patient) String() string { return fmt.Sprintf("patient with %d notes", len(p.Notes)) }

// GoString is String.
func (p Patient) GoString() string { return p.String() }

// String describes a decision without its replacement.
func (d Decision) String() string {
	return fmt.Sprintf("%d-%d %s %s", d.Start, d.End, d.Label, d.Action)
}

// GoString is String.
func (d Decision) GoString() string { return d.String() }

// String describes a person without names.
func (p Person) String() string { return fmt.Sprintf("%s %d", p.Group, p.Number) }

// GoString is String.
func (p Person) GoString() string { return p.String() }

// String describes a plan without replacements.
func (p Plan) String() string {
	return fmt.Sprintf("plan for %d notes and %d people", len(p.Notes), len(p.People))
}

// GoString is String.
func (p Plan) GoString() string { return p.String() }
