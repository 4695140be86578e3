// SPDX-License-Identifier: Apache-2.0

package table

import "hide/internal/publish/hierarchy"

// Tree is a hierarchy by the codes of a column. Level 0 are the values; on the
// last level all are one. A missing value is by itself below the last level.
type Tree struct {
	Nodes  [][]int32  // [level][code] node
	Labels [][]string // [level][node]
	Leaves [][]int32  // [level][node] how many values of the hierarchy are below, whether or not the table has them
	Total  int32      // values of the hierarchy, and the missing one when the table has it
}

// newTree looks all values of a domain up, which must be there.
func newTree(domain []string, missing bool, h *hierarchy.Hierarchy) *Tree {
	t := &Tree{Total: int32(h.Len())}
	if missing {
		t.Total++
	}
	last := h.Levels() - 1
	for level := range h.Levels() {
		leaves := map[string]int32{}
		for _, value := range h.Values() {
			path, _ := h.Path(value)
			leaves[path[level]]++
		}
		t.level(domain, missing && level < last, leaves, func(value string) string { return labelAt(h, value, level) })
	}
	t.Leaves[last][0] = t.Total
	return t
}

// labelAt is a value's label; the missing value has only the last one.
func labelAt(h *hierarchy.Hierarchy, value string, level int) string {
	if path, known := h.Path(value); known {
		return path[level]
	}
	path, _ := h.Path(h.Values()[0])
	return path[len(path)-1]
}

// level adds one level. When apart is set, the last of the domain, which is
// missing, is a node by itself.
func (t *Tree) level(domain []string, apart bool, leaves map[string]int32, label func(string) string) {
	nodes, labels, below := make([]int32, len(domain)), []string(nil), []int32(nil)
	number := map[string]int32{}
	for code, value := range domain {
		if apart && code == len(domain)-1 {
			nodes[code] = int32(len(labels))
			labels, below = append(labels, MissingText), append(below, 1)
			break
		}
		text := label(value)
		n, known := number[text]
		if !known {
			n = int32(len(labels))
			number[text] = n
			labels, below = append(labels, text), append(below, leaves[text])
		}
		nodes[code] = n
	}
	t.Nodes, t.Labels, t.Leaves = append(t.Nodes, nodes), append(t.Labels, labels), append(t.Leaves, below)
}

// Cover gives the lowest node above all of some codes, at least one.
func (t *Tree) Cover(codes []int32) (level int, node int32) {
	for level, nodes := range t.Nodes {
		if same(nodes, codes) {
			return level, nodes[codes[0]]
		}
	}
	panic("table: a tree has no single top")
}

func same(nodes, codes []int32) bool {
	for _, code := range codes[1:] {
		if nodes[code] != nodes[codes[0]] {
			return false
		}
	}
	return true
}

// Loss is the share of all values of the hierarchy that are under a code's node on
// a level, 0 where that is one.
func (t *Tree) Loss(level int, code int32) float64 {
	leaves := t.Leaves[level][t.Nodes[level][code]]
	if leaves <= 1 {
		return 0
	}
	return float64(leaves) / float64(t.Total)
}

// WithTrees is the table with a tree for every quasi-identifier, as generalizing
// whole attributes needs them: where there is none, one that keeps a value or
// suppresses it.
func (t *Table) WithTrees() *Table {
	all := &Table{Rows: t.Rows, Sample: t.Sample, Beyond: t.Beyond, absent: t.absent}
	for _, c := range t.Columns {
		if c.Role == Quasi && c.Tree == nil {
			column := *c
			column.Tree = newTree(c.Domain, c.Missing, keepOrSuppress(c.Domain[:c.present()]))
			c = &column
		}
		all.Columns = append(all.Columns, c)
	}
	return all
}

// keepOrSuppress is the hierarchy of two levels.
func keepOrSuppress(values []string) *hierarchy.Hierarchy {
	if len(values) == 0 {
		values = []string{MissingText} // nothing else is there
	}
	h, err := hierarchy.Flat(values)
	if err != nil {
		panic("table: values of a column are not different: " + err.Error())
	}
	return h
}

// GeneralizeTo gives what a class becomes when every quasi-identifier is generalized
// to a level: the first row of the class tells.
func (t *Table) GeneralizeTo(levels []int, classes Classes) Generalized {
	g := Generalized{Columns: t.With(Quasi), Cells: make([][]Cell, len(classes))}
	for i, class := range classes {
		for j, c := range g.Columns {
			code := c.Codes[class[0]]
			text := c.Tree.Labels[levels[j]][c.Tree.Nodes[levels[j]][code]]
			g.Cells[i] = append(g.Cells[i], Cell{text, c.Tree.Loss(levels[j], code)})
		}
	}
	return g
}
