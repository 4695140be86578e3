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

import (
	"fmt"
	"maps"
	"slices"
)

// Estimator estimates from a sample how many of a population are alone.
type Estimator string

// The estimators. Names are stored: do not change them.
const (
	Zayatz Estimator = "zayatz" // Zayatz 1991
	Pitman Estimator = "pitman" // Hoshino 2001
	SNB    Estimator = "snb"    // shifted negative binomial, Chen and Keller-McNulty 1998
)

// Uniqueness is what a sample tells of a population: the share of its people who
// are alone in their class there. A model that does not fit the sample has nil.
type Uniqueness struct {
	People int      `json:"people"` // of the population
	Zayatz *float64 `json:"zayatz"`
	Pitman *float64 `json:"pitman"`
	SNB    *float64 `json:"snb"`
	// Unique is that of the model which Dankar et al. (2012) advise for the share
	// of the population that is in the sample.
	Unique  float64   `json:"unique"`
	Advised Estimator `json:"advised"`
}

// few is the share of a population up to which Pitman's model is advised.
const few = 0.1

// Estimate takes the sizes of a sample's classes and the number of people that it
// was drawn from at random. It fails when there are fewer people than rows.
func Estimate(sizes []int, people int) (Uniqueness, error) {
	h := histogram(sizes)
	u := Uniqueness{People: people, Advised: Zayatz}
	if people < h.rows {
		return u, fmt.Errorf("the population has %d people and the table %d rows: the population must be larger", people, h.rows)
	}
	if h.count(1) == 0 { // nobody is alone here: no model expects it there
		nobody := 0.0
		u.Zayatz, u.Pitman, u.SNB = &nobody, &nobody, &nobody
		return u, nil
	}
	n := float64(people)
	of := func(alone float64, fits bool) *float64 {
		if alone /= n; !fits || !(alone >= 0 && alone <= 1) {
			return nil
		}
		return &alone
	}
	zayatz := h.zayatz(people)
	u.Zayatz, u.Pitman, u.SNB = of(zayatz, true), of(h.pitman(people)), of(h.snb(people))
	u.Unique = zayatz / n
	switch few := float64(h.rows) <= few*n; {
	case few && u.Pitman != nil:
		u.Unique, u.Advised = *u.Pitman, Pitman
	case !few && u.SNB != nil && *u.SNB <= u.Unique:
		u.Unique, u.Advised = *u.SNB, SNB
	}
	return u, nil
}

// sample is how many classes there are of each size.
type sample struct {
	rows, classes int
	sizes, counts []int // by size, ascending
}

func histogram(sizes []int) sample {
	h, counts := sample{classes: len(sizes)}, map[int]int{}
	for _, size := range sizes {
		h.rows += size
		counts[size]++
	}
	h.sizes = slices.Sorted(maps.Keys(counts))
	for _, size := range h.sizes {
		h.counts = append(h.counts, counts[size])
	}
	return h
}

func (h sample) count(size int) float64 {
	if i, there := slices.BinarySearch(h.sizes, size); there {
		return float64(h.counts[i])
	}
	return 0
}

// zayatz takes the sizes s_i of the sample's classes for those of the population.
// A class of i people has one of them in the sample with the probability P(1|i) of
// the hypergeometric distribution, so that of those who are alone in the sample
//
//	s_1 P(1|1) / sum_i s_i P(1|i)
//
// are alone in the population, and there are N/n times as many.
func (h sample) zayatz(people int) float64 {
	n, rows := float64(people), float64(h.rows)
	sum := 0.0
	for k, size := range h.sizes {
		sum += float64(h.counts[k]) * onceOf(size, rows, n)
	}
	alone := h.count(1)
	return alone * (alone * rows / n / sum) * n / rows
}

// onceOf is the probability that of a class of i people exactly one is among rows
// drawn from people: i C(N-i, n-1) / C(N, n).
func onceOf(i int, rows, people float64) float64 {
	p := float64(i) * rows / people
	for j := range i - 1 {
		p *= max(0, people-rows-float64(j)) / (people - 1 - float64(j))
		if p < 1e-300 {
			return 0
		}
	}
	return p
}

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
