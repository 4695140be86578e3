// SPDX-License-Identifier: Apache-2.0

package mondrian

import (
	"cmp"
	"slices"

	"hide/internal/publish/table"
)

// splitBySpan tries the attributes from the widest to the narrowest normalized span;
// equal ones in their order.
func (c *cutter) splitBySpan(p part) []part {
	for _, axis := range c.widest(p) {
		if c.axes[axis].column.Tree != nil {
			if parts := c.byChildren(p, axis); parts != nil && c.allowed(parts) {
				return parts
			}
			continue
		}
		for _, code := range c.cutsOf(p, axis) {
			if parts := c.cut(p, axis, code); c.allowed(parts) {
				return parts
			}
		}
	}
	return nil
}

// widest orders the axes along which a part can be cut.
func (c *cutter) widest(p part) []int {
	if c.whole == nil {
		c.whole = make([]float64, len(c.axes))
		for i := range c.whole {
			c.whole[i] = c.spanOf(p, i) // the first part is the table
		}
	}
	spans := make(map[int]float64, len(c.active))
	for _, axis := range c.active {
		spans[axis] = c.spanOf(p, axis) / c.whole[axis]
	}
	order := slices.Clone(c.active)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(spans[b], spans[a]) })
	return order
}

// spanOf is an attribute's span in a part: its number of different values when it
// is nominal or a tree.
func (c *cutter) spanOf(p part, axis int) float64 {
	a := &c.axes[axis]
	if a.column.Kind == table.Nominal || a.column.Tree != nil {
		c.count(p, axis)
		return float64(len(c.buckets))
	}
	lo, hi := c.box.ends(0, a)
	return a.position[hi] - a.position[lo]
}

// count sorts a part's points into buckets without extents.
func (c *cutter) count(p part, axis int) {
	c.buckets = c.buckets[:0]
	for _, point := range p.points {
		code := c.at(point)[axis]
		b := c.slot[code]
		if b < 0 {
			b = c.open(code)
		}
		c.buckets[b].weight += c.weight[point]
	}
	c.order()
}

// cutsOf gives the cuts of an axis to try, each after a code.
func (c *cutter) cutsOf(p part, axis int) []int32 {
	c.count(p, axis)
	last := len(c.buckets) - 1
	switch {
	case c.Cut == LeFevre:
		return c.before(c.median(p.size))
	case c.Cut == RxAnon && c.axes[axis].column.Kind == table.Number:
		return c.before(c.belowMedian(p.size))
	case c.Cut == RxAnon:
		return c.before((last+1)/2 - 1)
	}
	return c.nearest(p)
}

// before is the cut after a bucket, or none if one side would be empty.
func (c *cutter) before(bucket int) []int32 {
	if bucket < 0 || bucket >= len(c.buckets)-1 {
		return nil
	}
	return []int32{c.buckets[bucket].code}
}

// median is the bucket that contains the middle row.
func (c *cutter) median(size int32) int {
	weight := int32(0)
	for i, b := range c.buckets {
		if weight += b.weight; weight >= size/2 {
			return i
		}
	}
	return len(c.buckets) - 1
}

// belowMedian is the last bucket of values below the median. If exactly half of the rows
// are up to a value, the median is between that value and the next.
func (c *cutter) belowMedian(size int32) int {
	weight := int32(0)
	for i, b := range c.buckets {
		weight += b.weight
		if 2*weight == size {
			return i
		}
		if 2*weight > size {
			return i - 1
		}
	}
	return len(c.buckets) - 1
}

// nearest returns the cuts with at least k rows on both sides, nearest to half of the
// rows first; of equally near ones the lower first.
func (c *cutter) nearest(p part) []int32 {
	type choice struct{ code, off int32 }
	var found []choice
	weight := int32(0)
	for _, b := range c.buckets[:len(c.buckets)-1] {
		weight += b.weight
		if int(weight) >= c.K && int(p.size-weight) >= c.K {
			found = append(found, choice{b.code, max(2*weight-p.size, p.size-2*weight)})
		}
	}
	slices.SortStableFunc(found, func(a, b choice) int { return cmp.Compare(a.off, b.off) })
	codes := make([]int32, len(found))
	for i, f := range found {
		codes[i] = f.code
	}
	return codes
}

// byChildren cuts a part into the children of the lowest node above all its
// values.
func (c *cutter) byChildren(p part, axis int) []part {
	tree := c.axes[axis].column.Tree
	lo, hi := c.box.ends(0, &c.axes[axis])
	level, _ := tree.Cover([]int32{lo, hi})
	if level == 0 {
		return nil
	}
	nodes := tree.Nodes[level-1]
	slices.SortStableFunc(p.points, func(a, b int32) int {
		return cmp.Compare(nodes[c.at(a)[axis]], nodes[c.at(b)[axis]])
	})
	var parts []part
	for i, point := range p.points {
		if i == 0 || nodes[c.at(point)[axis]] != nodes[c.at(p.points[i-1])[axis]] {
			parts = append(parts, part{points: p.points[i:i]})
		}
		last := &parts[len(parts)-1]
		last.points = last.points[:len(last.points)+1]
		last.size += c.weight[point]
	}
	return parts
}

// splitRelaxed cuts at the median of the widest attribute if allowed, and deals the rows
// with the median value so that the sides are as even as possible.
func (c *cutter) splitRelaxed(p part) []part {
	for _, axis := range c.widest(p) {
		slices.SortStableFunc(p.points, func(a, b int32) int {
			return cmp.Compare(c.at(a)[axis], c.at(b)[axis])
		})
		half, size := len(p.points)/2, int32(0) // every point is one row
		for _, point := range p.points[:half] {
			size += c.weight[point]
		}
		parts := []part{{p.points[:half], size}, {p.points[half:], p.size - size}}
		if c.allowed(parts) {
			return parts
		}
	}
	return nil
}
