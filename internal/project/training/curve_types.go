// SPDX-License-Identifier: Apache-2.0

package training

import (
	"time"

	"hide/internal/crf/trade"
)

// Names of measured sampling results, as pages use them.
type (
	Curves       = trade.Curves
	CurveSetting = trade.Setting
)

// CurveParams say which precision-recall curves to measure.
type CurveParams struct {
	Lines   []string `json:"lines"`   // settings as [trade.ParseLine] reads them; none means [trade.Usual]
	Learner string   `json:"learner"` // a name of learn.Table; "" means the CRF
	Folds   int      `json:"folds"`   // 0 means 5
}

// CurveStatus is the state of the current or last measurement, and the result of the last
// complete one.
type CurveStatus struct {
	Running     bool
	Done, Total int          // settings measured, and to measure
	Sampling    string       // the setting being measured; "" is all words
	Error       string       // of the last measurement, in words
	Last        *CurveRecord // nil before the first
	Changed     bool         // finished notes, settings or dictionaries have changed since Last

	Earlier    []CurveRecord // the last of each other learner, settings and options, newest first, at most [MostCurves]-1
	NeedNotes  int           // finished notes still missing
	NeedPeople int           // patients whose notes are still missing
	InUse      string        // the project's current sampling
}

// MostCurves is how many measurements a project keeps to compare.
const MostCurves = 6

// CurveRecord is the result of one measurement.
type CurveRecord struct {
	Curves
	Params    CurveParams `json:"params"`
	At        time.Time   `json:"at"`
	By        string      `json:"by"`        // name of the person
	Revisions string      `json:"revisions"` // of the finished documents it was measured on
	Options   string      `json:"options"`   // fingerprint of the training options, without sampling
	Random    bool        `json:"random"`    // all documents were drawn at random
}
