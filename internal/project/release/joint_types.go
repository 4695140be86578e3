// SPDX-License-Identifier: Apache-2.0

package release

import (
	"hide/internal/publish/joint"
	"hide/internal/publish/table"
)

// JointSettings say what a preview of notes published with their fields tries. The
// roles of the fields are those of [Service.Identifiers].
type JointSettings struct {
	Ks      []int     // patients of a class at least, 2 or more
	Lambdas []float64 // 0 to 1: weight of the fields
	Cut     joint.Cut // "" for the one that loses least
	Known   bool      // what a note says of the patient's own fields is sensitive, marked or not
	Own     bool      // so is, with Known, what it says of generalized fields without a label of their name
}

// JointPreview is what would be lost of a project's fields and of its notes, by k
// and lambda, if both were published together (package joint), and how the work on
// that stands. It holds no value.
type JointPreview struct {
	Settings JointSettings
	PreviewStatus

	JointData
	Points []joint.SweepPoint // for each k GDF, then each lambda; k above People is left out. Their risk is that of the table alone
	Done   int                // of All settings
	All    int
	Leak   *TextLeak // as it is estimated now, nil when it is not
}

// Version is as of [TablePreview].
func (p JointPreview) Version() string { return p.version(p.Settings) }

// JointData is what would be published.
type JointData struct {
	Fields     []JointField // that leave, coarsened or as they are
	People     int          // with finished notes
	Alone      int          // of these, notes that came without a patient
	Notes      int          // finished: in others, what is sensitive is not known
	Unfinished int          // notes left out
	Terms      int          // different sensitive terms, those left out that a field says
	Found      int          // places that nobody marked and a field tells
	Elsewhere  int          // marked places whose words stand elsewhere in notes of the patient, unmarked
}

// JointField is a field that would be published.
type JointField struct {
	Name string     `json:"name"`
	Role table.Role `json:"role"`
}

// TextLeak is how likely a note still holds a sensitive term when a bundle has
// redacted it, as a run of GreedySanitize estimates it.
type TextLeak struct {
	Bundle    int     `json:"bundle,omitempty"` // 0 when none was chosen yet
	Run       int     `json:"run"`
	LC        float64 `json:"lc"`
	Leak      float64 `json:"leak"` // documents with a leak among Documents
	Low       float64 `json:"low"`  // of its interval
	High      float64 `json:"high"`
	Documents int     `json:"documents"` // it was estimated on
}

// JointChoice is a setting to release with.
type JointChoice struct {
	Strategy joint.Strategy `json:"strategy"` // "" means Mondrian
	K        int            `json:"k"`
	Lambda   float64        `json:"lambda"` // of Mondrian
	Cut      joint.Cut      `json:"cut"`    // of Mondrian; "" for the one that loses least
	Known    bool           `json:"known"`  // see JointSettings
	Own      bool           `json:"own"`    // see JointSettings
	// Found and Threshold are for the risk that the release reports; what notes leak
	// is from [TextLeak], and without it the risk is that of the table.
	Found     float64 `json:"found"`
	Bundle    int     `json:"bundle,omitempty"` // whose leaks they are; 0 is the newest
	Threshold float64 `json:"threshold"`
}

// JointRelease is what is on record of the release of notes with their fields.
type JointRelease struct {
	Choice   JointChoice  `json:"choice"`
	Fields   []JointField `json:"fields"`
	Alone    int          `json:"alone"`
	Left     int          `json:"left"` // unfinished notes that were left out
	Found    int          `json:"found"`
	Compared int          `json:"compared"`       // sensitive terms that the verifier compared with the originals
	Else     int          `json:"elsewhere"`      // of those that went, how many have the same words elsewhere in notes of the patient
	Leak     *TextLeak    `json:"leak,omitempty"` // that the risk is from
	Warnings []string     `json:"warnings"`       // as in its manifest
	Report   joint.Report `json:"report"`         // its risk by groups, without the list of persons
}
