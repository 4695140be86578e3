// SPDX-License-Identifier: Apache-2.0

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
