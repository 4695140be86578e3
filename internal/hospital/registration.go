// SPDX-License-Identifier: Apache-2.0

package hospital

import (
	"fmt"
	"math/rand/v2"
	"time"
	"unicode"

	"hide/internal/annotate"
)

// registration is a patient as the record of one key has them.
type registration struct {
	*patient
	key string
}

// splitStream separates the random numbers of registrations from those of patients and notes,
// so that a share of split patients changes no other patient.
const splitStream = 0x5B7C3A91E46D20F3

// change is a difference between the first registration of a patient and a later one, with the
// share of registrations that have it.
type change struct {
	share float64
	make  func(*institution, *patient, *rand.Rand)
}

// changes are made in this order. Each later registration has another record number and another
// account besides.
var changes = []change{
	{.5, func(in *institution, p *patient, rng *rand.Rand) { p.planNumber = in.say(rng, "number.plan") }},
	{.3, func(in *institution, p *patient, rng *rand.Rand) { p.phone = in.say(rng, "number.phone") }},
	{.15, (*institution).move},
	{.05, func(in *institution, p *patient, rng *rand.Rand) { p.last = in.say(rng, "surname") }},
	{.05, func(_ *institution, p *patient, rng *rand.Rand) { p.born = wrongDay(p.born, rng) }},
	{.1, func(_ *institution, p *patient, rng *rand.Rand) { p.first = mistyped(p.first, rng) }},
	{.1, func(_ *institution, p *patient, rng *rand.Rand) { p.last = mistyped(p.last, rng) }},
	{.03, func(_ *institution, p *patient, _ *rand.Rand) { p.first, p.last = p.last, p.first }},
}

// missingShare is the share of later registrations that lack each of missingFields. The notes
// still say what their structured fields lack.
const missingShare = .1

var missingFields = []string{"birth_date", "zip", "city", "state", "street", "phone"}

// fieldOf is the structured field of an identity of the patient that may be missing.
var fieldOf = map[annotate.Label]string{
	"DATE": "birth_date", "ZIP": "zip", "CITY": "city", "STATE": "state", "STREET": "street", "PHONE": "phone",
}

// registrations are the records of a patient with a number of notes, in the order of their
// visits: one, or two or three for a share of the patients with at least two notes.
func (in *institution) registrations(number, notes int, share float64) []registration {
	p := in.patient(number)
	all := []registration{{p, fmt.Sprintf("%s-%06d", in.name, number)}}
	rng := rand.New(rand.NewPCG(in.seed^splitStream, uint64(number)))
	if notes < 2 || rng.Float64() >= share {
		return all
	}
	keys := 2
	if notes > 2 && rng.IntN(3) == 0 {
		keys = 3
	}
	for k := 1; k < keys; k++ {
		all = append(all, registration{in.registerAgain(p, rng), laterKey(in.name, number, k)})
	}
	return all
}

// laterKey is the key of later registration k. It does not tell the patient's first key.
// Multiplying with an odd number permutes 32 bits, so no two keys are equal.
func laterKey(institution string, number, k int) string {
	return fmt.Sprintf("%s-x%08x", institution, uint32(number*2+k)*0x9E3779B1)
}

// registerAgain is the patient as a later registration has them.
func (in *institution) registerAgain(p *patient, rng *rand.Rand) *patient {
	q := *p
	q.own = &p.person
	q.mrn, q.chartNo = in.say(rng, "number.record"), in.say(rng, "number.account")
	for _, c := range changes {
		if rng.Float64() < c.share {
			c.make(in, &q, rng)
		}
	}
	q.missing = map[string]bool{}
	for _, field := range missingFields {
		q.missing[field] = rng.Float64() < missingShare
	}
	return &q
}

// move gives a patient another address, with another telephone.
func (in *institution) move(p *patient, rng *rand.Rand) {
	p.live(in, rng)
	p.phone = in.say(rng, "number.phone")
}

// wrongDay is a birth date with an error: day and month exchanged, or another day of the month.
func wrongDay(day time.Time, rng *rand.Rand) time.Time {
	if d := day.Day(); d <= 12 && d != int(day.Month()) {
		return time.Date(day.Year(), time.Month(d), int(day.Month()), 0, 0, 0, 0, time.UTC)
	}
	return time.Date(day.Year(), day.Month(), 1+(day.Day()+rng.IntN(27))%28, 0, 0, 0, 0, time.UTC)
}

// mistyped is a name with one typing error behind its first letter: a letter missing, typed
// twice, exchanged with the next one or wrong.
func mistyped(name string, rng *rand.Rand) string {
	letters := []rune(name)
	at := 1 + rng.IntN(len(letters)-1)
	switch next := at + 1; {
	case !unicode.IsLower(letters[at]):
		return string(letters[:at]) + string(letters[at:at+1]) + string(letters[at:])
	case next < len(letters) && letters[next] != letters[at] && unicode.IsLower(letters[next]) && rng.IntN(2) == 0:
		letters[at], letters[next] = letters[next], letters[at]
	case rng.IntN(3) == 0 && len(letters) > 3:
		return string(letters[:at]) + string(letters[next:])
	default:
		letters[at] = 'a' + (letters[at]-'a'+1+rune(rng.IntN(25)))%26
	}
	return string(letters)
}
