// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"hide/internal/publish/hierarchy"
	"hide/internal/publish/table"
)

// treeNode is a node of a hierarchy as rx-anon's configurations write it. Of a
// number, the name is a range of whole numbers: "1-20".
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

// path is the nodes from the root to the lowest that holds a value; nil when the
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

// misfit is the value, by its place among those of a column, that a hierarchy cannot
// have.
type misfit struct {
	at int
	*table.ValueError
}

func (m *misfit) Unwrap() error { return m.ValueError }

// hierarchy makes the rows that [hierarchy.New] takes, for the values that a
// column has. Branches that are shorter than others repeat their lowest label. A
// value that does not fit is a [*misfit].
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
