// SPDX-License-Identifier: Apache-2.0

package project

import (
	"time"

	"hide/internal/publish/table"
)

// TableSettings say how a table of a project's patients is published. The roles of
// its attributes are those of [Service.Identifiers].
type TableSettings struct {
	K      int          `json:"k"`      // patients of a class at least, 2 or more
	Method table.Method `json:"method"` // the zero value is Mondrian with the cut that loses least
	// Diversity is asked of every sensitive attribute; the zero value asks nothing.
	Diversity table.Diversity `json:"diversity"`
}

// TablePreview is what tables with several k would be worth, and how the work on
// that stands.
type TablePreview struct {
	Settings TableSettings // but for K
	Ks       []int         // that are tried, ascending; nil before the first preview
	Running  bool
	Error    string // in words, when the last preview failed
	Changed  bool   // notes or roles have changed since
	Made     time.Time

	Rows      int           // patients, and notes without one
	Alone     int           // of these, notes without a patient
	Unmarked  int           // patients of whom no note is finished
	Columns   []TableColumn // that would be published
	Before    TableRisk     // of the values as they are
	Choices   []TableChoice // by k, as they become known
	Remaining int           // of Ks that are not tried yet
}

// TableColumn is an attribute that would be published.
type TableColumn struct {
	Name       string
	Role       table.Role
	Missing    int // patients without a value
	Unreadable int // of these, with values that are no number or no date
	Several    int // patients with more than one value
}

// TableChoice is what one k gives.
type TableChoice struct {
	K              int
	Error          string // why there is no such table; "" when there is
	NCP            float64
	Losses         []TableLoss // by quasi-identifier
	Classes        int
	Least, Most    int     // patients of the smallest and the largest class
	Mean           float64 // patients of a class
	Suppressed     int     // patients left out
	Discernibility float64
	Diverse        int // least number of different sensitive values of a class; 0 without sensitive attributes
	Risk           TableRisk
	Sizes          []TableSizes
	Examples       []TableClass // a few classes as they would be published
}

// TableLoss is the loss of one attribute, as NCP.
type TableLoss struct {
	Name string
	NCP  float64
}

// TableSizes is how many patients are in classes of From to To patients.
type TableSizes struct{ From, To, People int }

// TableClass is what the quasi-identifiers of a class become.
type TableClass struct {
	Size  int
	Cells []string
}

// AtRiskAbove is the risk of being found above which a patient counts as at risk:
// that of a class with fewer than five.
const AtRiskAbove = 0.2

// TableRisk is what somebody can do who knows quasi-identifiers, from 0 to 1.
type TableRisk struct {
	Highest float64 // prosecutor: of the patient who is easiest to find among those in the table
	AtRisk  float64 // share of patients whose risk is above AtRiskAbove
	Mean    float64 // marketer: share of patients that are found when all are looked for
	Unique  int     // patients who are alone in their class
}
