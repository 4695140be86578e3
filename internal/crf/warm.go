// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"slices"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

// snapshot is what is kept of a training: the weights, and the curvature of the
// objective around them. Without the curvature, the first step would need several
// evaluations to find its length.
type snapshot struct {
	data *dataset // only the fields that map weights to attributes and states
	w    []float32
	past []*pair

	trainedOn map[*occurrences][]uint16 // states of the tokens of each document
}

// fresh lists the documents that are new since then or have other labels.
func (s *snapshot) fresh(docs []keptDoc) []int {
	var fresh []int
	for i, d := range docs {
		if gold, known := s.trainedOn[d.seen]; !known || !slices.Equal(gold, d.gold) {
			fresh = append(fresh, i)
		}
	}
	return fresh
}

// trainedOn is the record for comparison by the next training.
func trainedOn(docs []keptDoc) map[*occurrences][]uint16 {
	learnt := make(map[*occurrences][]uint16, len(docs))
	for _, d := range docs {
		learnt[d.seen] = d.gold
	}
	return learnt
}

// remembered is the number of pairs that a snapshot keeps.
const remembered = 10

func (d *dataset) legend() *dataset {
	return &dataset{states: d.states, attributes: d.attributes, rows: d.rows, pairs: d.pairs}
}

// start copies the starting weights, and returns the known curvature.
func (t *Trainer) start(ctx context.Context, d *dataset, w []float32) (past []*pair, err error) {
	names := t.corpus.collector.names
	switch {
	case t.last != nil:
		old := t.last
		var had entries
		had.add(old.data.attributes, len(names))
		from := origins(d, old.data.states, old.data.pairs, func(a int, yield func(from, to int32)) {
			had.each(d.attributes[a], func(e int32) { yield(old.data.rows[e], old.data.rows[e+1]) })
		})
		moves := []func(){func() { carry(w, old.w, from) }}
		for _, p := range old.past {
			moved := newPair(len(w))
			past = append(past, moved)
			moves = append(moves, func() { carry(moved.s, p.s, from) }, func() { carry(moved.y, p.y, from) })
		}
		err = parallel.Do(ctx, t.options.Workers, len(moves), func(_, i int) { moves[i]() })
	case t.options.warm() || t.first != nil:
		model := t.first
		if t.options.warm() {
			model = t.options.Warm
		}
		carry(w, model.weights, origins(d, model.states, model.pairs, func(a int, yield func(from, to int32)) {
			if id := model.attrs.Find(names[d.attributes[a]]); id >= 0 {
				yield(model.rows[id], model.rows[id+1])
			}
		}))
		for arc, v := range w[:d.states.transitions()] {
			if v == barred {
				w[arc] = 0
			}
		}
	}
	return past, err
}

// carry copies the weights that have an origin.
func carry[T float32 | kernel.BFloat16](to, from []T, origins []int32) {
	for k, was := range origins {
		if was >= 0 {
			to[k] = from[was]
		}
	}
}

// origins returns, for each weight of d, its index among some old weights, -1 for none.
// The old states may differ: labels and transitions are matched by meaning. rows lists
// the old weights of attribute a; pairs are their states.
func origins(d *dataset, was states, pairs []uint16, rows func(a int, yield func(from, to int32))) []int32 {
	origin, number := make([]int32, d.weights()), d.states.numbersIn(was)
	for k := range origin {
		origin[k] = -1
	}
	d.states.each(func(i, j, arc int) {
		if number[i] >= 0 && number[j] >= 0 {
			origin[arc] = int32(was.arc(number[i], number[j]))
		}
	})
	position := make([]int32, was.count()) // state -> its old weight, plus one
	for a := range d.attributes {
		rows(a, func(from, to int32) {
			for k := from; k < to; k++ {
				if pairs[k] != noState {
					position[pairs[k]] = k + 1
				}
			}
		})
		for k := d.rows[a]; k < d.rows[a+1]; k++ {
			if d.pairs[k] == noState {
				continue
			}
			if s := number[d.pairs[k]]; s >= 0 {
				origin[k] = position[s] - 1
			}
		}
		clear(position)
	}
	return origin
}

// excerpt is a dataset of some documents of a dataset. It has the bundles, attributes
// and weights of their tokens, in the original order, and all transitions. Building it
// from the corpus would take three times as long.
type excerpt struct {
	*dataset
	weightOf []int32 // weight -> its number in the original
}

// cutter builds an excerpt.
type cutter struct {
	whole   *dataset
	docs    []int   // ascending
	bundles []int32 // bundle of the original -> whether it is used, then its number plus one
	weights []int32 // the same for weights; all weights of an attribute are used, or none
	rows    []int32 // attribute of the original -> its number
	out     excerpt
}

// excerpt builds one from some documents, in ascending order. frozen are the
// transitions without a weight.
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

// mark marks the bundles of the tokens, and one weight of each attribute.
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

// attributes adds the used ones of a range, and returns their number up to its end.
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

// number adds the used bundles of a range, and returns their number up to its end.
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

// line gives the tokens their bundles.
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

// addRow adds a row: the numbers of the items, minus less.
func (t *table) addRow(items, numbers []int32, less int32) {
	for _, item := range items {
		t.items = append(t.items, numbers[item]-less)
	}
	t.end()
}
