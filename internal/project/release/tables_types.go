// SPDX-License-Identifier: Apache-2.0

package release

import (
	"hide/internal/publish/kanonymity"
	"hide/internal/publish/risk"
	"hide/internal/publish/table"
)

// TableSettings say how a table of a project's patients is published. The roles of
// its attributes are those of [Service.Identifiers].
type TableSettings struct {
	K      int          `json:"k"`      // patients of a class at least, 2 or more
	Method table.Method `json:"method"` // the zero value is Mondrian with the cut that loses least
	// Diversity is asked of every sensitive attribute; the zero value asks nothing.
	Diversity table.Diversity `json:"diversity"`
	People    int             `json:"people,omitempty"` // of the population that the patients are from; 0 when nobody knows
	// Among compares with the population that was uploaded, in which k counts people
	// when Map says so.
	Among bool `json:"among,omitempty"`
	Map   bool `json:"map,omitempty"`
}

// TablePreview is what tables with several k would be worth, and how the work on
// that stands.
type TablePreview struct {
	Tried []TableSettings // nil before the first preview
	PreviewStatus

	Rows      int           // patients, and notes without one
	Columns   []TableColumn // that would be published
	Before    *risk.Figures // of the values as they are; nil before the first choice
	Choices   []TableChoice // as they become known
	Remaining int           // of Tried that are not tried yet
}

// Version is another one when other tables, or other patients, are previewed: who
// publishes has seen one of them.
func (p TablePreview) Version() string { return p.version(p.Tried) }

// TableColumn is an attribute that would be published.
type TableColumn struct {
	Name       string
	Role       table.Role
	Missing    int // patients without a value
	Unreadable int // of these, with values that are no number or no date
	Several    int // patients with more than one value
}

// TableChoice is what one setting gives.
type TableChoice struct {
	TableSettings
	Error   string // why there is no such table; "" when there is
	TooMuch bool   // because k or the diversity is more than the patients can give
	kanonymity.Report
	Least    int // patients of the smallest class
	Diverse  int // least number of different sensitive values of a class; 0 without sensitive attributes
	Sizes    []TableSizes
	Examples []TableClass // a few classes as they would be published
}

// TableSizes is how many patients are in classes of From to To patients.
type TableSizes struct{ From, To, People int }

// TableClass is what the quasi-identifiers of a class become.
type TableClass struct {
	Size  int
	Cells []string
}

// TableRelease is what is on record of the release of a table.
type TableRelease struct {
	Settings TableSettings     `json:"settings"`
	Columns  []string          `json:"columns"`
	Alone    int               `json:"alone"` // rows that are a note without a patient
	Report   kanonymity.Report `json:"report"`
}
