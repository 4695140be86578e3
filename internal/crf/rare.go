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
func grouped(docs []Doc) [][]int {
	at, groups := map[string]int{}, [][]int(nil)
	for i, d := range docs {
		g, known := at[d.Group]
		if d.Group == "" || !known {
			g = len(groups)
			groups = append(groups, nil)
			at[d.Group] = g
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// spread is in how many groups of documents each attribute is.
func (d *dataset) spread(c *collector, lines []table, groups [][]int) []int32 {
	counts, last, seen := make([]int32, len(c.names)), make([]int32, len(c.names)), make([]int32, c.bundles.len())
	for g, members := range groups {
		mark := int32(g + 1)
		for _, b := range bundlesIn(lines, members, seen, mark) {
			for _, a := range c.bundles.row(int(b)) {
				if last[a] != mark {
					last[a] = mark
					counts[a]++
				}
			}
		}
	}
	return counts
}

// bundlesIn lists each bundle of some documents once. seen has mark for those.
func bundlesIn(lines []table, docs []int, seen []int32, mark int32) []int32 {
	var found []int32
	for _, doc := range docs {
		for _, b := range lines[doc].items {
			if seen[b] != mark {
				seen[b] = mark
				found = append(found, b)
			}
		}
	}
	return found
}

// byGroups reports whether attributes count by groups when there are so many of them.
func (o Options) byGroups(n int) bool {
	return o.MinDocuments >= 2 && n >= max(fewGroups, o.MinDocuments)
}

// frequent reports, by attribute, whether it is seen often enough to have weights:
// in MinCount words and, unless documents are few, in MinDocuments of them.
func (d *dataset) frequent(c *collector, lines []table, counts []int32, docs []Doc, o Options) []bool {
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
