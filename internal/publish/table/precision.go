// SPDX-License-Identifier: Apache-2.0

package table

import (
	"math/rand/v2"
	"slices"
)

// Precision is how well count queries do on a released table (dissertation, 5.1.2
// and Figure 5.1): of the rows that may be meant by a query such as age > n, the
// share that is meant, as the mean over queries. Nothing that is meant is missed.
type Precision struct {
	Attribute string  `json:"attribute"`
	Released  float64 `json:"released"`
	Without   float64 `json:"without"` // when the attribute is left out and each query returns all
}

// QueryPrecision asks so many queries v > n and v < n with n drawn between the
// least and the greatest value of the table, of each quasi-identifier that has
// numbers. Rows of one class are taken to say no more than the range of its
// values. Equal seeds give equal figures.
func (t *Table) QueryPrecision(classes Classes, queries int, seed uint64) []Precision {
	all := []Precision{}
	for _, c := range t.With(Quasi) {
		if c.Numbers != nil && c.present() > 1 {
			rng := rand.New(rand.NewPCG(seed, uint64(len(all))))
			all = append(all, c.precision(classes, queries, rng))
		}
	}
	return all
}

// bounds are what is known of the rows of a release, sorted.
type bounds struct {
	values, lows, highs []float64
}

func (c *Column) bounds(classes Classes) bounds {
	var b bounds
	first, last := c.Numbers[0], c.Numbers[c.present()-1]
	for _, class := range classes {
		lo, hi := c.Codes[class[0]], c.Codes[class[0]]
		for _, row := range class {
			lo, hi = min(lo, c.Codes[row]), max(hi, c.Codes[row])
			if !c.IsMissing(c.Codes[row]) {
				b.values = append(b.values, c.Numbers[c.Codes[row]])
			}
		}
		from, to := c.Numbers[lo], c.Numbers[hi]
		if c.IsMissing(lo) {
			continue // nobody asks for these
		}
		if c.IsMissing(hi) {
			from, to = first, last
		}
		for range class {
			b.lows, b.highs = append(b.lows, from), append(b.highs, to)
		}
	}
	slices.Sort(b.values)
	slices.Sort(b.lows)
	slices.Sort(b.highs)
	return b
}

func (c *Column) precision(classes Classes, queries int, rng *rand.Rand) Precision {
	b := c.bounds(classes)
	released, without, asked := 0.0, 0.0, 0
	for range queries {
		n := c.Numbers[rng.IntN(c.present())]
		meant, returned := above(b.values, n), above(b.highs, n)
		if rng.IntN(2) == 0 {
			meant, returned = below(b.values, n), below(b.lows, n)
		}
		if returned == 0 {
			continue
		}
		asked++
		released += float64(meant) / float64(returned)
		without += float64(meant) / float64(len(b.lows))
	}
	if asked == 0 {
		return Precision{c.Name, 1, 1}
	}
	return Precision{c.Name, released / float64(asked), without / float64(asked)}
}

// above counts values greater than n, of sorted ones.
func above(sorted []float64, n float64) int {
	at, _ := slices.BinarySearchFunc(sorted, n, func(v, n float64) int {
		if v <= n {
			return -1
		}
		return 1
	})
	return len(sorted) - at
}

// below counts values less than n, of sorted ones.
func below(sorted []float64, n float64) int {
	at, _ := slices.BinarySearch(sorted, n)
	return at
}
