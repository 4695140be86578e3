// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"cmp"
	"errors"
	"math"
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

// Check refuses what is no probability.
func (e Exposure) Check() error {
	for _, p := range []float64{e.Leak, e.Found, e.Threshold} {
		if !(p >= 0 && p <= 1) {
			return errors.New("the probabilities of missed PHI and of finding it, and the threshold, must be from 0 to 1")
		}
	}
	return nil
}

// PersonRisk is the risk of one person.
type PersonRisk struct {
	Table float64 `json:"table"`
	Text  float64 `json:"text"`
	Joint float64 `json:"joint"`
}

// Person is what somebody risks whose attributes and notes are published together,
// in a class of so many persons and with so many notes:
//
//	R_table = 1 / persons of the class
//	R_text  = 1 - (1 - leak * found)^notes
//	R       = 1 - (1 - R_table) * (1 - R_text)
//
// as if the two were independent. R_table is the prosecutor's risk: of being the
// one of the class that somebody knows to be in the data.
func (e Exposure) Person(class, notes int) PersonRisk {
	silent := math.Pow(1-e.Leak*e.Found, float64(notes)) // probability that no note tells
	table := 1 / float64(class)
	return PersonRisk{Table: table, Text: 1 - silent, Joint: 1 - (1-table)*silent}
}

// Alike are persons who risk the same whatever the exposure: they are in classes
// of one size and have equally many notes.
type Alike struct {
	Class   int `json:"class"` // persons of their class
	Notes   int `json:"notes"` // of each
	Persons int `json:"persons"`
}

// Alike counts persons by the size of their class and their notes, in that order.
func (r *Recoding) Alike() []Alike {
	counts := map[[2]int]int{}
	for who, p := range r.view.people {
		counts[[2]int{len(r.classes[r.of[who]]), len(p.rows)}]++
	}
	out := make([]Alike, 0, len(counts))
	for key, n := range counts {
		out = append(out, Alike{key[0], key[1], n})
	}
	slices.SortFunc(out, func(a, b Alike) int { return cmp.Or(a.Class-b.Class, a.Notes-b.Notes) })
	return out
}

// Risk is that of all persons.
type Risk struct {
	Exposure
	Groups     []GroupRisk  `json:"groups"`  // by size of class and number of notes
	Persons    []PersonRisk `json:"persons"` // by R, the greatest first; without any name or number
	Max        float64      `json:"max"`
	Mean       float64      `json:"mean"`
	MeanTable  float64      `json:"mean_table"`
	MeanText   float64      `json:"mean_text"`
	OverLimits int          `json:"over_threshold"` // persons with R above the threshold
}

// GroupRisk is what each of some persons risks.
type GroupRisk struct {
	Alike
	PersonRisk
}

// Of computes the risk of everybody, whose exposure is e, without the list of
// persons.
func (e Exposure) Of(all []Alike) Risk {
	out := Risk{Exposure: e, Groups: make([]GroupRisk, len(all))}
	n := 0.0
	for _, a := range all {
		n += float64(a.Persons)
	}
	for i, a := range all {
		one, share := e.Person(a.Class, a.Notes), float64(a.Persons)/n
		out.Groups[i] = GroupRisk{a, one}
		out.Max = max(out.Max, one.Joint)
		out.Mean += one.Joint * share
		out.MeanTable += one.Table * share
		out.MeanText += one.Text * share
		if one.Joint > e.Threshold {
			out.OverLimits += a.Persons
		}
	}
	return out
}

// Risk computes the risk of every person.
func (r *Recoding) Risk(e Exposure) (Risk, error) {
	if err := e.Check(); err != nil {
		return Risk{}, err
	}
	out := e.Of(r.Alike())
	for _, g := range out.Groups {
		out.Persons = append(out.Persons, slices.Repeat([]PersonRisk{g.PersonRisk}, g.Persons)...)
	}
	slices.SortStableFunc(out.Persons, func(a, b PersonRisk) int { return cmp.Compare(b.Joint, a.Joint) })
	return out, nil
}
