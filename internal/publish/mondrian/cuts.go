// SPDX-License-Identifier: Apache-2.0

package mondrian

import (
	"cmp"
	"math"
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

// bucket is the points of a part with one value of an axis.
type bucket struct {
	code   int32
	weight int32
	place  int32 // of its extents in bounds
}

// side is one side of a cut.
type side struct {
	loss   float64 // per row
	weight int32
}

// candidate is a cut, after code.
type candidate struct {
	loss float64 // summed over the rows of both sides
	axis int
	code int32
}

// splitByLoss takes the cut with the least remaining loss; of equal ones that of the
// first attribute, and of those the lowest.
func (c *cutter) splitByLoss(p part) []part {
	var found []candidate
	best := candidate{loss: -1}
	for _, axis := range c.active {
		if c.stopped() {
			return nil
		}
		c.fill(p, axis)
		c.eachCut(p, axis, func(x candidate) {
			if len(c.tallies) > 0 {
				found = append(found, x)
			} else if best.loss < 0 || x.loss < best.loss {
				best = x
			}
		})
	}
	if len(c.tallies) == 0 && best.loss >= 0 {
		return c.cut(p, best.axis, best.code)
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.loss, b.loss) })
	for _, x := range found {
		if parts := c.cut(p, x.axis, x.code); c.allowed(parts) {
			return parts
		}
	}
	return nil
}

// stopped reports whether the context has ended.
func (c *cutter) stopped() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// fill sorts a part's points into buckets by their value of an axis, with weights
// and extents.
func (c *cutter) fill(p part, axis int) {
	d := len(c.axes)
	c.buckets = c.buckets[:0]
	c.bounds.reset(0)
	for _, point := range p.points {
		code := c.codes[int(point)*d+axis]
		b := c.slot[code]
		if b < 0 {
			b = c.open(code)
			c.bounds.open()
		}
		c.buckets[b].weight += c.weight[point]
		c.bounds.join(int(b), &c.points, int(point))
	}
	c.order()
}

// open starts the bucket of a value.
func (c *cutter) open(code int32) int32 {
	b := int32(len(c.buckets))
	c.slot[code] = b
	c.buckets = append(c.buckets, bucket{code: code, place: b})
	return b
}

// order sorts the buckets and clears the index of values.
func (c *cutter) order() {
	for _, b := range c.buckets {
		c.slot[b.code] = -1
	}
	slices.SortFunc(c.buckets, func(a, b bucket) int { return cmp.Compare(a.code, b.code) })
}

// eachCut calls fn with every cut of an axis that leaves k rows on both sides.
func (c *cutter) eachCut(p part, axis int, fn func(candidate)) {
	c.left = c.left[:0]
	c.run.reset(1)
	weight := int32(0)
	for _, b := range c.buckets[:len(c.buckets)-1] {
		weight += b.weight
		c.left = append(c.left, side{c.joinRun(b), weight})
	}
	c.run.reset(1)
	for i := len(c.buckets) - 1; i > 0; i-- {
		right := c.joinRun(c.buckets[i])
		l := c.left[i-1]
		if rest := p.size - l.weight; int(l.weight) >= c.K && int(rest) >= c.K {
			fn(candidate{c.power(l.weight)*l.loss + c.power(rest)*right, axis, c.buckets[i-1].code})
		}
	}
}

// joinRun adds a bucket to the run and returns the loss per row.
func (c *cutter) joinRun(b bucket) float64 {
	c.run.join(0, &c.bounds, int(b.place))
	loss := 0.0
	for _, axis := range c.active {
		loss += c.run.loss(0, &c.axes[axis])
	}
	return loss
}

// evenness is the exponent of a side's number of rows in the loss of a cut. With 1, only
// the loss of the next step counts. Below 1, cutting off a few outlying rows counts more,
// and all steps together have less loss.
const evenness = 0.8

// power is rows to the power of evenness.
func (c *cutter) power(rows int32) float64 {
	if int(rows) < len(c.powers) {
		return c.powers[rows]
	}
	return math.Pow(float64(rows), evenness)
}
