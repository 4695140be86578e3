// SPDX-License-Identifier: Apache-2.0

package link

import "hide/internal/publish/link/compare"

// A comparator finds the levels of pairs. Each goroutine has its own.
type comparator struct {
	*engine
	by    []compare.Comparer
	dates []bool  // fields in which a value may be partial: two equal years are not equal dates
	cache []cache // of the fields whose values repeat, after remember; empty for others
}

func (e *engine) newComparator() *comparator {
	c := &comparator{engine: e, by: make([]compare.Comparer, len(e.fields)), dates: make([]bool, len(e.fields)), cache: make([]cache, len(e.fields))}
	for f, field := range e.fields {
		c.by[f] = field.Kind.NewComparer()
		c.dates[f] = field.Kind == compare.BirthDate
	}
	return c
}

// remember makes the comparator keep levels, for many pairs.
func (c *comparator) remember() {
	for f := range c.fields {
		if distinct := len(c.columns[f].values); distinct < c.n/4 || distinct < cacheSize {
			c.cache[f] = make(cache, cacheSize)
		}
	}
}

// A cache keeps levels of pairs of values. Each slot has the numbers of two values, 28 bits
// each, and their level plus 1.
type cache []uint64

const cacheSize = 1 << 14

// pattern is the levels of all fields of a pair.
func (c *comparator) pattern(i, j uint32) pattern {
	p := allMissing
	for f := range c.fields {
		p = p.with(f, c.level(f, i, j))
	}
	return c.exchange(p, i, j)
}

// exchange tries the values of two fields in the other order. Then it leaves out what follows
// from the rest.
func (c *comparator) exchange(p pattern, i, j uint32) pattern {
	if c.shape.given >= 0 {
		p = c.exchangeNames(p, i, j)
	}
	for _, t := range c.shape.twins {
		p = c.exchangeTwins(p, t[0], t[1], i, j)
	}
	if c.sexFollows(p) {
		p = p.with(c.shape.sex, missing)
	}
	return p
}

// sexFollows reports whether the sexes agree as the given names do: two persons of one given name
// have one sex, so it says nothing more.
func (c *comparator) sexFollows(p pattern) bool {
	sex, named := c.shape.sex, c.shape.named
	if sex < 0 || named < 0 || p.level(sex) != 0 {
		return false
	}
	level := p.level(named)
	return c.isGood(named, level) || level >= c.shape.ownLevels(named) && level != missing
}

// level is the level of one field.
func (c *comparator) level(f int, i, j uint32) int {
	return c.cellLevel(f, f, c.row(i)[f], c.row(j)[f])
}

// cellLevel is the best level of the values of a cell of field f and a cell of field g, which
// has the same or a similar kind.
func (c *comparator) cellLevel(f, g int, a, b uint32) int {
	if a == 0 || b == 0 {
		return missing
	}
	if f == g && a == b && !c.dates[f] {
		return 0
	}
	if (a|b)&severalBit == 0 {
		return c.valueLevel(f, g, a, b)
	}
	best := missing
	var first, second [1]uint32
	for _, x := range c.columns[f].list(a, &first) {
		for _, y := range c.columns[g].list(b, &second) {
			best = min(best, c.valueLevel(f, g, x, y))
		}
	}
	return best
}

func (c *comparator) valueLevel(f, g int, a, b uint32) int {
	if f != g {
		return c.by[f].Level(c.columns[f].values[a], c.columns[g].values[b])
	}
	if a == b && !c.dates[f] {
		return 0
	}
	values, cached := c.columns[f].values, c.cache[f]
	if len(cached) == 0 || uint64(a|b) >= 1<<28 {
		return c.by[f].Level(values[a], values[b])
	}
	key := (uint64(min(a, b))<<28 | uint64(max(a, b))) << 8
	slot := &cached[key*0x9e3779b97f4a7c15>>(64-14)]
	if *slot&^0xff == key && *slot&0xff != 0 {
		return int(*slot&0xff) - 1
	}
	level := c.by[f].Level(values[a], values[b])
	*slot = key | uint64(level+1)
	return level
}

// isGood reports whether a level is one of clear agreement: better than the last two, which are
// weak similarity and none.
func (c *comparator) isGood(f, level int) bool {
	return level != missing && level < max(c.shape.ownLevels(f)-2, 1)
}

// exchangeNames looks for given name and surname in the other's place, where they do not agree
// in their own.
func (c *comparator) exchangeNames(p pattern, i, j uint32) pattern {
	g, s := c.shape.given, c.shape.surname
	if c.isGood(g, p.level(g)) || c.isGood(s, p.level(s)) {
		return p
	}
	a, b := c.row(i), c.row(j)
	// The levels of surnames hold for both: a nickname in the place of a surname is none.
	one, other := c.cellLevel(s, g, a[s], b[g]), c.cellLevel(s, g, b[s], a[g])
	better, worse := min(one, other), max(one, other)
	level := c.shape.ownLevels(g)
	switch {
	case c.isGood(s, worse):
		level += exchangedLevel
	case c.isGood(s, better) && worse == c.shape.ownLevels(s)-2:
		level += similarExchangedLevel
	case better == 0 && worse == missing:
		level += halfExchangedLevel
	default:
		return p
	}
	return p.with(g, level).with(s, missing)
}

// exchangeTwins takes the values of two fields of one kind in the order that agrees better.
func (c *comparator) exchangeTwins(p pattern, f, g int, i, j uint32) pattern {
	if p.level(f) == 0 || p.level(g) == 0 {
		return p
	}
	a, b := c.row(i), c.row(j)
	one, other := c.cellLevel(f, g, a[f], b[g]), c.cellLevel(f, g, b[f], a[g])
	if min(one, other) >= min(p.level(f), p.level(g)) {
		return p
	}
	return p.with(f, min(one, other)).with(g, max(one, other)) // the same for (j, i)
}
