// SPDX-License-Identifier: Apache-2.0

package release

import (
	"hide/internal/publish/joint"
	"hide/internal/publish/table"
)

// JointSettings say which settings a preview of notes with fields tries. The roles of the
// fields are those of [Service.Identifiers].
type JointSettings struct {
	Ks      []int     // smallest number of patients in a class, 2 or more
	Lambdas []float64 // 0 to 1: weight of the fields
	Cut     joint.Cut // "" for the one with the least information loss
	Known   bool      // mentions of the patient's own fields in notes are sensitive, marked or not
	Own     bool      // with Known, so are mentions of generalized fields that have no label of their name
}

// JointPreview is the information loss of fields and notes, by k and lambda, if both were
// published together (package joint), and the state of the computation. It holds no
// value.
type JointPreview struct {
	Settings JointSettings
	PreviewStatus

	JointData
	Points []joint.SweepPoint // for each k GDF, then each lambda; k above People is left out. The risk is that of the table alone
	Done   int                // of All settings
	All    int
	Leak   *TextLeak // current estimate, nil if there is none
}

// as in [TablePreview]
func (p JointPreview) Version() string { return p.version(p.Settings) }

// JointData is what would be published.
type JointData struct {
	Fields     []JointField // published fields, generalized or unchanged
	People     int          // with finished notes
	Alone      int          // notes without a patient among them
	Notes      int          // finished; in other notes the sensitive terms are unknown
	Unfinished int          // notes left out
	Terms      int          // different sensitive terms, without those that a field already holds
	Found      int          // unmarked places that reveal a field
	Elsewhere  int          // marked places whose words also stand unmarked in notes of the patient
}

// JointField is a field that would be published.
type JointField struct {
	Name string     `json:"name"`
	Role table.Role `json:"role"`
}

// TextLeak is the probability that a note still holds a sensitive term after a bundle has
// redacted it, as estimated by a run of GreedySanitize.
type TextLeak struct {
	Bundle    int     `json:"bundle,omitempty"` // 0 if none was chosen yet
	Run       int     `json:"run"`
	LC        float64 `json:"lc"`
	Leak      float64 `json:"leak"` // share of Documents with a leak
	Low       float64 `json:"low"`  // of its interval
	High      float64 `json:"high"`
	Documents int     `json:"documents"` // number of documents that it was estimated on
}

// JointChoice is the setting of a release.
type JointChoice struct {
	Strategy joint.Strategy `json:"strategy"` // "" means Mondrian
	K        int            `json:"k"`
	Lambda   float64        `json:"lambda"` // of Mondrian
	Cut      joint.Cut      `json:"cut"`    // of Mondrian; "" for the one with the least information loss
	Known    bool           `json:"known"`  // see JointSettings
	Own      bool           `json:"own"`    // see JointSettings
	// Found and Threshold are for the reported risk. The leak probability of notes is
	// from [TextLeak]; without it the risk is that of the table alone.
	Found     float64 `json:"found"`
	Bundle    int     `json:"bundle,omitempty"` // the bundle of the leak estimate; 0 is the newest
	Threshold float64 `json:"threshold"`
}

// JointRelease is the record of a release of notes with fields.
type JointRelease struct {
	Choice   JointChoice  `json:"choice"`
	Fields   []JointField `json:"fields"`
	Alone    int          `json:"alone"`
	Left     int          `json:"left"` // unfinished notes, left out
	Found    int          `json:"found"`
	Compared int          `json:"compared"`       // sensitive terms that the verifier compared with the originals
	Else     int          `json:"elsewhere"`      // removed terms whose words also stand elsewhere in notes of the patient
	Leak     *TextLeak    `json:"leak,omitempty"` // used for the risk
	Warnings []string     `json:"warnings"`       // as in its manifest
	Report   joint.Report `json:"report"`         // its risk by groups, without the list of persons
}
