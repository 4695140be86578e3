// SPDX-License-Identifier: Apache-2.0

package crf

// An attribute that only one document has says nothing about the next one, yet
// training would explain that document's words by it, and learn that much less
// from what other documents share: shapes, neighbours, lists. So attributes count
// by documents, and by patients where documents say whose they are. With few
// documents there is little to choose from, and attributes count by words.

// fewGroups is how many documents or patients are few.
const fewGroups = 10

// grouped lists the documents of each patient one after another, the others each
// by itself.
func grouped(docs []sequence) [][]int {
	return groupedBy(len(docs), func(i int) string { return docs[i].group })
}

func groupedBy(n int, group func(i int) string) [][]int {
	at, groups := map[string]int{}, [][]int(nil)
	for i := range n {
		name := group(i)
		g, known := at[name]
		if name == "" || !known {
			g = len(groups)
			groups = append(groups, nil)
			at[name] = g
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// spread is in how many groups of documents each attribute is.
func (d *dataset) spread(c *collector, lines []table, groups [][]int) []int32 {
	counts, marks := make([]int32, len(c.names)), newMarks(c)
	for _, members := range groups {
		marks.next()
		for _, doc := range members {
			marks.add(lines[doc].items, func(a int32) { counts[a]++ })
		}
	}
	return counts
}

// marks tell the attributes that a group of documents has from those that it has not.
type marks struct {
	collector  *collector
	group      int32
	attributes []int32 // the last group that has each
	bundles    []int32
}

func newMarks(c *collector) *marks {
	return &marks{collector: c, attributes: make([]int32, len(c.names)), bundles: make([]int32, c.bundles.len())}
}

// next begins with another group.
func (m *marks) next() { m.group++ }

// add calls first for each attribute that the bundles give the group and that it had
// not.
func (m *marks) add(bundles []int32, first func(a int32)) {
	for _, b := range bundles {
		if m.bundles[b] == m.group {
			continue
		}
		m.bundles[b] = m.group
		for _, a := range m.collector.bundles.row(int(b)) {
			if m.attributes[a] != m.group {
				m.attributes[a] = m.group
				first(a)
			}
		}
	}
}

// byGroups reports whether attributes count by groups when there are so many of them.
func (o Options) byGroups(n int) bool {
	return o.MinDocuments >= 2 && n >= max(fewGroups, o.MinDocuments)
}

// frequent reports, by attribute, whether it is seen often enough to have weights:
// in MinCount words and, unless documents are few, in MinDocuments of them.
func (d *dataset) frequent(c *collector, lines []table, counts []int32, docs []sequence, o Options) []bool {
	keep := make([]bool, len(counts))
	for a, n := range counts {
		keep[a] = n > 0 && n >= int32(o.MinCount)
	}
	groups := grouped(docs)
	if !o.byGroups(len(groups)) {
		return keep
	}
	d.census.groups = d.spread(c, lines, groups)
	for a, n := range d.census.groups {
		keep[a] = keep[a] && n >= int32(o.MinDocuments)
	}
	return keep
}
