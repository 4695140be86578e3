// SPDX-License-Identifier: Apache-2.0

package link

import (
	"slices"

	"hide/internal/publish/link/compare"
)

// steady are the kinds of values that seldom change in a life.
var steady = []compare.Kind{compare.Given, compare.Surname, compare.FullName, compare.BirthDate, compare.Sex}

// leastSteady is the least share of the expected m of equal values that a steady field keeps.
const leastSteady = .6

// steadied keeps m of a steady field: records that mostly have other given names and birth
// dates are no matches, whatever else they have in common. Without it EM takes families for
// matches where nobody has two records.
//
// held says that m was below half of that: the pairs that agree most are of people with different
// values.
func steadied(m [16]float64, expected float64, kind compare.Kind) (kept [16]float64, held bool) {
	least := leastSteady * expected
	if m[0] >= least || !slices.Contains(steady, kind) {
		return m, false
	}
	scale := (1 - least) / (1 - m[0])
	for l := range m[:missing] {
		m[l] *= scale
	}
	held = m[0] < least/2
	m[0] = least
	return m, held
}
