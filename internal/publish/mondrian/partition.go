// SPDX-License-Identifier: Apache-2.0

package mondrian

import (
	"context"
	"fmt"
	"math"

	"hide/internal/publish/table"
)

// Partition gives classes of rows that are as asked for. Their order, and that of
// their rows, says something about the values: shuffle before publishing. It
// returns an error that wraps [ErrImpossible] when not even all rows together are
// as asked for.
func Partition(ctx context.Context, t *table.Table, o Options) (table.Classes, error) {
	if err := o.check(t); err != nil {
		return nil, err
	}
	c := newCutter(t, o)
	c.done = ctx.Done()
	root := part{points: c.all(), size: int32(t.Rows - t.Beyond)}
	if name := c.fails(root.points); name != "" {
		return nil, fmt.Errorf("%w: not even all rows together satisfy %s", ErrImpossible, name)
	}
	var classes table.Classes
	parts := []part{root}
	for len(parts) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := parts[len(parts)-1]
		parts = parts[:len(parts)-1]
		smaller := c.split(p)
		if smaller == nil {
			classes = append(classes, c.class(p))
			continue
		}
		for i := len(smaller) - 1; i >= 0; i-- {
			parts = append(parts, smaller[i])
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err // a part may have been left whole
	}
	return classes, nil
}

// part is a set of points that may be cut further.
type part struct {
	points []int32
	size   int32 // rows that k counts
}

// cutter holds what cutting needs again and again.
type cutter struct {
	*space
	Options
	done    <-chan struct{} // closed when nobody waits any more
	tallies []tally
	box     extents   // of the part being cut, one set
	active  []int     // axes along which it has more than one value
	buckets []bucket  // by value of one axis
	slot    []int32   // [code] bucket, -1 for none
	left    []side    // [bucket] what is up to there
	bounds  extents   // [bucket]
	run     extents   // of what a cut would leave on one side, one set
	scratch []int32   // points on their way right
	powers  []float64 // [rows] see power
	whole   []float64 // [axis] span in the whole table
}

func newCutter(t *table.Table, o Options) *cutter {
	c := &cutter{space: newSpace(t, !o.Relaxed), Options: o}
	largest := 0
	for _, a := range c.axes {
		largest = max(largest, len(a.column.Domain))
	}
	c.slot = make([]int32, largest)
	for i := range c.slot {
		c.slot[i] = -1
	}
	c.powers = make([]float64, min(t.Rows+1, 1<<16))
	for i := range c.powers {
		c.powers[i] = math.Pow(float64(i), evenness)
	}
	empty := extents{w: c.points.w, v: c.points.v}
	c.box, c.bounds, c.run = empty, empty, empty
	c.tallies = newTallies(o.Conditions)
	c.scratch = make([]int32, 0, len(c.weight))
	return c
}

func (c *cutter) all() []int32 {
	points := make([]int32, len(c.weight))
	for i := range points {
		points[i] = int32(i)
	}
	return points
}

func (c *cutter) class(p part) []int32 {
	rows := make([]int32, 0, p.size)
	for _, point := range p.points {
		rows = append(rows, c.rowsOf(point)...)
	}
	return rows
}

// split cuts a part at the first of its cuts that leaves parts as asked for, nil
// when there is none.
func (c *cutter) split(p part) []part {
	if int(p.size) < 2*c.K {
		return nil
	}
	c.measure(p)
	switch {
	case c.Cut == NCP:
		return c.splitByLoss(p)
	case c.Relaxed:
		return c.splitRelaxed(p)
	}
	return c.splitBySpan(p)
}

// measure finds the extent of a part.
func (c *cutter) measure(p part) {
	c.box.reset(1)
	for _, point := range p.points {
		c.box.join(0, &c.points, int(point))
	}
	c.active = c.active[:0]
	for i := range c.axes {
		if lo, hi := c.box.ends(0, &c.axes[i]); lo < hi {
			c.active = append(c.active, i)
		}
	}
}

// cut divides the points of a part in place: those up to code first. It keeps
// their order.
func (c *cutter) cut(p part, axis int, code int32) []part {
	d := len(c.axes)
	right, kept, size := c.scratch[:0], p.points[:0], int32(0)
	for _, point := range p.points {
		if c.codes[int(point)*d+axis] <= code {
			kept = append(kept, point)
			size += c.weight[point]
		} else {
			right = append(right, point)
		}
	}
	copy(p.points[len(kept):], right)
	return []part{{kept, size}, {p.points[len(kept):], p.size - size}}
}

// allowed says whether all parts are as asked for.
func (c *cutter) allowed(parts []part) bool {
	for _, p := range parts {
		if int(p.size) < c.K || c.fails(p.points) != "" {
			return false
		}
	}
	return true
}
