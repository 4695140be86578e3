// SPDX-License-Identifier: Apache-2.0

package incognito

import (
	"context"
	"slices"
)

// node is the level of each attribute of a set.
type node []byte

// byHeight lists all nodes over some attributes, those with the least sum of
// levels first.
func (l *lattice) byHeight(members []int) []node {
	all := []node{{}}
	for _, attribute := range members {
		var next []node
		for _, n := range all {
			for level := range l.trees[attribute].Nodes {
				next = append(next, append(slices.Clone(n), byte(level)))
			}
		}
		all = next
	}
	slices.SortStableFunc(all, func(a, b node) int { return a.height() - b.height() })
	return all
}

func (n node) height() int {
	sum := 0
	for _, level := range n {
		sum += int(level)
	}
	return sum
}

func nodeAt(levels []int) node {
	n := make(node, len(levels))
	for i, level := range levels {
		n[i] = byte(level)
	}
	return n
}

func (n node) levels() []int {
	levels := make([]int, len(n))
	for i, level := range n {
		levels[i] = int(level)
	}
	return levels
}

// minimal gives the nodes without a satisfying node below them. When generalizing can
// break a requirement, a node may satisfy it whose direct specializations do not, while
// others further below do.
func (l *lattice) minimal(ctx context.Context, holding []node) ([][]int, error) {
	var minimal [][]int
	for i, n := range holding { // lower ones first
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		levels := n.levels()
		if !slices.ContainsFunc(minimal, func(m []int) bool { return below(m, levels) }) {
			minimal = append(minimal, levels)
		}
	}
	slices.SortFunc(minimal, slices.Compare)
	return minimal, nil
}

// below says whether a is nowhere more general than b.
func below(a, b []int) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}
