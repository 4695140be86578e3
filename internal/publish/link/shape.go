// SPDX-License-Identifier: Apache-2.0

package link

import (
	"slices"

	"hide/internal/publish/link/compare"
)

// Levels that the kinds do not have: names that were exchanged. They belong to the given name;
// the surname of the pair then counts as missing.
const (
	exchanged        = "exchanged with the surname"
	similarExchanged = "exchanged with the surname, one similar"
	halfExchanged    = "exchanged with the surname, one missing"
)

// Levels of a given name beyond those of its kind, counted from the first of them.
const (
	exchangedLevel = iota
	similarExchangedLevel
	halfExchangedLevel
	exchangedLevels // how many there are
)

// missing is the level of a field that one of two records lacks, unknown of a field that is not
// compared yet. Each level has four bits.
const (
	missing    = 15
	unknown    = 14
	levelBits  = 4
	mostLevels = 14
)

// A pattern has the levels of all fields of a pair.
type pattern uint64

func (p pattern) level(f int) int { return int(p>>(levelBits*f)) & 15 }

func (p pattern) with(f, level int) pattern {
	shift := levelBits * f
	return p&^(15<<shift) | pattern(level)<<shift
}

// allMissing is the pattern of a pair without evidence.
const allMissing = ^pattern(0)

// ownLevels is how many levels a field has of its kind.
func (s *shape) ownLevels(f int) int {
	if f == s.given {
		return len(s.levels[f]) - exchangedLevels
	}
	return len(s.levels[f])
}

// A role says how a field depends on the hidden state of the pair.
type role uint8

const (
	own      role = iota // does not depend on it
	locality             // agrees if the records have one locality
	dwelling             // agrees if the records have one dwelling
	family               // agrees between some members of a family
)

// roles are the roles of the kinds; own if not listed. share is the share of pairs of two
// persons in one dwelling who have the value in common because they are a family: many have
// one surname and one telephone, twins have one birth date, a son the name of his father.
var roles = map[compare.Kind]struct {
	role  role
	share float64
}{
	compare.Street:       {role: dwelling},
	compare.StreetNumber: {role: dwelling},
	compare.Place:        {role: locality},
	compare.Postcode:     {role: locality},
	compare.State:        {role: locality},
	compare.Given:        {family, .02},
	compare.Surname:      {family, .7},
	compare.BirthDate:    {family, .02},
	compare.Phone:        {family, .5},
	compare.Email:        {family, .1},
}

// A shape is the form of the comparison. It follows from the fields alone.
type shape struct {
	levels         [][]string // names, of each field
	roles          []role
	share          []float64
	keep           []float64 // see params; 1 if moving does not change the value
	given, surname int       // fields whose values may be exchanged, or -1
	named, sex     int       // the given name, and the sex that follows from it, or -1
	twins          [][2]int  // two fields of one kind, whose values may be exchanged
	states         [4]bool   // which hidden states the fields can show
}

func shapeOf(fields []Field) shape {
	s := shape{given: firstOf(fields, compare.Given), surname: firstOf(fields, compare.Surname), sex: firstOf(fields, compare.Sex)}
	s.named = s.given
	if s.given < 0 || s.surname < 0 {
		s.given, s.surname = -1, -1
	}
	for f, field := range fields {
		levels := field.Kind.Levels()
		if f == s.given {
			levels = append(levels, exchanged, similarExchanged, halfExchanged)
		}
		s.levels = append(s.levels, levels)
		r := roles[field.Kind]
		s.roles, s.share = append(s.roles, r.role), append(s.share, r.share)
	}
	s.twins = twinFields(fields)
	s.setStates()
	s.keep = s.keeps(fields)
	return s
}

// setStates finds which hidden states the fields can show. One field alone says too little of
// an address, or of a family, and an e-mail address says too little of a family; such a field
// is independent.
func (s *shape) setStates() {
	shown := map[role]int{}
	for f, r := range s.roles {
		if r != family || s.share[f] > .1 {
			shown[r]++
		}
	}
	s.states = [4]bool{true, shown[locality] > 0, shown[dwelling] > 0, shown[family] > 1}
	if shown[locality]+shown[dwelling] < 2 {
		s.states[1], s.states[2] = false, false
	}
	if shown[locality] > 0 && shown[family] > 0 {
		// A family has one locality, and often one surname, also where no field shows its
		// dwelling. Without this state a spouse with the same surname and city is a match.
		s.states[2] = true
	}
	for f, r := range s.roles {
		isAddress := r == locality || r == dwelling
		if isAddress && !s.states[1] && !s.states[2] || r == family && !s.states[2] && !s.states[3] {
			s.roles[f] = own
		}
	}
}

// keptNumbers is the expected share of people who keep their telephone number when they move.
const keptNumbers = .5

func (s *shape) keeps(fields []Field) []float64 {
	keep := make([]float64, len(fields))
	for f, field := range fields {
		keep[f] = 1
		if field.Kind == compare.Phone && s.states[0] && s.states[2] {
			keep[f] = keptNumbers
		}
	}
	return keep
}

// showsNothing reports whether all fields are independent.
func (s *shape) showsNothing() bool { return s.states == [4]bool{true} }

// twinFields pairs the first two fields of each kind: two lines of an address, two telephones.
func twinFields(fields []Field) [][2]int {
	var twins [][2]int
	for a, f := range fields {
		if firstOf(fields, f.Kind) != a {
			continue
		}
		b := slices.IndexFunc(fields[a+1:], func(g Field) bool { return g.Kind == f.Kind })
		if b >= 0 {
			twins = append(twins, [2]int{a, a + 1 + b})
		}
	}
	return twins
}
