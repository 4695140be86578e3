// SPDX-License-Identifier: Apache-2.0

package hospital

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
	"unicode"
)

// person is anyone with a name.
type person struct {
	first, middle, last string
	female              bool
}

// patient is a person with all facts that the notes may mention.
type patient struct {
	person
	mrn, phone, email           string
	street, city, state, zip    string
	job, employer, condition    string
	born                        time.Time
	kin                         []relative
	doctor                      person // in primary care
	planNumber, device, chartNo string

	// Of a later registration: the person as first registered, nil in the first one, and the
	// structured fields that it lacks.
	own     *person
	missing map[string]bool
}

// relative is a person whom the notes of a patient mention.
type relative struct {
	person
	relation string
	age      int
}

func (in *institution) person(rng *rand.Rand) person {
	p := person{female: rng.IntN(2) == 0}
	p.first = in.say(rng, "first.m")
	if p.female {
		p.first = in.say(rng, "first.f")
	}
	p.middle = string(rune('A' + rng.IntN(26)))
	p.last = in.say(rng, "surname")
	return p
}

// patient generates patient number, the same in every call.
func (in *institution) patient(number int) *patient {
	rng := in.random(number, 0)
	p := &patient{person: in.person(rng), born: birth(rng)}
	p.live(in, rng)
	p.mrn = in.say(rng, "number.record")
	p.phone = in.say(rng, "number.phone")
	p.planNumber = in.say(rng, "number.plan")
	p.chartNo = in.say(rng, "number.account")
	p.device = in.say(rng, "number.device")
	p.job = in.say(rng, "job")
	p.employer = in.say(rng, "employer")
	p.condition = in.say(rng, "condition")
	p.email = in.address(rng, p.person, in.say(rng, "mail.home"))
	p.doctor = in.roster[rng.IntN(len(in.roster))]
	for range 1 + rng.IntN(3) {
		p.kin = append(p.kin, in.relative(rng, p))
	}
	return p
}

// live gives the patient an address.
func (p *patient) live(in *institution, rng *rand.Rand) {
	home := in.towns[rng.IntN(len(in.towns))]
	p.city, p.state = home.name, home.state
	p.zip = fmt.Sprintf("%s%02d", home.zip3, rng.IntN(20))
	p.street = in.say(rng, "street")
}

// birth is a day such that the patient is between 18 and 103 at most visits. There are more
// old patients than in a town: one in twelve is over 89.
func birth(rng *rand.Rand) time.Time {
	year := 1931 + rng.IntN(67)
	switch n := rng.IntN(12); {
	case n == 0:
		year = 1920 + rng.IntN(8)
	case n < 6:
		year = 1932 + rng.IntN(35)
	}
	return time.Date(year, 1, 1+rng.IntN(365), 0, 0, 0, 0, time.UTC)
}

func (in *institution) relative(rng *rand.Rand, p *patient) relative {
	r := relative{person: in.person(rng)}
	if rng.IntN(3) > 0 {
		r.last = p.last
	}
	women := []string{"daughter", "niece", "sister", "wife", "mother", "aunt"}
	men := []string{"son", "nephew", "brother", "husband", "father", "uncle"}
	k := rng.IntN(len(men))
	r.relation = bySex(r.female, women[k], men[k])
	// Children come first in the lists, parents last: a generation is 26 years.
	r.age = max(1, p.ageOn(meanVisit())+26*(k/2-1)+rng.IntN(9)-4)
	return r
}

// meanVisit is the middle of the years in which visits begin.
func meanVisit() time.Time { return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC) }

// address is an e-mail address of the person at a host.
func (in *institution) address(rng *rand.Rand, p person, host string) string {
	first, last := plain(p.first), plain(p.last)
	switch rng.IntN(3) {
	case 0:
		return first + "." + last + "@" + host
	case 1:
		return first[:1] + last + "@" + host
	}
	return fmt.Sprintf("%s%02d@%s", last, rng.IntN(100), host)
}

// user is the person's computer account.
func (in *institution) user(p person) string {
	last := plain(p.last)
	if in.name == "a" {
		return plain(p.first)[:1] + strings.ToLower(p.middle) + last[:min(5, len(last))]
	}
	return strings.ToUpper(last[:min(4, len(last))]) + fmt.Sprintf("%02d", (len(p.first)*7+len(last)*13)%90+10)
}

// plain is a name in lower case, ASCII letters only.
func plain(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if r < unicode.MaxASCII && unicode.IsLetter(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (p person) initials() string { return initial(p.first) + p.middle + initial(p.last) }

// initial is the first letter; surnames may begin with a letter of two bytes.
func initial(name string) string { return string([]rune(name)[:1]) }

func (p person) sex() string {
	if p.female {
		return "F"
	}
	return "M"
}

// ageOn is the age in whole years.
func (p *patient) ageOn(day time.Time) int {
	age := day.Year() - p.born.Year()
	if day.YearDay() < p.born.YearDay() {
		age--
	}
	return max(age, 0)
}

// institution is one of the two hospitals: its grammar, its formats of dates and numbers,
// and its staff.
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

// rosterSize is the number of clinicians of an institution.
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

// hire fills the roster and the list of nearby towns, from the seed alone.
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
