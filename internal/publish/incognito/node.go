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

func (n node) levels() []int {
	levels := make([]int, len(n))
	for i, level := range n {
		levels[i] = int(level)
	}
	return levels
}

// minimal gives the nodes below which none holds. When generalizing can break what
// holds, a node may hold whose direct specializations do not and others below do.
func (l *lattice) minimal(holding []node) [][]int {
	var minimal [][]int
	for _, n := range holding { // lower ones first
		levels := n.levels()
		if !slices.ContainsFunc(minimal, func(m []int) bool { return below(m, levels) }) {
			minimal = append(minimal, levels)
		}
	}
	slices.SortFunc(minimal, slices.Compare)
	return minimal
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

// best finds the node that loses least. What a node loses without leaving rows out
// is a bound from below, since a row that is left out loses all.
func (l *lattice) best(ctx context.Context, holding []node) (best []int, ncp float64, err error) {
	loss := l.lossByLevel()
	type bounded struct {
		n     node
		bound float64
	}
	all := make([]bounded, len(holding))
	for i, n := range holding {
		all[i] = bounded{n: n}
		for a, level := range n {
			all[i].bound += loss[a][level] / float64(len(n))
		}
	}
	slices.SortStableFunc(all, func(a, b bounded) int {
		switch {
		case a.bound < b.bound:
			return -1
		case a.bound > b.bound:
			return 1
		}
		return 0
	})
	for _, x := range all {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		if best != nil && x.bound >= ncp {
			break
		}
		if at := l.lossOf(x.n); best == nil || at < ncp {
			best, ncp = x.n.levels(), at
		}
	}
	return best, ncp, nil
}

// lossByLevel is the mean loss of each attribute on each level when no row is left
// out.
func (l *lattice) lossByLevel() [][]float64 {
	loss := make([][]float64, len(l.trees))
	for a, tree := range l.trees {
		for level := range tree.Nodes {
			sum := 0.0
			for p := range l.base.weight {
				sum += float64(l.base.weight[p]) * tree.Loss(level, l.base.at(p)[a])
			}
			loss[a] = append(loss[a], sum/float64(l.rows))
		}
	}
	return loss
}

// lossOf is the NCP of a node; rows left out lose all.
func (l *lattice) lossOf(n node) float64 {
	members := make([]int, len(n))
	for i := range members {
		members[i] = i
	}
	l.failing(l.base, members, n)
	sum := 0.0
	for p, class := range l.scratch.class {
		if l.scratch.failed[class] {
			sum += float64(l.base.weight[p])
			continue
		}
		row := 0.0
		for a, level := range n {
			row += l.trees[a].Loss(int(level), l.base.at(p)[a])
		}
		sum += float64(l.base.weight[p]) * row / float64(len(n))
	}
	return sum / float64(l.rows)
}
