// SPDX-License-Identifier: Apache-2.0

package score

import "hide/internal/annotate"

// Level is one way of counting, in all and by label.
type Level struct {
	Micro  Tally                    `json:"micro"` // over all labels together
	Macro  Mean                     `json:"macro"` // over the labels that occur in gold
	Labels map[annotate.Label]Tally `json:"labels"`
}

// Tally counts decisions and gives their ratios.
type Tally struct {
	Precision float64    `json:"precision"`
	Recall    float64    `json:"recall"`
	F1        float64    `json:"f1"`
	TP        int        `json:"tp"`
	FP        int        `json:"fp"`
	FN        int        `json:"fn"`
	Interval  *Intervals `json:"interval,omitempty"` // nil when there was no resampling, or too little to resample
}

// Mean is a mean of ratios over labels or documents. F1 is the mean of the F1 of
// labels; over documents it is the harmonic mean of the other two.
type Mean struct {
	Precision float64    `json:"precision"`
	Recall    float64    `json:"recall"`
	F1        float64    `json:"f1"`
	Over      int        `json:"over"` // how many labels or documents
	Interval  *Intervals `json:"interval,omitempty"`
}

// Intervals belong to a [Tally] or [Mean].
type Intervals struct {
	Precision Interval `json:"precision"`
	Recall    Interval `json:"recall"`
	F1        Interval `json:"f1"`
	Groups    int      `json:"groups"` // patients and single documents with something to count
}

// Interval is a 95 % interval, which holds the value it belongs to.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Share is a number of things of which some are special.
type Share struct {
	Count    int       `json:"count"`
	Of       int       `json:"of"`
	Share    float64   `json:"share"` // 0 when there are none
	Interval *Interval `json:"interval,omitempty"`
}

func (t Tally) withRatios() Tally {
	t.Precision = ratio(t.TP, t.TP+t.FP)
	t.Recall = ratio(t.TP, t.TP+t.FN)
	t.F1 = ratio(2*t.TP, 2*t.TP+t.FP+t.FN)
	return t
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
