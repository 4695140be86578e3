// SPDX-License-Identifier: Apache-2.0

package table

import (
	"slices"
	"strings"

	"hide/internal/publish/hierarchy"
)

// Suppressed replaces a value that is not released.
const Suppressed = "*"

// Cell is the generalized value of one attribute in one class.
type Cell struct {
	Text string  // released for each row of the class
	Loss float64 // NCP of the attribute, from 0 for an unchanged value to 1 for a suppressed one
}

// Generalize recodes the values of one class to the most specific value that covers them
// all. codes may be in any order and repeat; all values of a person count. There must be
// at least one.
//
// Loss is the normalized certainty penalty (rx-anon, section 5.3), with Min, Max and |A|
// over the whole table:
//
//	number, ordinal  (hi-lo) / (Max-Min), ordinals by rank
//	nominal          0 for one value, else |u| / |A|
//	date, code       as nominal, u being all values of the table that the recoded one covers
//	hierarchy        as nominal, u and A being values of the hierarchy
//
// Numbers, ordinals, dates and codes together with a missing value become "*".
func (c *Column) Generalize(codes []int32) Cell {
	codes = slices.Clone(codes)
	slices.Sort(codes)
	return c.GeneralizeSorted(slices.Compact(codes))
}

// GeneralizeSorted is [Column.Generalize] for codes that are sorted and
// distinct.
func (c *Column) GeneralizeSorted(codes []int32) Cell {
	lo, hi := codes[0], codes[len(codes)-1]
	switch {
	case lo == hi:
		return Cell{c.Domain[lo], 0}
	case c.Tree != nil:
		level, node := c.Tree.Cover(codes)
		return Cell{c.Tree.Labels[level][node], float64(c.Tree.Leaves[level][node]) / float64(c.Tree.Total)}
	case c.Kind == Nominal:
		return Cell{c.set(codes), float64(len(codes)) / float64(len(c.Domain))}
	case c.IsMissing(hi):
		return Cell{Suppressed, 1}
	case c.Kind == Date:
		return c.among(c.dates(lo, hi))
	case c.Kind == Code:
		return c.among(c.prefixes(lo, hi))
	default:
		return Cell{span(c.Domain[lo], c.Domain[hi]), c.Spread(lo, hi)}
	}
}

// Spread is the distance of two values as a share of the distance between the smallest
// and largest: by size or time for numbers and dates, else by rank. It is 1 between a
// missing value and another, and 0 if all values are equal.
func (c *Column) Spread(lo, hi int32) float64 {
	if lo == hi {
		return 0
	}
	if c.IsMissing(hi) {
		return 1
	}
	last := c.present() - 1
	if c.Numbers == nil {
		return float64(hi-lo) / float64(last)
	}
	return (c.Numbers[hi] - c.Numbers[lo]) / (c.Numbers[last] - c.Numbers[0])
}

func span(lo, hi string) string { return "[" + lo + "-" + hi + "]" }

var memberEscapes = strings.NewReplacer(`\`, `\\`, `,`, `\,`, `{`, `\{`, `}`, `\}`)

// set writes values with commas between; different sets are written differently.
func (c *Column) set(codes []int32) string {
	members := make([]string, len(codes))
	for i, code := range codes {
		members[i] = memberEscapes.Replace(c.Domain[code])
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// among is the text for a range of values.
func (c *Column) among(text string, least, greatest int32) Cell {
	return Cell{text, float64(greatest-least+1) / float64(len(c.Domain))}
}

// dates generalizes a range of dates, and returns the range that it covers. It drops the
// time of day, then the day, then the month, and then uses a range of years.
func (c *Column) dates(lo, hi int32) (text string, least, greatest int32) {
	first, last := dateOf(c.Numbers[lo]), dateOf(c.Numbers[hi])
	text = span(first.Format(year), last.Format(year))
	from, to := first.Format(year), last.Format(year)
	for _, form := range []string{day, month, year} {
		if first.Format(form) == last.Format(form) {
			text, from, to = first.Format(form), first.Format(form), last.Format(form)
			break
		}
	}
	least, greatest = c.covered(lo, hi, func(code int32) bool {
		at := dateOf(c.Numbers[code]).Format(clock)
		return at[:len(from)] >= from && at[:len(to)] <= to
	})
	return text, least, greatest
}

// prefixes generalizes a range of codes to their common prefix, and returns the range
// that it covers. The first and last code by bytes have the same common prefix as all.
func (c *Column) prefixes(lo, hi int32) (text string, least, greatest int32) {
	prefix := commonPrefix(c.Domain[lo], c.Domain[hi])
	if prefix == "" {
		return Suppressed, 0, int32(len(c.Domain)) - 1
	}
	least, greatest = c.covered(lo, hi, func(code int32) bool { return strings.HasPrefix(c.Domain[code], prefix) })
	return prefix + Suppressed, least, greatest
}

// covered returns the first and last of the values around lo to hi that are within;
// covered values are adjacent codes.
func (c *Column) covered(lo, hi int32, within func(int32) bool) (least, greatest int32) {
	for lo > 0 && within(lo-1) {
		lo--
	}
	for int(hi)+1 < c.present() && within(hi+1) {
		hi++
	}
	return lo, hi
}

// commonPrefix is the common prefix in whole characters.
func commonPrefix(a, b string) string {
	for i, r := range a {
		if !strings.HasPrefix(b[min(i, len(b)):], string(r)) {
			return a[:i]
		}
	}
	return a
}

// Classes are the equivalence classes: rows that are released with equal values.
type Classes [][]int32

// Generalized is a table's quasi-identifiers, class by class.
type Generalized struct {
	Columns []*Column
	Cells   [][]Cell // [class][column]
}

// Generalize recodes every class of a table: each quasi-identifier to the most specific
// value that covers its rows.
func (t *Table) Generalize(classes Classes) Generalized {
	g := Generalized{Columns: t.With(Quasi), Cells: make([][]Cell, len(classes))}
	var codes []int32
	for i, class := range classes {
		g.Cells[i] = make([]Cell, len(g.Columns))
		for j, c := range g.Columns {
			codes = codes[:0]
			for _, row := range class {
				codes = append(codes, c.Codes[row])
			}
			slices.Sort(codes)
			codes = slices.Compact(codes)
			g.Cells[i][j] = c.GeneralizeSorted(codes)
		}
	}
	return g
}

// NCP is the normalized certainty penalty of a generalized table: the mean over
// rows of the mean over quasi-identifiers, 0 to 1 (rx-anon, section 5.3).
func (g Generalized) NCP(classes Classes) float64 {
	sum, rows := 0.0, 0
	for i, class := range classes {
		row := 0.0
		for _, cell := range g.Cells[i] {
			row += cell.Loss
		}
		sum += row * float64(len(class))
		rows += len(class)
	}
	if rows == 0 || len(g.Columns) == 0 {
		return 0
	}
	return sum / float64(rows) / float64(len(g.Columns))
}

// Tree is a hierarchy by the codes of a column. Level 0 are the values; the last level
// has one node. A missing value is a node of its own below the last level.
type Tree struct {
	Nodes  [][]int32  // [level][code] node
	Labels [][]string // [level][node]
	Leaves [][]int32  // [level][node] number of the hierarchy's values below it, in the table or not
	Total  int32      // values of the hierarchy, and the missing one when the table has it
}

// newTree looks up all values of a domain, which must exist.
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

// level adds one level. If apart is set, the last value of the domain, which is missing,
// is a node of its own.
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

// Cover returns the lowest common node of at least one code.
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

// Loss is the share of all values of the hierarchy that are under a code's node on a
// level, 0 if it is only one.
func (t *Tree) Loss(level int, code int32) float64 {
	leaves := t.Leaves[level][t.Nodes[level][code]]
	if leaves <= 1 {
		return 0
	}
	return float64(leaves) / float64(t.Total)
}

// WithTrees is the table with a tree for every quasi-identifier, as full-domain
// generalization needs. An attribute without a hierarchy gets one that keeps or
// suppresses values.
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
		values = []string{MissingText} // there is no other value
	}
	h, err := hierarchy.Flat(values)
	if err != nil {
		panic("table: values of a column are not different: " + err.Error())
	}
	return h
}

// GeneralizeTo returns the generalized values of a class on these levels, from the first
// row of the class.
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
