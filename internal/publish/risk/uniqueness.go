// SPDX-License-Identifier: Apache-2.0

// Package risk computes the re-identification risk of a table from the sizes of its
// equivalence classes. The figures are those of ARX.
//
// A prosecutor looks for a person whom she knows to be in the table: in a class of f rows
// she is right with probability 1/f. A journalist looks for anybody: 1/F in a class of F
// people of the population. A marketer looks for everybody: the figure is the share that
// she gets right.
//
// If the population is not available, [Estimate] estimates from a sample how many of its
// people are unique, with the models of ARX.
//
// # Caveats
//
// The figures hold for an attacker who knows the quasi-identifiers and nothing more.
// Estimates assume that the rows are a random sample of the population; the patients of a
// ward are not.
package risk

import (
	"fmt"
	"maps"
	"slices"
)

// Estimator estimates from a sample how many people of a population are unique.
type Estimator string

// The estimators. Names are stored: do not change them.
const (
	Zayatz Estimator = "zayatz" // Zayatz 1991
	Pitman Estimator = "pitman" // Hoshino 2001
	SNB    Estimator = "snb"    // shifted negative binomial, Chen and Keller-McNulty 1998
)

// Uniqueness is the estimated share of a population's people who are unique there. A
// model that does not fit the sample has nil.
type Uniqueness struct {
	People int      `json:"people"` // of the population
	Zayatz *float64 `json:"zayatz"`
	Pitman *float64 `json:"pitman"`
	SNB    *float64 `json:"snb"`
	// Unique is the estimate of the model that Dankar et al. (2012) recommend for this
	// sampling fraction.
	Unique  float64   `json:"unique"`
	Advised Estimator `json:"advised"`
}

// few is the sampling fraction up to which Pitman's model is recommended.
const few = 0.1

// Estimate takes the sizes of a sample's classes and the number of people in the
// population that it was randomly drawn from. It fails if there are fewer people than
// rows.
func Estimate(sizes []int, people int) (Uniqueness, error) {
	h := histogram(sizes)
	u := Uniqueness{People: people, Advised: Zayatz}
	if people < h.rows {
		return u, fmt.Errorf("the population has %d people and the table %d rows: the population must be larger", people, h.rows)
	}
	if h.count(1) == 0 { // no unique rows: no model expects unique people
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

// sample counts the classes of each size.
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

// zayatz uses the sizes s_i of the sample's classes as those of the population. A class
// of i people has exactly one of them in the sample with the hypergeometric probability
// P(1|i), so of the unique rows of the sample the share
//
//	s_1 P(1|1) / sum_i s_i P(1|i)
//
// is unique in the population, scaled by N/n.
func (h sample) zayatz(people int) float64 {
	n, rows := float64(people), float64(h.rows)
	sum := 0.0
	for k, size := range h.sizes {
		sum += float64(h.counts[k]) * onceOf(size, rows, n)
	}
	alone := h.count(1)
	return alone * (alone * rows / n / sum) * n / rows
}

// onceOf is the probability that exactly one of i people is in the sample: i C(N-i, n-1)
// / C(N, n).
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

// Threshold is the default risk above which a row counts as at risk: that of a class of
// five.
const Threshold = 0.2

// Attacker is the risk from one kind of attacker.
type Attacker struct {
	AtRisk  float64 `json:"at_risk"` // share of rows whose risk is above the threshold
	Highest float64 `json:"highest"` // highest risk of a row
	Success float64 `json:"success"` // mean share of rows that are re-identified
}

// Figures are the risks of a table.
type Figures struct {
	Rows       int      `json:"rows"`
	Classes    int      `json:"classes"`
	Threshold  float64  `json:"threshold"`
	Unique     float64  `json:"unique"` // share of unique rows
	Prosecutor Attacker `json:"prosecutor"`
	// The following compare with a population; they are nil without one.
	Journalist *Attacker `json:"journalist,omitempty"`
	Marketer   *float64  `json:"marketer,omitempty"`          // mean over rows of 1/F
	Alone      *float64  `json:"population_unique,omitempty"` // share of rows whose person is unique in the population
}

// Sample returns the figures of a table alone: sizes are those of its classes, each at
// least 1. Without rows all figures are 0.
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

// Population returns the figures of a table that is part of a population. people has, for
// each class, the number of matching people: at least the number of rows.
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
