// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"slices"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

// snapshot is what is worth keeping of a training: the weights, and how the
// objective curves around them. Without that the first step would have to look for
// its length, one evaluation after another.
type snapshot struct {
	data *dataset // only what says which weight is whose
	w    []float32
	past []*pair

	trainedOn map[*occurrences][]uint16 // states of the tokens of each document
}

// fresh lists the documents that are new since, or have other labels.
func (s *snapshot) fresh(docs []keptDoc) []int {
	var fresh []int
	for i, d := range docs {
		if gold, known := s.trainedOn[d.seen]; !known || !slices.Equal(gold, d.gold) {
			fresh = append(fresh, i)
		}
	}
	return fresh
}

// trainedOn is what the next training compares with.
func trainedOn(docs []keptDoc) map[*occurrences][]uint16 {
	learnt := make(map[*occurrences][]uint16, len(docs))
	for _, d := range docs {
		learnt[d.seen] = d.gold
	}
	return learnt
}

// remembered is how many pairs a snapshot keeps.
const remembered = 10

func (d *dataset) legend() *dataset {
	return &dataset{states: d.states, attributes: d.attributes, rows: d.rows, pairs: d.pairs}
}

// start copies the weights to start from, and returns what is known of the
// curvature.
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
			if id := model.attrs.find(names[d.attributes[a]]); id >= 0 {
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

// carry copies what has an origin.
func carry[T float32 | kernel.BFloat16](to, from []T, origins []int32) {
	for k, was := range origins {
		if was >= 0 {
			to[k] = from[was]
		}
	}
}

// origins tells which of some old weights each of d's is, -1 for none. They may be
// of other states than d's: labels, and transitions, are matched by what they mean.
// rows tells which old weights attribute a had; pairs are the states of those.
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
