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
	K      int          `json:"k"`      // smallest number of patients in a class, 2 or more
	Method table.Method `json:"method"` // the zero value is Mondrian with the cut of the least information loss
	// Diversity applies to every sensitive attribute; the zero value requires nothing.
	Diversity table.Diversity `json:"diversity"`
	People    int             `json:"people,omitempty"` // size of the population that the patients come from; 0 if unknown
	// Among compares with the population that was uploaded, in which k counts people
	// when Map says so.
	Among bool `json:"among,omitempty"`
	Map   bool `json:"map,omitempty"`
}

// TablePreview is the information loss and risk of tables with several k, and the state
// of the computation.
type TablePreview struct {
	Tried []TableSettings // nil before the first preview
	PreviewStatus

	Rows      int           // patients, and notes without one
	Columns   []TableColumn // published columns
	Before    *risk.Figures // of the original values; nil before the first choice
	Choices   []TableChoice // in the order in which they are computed
	Remaining int           // settings of Tried not tried yet
}

// Version changes when other tables, or other patients, are previewed. Publishing refers
// to the version that was seen.
func (p TablePreview) Version() string { return p.version(p.Tried) }

// TableColumn is an attribute that would be published.
type TableColumn struct {
	Name       string
	Role       table.Role
	Missing    int // patients without a value
	Unreadable int // patients among them with a value that is not a number or not a date
	Several    int // patients with more than one value
}

// TableChoice is the result of one setting.
type TableChoice struct {
	TableSettings
	Error   string // why there is no such table; "" if there is one
	TooMuch bool   // k or the diversity is too high for these patients
	kanonymity.Report
	Least    int // patients of the smallest class
	Diverse  int // smallest number of different sensitive values in a class; 0 without sensitive attributes
	Sizes    []TableSizes
	Examples []TableClass // a few classes as they would be published
}

// TableSizes is how many patients are in classes of From to To patients.
type TableSizes struct{ From, To, People int }

// TableClass is the generalized quasi-identifiers of a class.
type TableClass struct {
	Size  int
	Cells []string
}

// TableRelease is the record of a release of a table.
type TableRelease struct {
	Settings TableSettings     `json:"settings"`
	Columns  []string          `json:"columns"`
	Alone    int               `json:"alone"` // rows for notes without a patient
	Report   kanonymity.Report `json:"report"`
}
