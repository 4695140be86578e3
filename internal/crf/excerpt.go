// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"slices"
)

// excerpt is some documents of a dataset as a dataset of its own. It has the bundles,
// attributes and weights of their tokens, in the order of the whole, and all
// transitions. Making it anew from the corpus would take three times as long.
type excerpt struct {
	*dataset
	weightOf []int32 // weight -> its number in the whole
}

// cutter makes an excerpt.
type cutter struct {
	whole   *dataset
	docs    []int   // ascending
	bundles []int32 // of the whole -> whether it is there, then its number plus one
	weights []int32 // the same of weights; those of an attribute all count when one does
	rows    []int32 // attribute of the whole -> its number
	out     excerpt
}

// excerpt makes one of some documents, in ascending order. frozen are the transitions
// without a weight.
func (d *dataset) excerpt(ctx context.Context, docs []int, frozen []bool, workers int) (*excerpt, error) {
	c := &cutter{
		whole: d, docs: docs, bundles: make([]int32, d.bundles()), weights: make([]int32, d.weights()), rows: make([]int32, len(d.attributes)),
		out: excerpt{dataset: &dataset{states: d.states, layout: d.layout, docs: []int32{0}, frozen: frozen}},
	}
	wide := 0
	for _, step := range []func(){
		c.mark,
		c.choose,
		func() { wide = c.number(0, d.wideOf.len()) },
		func() { c.number(d.wideOf.len(), d.bundles()) },
		func() { c.line(wide) },
	} {
		if step(); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return &c.out, c.out.invert(ctx, wide, workers)
}

// mark marks what the tokens have: bundles, and a weight of each attribute.
func (c *cutter) mark() {
	d, wide := c.whole, c.whole.wideOf.len()
	for _, doc := range c.docs {
		from, to := d.docs[doc], d.docs[doc+1]
		for _, b := range d.wide.items[d.wide.start[from]:d.wide.start[to]] {
			c.bundles[b] = 1
		}
		for _, b := range d.narrow.items[d.narrow.start[from]:d.narrow.start[to]] {
			c.bundles[wide+int(b)] = 1
		}
		for _, k := range d.direct.items[d.direct.start[from]:d.direct.start[to]] {
			c.weights[k] = 1
		}
	}
	for b, there := range c.bundles {
		if there == 0 {
			continue
		}
		for _, k := range d.terms.index[d.terms.start[b]:d.terms.start[b+1]] {
			c.weights[k] = 1
		}
		for _, a := range d.spreadOf.row(b) {
			c.weights[d.rows[d.shared+int(a)]] = 1
		}
		for _, a := range d.rowsOf.row(b) {
			c.weights[d.rows[d.sparse+int(a)]] = 1
		}
	}
}

// choose numbers attributes and weights.
func (c *cutter) choose() {
	d, e := c.whole, &c.out
	for k := range d.states.transitions() {
		e.weightOf = append(e.weightOf, int32(k))
	}
	e.pairs = slices.Clone(d.pairs[:len(e.weightOf)])
	e.rows = append(e.rows, int32(len(e.pairs)))
	e.scaled = c.attributes(0, d.scaled)
	e.shared = c.attributes(d.scaled, d.shared)
	e.spreadEnd = c.attributes(d.shared, d.spreadEnd)
	e.alone = c.attributes(d.spreadEnd, d.alone)
	e.sparse = c.attributes(d.alone, d.sparse)
	c.attributes(d.sparse, len(d.attributes))
}

// attributes takes those of a range that are there, and returns how many there are up
// to its end.
func (c *cutter) attributes(from, to int) int {
	d, e := c.whole, &c.out
	for a := from; a < to; a++ {
		first, end := d.rows[a], d.rows[a+1]
		if !slices.Contains(c.weights[first:end], 1) {
			continue
		}
		if a >= d.shared && a < d.spreadEnd {
			e.places = append(e.places, d.spreadPlaces(a-d.shared)...)
		}
		for k := first; k < end; k++ {
			c.weights[k] = int32(len(e.weightOf)) + 1
			e.weightOf = append(e.weightOf, k)
		}
		c.rows[a] = int32(len(e.attributes))
		e.attributes, e.pairs = append(e.attributes, d.attributes[a]), append(e.pairs, d.pairs[first:end]...)
		e.rows = append(e.rows, int32(len(e.pairs)))
	}
	return len(e.attributes)
}

// number takes the bundles of a range that are there, and returns how many there are
// up to its end.
func (c *cutter) number(from, to int) int {
	d, e := c.whole, &c.out
	if from == 0 {
		e.terms.start, e.rowsOf, e.spreadOf = []int32{0}, newTable(0, 0), newTable(0, 0)
	}
	for b := from; b < to; b++ {
		if c.bundles[b] == 0 {
			continue
		}
		for i := d.terms.start[b]; i < d.terms.start[b+1]; i++ {
			if int(i) < len(d.terms.values) {
				e.terms.values = append(e.terms.values, d.terms.values[i])
			}
			e.terms.index, e.place = append(e.terms.index, c.weights[d.terms.index[i]]-1), append(e.place, d.place[i])
		}
		for _, a := range d.spreadOf.row(b) {
			e.spreadOf.items = append(e.spreadOf.items, c.rows[d.shared+int(a)]-int32(e.shared))
		}
		for _, a := range d.rowsOf.row(b) {
			e.rowsOf.items = append(e.rowsOf.items, c.rows[d.sparse+int(a)]-int32(e.sparse))
		}
		e.terms.start = append(e.terms.start, int32(len(e.terms.index)))
		e.spreadOf.end()
		e.rowsOf.end()
		c.bundles[b] = int32(e.bundles())
	}
	return e.bundles()
}

// line gives the tokens what they have.
func (c *cutter) line(wide int) {
	d, e := c.whole, &c.out
	narrow := c.bundles[d.wideOf.len():]
	e.wide, e.narrow, e.direct = newTable(0, 0), newTable(0, 0), newTable(0, 0)
	for _, doc := range c.docs {
		from, to := d.docs[doc], d.docs[doc+1]
		e.gold = append(e.gold, d.gold[from:to]...)
		e.docs = append(e.docs, int32(len(e.gold)))
		for t := int(from); t < int(to); t++ {
			e.wide.addRow(d.wide.row(t), c.bundles, 1)
			e.narrow.addRow(d.narrow.row(t), narrow, 1+int32(wide))
			e.direct.addRow(d.direct.row(t), c.weights, 1)
		}
	}
	e.blocks = blocksOf(e.docs, documentBlocks)
}

// addRow adds a row of what items have as numbers, less as much.
func (t *table) addRow(items, numbers []int32, less int32) {
	for _, item := range items {
		t.items = append(t.items, numbers[item]-less)
	}
	t.end()
}
