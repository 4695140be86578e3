// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

// Exposure describes missed PHI in released notes. GreedySanitize estimates the leak; an
// attack or a reading of released notes measures how much is found.
type Exposure struct {
	Leak      float64 `json:"leak"`      // probability that a note holds such a term
	Found     float64 `json:"found"`     // probability that an attacker finds it
	Threshold float64 `json:"threshold"` // largest acceptable risk of a person
}

// Check refuses numbers that are not probabilities.
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

// Person is the risk of a person whose attributes and notes are released together, in a
// class of persons members and with this number of notes:
//
//	R_table = 1 / persons of the class
//	R_text  = 1 - (1 - leak * found)^notes
//	R       = 1 - (1 - R_table) * (1 - R_text)
//
// assuming that the two are independent. R_table is the prosecutor risk: the attacker
// knows that the person is in the data.
func (e Exposure) Person(class, notes int) PersonRisk {
	silent := math.Pow(1-e.Leak*e.Found, float64(notes)) // probability that no note reveals anything
	table := 1 / float64(class)
	return PersonRisk{Table: table, Text: 1 - silent, Joint: 1 - (1-table)*silent}
}

// Alike are persons with the same risk for any exposure: their classes have the same size,
// and they have the same number of notes.
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

// GroupRisk is the risk of each person of a group.
type GroupRisk struct {
	Alike
	PersonRisk
}

// Of computes the risk of all persons at exposure e, without the list of persons.
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

// OwnValues counts the places in released texts with a value of the person's own attribute
// that the table generalizes.
type OwnValues struct {
	Attribute string `json:"attribute"`
	Places    int    `json:"places"`
	Persons   int    `json:"persons"`
}

// leastDigits is how many digits make a number identifying by itself: a zip code or a
// year of birth is, an age or a dose is not.
const leastDigits = 4

// identifies reports whether words of an attribute without entities identify wherever they
// occur: words of three letters or more, or numbers of four digits together.
func identifies(words []string) bool {
	digits, letters := 0, 0
	for _, w := range words {
		if isNumber(w) {
			digits += len(w)
		} else {
			letters = max(letters, len([]rune(w)))
		}
	}
	return digits >= leastDigits || letters > 2
}

// undeclared reports whether the attribute is a quasi-identifier without entities in the
// configuration.
func (c Config) undeclared(a Attribute) bool {
	return a.Role == table.Quasi && (len(a.Entities) == 0 || !c.Counts(a.Entities[0]))
}

// addOwn adds a value of an undeclared attribute if it identifies. Shorter numbers count
// only next to a word of around, as for declared attributes.
func (k *known) addOwn(a Attribute, label annotate.Label, value string) {
	if words := wordsOf(value); a.Kind != table.Date && identifies(words) {
		k.phrases = append(k.phrases, phrase{words, label, nil})
		return
	}
	if a.Kind == table.Number || a.Kind == table.Date {
		k.add(a, label, value)
	}
}

// ownValues counts, for each undeclared quasi-identifier, the places outside sensitive
// terms where a person's texts contain a value that her class does not have. It checks
// ctx before each class.
func (r *Recoding) ownValues(ctx context.Context) ([]OwnValues, error) {
	var out []OwnValues
	quasi := -1
	for i, a := range r.view.Config.Attributes {
		if a.Role != table.Quasi {
			continue
		}
		if quasi++; !r.view.Config.undeclared(a) {
			continue
		}
		all := OwnValues{Attribute: a.Name}
		for class, people := range r.classes {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for _, who := range people {
				n := r.ownPlaces(i, quasi, class, who)
				all.Places += n
				all.Persons += one(n > 0)
			}
		}
		if all.Places > 0 {
			out = append(out, all)
		}
	}
	return out, nil
}

// ownPlaces counts those of one person and attribute, which is quasi-identifier quasi.
func (r *Recoding) ownPlaces(attribute, quasi, class, who int) int {
	v, cell, seen := r.view, r.Cells[class][quasi].Text, map[string]bool{}
	var k known
	for _, row := range v.people[who].rows {
		column := v.columns[quasi]
		value := v.rows[row].Values[attribute]
		if value == "" || value == table.MissingText || seen[value] || column.Domain[column.Codes[row]] == cell {
			continue // no value, or one that the table releases as well
		}
		seen[value] = true
		k.addOwn(v.Config.Attributes[attribute], Identifier, value)
	}
	places := 0
	for _, row := range v.people[who].rows {
		for x, t := range v.rows[row].Texts {
			var gone []annotate.Span
			for _, m := range v.mentions[row][x] {
				if m.kind != unlisted {
					gone = append(gone, m.span)
				}
			}
			places += len(addDisjoint(gone, k.find(t.Text))) - len(gone)
		}
	}
	return places
}
