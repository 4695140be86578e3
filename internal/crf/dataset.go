// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"

	"hide/internal/crf/kernel"
)

// dataset is the training documents as numbers. Tokens are numbered through all
// documents, without those that training skips. An attribute has weights for some
// of the states, its pairs. A bundle with a weight for a state other than O is
// wide: it adds a whole row to the scores of its tokens. The others are narrow and
// add one number. Wide bundles come first: [0, wide).
type dataset struct {
	states states
	layout kernel.Layout
	docs   []int32  // first token of each document, and the number of tokens
	gold   []uint16 // state of each token

	wide, narrow table     // token -> bundles, each kind numbered from 0
	bundles      table     // bundle -> attributes
	values       []float32 // parallel to bundles.items

	attributes []int32  // the corpus's number of each attribute
	rows       []int32  // attribute a's weights are x[rows[a]:rows[a+1]]
	pairs      []uint16 // the state of each weight; 0 for transitions

	wideOf, narrowOf table     // bundle -> tokens
	bundlesOf        table     // attribute -> bundles
	valuesOf         []float32 // parallel to bundlesOf.items
}

func (d *dataset) weights() int { return int(d.rows[len(d.rows)-1]) }

// newDataset numbers everything in docs, whose occurrences are in seen.
func newDataset(ctx context.Context, c *collector, docs []Doc, seen []*occurrences, s states, o Options) (*dataset, error) {
	d := &dataset{states: s, layout: kernel.NewLayout(len(s.labels)), docs: []int32{0}}
	d.layout.Free = s.free
	tokens := d.line(docs, seen)
	d.choose(c, tokens, o)
	place, wide := d.renumber(c)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.split(tokens, place, wide)
	d.wideOf = d.wide.inverse(wide)
	d.narrowOf = d.narrow.inverse(d.bundles.len() - wide)
	d.invertAttributes()
	return d, ctx.Err()
}

// line puts the documents one after another.
func (d *dataset) line(docs []Doc, seen []*occurrences) table {
	words, items := 0, 0
	for _, o := range seen {
		words, items = words+o.bundles.len(), items+len(o.bundles.items)
	}
	tokens := newTable(words, items)
	d.gold = make([]uint16, 0, words)
	for i, doc := range docs {
		path := d.states.gold(doc)
		for t := range doc.Words {
			if doc.skips(t) {
				continue
			}
			tokens.items = append(tokens.items, seen[i].bundles.row(t)...)
			tokens.end()
			d.gold = append(d.gold, path[t])
		}
		d.docs = append(d.docs, int32(len(d.gold)))
	}
	return tokens
}

// renumber copies the bundles that have an attribute with weights, wide ones
// first, and returns each old bundle's new place, -1 for those left out, and how
// many are wide.
func (d *dataset) renumber(c *collector) (place []int32, wide int) {
	number := make([]int32, len(c.names))
	for i := range number {
		number[i] = -1
	}
	for a, old := range d.attributes {
		number[old] = int32(a)
	}
	place = make([]int32, c.bundles.len())
	d.bundles = newTable(len(place), len(c.bundles.items))
	for _, pass := range []width{isWide, isNarrow} {
		for b := range place {
			switch w := d.widthOf(c.bundles.row(b), number); {
			case w == isEmpty:
				place[b] = -1
			case w == pass:
				place[b] = int32(d.bundles.len())
				d.copyBundle(c, b, number)
			}
		}
		if pass == isWide {
			wide = d.bundles.len()
		}
	}
	return place, wide
}

type width uint8

const (
	isEmpty width = iota
	isNarrow
	isWide
)

func (d *dataset) widthOf(attributes, number []int32) width {
	w := isEmpty
	for _, old := range attributes {
		a := number[old]
		if a < 0 {
			continue
		}
		w = max(w, isNarrow)
		if d.rows[a+1]-d.rows[a] > 1 || d.pairs[d.rows[a]] != 0 {
			return isWide
		}
	}
	return w
}

func (d *dataset) copyBundle(c *collector, b int, number []int32) {
	for i := c.bundles.start[b]; i < c.bundles.start[b+1]; i++ {
		if n := number[c.bundles.items[i]]; n >= 0 {
			d.bundles.items = append(d.bundles.items, n)
			d.values = append(d.values, c.values[i])
		}
	}
	d.bundles.end()
}

// split gives each token its wide and its narrow bundles by their new places.
func (d *dataset) split(tokens table, place []int32, wide int) {
	narrow := 0
	for _, b := range tokens.items {
		if place[b] >= int32(wide) {
			narrow++
		}
	}
	d.wide, d.narrow = newTable(tokens.len(), len(tokens.items)-narrow), newTable(tokens.len(), narrow)
	for t := range tokens.len() {
		for _, b := range tokens.row(t) {
			switch p := place[b]; {
			case p >= int32(wide):
				d.narrow.items = append(d.narrow.items, p-int32(wide))
			case p >= 0:
				d.wide.items = append(d.wide.items, p)
			}
		}
		d.wide.end()
		d.narrow.end()
	}
}

func (d *dataset) invertAttributes() {
	d.bundlesOf = d.bundles.inverse(len(d.attributes))
	d.valuesOf = make([]float32, len(d.values))
	fill := append([]int32(nil), d.bundlesOf.start...)
	for i, a := range d.bundles.items {
		d.valuesOf[fill[a]] = d.values[i]
		fill[a]++
	}
}
