// SPDX-License-Identifier: Apache-2.0

package risk

import (
	"maps"
	"math"
	"slices"
)

// Duplicates says which rows of a table may be about a person who has another row, because
// record linkage misses some pairs.
type Duplicates struct {
	Rows int    // of the table
	Near []Near // pairs of rows that are not linked, but may be one person
	// Beyond is the expected number of missed pairs that Near does not list.
	Beyond float64
}

// Near is a pair of rows with the probability that they are one person.
type Near struct {
	A, B        int
	Probability float64
}

// ClassRisk is what missed links mean for the equivalence classes of a table.
type ClassRisk struct {
	// Least is the expected number of people of the class where it is smallest.
	Least float64
	// Below is the probability that some class has fewer than k people.
	Below float64
}

// Expected is the expected number of rows too many: rows less people.
func (d Duplicates) Expected() float64 { return duplicates(d.Rows, d.Near) + d.Beyond }

// Classes is the risk of classes of rows. The number of people of a class of n rows is n less
// the rank of the graph of its true pairs. The pairs of a connected part of s rows have at most
// the rank s-1, and at most their number, so
//
//	E[people] >= n - sum over the parts of min(s-1, sum of p) - beyond * n/rows
//
// where missed pairs that nobody knows are spread evenly over the rows. A class has fewer than k
// people only if at least n-k+1 pairs are true. Their number is a sum of independent Bernoulli
// and Poisson variables. Both bounds err towards more risk.
func Classes[C ~[]I, I ~int | ~int32](d Duplicates, classes []C, k int) ClassRisk {
	of := make([]int, d.Rows) // class of each row, from 1
	for c, class := range classes {
		for _, row := range class {
			of[row] = c + 1
		}
	}
	inside := make([][]Near, len(classes))
	for _, p := range d.Near {
		if c := of[p.A]; c > 0 && c == of[p.B] {
			inside[c-1] = append(inside[c-1], p)
		}
	}
	out, none := ClassRisk{Least: math.Inf(1)}, 1.0
	for c, class := range classes {
		beyond := d.Beyond * float64(len(class)) / float64(max(1, d.Rows))
		people := max(1, float64(len(class))-duplicates(len(class), inside[c])-beyond)
		out.Least = min(out.Least, people)
		none *= 1 - atLeast(len(class)-k+1, inside[c], beyond)
	}
	out.Below = 1 - none
	return out
}

// duplicates bounds the expected rank of the pairs that are true, by connected part.
func duplicates(rows int, near []Near) (sum float64) {
	parent := map[int]int{}
	var root func(int) int
	root = func(i int) int {
		up, ok := parent[i]
		if !ok || up == i {
			return i
		}
		parent[i] = root(up)
		return parent[i]
	}
	for _, p := range near {
		parent[root(p.A)] = root(p.B)
		parent[root(p.B)] = root(p.B)
	}
	sizes, sums := map[int]int{}, map[int]float64{}
	for row := range parent {
		sizes[root(row)]++
	}
	for _, p := range near {
		sums[root(p.A)] += p.Probability
	}
	for _, r := range slices.Sorted(maps.Keys(sums)) {
		sum += min(sums[r], float64(sizes[r]-1))
	}
	return min(sum, float64(max(0, rows-1)))
}

// negligible is a probability that no figure shows.
const negligible = 1e-9

// atLeast is the probability that n of the pairs are true, or more: of a Poisson-binomial
// variable and a Poisson variable with the mean beyond.
func atLeast(n int, near []Near, beyond float64) float64 {
	if n <= 0 {
		return 1
	}
	mean := beyond
	for _, p := range near {
		mean += p.Probability
	}
	// Chernoff's bound: P(X >= n) <= exp(n - mean) (mean/n)^n for n > mean.
	if x := float64(n); mean == 0 || x > mean && x-mean+x*math.Log(mean/x) < math.Log(negligible) {
		return 0
	}
	less := make([]float64, n) // probabilities of 0 to n-1 true pairs
	less[0] = math.Exp(-beyond)
	for i := 1; i < n; i++ {
		less[i] = less[i-1] * beyond / float64(i)
	}
	for _, p := range near {
		for i := n - 1; i > 0; i-- {
			less[i] += p.Probability * (less[i-1] - less[i])
		}
		less[0] *= 1 - p.Probability
	}
	sum := 0.0
	for _, x := range less {
		sum += x
	}
	return min(1, max(0, 1-sum))
}
