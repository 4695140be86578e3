// SPDX-License-Identifier: Apache-2.0

package training

import (
	"time"

	"hide/internal/crf/trade"
)

// What was measured of sampling, as pages show it.
type (
	Curves       = trade.Curves
	CurveSetting = trade.Setting
)

// CurveParams say which curves of precision against recall to measure.
type CurveParams struct {
	Lines   []string `json:"lines"`   // settings as [trade.ParseLine] reads them; none means [trade.Usual]
	Learner string   `json:"learner"` // a name of learn.Table; "" means the CRF
	Folds   int      `json:"folds"`   // 0 means 5
}

// CurveStatus says how the measuring under way stands, or how the last ended, and
// what the last one that was whole has found.
type CurveStatus struct {
	Running     bool
	Done, Total int          // settings measured, and to measure
	Sampling    string       // being measured now; "" is all words
	Error       string       // of the last measuring, in words
	Last        *CurveRecord // nil before the first
	Changed     bool         // finished notes, settings or dictionaries have changed since Last

	Earlier    []CurveRecord // the last of each other learner, settings and options, newest first, at most [MostCurves]-1
	NeedNotes  int           // finished notes still missing
	NeedPeople int           // patients whose notes are still missing
	InUse      string        // the sampling that the project learns with
}

// MostCurves is how many measurements a project keeps to compare.
const MostCurves = 6

// CurveRecord is what one measuring found.
type CurveRecord struct {
	Curves
	Params    CurveParams `json:"params"`
	At        time.Time   `json:"at"`
	By        string      `json:"by"`        // name of the person
	Revisions string      `json:"revisions"` // of the finished documents it was measured on
	Options   string      `json:"options"`   // fingerprint of how the project learnt, but for the sampling
	Random    bool        `json:"random"`    // all documents were drawn at random
}
