// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Settings say how to partition.
type Settings struct {
	Strategy  Strategy `json:"strategy"`
	K         int      `json:"k"`             // persons of a class at least; 2 or more
	Lambda    float64  `json:"lambda"`        // of [Mondrian], 0 to 1
	Cut       Cut      `json:"cut,omitempty"` // of [Mondrian]
	Published bool     `json:"published"`     // as in rx-anon's program, defects included, for comparison
}

// Cut is where Mondrian cuts a textual attribute.
type Cut string

const (
	// Median cuts the persons, ordered by the term that each has most often, as near
	// to the middle as k allows. It is what relational attributes are cut by too.
	Median Cut = "median"
	// Presence divides persons by whether they have one term: the most frequent one for
	// which k allows it.
	Presence Cut = "presence"
	// Least tries cuts at every attribute and term, and takes the one with the least
	// information loss; lambda is then the weight of the attributes.
	Least Cut = "ncp"
)

// Partition are the classes of persons, and the cuts that led to them.
type Partition struct {
	Classes    [][]int // persons by their place in the view, ascending
	Splits     []Split // by quasi-identifier, those that were cut
	Relational int     // cuts at relational attributes
	Textual    int     // cuts at terms
}

// Split is how often a quasi-identifier was cut.
type Split struct {
	Name    string `json:"name"`
	Textual bool   `json:"textual"`
	Times   int    `json:"times"`
}

// ErrTooFew is returned when k is larger than the number of persons.
var ErrTooFew = errors.New("k is larger than the number of persons")

// Partition puts persons into classes of at least k. Each person is in one.
func (v *View) Partition(ctx context.Context, s Settings) (Partition, error) {
	if err := v.checkSettings(&s); err != nil {
		return Partition{}, err
	}
	switch {
	case s.Strategy == GDF && s.Published:
		return v.PublishedGDF().Partition(ctx, s.K)
	case s.Strategy == GDF:
		return v.gdf(ctx, s.K)
	}
	return v.mondrian(ctx, s)
}

func (v *View) checkSettings(s *Settings) error {
	s.Strategy = cmp.Or(s.Strategy, Mondrian)
	if s.Cut == "" {
		s.Cut = Median
	}
	switch {
	case s.K < 2:
		return fmt.Errorf("k is %d: it must be at least 2, since a class of one person protects nobody", s.K)
	case s.K > len(v.people):
		return fmt.Errorf("%w: %d of %d", ErrTooFew, s.K, len(v.people))
	case s.Strategy != Mondrian && s.Strategy != GDF:
		return fmt.Errorf("unknown strategy; it is %s or %s", Mondrian, GDF)
	case !(s.Lambda >= 0 && s.Lambda <= 1):
		return errors.New("lambda must be from 0 to 1")
	case s.Cut != Median && s.Cut != Presence && s.Cut != Least:
		return fmt.Errorf("unknown cut; it is %s, %s or %s", Median, Presence, Least)
	}
	return nil
}

// everybody is the partition of one class.
func (v *View) everybody() []int {
	all := make([]int, len(v.people))
	for i := range all {
		all[i] = i
	}
	return all
}

// cutter is Mondrian at work (rx-anon, Algorithm 1).
type cutter struct {
	view   *View
	s      Settings
	axes   []axis
	full   []float64 // [axis] span over everybody
	splits []int     // [axis]
}

func (v *View) mondrian(ctx context.Context, s Settings) (Partition, error) {
	c := cutter{view: v, s: s, axes: v.axes(s.Lambda)}
	if s.Cut == Least && !s.Published {
		c.axes = append(v.relationalAxes(), v.textualAxes()...)
	}
	all := v.everybody()
	for _, a := range c.axes {
		c.full = append(c.full, a.span(all, 0))
	}
	c.splits = make([]int, len(c.axes))
	var out Partition
	for queue := [][]int{all}; len(queue) > 0; queue = queue[1:] {
		if err := ctx.Err(); err != nil {
			return Partition{}, err
		}
		if left, right, cut := c.cut(queue[0]); cut {
			queue = append(queue, left, right)
		} else {
			out.Classes = append(out.Classes, queue[0])
		}
	}
	c.tell(&out)
	return out, nil
}

func (c *cutter) tell(out *Partition) {
	for i, a := range c.axes {
		if c.splits[i] == 0 {
			continue
		}
		out.Splits = append(out.Splits, Split{a.name, a.textual, c.splits[i]})
		if a.textual {
			out.Textual += c.splits[i]
		} else {
			out.Relational += c.splits[i]
		}
	}
}

// cut divides a class at the first axis, by priority, that can be cut.
func (c *cutter) cut(people []int) (left, right []int, cut bool) {
	if len(people) < 2*c.s.K {
		return nil, nil, false
	}
	if c.s.Cut == Least && !c.s.Published {
		i, left, right := c.leastLoss(people)
		if i >= 0 {
			c.splits[i]++
		}
		return left, right, i >= 0
	}
	for _, i := range c.byPriority(people) {
		if left, right, cut = c.at(c.axes[i], people); cut {
			c.splits[i]++
			return left, right, true
		}
	}
	return nil, nil, false
}

// byPriority orders the axes by
//
//	(span(P) / span(P0) + bias + lambda) / 2        of a relational one
//	(span(P) / span(P0) + 1 - lambda) / 2           of a textual one
//
// so that lambda is a head start, not a weight. The published program adds the bias twice.
// Axes on which nobody differs are omitted.
func (c *cutter) byPriority(people []int) []int {
	priority, order := make([]float64, len(c.axes)), []int(nil)
	for i, a := range c.axes {
		span := a.span(people, c.full[i])
		if c.full[i] == 0 || span == 0 || !a.metric && span == 1 {
			continue
		}
		priority[i] = span/c.full[i] + a.bias + c.s.Lambda
		if a.textual {
			priority[i] = span/c.full[i] + 1 - c.s.Lambda
		} else if c.s.Published {
			priority[i] += a.bias
		}
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case priority[a] > priority[b]:
			return -1
		case priority[a] < priority[b]:
			return 1
		}
		return 0
	})
	return order
}

func (c *cutter) at(a axis, people []int) (left, right []int, cut bool) {
	switch {
	case c.s.Published:
		left, right = publishedCut(a, people)
	case a.textual && c.s.Cut == Presence:
		return c.view.presence(people, c.s.K, c.view.types[a.text].from, c.view.types[a.text].to)
	default:
		left, right = medianCut(a, people, c.s.K)
	}
	return left, right, len(left) >= c.s.K && len(right) >= c.s.K
}

// medianCut divides persons by key so that the halves are as equal as possible while both
// have k. Equal keys stay together, and ties go to the lower cut.
func medianCut(a axis, people []int, k int) (left, right []int) {
	keys := make([]float64, len(people))
	for i, p := range people {
		keys[i] = a.keys[p]
	}
	slices.Sort(keys)
	best, uneven := -1, len(people)+1
	for i := k; i <= len(keys)-k; i++ {
		if d := abs(2*i - len(keys)); keys[i-1] != keys[i] && d < uneven {
			best, uneven = i, d
		}
	}
	if best < 0 {
		return nil, nil
	}
	return part(people, func(p int) bool { return a.keys[p] <= keys[best-1] })
}

func abs(n int) int { return max(n, -n) }

// part divides persons into two sides in their order.
func part(people []int, goesLeft func(int) bool) (left, right []int) {
	for _, p := range people {
		if goesLeft(p) {
			left = append(left, p)
		} else {
			right = append(right, p)
		}
	}
	return left, right
}

// gdf partitions by global document frequency (rx-anon, Algorithm 2): at the term
// that most persons of a class have, among the terms that k persons have and k lack. A term
// that cannot be cut is skipped. One that was cut is not tried again below, where all
// persons have it or none.
func (v *View) gdf(ctx context.Context, k int) (Partition, error) {
	var out Partition
	for stack := [][]int{v.everybody()}; len(stack) > 0; {
		people := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := ctx.Err(); err != nil {
			return Partition{}, err
		}
		left, right, cut := v.presence(people, k, 0, int32(len(v.terms)))
		if !cut {
			out.Classes = append(out.Classes, people)
			continue
		}
		out.Textual++
		stack = append(stack, right, left)
	}
	return out, nil
}

// presence divides persons by the term, from from to before to, that most of them have
// among the terms that k have and k lack; of equals the first. cut is false when there is
// none.
func (v *View) presence(people []int, k int, from, to int32) (with, without []int, cut bool) {
	if len(people) < 2*k {
		return nil, nil, false
	}
	count := v.frequencies(people, from, to)
	best := -1
	for i, n := range count {
		if k <= n && n <= len(people)-k && (best < 0 || n > count[best]) {
			best = i
		}
	}
	if best < 0 {
		return nil, nil, false
	}
	with, without = part(people, func(p int) bool { return v.people[p].has(from + int32(best)) })
	return with, without, true
}
