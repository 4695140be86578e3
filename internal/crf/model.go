// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"cmp"
	"slices"
	"sort"
	"sync"

	"hide/internal/annotate"
	"hide/internal/crf/kernel"
)

// Model is a trained CRF. It is immutable and safe for concurrent use. Its
// attributes are made of words of the training text: a model is as sensitive as
// the documents it was trained on.
type Model struct {
	states   states
	families Families
	gazette  *gazetteer
	binary   bool
	attrs    packed    // names of the attributes
	rows     []int32   // attribute a's weights are weights[rows[a]:rows[a+1]]
	pairs    []uint16  // the state that each weight is for; 0 for transitions
	weights  []float32 // transitions, then attributes
	bayes    *bayes    // nil for a chain; otherwise transitions are not used
	card     Card
	first    *Model    // nil, or what the second pass hears
	taggers  sync.Pool // of *tagger
	once     sync.Once // makes names
	names    nameIndex // of attrs and their weights
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
func (m *Model) index() { m.once.Do(func() { m.names = newNameIndex(m) }) }

// layout is how the rows of its scores are laid out.
func (m *Model) layout() kernel.Layout { return kernel.NewLayout(len(m.states.labels)) }

// keep names the attributes, in order of names, and leaves out weights up to least in
// magnitude, and attributes that have no others. It changes no slice that the model
// may share. order are the attributes by name, nil when nobody knows; several of one
// name become one.
func (m *Model) keep(names []string, order []int32, least float32) {
	first, kept := m.states.transitions(), make([]int32, 0, len(names))
	counts := func(w float32) bool { return w < -least || w > least }
	look := func(a int32) {
		if slices.ContainsFunc(m.weights[m.rows[a]:m.rows[a+1]], counts) {
			kept = append(kept, a)
		}
	}
	for _, a := range order {
		look(a)
	}
	if order == nil {
		for a := range names {
			look(int32(a))
		}
		slices.SortFunc(kept, func(a, b int32) int { return cmp.Compare(names[a], names[b]) })
	}
	rows, sorted := append(make([]int32, 0, len(kept)+1), int32(first)), make([]string, 0, len(kept))
	weights, pairs := slices.Clone(m.weights[:first]), slices.Clone(m.pairs[:first])
	for i, a := range kept {
		for k := m.rows[a]; k < m.rows[a+1]; k++ {
			if counts(m.weights[k]) {
				weights, pairs = append(weights, m.weights[k]), append(pairs, m.pairs[k])
			}
		}
		if i > 0 && names[a] == names[kept[i-1]] {
			from := rows[len(rows)-2]
			sort.Sort(byState{pairs[from:], weights[from:]})
			rows[len(rows)-1] = int32(len(weights))
			continue
		}
		sorted, rows = append(sorted, names[a]), append(rows, int32(len(weights)))
	}
	m.attrs, m.rows, m.weights, m.pairs = pack(sorted), rows, weights, pairs
}

// byState sorts the weights of an attribute.
type byState struct {
	states  []uint16
	weights []float32
}

func (b byState) Len() int           { return len(b.states) }
func (b byState) Less(i, j int) bool { return b.states[i] < b.states[j] }
func (b byState) Swap(i, j int) {
	b.states[i], b.states[j] = b.states[j], b.states[i]
	b.weights[i], b.weights[j] = b.weights[j], b.weights[i]
}
