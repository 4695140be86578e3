// SPDX-License-Identifier: Apache-2.0

// Package personname has names of people, as notes write them: it reads a name, finds the
// mentions of one person, and writes the name of another person in the same form.
//
//	numbers := personname.Cluster(mentions)  // "Mr. J. Smith" and "Smith, John A." are 0
//	real := personname.Fullest(mentionsOf0)  // John A Smith
//	personname.Write(m, real, invented)      // "Mr. R. Miller"
//
// Everything goes by rules and by lists of names. The rules favour two numbers for one
// person over one number for two people: a wife who is taken for her husband misleads a
// researcher more.
//
// No value of this package prints itself in full: names are for notes, not for logs.
package personname

import "strconv"

// Gender is what a name, a title or a word of kinship says of a person.
type Gender byte

// Genders.
const (
	Unknown Gender = iota
	Female
	Male
)

// Person is the name of one person, in the fullest form that is known.
type Person struct {
	Given  string
	Middle string // words or initials, "" if there are none
	Family string // with particles ("van der Berg"), hyphens and second surnames ("García Lorca")
	Nick   string // a short form of Given that the notes use: "Bill" for William
	Gender Gender
}

// String hides the name.
func (p Person) String() string { return "person of gender " + strconv.Itoa(int(p.Gender)) }

// GoString hides the name.
func (p Person) GoString() string { return p.String() }

// Mention is a name in a note.
type Mention struct {
	Text   string // as the span covers it
	Before string // about 20 bytes of text before it on its line: a title may stand outside of the span
	After  string // the same after it: "'s", ", Jr."
	Group  string // mentions of different groups are never one person
	French bool   // "M." before a name is Monsieur, as [ShowFrench] tells
}

// String hides the name.
func (m Mention) String() string { return "mention of " + strconv.Itoa(len(m.Text)) + " bytes" }

// GoString hides the name.
func (m Mention) GoString() string { return m.String() }

// Role is what a piece of a name is.
type Role byte

// Roles.
const (
	Title      Role = iota // Dr., Señora, and words of kinship in front of a name
	Given                  // the first given name
	Middle                 // given names after the first one
	Nick                   // a short form in quotation marks or parentheses
	Particle               // van, de la
	Family                 // a family name, or one of two
	Suffix                 // Jr., III
	Credential             // MD, RN
	Other                  // a word that belongs to no name, as in "and his wife"
)

// Piece is one word or initial of a name.
type Piece struct {
	Role       Role
	Start, End int    // bytes of the text
	Initial    bool   // one letter stands for the name
	Unsure     bool   // the word can be a given name and a family name: "Thomas"
	fold       string // for comparison: lower case without accents and apostrophes
}

// Name is a name with its pieces, in the order of the text.
type Name struct {
	Text   string
	Pieces []Piece
}

// Of is the text of a piece.
func (n Name) Of(p Piece) string { return n.Text[p.Start:p.End] }

// String hides the name.
func (n Name) String() string { return "name of " + strconv.Itoa(len(n.Pieces)) + " pieces" }

// GoString hides the name.
func (n Name) GoString() string { return n.String() }
