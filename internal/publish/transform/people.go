// SPDX-License-Identifier: Apache-2.0

package transform

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/publish/personname"
	"hide/internal/publish/policy"
	"hide/internal/publish/value"
)

// person is somebody while the plan is made.
type person struct {
	group     string
	number    int
	self      bool
	sites     []*site
	real      personname.Person
	canonical string // identifies the person to the maker of surrogates
}

// personLabels are the labels of the default set whose words are names of people.
var personLabels = []annotate.Label{"PATIENT", "DOCTOR"}

func isPersonLabel(l annotate.Label) bool { return slices.Contains(personLabels, l) }

// numberPeople finds out which names are one person, then moves the names that a person of
// the project has assigned.
func (w *work) numberPeople() {
	named := slices.DeleteFunc(slices.Clone(w.sites), func(s *site) bool { return !isPersonLabel(s.as) })
	w.french = personname.ShowFrench(w.mentions(named)) || slices.ContainsFunc(w.dates.contexts, func(c value.Context) bool { return c.Language == value.French })
	for _, group := range personLabels {
		var sites []*site
		for _, s := range w.sites {
			if s.as == group {
				sites = append(sites, s)
			}
		}
		if len(sites) > 0 {
			w.numberGroup(string(group), sites)
		}
	}
	for _, p := range w.people {
		w.describe(p)
	}
	w.findSelf()
}

// numberGroup gives the names of one label their person. The name of the patient from
// structured data leads, so that the patient is number 1 and gathers the short forms.
func (w *work) numberGroup(group string, sites []*site) {
	mentions := w.mentions(sites)
	known := w.knownSelf(group)
	numbers := personname.Cluster(append(known, mentions...))
	first := map[int]int{} // from the number of a cluster to the number of a person
	named := len(known) > 0 && slices.Contains(numbers[1:], numbers[0])
	if named {
		first[numbers[0]] = 1
	}
	for i, cluster := range numbers[len(known):] {
		if first[cluster] == 0 {
			first[cluster] = len(first) + 1
		}
		sites[i].number = first[cluster]
	}
	for _, s := range sites {
		if s.choice.Person > 0 {
			s.number = s.choice.Person
		}
		p := w.join(group, s)
		p.self = named && s.number == 1
	}
}

// join adds a site to the person with its number.
func (w *work) join(group string, s *site) *person {
	i := slices.IndexFunc(w.people, func(p *person) bool { return p.group == group && p.number == s.number })
	if i < 0 {
		i = len(w.people)
		w.people = append(w.people, &person{group: group, number: s.number})
	}
	s.person = i
	w.people[i].sites = append(w.people[i].sites, s)
	return w.people[i]
}

// knownSelf is the name of the patient from structured data.
func (w *work) knownSelf(group string) []personname.Mention {
	for _, id := range w.patient.Identities {
		if id.Of == annotate.OfPatient && id.Label == "PATIENT" && group == "PATIENT" && len(strings.Fields(id.Value)) > 1 {
			return []personname.Mention{{Text: id.Value, Group: group}}
		}
	}
	return nil
}

// findSelf finds the patient: the person that structured data names, or else the person with
// label PATIENT who is mentioned most.
func (w *work) findSelf() {
	var self *person
	for _, p := range w.people {
		if p.self {
			return
		}
		if p.group == "PATIENT" && (self == nil || len(p.sites) > len(self.sites)) {
			self = p
		}
	}
	if self != nil {
		self.self = true
	}
}

// describe finds the fullest name of a person. For the maker of surrogates the name is made
// unique, so that two people with equal names have two surrogates.
func (w *work) describe(p *person) {
	if p.canonical != "" {
		return
	}
	p.real = personname.Fullest(w.mentions(p.sites))
	name := folded(fullName(p.real))
	if name == "" {
		name = folded(p.sites[0].text)
	}
	p.canonical = name
	for n := 2; slices.ContainsFunc(w.people, func(q *person) bool { return q != p && q.group == p.group && q.canonical == p.canonical }); n++ {
		p.canonical = name + " " + strconv.Itoa(n)
	}
}

func (w *work) mentions(sites []*site) []personname.Mention {
	out := make([]personname.Mention, len(sites))
	for i, s := range sites {
		out[i] = w.mention(s)
	}
	return out
}

// around is how much text beside a name tells who it is.
const around = 20

func (w *work) mention(s *site) personname.Mention {
	text := w.patient.Notes[s.note].Text
	return personname.Mention{Text: s.text, Before: before(text, int(s.span.Start), around), After: after(text, int(s.span.End), around), Group: string(s.as), French: w.french}
}

// before is up to n bytes of text before a position, on its line.
func before(text string, at, n int) string {
	from := max(0, at-n)
	for from < at && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from+strings.LastIndexAny(text[from:at], "\r\n")+1 : at]
}

// after is up to n bytes of text from a position, on its line.
func after(text string, at, n int) string {
	to := min(len(text), at+n)
	for to > at && to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	line, _, _ := strings.Cut(text[at:to], "\n")
	return strings.TrimSuffix(line, "\r")
}

// numberValues gives equal values of the other labels equal numbers, from 1 for each label.
func (w *work) numberValues() {
	numbers := map[annotate.Label]map[string]int{}
	for _, s := range w.sites {
		if isPersonLabel(s.as) {
			continue
		}
		if numbers[s.as] == nil {
			numbers[s.as] = map[string]int{}
		}
		of, value := numbers[s.as], folded(s.text)
		if of[value] == 0 {
			of[value] = len(of) + 1
		}
		if s.number = of[value]; s.choice.Person > 0 {
			s.number = s.choice.Person
		}
	}
}

// folded is text for comparison: words in lower case without accents, with one blank between
// them, and without the ending of a possessive.
func folded(text string) string {
	words := strings.FieldsFunc(dictionary.Fold(text), func(r rune) bool { return !annotate.WordRune(r) })
	if n := len(words); n > 1 && words[n-1] == "s" {
		words = words[:n-1]
	}
	return strings.Join(words, " ")
}

// tellPeople describes the people of a plan, in the order of the notes for each label.
func (w *work) tellPeople() []Person {
	out := make([]Person, len(w.people))
	for i, p := range w.people {
		out[i] = Person{Number: p.number, Group: p.group, Self: p.self}
		for _, s := range p.sites {
			if !slices.Contains(out[i].Names, s.text) {
				out[i].Names = append(out[i].Names, s.text)
			}
			out[i].Places = append(out[i].Places, Place{w.patient.Notes[s.note].ID, s.span.Start, s.span.End})
			if out[i].Written == "" {
				out[i].Written = w.written(p, s)
			}
		}
	}
	return out
}

// written is how a person is called in the release, as far as one place tells.
func (w *work) written(p *person, s *site) string {
	switch s.d.Action {
	case policy.Numbered, policy.Placeholder:
		return s.d.Replacement
	case policy.Surrogate:
		if invented, err := w.invent(p, s); err == nil && s.d.Problem == "" {
			return fullName(invented)
		}
	}
	return ""
}

func fullName(p personname.Person) string {
	return strings.Join(strings.Fields(p.Given+" "+p.Middle+" "+p.Family), " ")
}
