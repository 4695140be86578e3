// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"errors"
	"slices"
)

// Exposure is what is known of sensitive terms that stay in published notes
// because nobody found them: GreedySanitize estimates the first, an attack or a
// reading of published notes measures the second.
type Exposure struct {
	Leak      float64 `json:"leak"`      // probability that a note holds such a term
	Found     float64 `json:"found"`     // probability that who looks for it finds it
	Threshold float64 `json:"threshold"` // risk of a person that is too much
}

func (e Exposure) check() error {
	for _, p := range []float64{e.Leak, e.Found, e.Threshold} {
		if !(p >= 0 && p <= 1) {
			return errors.New("the probabilities of leaking and finding, and the threshold, are from 0 to 1")
		}
	}
	return nil
}

// Risk is what somebody risks whose attributes and notes are published together:
//
//	R_table = 1 / persons of the class
//	R_text  = 1 - (1 - leak * found)^notes
//	R       = 1 - (1 - R_table) * (1 - R_text)
//
// as if the two were independent. R_table is the prosecutor's risk: of being the
// one of the class that somebody knows to be in the data.
type Risk struct {
	Exposure
	Persons    []PersonRisk `json:"persons"` // by R, the greatest first; without any name or number
	Max        float64      `json:"max"`
	Mean       float64      `json:"mean"`
	MeanTable  float64      `json:"mean_table"`
	MeanText   float64      `json:"mean_text"`
	OverLimits int          `json:"over_threshold"` // persons with R above the threshold
}

// PersonRisk is the risk of one person.
type PersonRisk struct {
	Table float64 `json:"table"`
	Text  float64 `json:"text"`
	Joint float64 `json:"joint"`
}

// Risk computes the risk of every person.
func (r *Recoding) Risk(e Exposure) (Risk, error) {
	if err := e.check(); err != nil {
		return Risk{}, err
	}
	out := Risk{Exposure: e}
	n := float64(len(r.view.people))
	for who, p := range r.view.people {
		one := PersonRisk{Table: 1 / float64(len(r.classes[r.of[who]]))}
		silent := 1.0 // probability that no note tells
		for range p.rows {
			silent *= 1 - e.Leak*e.Found
		}
		one.Text = 1 - silent
		one.Joint = 1 - (1-one.Table)*silent
		out.Persons = append(out.Persons, one)
		out.Max = max(out.Max, one.Joint)
		out.Mean += one.Joint / n
		out.MeanTable += one.Table / n
		out.MeanText += one.Text / n
		if one.Joint > e.Threshold {
			out.OverLimits++
		}
	}
	slices.SortStableFunc(out.Persons, func(a, b PersonRisk) int {
		switch {
		case a.Joint > b.Joint:
			return -1
		case a.Joint < b.Joint:
			return 1
		}
		return 0
	})
	return out, nil
}
