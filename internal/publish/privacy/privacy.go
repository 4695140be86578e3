// SPDX-License-Identifier: Apache-2.0

// Package privacy holds the requirements on sensitive values in a class of a published
// table: their diversity (l-diversity: distinct, entropy, recursive) and the distance of
// their distribution from that of the whole table (t-closeness).
//
// A [Model] checks one sensitive attribute of one class, as counts by code. A missing
// value is a value like any other.
//
//	m, err := privacy.New(column, table.Diversity{L: 3, Kind: "entropy"})
//	ok := m.Holds(counts)
//
// Machanavajjhala et al., l-Diversity, TKDD 2007; Li, Li, Venkatasubramanian,
// t-Closeness, ICDE 2007.
package privacy

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hide/internal/publish/table"
)

// Model is a requirement on the counts of one sensitive attribute in one class. It is
// monotone: if two classes satisfy it, so does their union.
type Model interface {
	// Holds reports whether a class with these counts satisfies the requirement. counts
	// is [code], of at least one row; it is not changed.
	Holds(counts []int32) bool
	// AfterSuppression reports whether a class that satisfies it still does after merging
	// with any other rows. Only then is the requirement monotone in the lattice with
	// suppression.
	AfterSuppression() bool
	String() string
}

// slack absorbs the rounding errors of logarithms and sums.
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

// Distance is the ground distance between two values.
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

// EMD is the earth mover's distance between the class and the table.
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
//	height(N)/H min(surplus mass of N's children, missing mass of N's children)
//
// Below a node as much as possible is balanced before anything leaves it.
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

// Condition is a model of one column.
type Condition struct {
	Column *table.Column
	Model  Model
}

// Conditions returns the configured requirements on the sensitive attributes of a table.
func Conditions(t *table.Table, c table.Config) ([]Condition, error) {
	var all []Condition
	for _, a := range c.Attributes {
		if a.Role != table.Sensitive {
			continue
		}
		column := t.Column(a.Name)
		if column == nil {
			continue
		}
		models, err := New(column, a.Diversity)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", a.Name, err)
		}
		for _, m := range models {
			all = append(all, Condition{column, m})
		}
	}
	return all, nil
}

// New returns the models of the settings, none to two. t-closeness compares with c.Codes,
// all rows of the table.
func New(c *table.Column, d table.Diversity) ([]Model, error) {
	var models []Model
	l, err := diversity(d)
	if err != nil {
		return nil, err
	}
	if l != nil {
		models = append(models, l)
	}
	if d.T == 0 {
		if d.Distance != "" {
			return nil, fmt.Errorf("a distance needs t: it belongs to t-closeness")
		}
		return models, nil
	}
	t, err := closeness(c, d)
	if err != nil {
		return nil, err
	}
	return append(models, t), nil
}

func diversity(d table.Diversity) (Model, error) {
	whole := d.L == float64(int(d.L))
	switch {
	case d.L == 0 && (d.Kind != "" || d.C != 0):
		return nil, fmt.Errorf("diversity needs l")
	case d.L == 0:
		return nil, nil
	case !(d.L >= 1) || d.L > 1e9:
		return nil, fmt.Errorf("l must be at least 1")
	case d.C != 0 && d.Kind != "recursive":
		return nil, fmt.Errorf("c is only for recursive diversity")
	case d.Kind == "entropy":
		return Entropy{d.L}, nil
	case !whole:
		return nil, fmt.Errorf("l must be a whole number, except for entropy diversity")
	case d.Kind == "distinct" || d.Kind == "":
		return Distinct{int(d.L)}, nil
	case d.Kind != "recursive":
		return nil, fmt.Errorf("unknown diversity; it is distinct, entropy or recursive")
	case !(d.C > 0):
		return nil, fmt.Errorf("recursive diversity needs a c above 0")
	}
	return Recursive{d.C, int(d.L)}, nil
}

func closeness(c *table.Column, d table.Diversity) (Model, error) {
	m := Closeness{T: d.T, Distance: Distance(d.Distance), tree: c.Tree, q: shares(c)}
	m.Distance = cmp.Or(m.Distance, defaultDistance(c))
	switch {
	case !(d.T > 0 && d.T <= 1):
		return nil, fmt.Errorf("t must be above 0 and at most 1")
	case m.Distance != Equal && m.Distance != Ordered && m.Distance != Hierarchical:
		return nil, fmt.Errorf("unknown distance; it is equal, ordered or hierarchical")
	case m.Distance == Hierarchical && c.Tree == nil:
		return nil, fmt.Errorf("the hierarchical distance needs a hierarchy")
	}
	return m, nil
}

func defaultDistance(c *table.Column) Distance {
	switch {
	case c.Tree != nil:
		return Hierarchical
	case c.Kind == table.Number || c.Kind == table.Date || c.Kind == table.Ordinal:
		return Ordered
	}
	return Equal
}

// shares is how often each value is among the rows that count, 0 to 1.
func shares(c *table.Column) []float64 {
	q, n := make([]float64, len(c.Domain)), 0.0
	for _, code := range c.Codes {
		if code != table.Unseen {
			q[code]++
			n++
		}
	}
	for i := range q {
		q[i] /= n
	}
	return q
}
