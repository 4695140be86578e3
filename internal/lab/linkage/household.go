// SPDX-License-Identifier: Apache-2.0

package linkage

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// neighbours is the number of people whose households are made together.
const neighbours = 5

// households are the ways in which neighbours live together, by sizes of households.
var households = [...][]int{{1, 4}, {2, 3}, {1, 1, 3}, {2, 1, 2}, {5}, {1, 2, 2}, {1, 1, 1, 2}}

// Shares of what happens in households, in per cent.
const (
	keepsName    = 25 // partners with a surname of their own
	twinOf       = 8  // younger children who are twins of the child before
	namesake     = 4  // sons with the given name of their father
	ownTelephone = 60 // people with a telephone number of their own
)

// The years in which people are born.
const firstYear, lastYear = 1930, 2019

// member gives the values of a person without errors, with room for an identifier.
func (w *world) member(person int) []string {
	rng := w.random(person/neighbours, householdStream)
	at := person % neighbours
	for _, size := range households[rng.IntN(len(households))] {
		home := w.household(size, rng)
		if at < size {
			return home[at]
		}
		at -= size
	}
	panic("linkage: neighbours do not make up households")
}

// household makes people who live together: one adult, a partner, children.
func (w *world) household(size int, rng *rand.Rand) [][]string {
	home := make([][]string, size)
	adult := time.Date(firstYear+rng.IntN(69), 1, 1+rng.IntN(365), 0, 0, 0, 0, time.UTC)
	for i := range home {
		v := make([]string, identifier+1)
		home[i] = v
		if i == 0 {
			v[surname], v[phone] = w.surname.draw(rng), phoneNumber(rng)
			w.address(v, rng)
			w.adult(v, coin(rng, "F", "M"), adult, rng)
			continue
		}
		copy(v, home[0])
		if i == 1 {
			w.partner(v, adult, rng)
		} else {
			w.child(v, home[:i], adult, rng)
		}
		if rng.IntN(100) < ownTelephone {
			v[phone] = phoneNumber(rng)
		}
	}
	return home
}

func (w *world) adult(v []string, s string, born time.Time, rng *rand.Rand) {
	v[sex], v[birth] = s, born.Format(time.DateOnly)
	v[given] = w.givenName(s, rng)
}

func (w *world) partner(v []string, adult time.Time, rng *rand.Rand) {
	if rng.IntN(100) < keepsName {
		v[surname] = w.surname.draw(rng)
	}
	w.adult(v, other(v[sex]), adult.AddDate(0, 0, rng.IntN(6000)-3000), rng)
}

// child is born 19 to 40 years after the first adult, and in 2019 at the latest, or is a
// twin of the last child.
func (w *world) child(v []string, older [][]string, adult time.Time, rng *rand.Rand) {
	born := adult.AddDate(19+rng.IntN(min(22, lastYear-adult.Year()-18)), 0, 0)
	born = born.AddDate(0, 0, rng.IntN(365)-born.YearDay()+1)
	w.adult(v, coin(rng, "F", "M"), born, rng)
	last := older[len(older)-1]
	if len(older) > 2 && rng.IntN(100) < twinOf {
		v[birth] = last[birth]
		for v[given] == last[given] {
			v[given] = w.givenName(v[sex], rng)
		}
	}
	if v[sex] == "M" && rng.IntN(100) < namesake && older[0][sex] == "M" {
		v[given] = older[0][given]
	}
}

func (w *world) givenName(s string, rng *rand.Rand) string {
	if s == "F" {
		return w.female.draw(rng)
	}
	return w.male.draw(rng)
}

// address draws where somebody lives. A city of rank r has up to 40/(r+1) + 1 postcodes,
// which begin with the same three digits.
func (w *world) address(v []string, rng *rand.Rand) {
	r := w.city.rank(rng)
	all := strings.Fields(states)
	v[city], v[state] = w.city.values[r], all[r%len(all)]
	v[postcode] = fmt.Sprintf("%03d%02d", 100+r*3%900, rng.IntN(40/(r+1)+1)*2+1)
	v[street] = w.street.draw(rng)
	v[number] = strconv.Itoa(1 + rng.IntN(10)*rng.IntN(100) + rng.IntN(100))
}

func phoneNumber(rng *rand.Rand) string {
	return fmt.Sprintf("%03d-%03d-%04d", 201+rng.IntN(99)*8, 200+rng.IntN(800), rng.IntN(10_000))
}

func coin(rng *rand.Rand, a, b string) string {
	if rng.IntN(2) == 0 {
		return a
	}
	return b
}

// other is the sex that most partners have.
func other(s string) string {
	if s == "F" {
		return "M"
	}
	return "F"
}
