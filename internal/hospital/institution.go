// SPDX-License-Identifier: Apache-2.0

package hospital

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// institution is one of the two hospitals: its grammar, its habits of writing
// dates and numbers, and its staff.
type institution struct {
	name    string
	seed    uint64
	grammar *grammar
	dates   []string // layouts of a full date
	short   []string // layouts without the year
	months  string   // layout of month and year
	weekday string   // layout of a day of the week
	roster  []person
	towns   []town
}

// town is where patients live. Its postal codes share their first three digits.
type town struct{ name, state, zip3 string }

// rosterSize is how many clinicians an institution employs.
const rosterSize = 160

func newInstitution(name string, seed uint64) *institution {
	in := &institution{name: name, seed: seed*0x9E3779B97F4A7C15 + uint64(name[0])}
	in.grammar = loadGrammar("common", "names", name)
	switch name {
	case "a":
		in.dates = []string{"01/02/2006", "1/2/06", "January 2, 2006", "1/2/2006", "Jan 2, 2006", "01/02/06"}
		in.short = []string{"1/2", "January 2", "Jan 2", "01/02"}
		in.months, in.weekday = "January 2006", "Monday"
	case "b":
		in.dates = []string{"2006-01-02", "02-Jan-2006", "2 January 2006", "02.01.2006", "2 Jan 06"}
		in.short = []string{"2 Jan", "02-Jan", "2 January", "2.1."}
		in.months, in.weekday = "Jan 2006", "Mon"
	}
	in.hire()
	return in
}

// hire fills the roster and lists the towns nearby, from the seed alone.
func (in *institution) hire() {
	rng := in.random(0, 0)
	for range rosterSize {
		in.roster = append(in.roster, in.person(rng))
	}
	for i := range in.grammar.size("town") {
		t := town{name: in.grammar.sayAt("town", i), state: in.say(rng, "state.home")}
		t.zip3 = fmt.Sprintf("%s%d", in.say(rng, "zip.home"), i%10)
		in.towns = append(in.towns, t)
	}
}

// say expands a rule to plain text.
func (in *institution) say(rng *rand.Rand, rule string) string {
	s := &scribe{rng: rng, grammar: in.grammar, site: in}
	s.write(rule)
	return string(s.text)
}

// firstVisit is a day in the years 2016 to 2023.
func (in *institution) firstVisit(rng *rand.Rand) time.Time {
	return time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rng.IntN(8*365))
}
