// SPDX-License-Identifier: Apache-2.0

package idview

import (
	"regexp"
	"strings"

	"hide/internal/publish/table"
)

// proposals are tried in order on a name in small letters with blanks for all else.
// Of what could be looked up one value is enough: sets are alike with hardly any other.
var proposals = []struct {
	name *regexp.Regexp
	role table.Role
	kind table.Kind
	take Take
}{
	{regexp.MustCompile(`\bages?\b|\bedad\b|\balter\b`), table.Quasi, table.Number, Greatest},
	{regexp.MustCompile(`\bsex|gender|geschlecht`), table.Quasi, table.Nominal, Most},
	{regexp.MustCompile(`\bzip|postal|postcode|\bplz\b`), table.Quasi, table.Code, Most},
	{regexp.MustCompile(`\bdates?\b|birth|\bdob\b|fecha|datum`), table.Quasi, table.Date, Least},
	{regexp.MustCompile(`diagnos|disease|\bicd|drug|medication|outcome|procedure|condition|problem|illness`), table.Sensitive, table.Nominal, All},
	{regexp.MustCompile(`name|patient|doctor|street|phone|\bfax|mail|record|account|licen[cs]e|device|vehicle`), table.Direct, table.Nominal, Most},
	{regexp.MustCompile(`\bcity|\bstate\b|country|county|location|hospital|institu|organi[sz]ation|profes|department|occupation|\brace\b|ethnic|marital|education|religion|language|territor|\bpais\b`), table.Quasi, table.Nominal, Most},
}

var notLetters = regexp.MustCompile(`[^\pL]+`)

// Propose says what each attribute that was found should be. What it does not
// know by name it leaves out: releasing takes a decision.
func Propose(found []Found) []Attribute {
	out := make([]Attribute, len(found))
	for i, f := range found {
		out[i] = propose(f.Key)
	}
	return out
}

func propose(k Key) Attribute {
	a := Attribute{Key: k, Role: table.Direct, Kind: table.Nominal, Take: Most}
	if k.Source == Count {
		a.Kind = table.Number
		return a
	}
	name := notLetters.ReplaceAllString(strings.ToLower(k.Name), " ")
	for _, p := range proposals {
		if p.name.MatchString(name) {
			a.Role, a.Kind, a.Take = p.role, p.kind, p.take
			break
		}
	}
	return a
}
