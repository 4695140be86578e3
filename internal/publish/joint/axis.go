// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hide/internal/publish/hierarchy"
	"hide/internal/publish/table"
)

// axis is one quasi-identifier as Mondrian cuts it, relational or a type of terms.
type axis struct {
	name    string
	textual bool
	bias    float64
	metric  bool      // distances between keys mean something: numbers and dates
	dates   bool      // of metric ones
	keys    []float64 // [person]; missing for one who has no value
	text    int       // of a textual one: index of View.types
}

// missing orders persons without a value after all others.
var missing = math.Inf(1)

// axes returns the quasi-identifiers that lambda admits, in the order that breaks ties
// (rx-anon's k_anonymity.py): with lambda 0 only textual ones, with 1 only relational
// ones, from 0.5 relational ones first. Textual ones are sorted by their number of terms.
func (v *View) axes(lambda float64) []axis {
	relational, textual := v.relationalAxes(), v.textualAxes()
	switch {
	case lambda == 0:
		return textual
	case lambda == 1:
		return relational
	case lambda >= 0.5:
		return append(relational, textual...)
	}
	return append(textual, relational...)
}

func (v *View) relationalAxes() []axis {
	var all []axis
	quasi := v.Config.with(table.Quasi)
	for i, c := range v.columns {
		a := axis{name: c.Name, bias: v.Config.Attributes[quasi[i]].Bias, metric: c.Numbers != nil, dates: c.Kind == table.Date, keys: make([]float64, len(v.people))}
		for who, codes := range v.cells[i] {
			a.keys[who] = keyOf(c, codes)
		}
		all = append(all, a)
	}
	return all
}

// keyOf is the position of a person's set of values on a column: their mean or, if a mean
// is meaningless, the first value.
func keyOf(c *table.Column, codes []int32) float64 {
	if c.IsMissing(codes[len(codes)-1]) {
		codes = codes[:len(codes)-1]
	}
	if len(codes) == 0 {
		return missing
	}
	if c.Numbers == nil {
		return float64(codes[0])
	}
	sum := 0.0
	for _, code := range codes {
		sum += c.Numbers[code]
	}
	return sum / float64(len(codes))
}

func (v *View) textualAxes() []axis {
	order := make([]int, len(v.types))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if d := v.types[a].size() - v.types[b].size(); d != 0 {
			return d
		}
		return strings.Compare(v.typeName(a), v.typeName(b))
	})
	all := make([]axis, len(order))
	for i, t := range order {
		all[i] = axis{name: v.typeName(t), textual: true, text: t, keys: v.modalTerms(t)}
	}
	return all
}

func (t termType) size() int { return int(t.to - t.from) }

// typeName is a text attribute and a type as rx-anon's program writes them: text_PERSON.
func (v *View) typeName(t int) string {
	return v.Config.TextAttributes()[v.types[t].text] + "_" + string(v.types[t].label)
}

// modalTerms returns each person's most frequent term of a type; of equals the first in
// the order of terms.
func (v *View) modalTerms(t int) []float64 {
	keys, count := make([]float64, len(v.people)), map[int32]int{}
	for i, p := range v.people {
		clear(count)
		keys[i] = missing
		most := 0
		for _, row := range p.rows {
			for _, m := range v.mentions[row][v.types[t].text] {
				if m.kind == plain && v.types[t].from <= m.term && m.term < v.types[t].to {
					count[m.term]++
				}
			}
		}
		for _, term := range p.terms {
			if n := count[term]; n > most {
				most, keys[i] = n, float64(term)
			}
		}
	}
	return keys
}

// span is the extent of a partition on an axis: largest minus smallest key of a metric
// axis, else the number of different keys. Missing counts as one more key; next to other
// values it makes the span of a metric axis full.
func (a axis) span(people []int, full float64) float64 {
	if !a.metric {
		seen := map[float64]bool{}
		for _, p := range people {
			seen[a.keys[p]] = true
		}
		return float64(len(seen))
	}
	lo, hi, gaps := missing, -missing, 0
	for _, p := range people {
		if a.keys[p] == missing {
			gaps++
			continue
		}
		lo, hi = min(lo, a.keys[p]), max(hi, a.keys[p])
	}
	switch {
	case gaps == len(people):
		return 0
	case gaps > 0:
		return max(full, hi-lo, 1)
	}
	return hi - lo
}

// treeNode is a node of a hierarchy in rx-anon's configuration format. For numbers, the
// name is a range of integers: "1-20".
type treeNode struct {
	Name     string      `yaml:"name"`
	Children []*treeNode `yaml:"children"`
	lo, hi   float64     // of a number
}

func (n *treeNode) check(number bool, depth int, nodes *int) error {
	if *nodes++; depth > maxTreeDepth || *nodes > maxTreeNodes {
		return fmt.Errorf("the hierarchy has more than %d levels or %d nodes", maxTreeDepth, maxTreeNodes)
	}
	if n.Name == "" {
		return errors.New("a node of the hierarchy has no name")
	}
	if number {
		if err := n.bounds(); err != nil {
			return err
		}
	}
	for _, child := range n.Children {
		if child == nil {
			return errors.New("a node of the hierarchy is empty")
		}
		if err := child.check(number, depth+1, nodes); err != nil {
			return err
		}
		if number && (child.lo < n.lo || child.hi > n.hi) {
			return errors.New("a node of the hierarchy is not within the one above it")
		}
	}
	return nil
}

func (n *treeNode) bounds() error {
	lo, hi, cut := strings.Cut(n.Name, "-")
	var err1, err2 error
	if n.lo, err1 = strconv.ParseFloat(lo, 64); !cut {
		hi = lo
	}
	n.hi, err2 = strconv.ParseFloat(hi, 64)
	if err1 != nil || err2 != nil || !(n.lo <= n.hi) {
		return errors.New("a node of a number's hierarchy is not a range such as 1-20")
	}
	return nil
}

// path returns the nodes from the root to the lowest that contains a value, or nil if the
// root does not.
func (n *treeNode) path(value string, number float64, isNumber bool) []*treeNode {
	holds := n.Name == value && len(n.Children) == 0
	if isNumber {
		holds = n.lo <= number && number <= n.hi
		if !holds {
			return nil
		}
	}
	for _, child := range n.Children {
		if below := child.path(value, number, isNumber); below != nil {
			return append([]*treeNode{n}, below...)
		}
	}
	if holds {
		return []*treeNode{n}
	}
	return nil
}

// misfit is the index of a column value that a hierarchy cannot contain.
type misfit struct {
	at int
	*table.ValueError
}

func (m *misfit) Unwrap() error { return m.ValueError }

// hierarchy makes the rows for [hierarchy.New] from a column's values. Shorter branches
// repeat their lowest label. A value that does not fit is a [*misfit].
func (a Attribute) hierarchy(values []string) (*hierarchy.Hierarchy, error) {
	paths, deepest := make([][]*treeNode, len(values)), 0
	for i, value := range values {
		number, err := strconv.ParseFloat(value, 64)
		if a.Kind == table.Number && err != nil {
			return nil, &misfit{i, &table.ValueError{Column: a.Name, Reason: "a value is not a number"}}
		}
		if paths[i] = a.tree.path(value, number, a.Kind == table.Number); paths[i] == nil {
			return nil, &misfit{i, &table.ValueError{Column: a.Name, Reason: "a value is missing from the hierarchy"}}
		}
		deepest = max(deepest, len(paths[i]))
	}
	rows := make([][]string, len(values))
	for i, path := range paths {
		row := []string{values[i]}
		for level := deepest - 1; level >= 0; level-- {
			row = append(row, path[min(level, len(path)-1)].Name)
		}
		rows[i] = row
	}
	return hierarchy.New(rows)
}
