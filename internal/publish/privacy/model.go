// SPDX-License-Identifier: Apache-2.0

package privacy

import (
	"fmt"
	"math"
	"slices"

	"hide/internal/publish/table"
)

// Model is a condition on the counts of one sensitive attribute in one class. It is
// monotone: where two classes hold, so does their union.
type Model interface {
	// Holds says whether a class with these counts is as it must be. counts is
	// [code], of at least one row; it is not changed.
	Holds(counts []int32) bool
	// AfterSuppression says whether a class that holds does so whatever is merged
	// with it. Only then does suppression keep the order of a lattice.
	AfterSuppression() bool
	String() string
}

// slack absorbs the rounding of logarithms and sums.
const slack = 1e-9

// Distinct l-diversity: at least L different values.
type Distinct struct{ L int }

func (m Distinct) Holds(counts []int32) bool {
	different := 0
	for _, n := range counts {
		if n > 0 {
			different++
		}
	}
	return different >= m.L
}
func (Distinct) AfterSuppression() bool { return true }
func (m Distinct) String() string       { return fmt.Sprintf("distinct %d-diversity", m.L) }

// Entropy l-diversity: exp(H) >= L, with H = -sum p ln p.
type Entropy struct{ L float64 }

func (m Entropy) Holds(counts []int32) bool {
	n, sum := 0.0, 0.0
	for _, c := range counts {
		if c > 0 {
			n += float64(c)
			sum += float64(c) * math.Log(float64(c))
		}
	}
	return math.Exp(math.Log(n)-sum/n) >= m.L-slack
}
func (Entropy) AfterSuppression() bool { return false }
func (m Entropy) String() string       { return fmt.Sprintf("entropy %g-diversity", m.L) }

// Recursive (c, l)-diversity: with counts r_1 >= r_2 >= ... >= r_m,
// r_1 < C (r_L + ... + r_m).
type Recursive struct {
	C float64
	L int
}

func (m Recursive) Holds(counts []int32) bool {
	sorted := slices.Clone(counts)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	tail := 0.0
	for i := m.L - 1; i < len(sorted); i++ {
		tail += float64(sorted[i])
	}
	return float64(sorted[0]) < m.C*tail
}
func (Recursive) AfterSuppression() bool { return false }
func (m Recursive) String() string {
	return fmt.Sprintf("recursive (%g, %d)-diversity", m.C, m.L)
}

// Closeness is t-closeness: the earth mover's distance between the distribution
// of a class and that of the table is at most T.
type Closeness struct {
	T        float64
	Distance Distance
	q        []float64 // [code] share in the table
	tree     *table.Tree
}

// Distance says how far mass has to be moved between two values.
type Distance string

const (
	Equal        Distance = "equal"        // 1 between any two
	Ordered      Distance = "ordered"      // by rank, 1 between the first and the last
	Hierarchical Distance = "hierarchical" // by the level on which two values become one
)

func (m Closeness) Holds(counts []int32) bool { return m.EMD(counts) <= m.T+slack }
func (Closeness) AfterSuppression() bool      { return false }
func (m Closeness) String() string {
	return fmt.Sprintf("%g-closeness, distance %s", m.T, m.Distance)
}

// EMD is the distance of a class from the table.
func (m Closeness) EMD(counts []int32) float64 {
	n := 0.0
	for _, c := range counts {
		n += float64(c)
	}
	extra := make([]float64, len(counts)) // p - q
	for i, c := range counts {
		extra[i] = float64(c)/n - m.q[i]
	}
	switch m.Distance {
	case Ordered:
		return ordered(extra)
	case Hierarchical:
		return hierarchical(extra, m.tree)
	}
	sum := 0.0
	for _, e := range extra {
		sum += math.Abs(e)
	}
	return sum / 2
}

// ordered is 1/(m-1) sum_i |sum_{j<=i} (p_j - q_j)|.
func ordered(extra []float64) float64 {
	if len(extra) < 2 {
		return 0
	}
	sum, moved := 0.0, 0.0
	for _, e := range extra {
		moved += e
		sum += math.Abs(moved)
	}
	return sum / float64(len(extra)-1)
}

// hierarchical sums over the inner nodes N of the tree
//
//	height(N)/H min(mass that children of N have too much, mass that they lack)
//
// Below a node as much as possible is evened out before anything leaves it.
func hierarchical(extra []float64, tree *table.Tree) float64 {
	sum, height := 0.0, len(tree.Nodes)-1
	below, child := extra, tree.Nodes[0]
	for level := 1; level <= height; level++ {
		nodes := tree.Nodes[level]
		size := len(tree.Labels[level])
		over, under := make([]float64, size), make([]float64, size)
		done := make([]bool, len(below))
		for code, parent := range nodes {
			if c := child[code]; !done[c] {
				done[c] = true
				over[parent] += max(0, below[c])
				under[parent] += max(0, -below[c])
			}
		}
		next := make([]float64, size)
		for node := range next {
			sum += float64(level) / float64(height) * min(over[node], under[node])
			next[node] = over[node] - under[node]
		}
		below, child = next, nodes
	}
	return sum
}
