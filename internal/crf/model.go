// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"
	"sync"

	"hide/internal/annotate"
)

// Model is a trained CRF. It is immutable and safe for concurrent use. Its
// attributes are made of words of the training text: a model is as sensitive as
// the documents it was trained on.
type Model struct {
	states   states
	families Families
	gazette  *gazetteer
	binary   bool
	attrs    map[string]int32 // number of each attribute
	rows     []int32          // attribute a's weights are weights[rows[a]:rows[a+1]]
	pairs    []uint16         // the state that each weight is for; 0 for transitions
	weights  []float32        // transitions, then attributes
	bayes    *bayes           // nil for a chain; otherwise transitions are not used
	card     Card
	first    *Model    // nil, or what the second pass hears
	taggers  sync.Pool // of *tagger
	once     sync.Once // makes names
	names    nameIndex // of attrs and rows, for taggers
}

// Labels are the labels the model knows, sorted.
func (m *Model) Labels() []annotate.Label { return slices.Clone(m.states.labels) }

// Binary reports whether all labels were folded into [Folded].
func (m *Model) Binary() bool { return m.binary }

// Features are the feature families the model was trained with.
func (m *Model) Features() Families { return m.families }

// Weights is the number of weights.
func (m *Model) Weights() int { return len(m.weights) }

// Learner is what made the model.
func (m *Model) Learner() Learner {
	if m.bayes != nil {
		return Bayes
	}
	return Chain
}

// index makes names, once.
func (m *Model) index() { m.once.Do(func() { m.names = newNameIndex(m.attrs, m.rows) }) }

// drop leaves out weights up to least in magnitude, and attributes that have no
// others. It changes no slice that the model may share.
func (m *Model) drop(least float32) {
	first := m.states.transitions()
	small := func(w float32) bool { return w >= -least && w <= least }
	if !slices.ContainsFunc(m.weights[first:], small) {
		return
	}
	rows, number := []int32{int32(first)}, make([]int32, len(m.rows)-1)
	weights, pairs := slices.Clone(m.weights[:first]), slices.Clone(m.pairs[:first])
	for a := range number {
		number[a] = -1
		for k := m.rows[a]; k < m.rows[a+1]; k++ {
			if !small(m.weights[k]) {
				weights, pairs = append(weights, m.weights[k]), append(pairs, m.pairs[k])
			}
		}
		if len(weights) > int(rows[len(rows)-1]) {
			number[a] = int32(len(rows) - 1)
			rows = append(rows, int32(len(weights)))
		}
	}
	for name, a := range m.attrs {
		m.attrs[name] = number[a]
		if number[a] < 0 {
			delete(m.attrs, name)
		}
	}
	m.rows, m.weights, m.pairs = rows, weights, pairs
}
