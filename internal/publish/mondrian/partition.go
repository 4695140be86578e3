// SPDX-License-Identifier: Apache-2.0

// Package mondrian partitions a table into classes by Mondrian multidimensional
// recoding (LeFevre, DeWitt, Ramakrishnan, ICDE 2006; HIDE dissertation,
// Algorithm 1): it cuts the rows in two along one quasi-identifier, again and
// again, as long as both parts keep at least k rows and are diverse enough.
//
//	classes, err := mondrian.Partition(ctx, t, mondrian.Options{K: 5})
//
// [NCP], the default cut, tries every cut of every attribute and takes the one
// after which the two parts have the least information loss. [Nearest] takes the attribute with the
// widest normalized span and of its allowable cuts the one nearest to the middle.
// [LeFevre] and [RxAnon] cut where those publications do and only there, to
// compare with.
//
// Strict partitioning, the default, puts rows that are alike into one class.
// [Options.Relaxed] deals rows at the median to both sides, so that classes may
// overlap and have between k and 2k-1 rows.
//
// Rows with equal quasi-identifiers are held together and counted, so the time
// goes by the number of different rows. Equal inputs give equal classes.
package mondrian

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"hide/internal/publish/privacy"
	"hide/internal/publish/table"
)

// Partition gives equivalence classes of rows that satisfy the requirements. Their order,
// and that of their rows, depends on the values: shuffle before publishing. It returns an
// error that wraps [ErrImpossible] when not even all rows together satisfy them.
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

// cutter holds reused buffers.
type cutter struct {
	*space
	Options
	done    <-chan struct{} // closed when the result is no longer needed
	tallies []tally
	box     extents   // of the part being cut, one set
	active  []int     // axes along which it has more than one value
	buckets []bucket  // by value of one axis
	slot    []int32   // [code] bucket, -1 for none
	left    []side    // [bucket] the side up to it
	bounds  extents   // [bucket]
	run     extents   // of one side of a cut, one set
	scratch []int32   // points moving to the right
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

// split cuts a part at its first cut whose parts satisfy the requirements, or returns
// nil.
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

// cut divides the points of a part in place: those up to code first. It keeps their
// order.
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

// allowed reports whether all parts satisfy the requirements.
func (c *cutter) allowed(parts []part) bool {
	return !slices.ContainsFunc(parts, func(p part) bool { return int(p.size) < c.K || c.fails(p.points) != "" })
}

// Cut is how a part is cut in two.
type Cut string

const (
	NCP     Cut = "ncp"     // the cut with the least information loss of both parts, of all cuts of all attributes
	Nearest Cut = "nearest" // of the widest attribute, the allowable cut nearest to the middle
	LeFevre Cut = "lefevre" // of the widest attribute, after the median
	RxAnon  Cut = "rxanon"  // of the widest attribute: numbers before the median, others after half of their different values
)

// Cuts lists them, the default first.
var Cuts = []Cut{NCP, Nearest, LeFevre, RxAnon}

// Options are the requirements, and how classes are found.
type Options struct {
	K          int                 // smallest number of rows in a class, not counting those that are [table.Table.Absent]; 2 or more
	Cut        Cut                 // default NCP, or Nearest when Relaxed
	Relaxed    bool                // rows at the median may go to both sides; with Nearest only
	Conditions []privacy.Condition // on the sensitive values of each class
}

// ErrImpossible is wrapped when no partition satisfies the requirements, because the table
// as a whole does not.
var ErrImpossible = errors.New("the table cannot satisfy the requirements")

func (o *Options) check(t *table.Table) error {
	if o.Cut == "" {
		o.Cut = NCP
		if o.Relaxed {
			o.Cut = Nearest
		}
	}
	known := false
	for _, c := range Cuts {
		known = known || c == o.Cut
	}
	switch {
	case !known:
		return fmt.Errorf("unknown cut; it is one of %v", Cuts)
	case o.Relaxed && o.Cut != Nearest:
		return fmt.Errorf("relaxed partitioning is for cut %s", Nearest)
	case o.K < 2:
		return fmt.Errorf("k must be at least 2: a class of one row is that row")
	case len(t.With(table.Quasi)) == 0:
		return fmt.Errorf("%w: no attribute is a quasi-identifier", ErrImpossible)
	case o.K > t.Rows-t.Beyond:
		return fmt.Errorf("%w: k is %d and there are %d rows to count", ErrImpossible, o.K, t.Rows-t.Beyond)
	}
	return nil
}

// tally counts the values of one sensitive attribute for all its models.
type tally struct {
	codes  []int32
	counts []int32
	models []privacy.Model
}

func newTallies(conditions []privacy.Condition) []tally {
	var all []tally
	place := map[string]int{}
	for _, c := range conditions {
		i, known := place[c.Column.Name]
		if !known {
			i = len(all)
			place[c.Column.Name] = i
			all = append(all, tally{codes: c.Column.Codes, counts: make([]int32, len(c.Column.Domain))})
		}
		all[i].models = append(all[i].models, c.Model)
	}
	return all
}

// fails names the first model that the rows of some points do not satisfy, "" if they
// satisfy all. Rows that are not released ([table.Unseen]) do not count; without other
// rows nothing fails.
func (c *cutter) fails(points []int32) string {
	for _, t := range c.tallies {
		clear(t.counts)
		seen := false
		for _, point := range points {
			for _, row := range c.rowsOf(point) {
				if code := t.codes[row]; code != table.Unseen {
					t.counts[code]++
					seen = true
				}
			}
		}
		for _, m := range t.models {
			if seen && !m.Holds(t.counts) {
				return m.String()
			}
		}
	}
	return ""
}
