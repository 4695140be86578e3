// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrNothing is returned when the training documents hold no token.
var ErrNothing = errors.New("nothing to learn from")

// Train fits a model to labelled documents. Cancelling ctx ends it within 100 ms
// with ctx's error. A panic in a worker comes back as an error that says where.
// The model does not depend on the number of workers.
func Train(ctx context.Context, docs []Doc, o Options) (*Model, Stats, error) {
	if err := o.check(); err != nil {
		return nil, Stats{}, fmt.Errorf("train: %w", err)
	}
	o = o.withDefaults()
	took := o.stopwatch()
	docs, err := prepared(docs, o)
	if err != nil {
		return nil, Stats{}, fmt.Errorf("train: %w", err)
	}
	g := newGazetteer(o.Dictionaries)
	s := states{labels: labelsOf(docs)}
	d, err := collect(ctx, docs, s, o, g)
	if err != nil {
		return nil, Stats{}, err
	}
	w := make([]float64, d.weights())
	d.warm(w, o.Warm)
	end, err := fit(ctx, d, w, o, took)
	if err != nil {
		return nil, Stats{}, err
	}
	end.Documents, end.Tokens = len(docs), len(d.gold)
	return d.model(w, o, g), end, nil
}

// prepared checks the documents' shape, samples their words and folds labels.
func prepared(docs []Doc, o Options) ([]Doc, error) {
	out, tokens := make([]Doc, len(docs)), 0
	for i, d := range docs {
		if len(d.Labels) != 0 && len(d.Labels) != len(d.Words) || len(d.Begins) != 0 && len(d.Begins) != len(d.Labels) {
			return nil, fmt.Errorf("document %d has %d words, %d labels and %d begins", i, len(d.Words), len(d.Labels), len(d.Begins))
		}
		d.Skip = o.Sampling.Skips(d)
		if o.Binary {
			d = d.folded()
		}
		if len(d.Labels) == 0 {
			d.Labels, d.Begins = nil, nil
		}
		out[i] = d
		tokens += len(d.Words)
	}
	if tokens == 0 {
		return nil, ErrNothing
	}
	if labels := labelsOf(out); len(labels) > maxLabels {
		return nil, fmt.Errorf("%d labels, at most %d", len(labels), maxLabels)
	}
	return out, nil
}

func fit(ctx context.Context, d *dataset, w []float64, o Options, took func() time.Duration) (Stats, error) {
	p := newPass(d, o.C2, o.Workers)
	at := func(number, evaluations int, f, gradient float64) Iteration {
		return Iteration{number, f, gradient, evaluations, took().Seconds()}
	}
	m := minimizer{
		evaluate: p.evaluate, memory: o.Memory, limit: o.MaxIterations, tolerance: o.Tolerance, workers: o.Workers,
		progress: func(number, evaluations int, f, gradient float64) {
			if o.Progress != nil {
				o.Progress(at(number, evaluations, f, gradient))
			}
		},
	}
	end, err := m.minimize(ctx, w)
	if err != nil {
		return Stats{}, err
	}
	return Stats{
		Iteration:  at(end.iterations, end.evaluations, end.f, end.gradient),
		Status:     end.status,
		Attributes: len(d.names),
		Weights:    len(w),
	}, nil
}

// warm copies weights of the same names out of an earlier model.
func (d *dataset) warm(w []float64, from *Model) {
	if from == nil {
		return
	}
	old := from.statesOf(d.states)
	for i, was := range old {
		for j, wasNext := range old {
			if to := d.states.arc(i, j); to >= 0 && was >= 0 && wasNext >= 0 {
				w[to] = float64(from.weights[from.states.arc(was, wasNext)])
			}
		}
	}
	for a, name := range d.names {
		id, ok := from.attrs[name]
		if !ok {
			continue
		}
		row, oldRow := w[d.rows[a]:d.rows[a+1]], from.weights[from.rows[id]:from.rows[id+1]]
		for state := range row {
			if was := old[state]; was >= 0 && was < len(oldRow) {
				row[state] = float64(oldRow[was])
			}
		}
	}
}

// statesOf gives the model's number of each state of s, -1 for those it lacks.
func (m *Model) statesOf(s states) []int {
	number := make([]int, s.count())
	for k, label := range s.labels {
		number[1+k], number[s.inside(k)] = -1, -1
		for old, l := range m.states.labels {
			if l == label {
				number[1+k], number[s.inside(k)] = 1+old, m.states.inside(old)
			}
		}
	}
	return number
}

// model rounds the weights to what a file holds.
func (d *dataset) model(w []float64, o Options, g *gazetteer) *Model {
	m := &Model{
		states: d.states, families: o.Features, binary: o.Binary,
		attrs: make(map[string]int32, len(d.names)), rows: d.rows, weights: make([]float32, len(w)),
	}
	if o.Features&Dictionary != 0 {
		m.gazette = g
	}
	for a, name := range d.names {
		m.attrs[name] = int32(a)
	}
	for i, v := range w {
		m.weights[i] = float32(v)
	}
	return m
}
