// SPDX-License-Identifier: Apache-2.0

package mondrian

import (
	"cmp"
	"math"
	"slices"
)

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
