// SPDX-License-Identifier: Apache-2.0

package personname

import (
	"cmp"
	"slices"
)

// Cluster says which mentions are one person. The result has one number per mention, from
// 0 in order of first appearance. The order of mentions is that of the text.
//
// Mentions that say more are placed first; each of the others joins the person that it fits
// best, if that is one person:
//
//	"John Smith", "Smith, John A.", "JOHN SMITH"   one person: nothing contradicts
//	"Mr. Smith", "Smith's", "John", "J.S."         join the one person that they fit
//	"Johnny Smith", "Jonh Smith", "Garcia"         short forms, one slip in a long name, missing accents
//	"María García Lorca", "Sra. García"            one of two family names is enough
//	"John Smith", "Jane Smith"                     two: given names, initials or generations differ
//	"Mr. Smith", "Mrs. Smith"                      two: titles, kinship or given names show another gender
//	"Smith" beside John and Jane Smith             a third: two fit equally well, and no one is guessed,
//	                                               unless one of them is mentioned far more often
//	"Mr. Smith" beside John and Jane Smith         John: the title decides
//	"Smith" beside "John Smith" and "son Al Smith" John: a word of kinship marks a relative
//	"Nombre: Pedro", then "Apellidos: Ruiz Gil"    one: two fields of a form
//	"John", "J. Smith" and nobody else             two: an initial is not enough without the family name
//	PATIENT "Smith", DOCTOR "Smith"                two: the groups differ
//
// Equal mentions that fit nobody for sure are one person of their own. A text that is not a
// name is a person of its own, and equal texts are one. Two people with the same name and
// nothing else to tell them apart are one number.
//
// A caller that knows the full name of a patient should give it as a mention too.
func Cluster(mentions []Mention) []int {
	groups := map[string]*group{}
	french := ShowFrench(mentions)
	for i, m := range mentions {
		m.French = m.French || french
		g := groups[m.Group]
		if g == nil {
			g = &group{}
			groups[m.Group] = g
		}
		g.add(i, m)
	}
	owners := make([]*person, len(mentions))
	for _, g := range groups {
		g.place()
		for _, f := range g.found {
			owners[f.index] = f.owner
		}
	}
	return number(owners)
}

func number(owners []*person) []int {
	numbers := map[*person]int{}
	result := make([]int, len(owners))
	for i, p := range owners {
		n, ok := numbers[p]
		if !ok {
			n = len(numbers)
			numbers[p] = n
		}
		result[i] = n
	}
	return result
}

// person is a person of a cluster, with the sum of what its mentions say.
type person struct {
	known     facts
	mentions  int
	ambiguous bool // its mentions fit several persons
}

// found is a mention in its group.
type found struct {
	index int
	facts facts
	text  string // of a mention that is not a name
	field Role   // of a form
	owner *person
}

type group struct {
	found   []*found
	persons []*person
}

func (g *group) add(index int, m Mention) {
	f := &found{index: index, field: Other}
	var ok bool
	if f.facts, ok = factsOf(m); !ok {
		f.text = m.Text
	}
	f.field = fieldOf(m)
	if n := len(g.found); f.field == Family && n > 0 && g.found[n-1].field == Given {
		g.joinFields(g.found[n-1], f)
	}
	g.found = append(g.found, f)
}

// joinFields makes two fields of a form say the whole name, if each says its part.
func (g *group) joinFields(given, family *found) {
	if given.facts.family == "" && family.facts.given == "" && given.facts.given != "" && family.facts.family != "" {
		both := family.facts
		both.given, both.middle, both.gender = given.facts.given, given.facts.middle, given.facts.gender
		both.unsure, both.lastLetter = false, false
		given.facts, family.facts = both, both
	}
}

// place finds the person of each mention.
func (g *group) place() {
	order := slices.Clone(g.found)
	slices.SortStableFunc(order, func(a, b *found) int { return cmp.Compare(b.facts.detail(), a.facts.detail()) })
	said := map[facts]*person{}
	counts := map[facts]int{}
	for _, f := range g.found {
		counts[f.facts]++
	}
	texts := map[string]*person{}
	for _, f := range order {
		if f.text != "" || f.facts == (facts{}) {
			if texts[f.text] == nil {
				texts[f.text] = &person{}
			}
			f.owner = texts[f.text]
			continue
		}
		if said[f.facts] == nil {
			said[f.facts] = g.personOf(f.facts)
			said[f.facts].mentions += counts[f.facts]
		}
		f.owner = said[f.facts]
	}
}

// personOf is the person that a mention joins, or a new one.
func (g *group) personOf(f facts) *person {
	best := silent
	var fitting []*person
	for _, p := range g.persons {
		switch fit := p.fits(f); {
		case fit > best:
			best, fitting = fit, []*person{p}
		case fit == best && fit > silent:
			fitting = append(fitting, p)
		}
	}
	if owner := only(fitting, f.kin); owner != nil {
		owner.known.learn(f)
		return owner
	}
	p := &person{known: f, ambiguous: len(fitting) > 1}
	g.persons = append(g.persons, p)
	return p
}

// A person who is mentioned this often, and this many times as often as anybody else who fits,
// is the one that a mention without a given name means.
const (
	sureMentions = 3
	sureTimes    = 2
)

// only is the one person that fits, or nil. Relatives who share a family name are told apart
// by words of kinship: "Ms. Smith" without one is the patient, who has none. Where these say
// nothing, the number of mentions placed so far can.
func only(fitting []*person, kin bool) *person {
	if len(fitting) > 1 {
		fitting = slices.DeleteFunc(slices.Clone(fitting), func(p *person) bool { return p.known.kin != kin })
	}
	slices.SortStableFunc(fitting, func(a, b *person) int { return cmp.Compare(b.mentions, a.mentions) })
	switch {
	case len(fitting) == 0:
		return nil
	case len(fitting) == 1 || fitting[0].mentions >= max(sureMentions, sureTimes*fitting[1].mentions):
		return fitting[0]
	}
	return nil
}

// fits says how well a mention fits a person. It is silent if nothing says that it is this
// person, if something contradicts, and if the person's own mentions are ambiguous.
func (p *person) fits(f facts) relation {
	if p.ambiguous {
		return silent
	}
	return max(match(p.known, f), silent)
}
