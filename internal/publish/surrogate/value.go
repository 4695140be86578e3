// SPDX-License-Identifier: Apache-2.0

package surrogate

import "strings"

// makers invent a value of each kind. Each keeps the form of the text.
var makers = map[Kind]func(p *Patient, kind Kind, text string, draw int) (string, error){
	City: (*Patient).city, State: (*Patient).state, Country: (*Patient).country, Street: (*Patient).street, ZIP: (*Patient).zip,
	Hospital: (*Patient).institution, Organization: (*Patient).institution, Place: (*Patient).institution,
	Department: (*Patient).department, Profession: (*Patient).profession,
	Phone: (*Patient).phone, Fax: (*Patient).phone, Email: (*Patient).email, URL: (*Patient).url, IP: (*Patient).ip,
	Username: (*Patient).username, SSN: (*Patient).ssn,
	Room: (*Patient).pattern, RecordNumber: (*Patient).pattern, HealthPlan: (*Patient).pattern, Account: (*Patient).pattern,
	License: (*Patient).pattern, Vehicle: (*Patient).pattern, Device: (*Patient).pattern, BioID: (*Patient).pattern,
	ID: (*Patient).pattern, Other: (*Patient).pattern,
}

// longest is how many bytes a value has at most. What is longer is free text.
const longest = 300

// Value invents a value of a kind in the form, capitals and punctuation of a mention. Values
// that differ only in these have the same surrogate. place numbers the mention within the
// patient; it matters to the repeat policies Random and Markov only. A blank text stays.
// Values in other scripts become values in Latin letters.
func (p *Patient) Value(kind Kind, text string, place int) (string, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return text, nil
	case len(text) > longest:
		return "", formless(kind, "it is longer than a value")
	}
	f, known := makers[kind]
	if !known {
		f, kind = (*Patient).pattern, Other
	}
	p.learn(kind, text)
	s, err := f(p, kind, text, p.draw(string(kind), squash(text), place))
	switch {
	case err != nil:
		return "", err
	case squash(s) == squash(text):
		return "", formless(kind, "its form leaves no other value")
	}
	return s, nil
}
