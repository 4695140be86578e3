// SPDX-License-Identifier: Apache-2.0

package incognito

import (
	"cmp"
	"context"
	"slices"

	"hide/internal/publish/privacy"
	"hide/internal/publish/table"
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

// Loss is the information loss of a node.
type Loss struct {
	Levels         []int   `json:"levels"`         // by quasi-identifier, 0 for values as they are
	Minimal        bool    `json:"minimal"`        // no node below it satisfies the requirements
	NCP            float64 `json:"ncp"`            // 0 to 1; suppressed rows count 1
	Discernibility float64 `json:"discernibility"` // sum of the squares of the class sizes, plus all rows for each suppressed one
	Classes        int     `json:"classes"`        // that are released
	Suppressed     int     `json:"suppressed"`     // rows
}

// MostLosses bounds the minimal nodes that are reported: those with the least information
// loss before suppression.
const MostLosses = 500

// bounded is a node with its information loss before suppression: a lower bound, since a
// suppressed row loses everything.
type bounded struct {
	n     node
	bound float64
}

// byBound puts nodes in the order of their bounds; equal ones stay in their order.
func (l *lattice) byBound(nodes []node) []bounded {
	loss := l.lossByLevel()
	all := make([]bounded, len(nodes))
	for i, n := range nodes {
		all[i] = bounded{n: n}
		for a, level := range n {
			all[i].bound += loss[a][level] / float64(len(n))
		}
	}
	slices.SortStableFunc(all, func(a, b bounded) int { return cmp.Compare(a.bound, b.bound) })
	return all
}

// best finds the node with the least information loss.
func (l *lattice) best(ctx context.Context, holding []node) (best Loss, err error) {
	for _, x := range l.byBound(holding) {
		if err := ctx.Err(); err != nil {
			return best, err
		}
		if best.Levels != nil && x.bound >= best.NCP {
			break
		}
		if at := l.lossOf(x.n); best.Levels == nil || at.NCP < best.NCP {
			best = at
		}
	}
	return best, nil
}

// losses are those of minimal nodes and of the chosen one, least NCP first.
func (l *lattice) losses(ctx context.Context, minimal [][]int, taken []int) ([]Loss, error) {
	nodes := make([]node, len(minimal))
	for i, levels := range minimal {
		nodes[i] = nodeAt(levels)
	}
	var all []Loss
	for _, x := range l.byBound(nodes)[:min(len(nodes), MostLosses)] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		one := l.lossOf(x.n)
		one.Minimal = true
		all = append(all, one)
	}
	if !slices.ContainsFunc(all, func(one Loss) bool { return slices.Equal(one.Levels, taken) }) {
		one := l.lossOf(nodeAt(taken))
		one.Minimal = slices.ContainsFunc(minimal, func(m []int) bool { return slices.Equal(m, taken) })
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(a.NCP, b.NCP), slices.Compare(a.Levels, b.Levels))
	})
	return all, nil
}

// lossByLevel is the mean loss of each attribute on each level before suppression.
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

// lossOf counts the classes of a node and measures its loss.
func (l *lattice) lossOf(n node) Loss {
	loss := Loss{Levels: n.levels(), Suppressed: l.failing(l.base, l.all(), n)}
	for class, size := range l.scratch.size {
		if !l.scratch.failed[class] {
			loss.Classes++
			loss.Discernibility += float64(size) * float64(size)
		}
	}
	loss.Discernibility += float64(loss.Suppressed) * float64(l.rows)
	for p, class := range l.scratch.class {
		if l.scratch.failed[class] {
			loss.NCP += float64(l.base.weight[p])
			continue
		}
		row := 0.0
		for a, level := range n {
			row += l.trees[a].Loss(int(level), l.base.at(p)[a])
		}
		loss.NCP += float64(l.base.weight[p]) * row / float64(len(n))
	}
	loss.NCP /= float64(l.rows)
	return loss
}

// Classes gives the classes of a table when each quasi-identifier is generalized to
// a level, in the order of their first rows, and the rows of classes that fail.
func Classes(t *table.Table, levels []int, k int, conditions []privacy.Condition) (classes table.Classes, suppressed []int32) {
	columns := t.With(table.Quasi)
	place := map[string]int{}
	var all table.Classes
	key := make([]byte, 0, 4*len(columns))
	for row := range t.Rows {
		key = key[:0]
		for i, c := range columns {
			n := c.Tree.Nodes[levels[i]][c.Codes[row]]
			key = append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
		}
		at, known := place[string(key)]
		if !known {
			at = len(all)
			place[string(key)] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], int32(row))
	}
	for _, class := range all {
		if len(class) >= k && holds(class, conditions) {
			classes = append(classes, class)
		} else {
			suppressed = append(suppressed, class...)
		}
	}
	return classes, suppressed
}

func holds(class []int32, conditions []privacy.Condition) bool {
	for _, c := range conditions {
		counts := make([]int32, len(c.Column.Domain))
		for _, row := range class {
			counts[c.Column.Codes[row]]++
		}
		if !c.Model.Holds(counts) {
			return false
		}
	}
	return true
}
