// SPDX-License-Identifier: Apache-2.0

// Package risk says how likely somebody in a table is found by her
// quasi-identifiers, from the sizes of the classes of rows that are alike in
// them. The figures are those of ARX.
//
// A prosecutor looks for a person whom she knows to be in the table: in a class
// of f rows she is right with probability 1/f. A journalist looks for anybody,
// among the F people of a population who are alike: 1/F. A marketer looks for
// everybody: what counts is the share that she gets right.
//
// Where the population is not at hand, [Estimate] tells from a sample how many of
// its people are alone, by the models that ARX has.
//
// # Caveats
//
// The figures hold for who knows the quasi-identifiers and nothing more. Estimates
// take the rows for drawn at random from the population, which the patients of a
// ward are not.
package risk

// Threshold is the risk above which a row counts as at risk unless told
// otherwise: that of a class of five.
const Threshold = 0.2

// Attacker is the risk from one attacker.
type Attacker struct {
	AtRisk  float64 `json:"at_risk"` // share of rows whose risk is above the threshold
	Highest float64 `json:"highest"` // of any row
	Success float64 `json:"success"` // share of rows that are found, in the mean
}

// Figures are the risks of a table.
type Figures struct {
	Rows       int      `json:"rows"`
	Classes    int      `json:"classes"`
	Threshold  float64  `json:"threshold"`
	Unique     float64  `json:"unique"` // share of rows that are alone in their class
	Prosecutor Attacker `json:"prosecutor"`
	// What follows compares with a population; without one it is nil.
	Journalist *Attacker `json:"journalist,omitempty"`
	Marketer   *float64  `json:"marketer,omitempty"`          // mean over rows of 1/F
	Alone      *float64  `json:"population_unique,omitempty"` // share of rows whose person is alone among all people
}

// Sample gives the figures of a table by itself: sizes are those of its classes,
// each at least 1. Without rows all figures are 0.
func Sample(sizes []int, threshold float64) Figures {
	f := Figures{Classes: len(sizes), Threshold: threshold}
	unique, atRisk := 0, 0
	for _, n := range sizes {
		f.Rows += n
		f.Prosecutor.Highest = max(f.Prosecutor.Highest, 1/float64(n))
		if n == 1 {
			unique++
		}
		if 1/float64(n) > threshold {
			atRisk += n
		}
	}
	f.Unique, f.Prosecutor.AtRisk, f.Prosecutor.Success = share(unique, f.Rows), share(atRisk, f.Rows), share(len(sizes), f.Rows)
	return f
}

// Population gives the figures of a table that is part of a population, with for
// each class the number of people alike in it: at least as many as rows.
func Population(sizes, people []int, threshold float64) Figures {
	f := Sample(sizes, threshold)
	j, marketer, atRisk, alone, all := Attacker{}, 0.0, 0, 0, 0
	for i, n := range sizes {
		r := 1 / float64(people[i])
		all += people[i]
		j.Highest = max(j.Highest, r)
		marketer += float64(n) * r
		if r > threshold {
			atRisk += n
		}
		if people[i] == 1 {
			alone += n
		}
	}
	unique := share(alone, f.Rows)
	if f.Rows > 0 {
		marketer /= float64(f.Rows)
	}
	j.AtRisk, j.Success = share(atRisk, f.Rows), max(share(len(sizes), all), marketer)
	f.Journalist, f.Marketer, f.Alone = &j, &marketer, &unique
	return f
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
