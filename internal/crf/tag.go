// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"math"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf/kernel"
)

// tagger is scratch space for one tagging at a time. It remembers the summed weights of
// bundles, so that a known word costs only additions of rows and no look-up of names.
type tagger struct {
	model       *Model // nil while nobody uses the tagger
	extract     *extractor
	layout      kernel.Layout
	transitions *kernel.Transitions[float32]
	chain       *kernel.Chain[float32]
	bias        []float32
	exact       *lattice
	decode      *viterbi
	inside      int // offset in a row of the states that only continue a span

	sums  summary
	row   []float32 // [stride] of the current bundle
	known []knownName
	rows  []float32 // [T][stride] scores, then marginals
	psi   []float64 // [T][L] the results by state
}

// number sums the weights of the attributes the model knows, bundle by bundle. It looks
// up all names first, so that the memory accesses overlap.
func (t *tagger) number(a *attributes, to []int32) {
	t.known = t.model.names.find(a, t.known[:0])
	known := t.known
	for i, end := range a.marks {
		if to[i] = -1; len(known) == 0 || known[0].at >= end {
			continue
		}
		clear(t.row)
		for len(known) > 0 && known[0].at < end {
			t.addKnown(&known[0].nameEntry, float32(a.values[known[0].at]))
			known = known[1:]
		}
		to[i] = t.sums.add(t.row)
	}
}

// knows reports whether the model knows an attribute.
func (t *tagger) knows(h nameHash) bool { return t.model.names.knows(h) }

// size is the storage used, in numbers. Every word that the reader knows takes some.
func (t *tagger) size() int {
	x := t.extract
	return t.sums.size() + len(slots{})*(len(x.slots)+len(x.alike)) + len(x.bundles)
}

// addKnown adds an attribute's weights to a bundle's row.
func (t *tagger) addKnown(e *nameEntry, value float32) {
	if t.model.bayes != nil {
		t.model.bayes.add(t.row, t.layout, value)
	}
	t.model.names.addTo(t.row, e, value)
}

// bench is a tagger without an extractor.
func (m *Model) bench() *tagger {
	layout := m.layout()
	t := &tagger{
		model: m, layout: layout, exact: newLattice(m.states), bias: kernel.Bias[float32](layout),
		transitions: kernel.NewTransitions[float32](layout), chain: kernel.NewChain[float32](layout),
		sums: newSummary(layout), row: make([]float32, layout.Stride),
	}
	w := make([]float64, m.states.transitions())
	for i := range w {
		w[i] = float64(m.weights[i])
	}
	t.exact.setTransitions(w)
	t.decode = newViterbi(m.states, w)
	t.inside = layout.Place(t.exact.l-1) - (t.exact.l - 1)
	m.states.each(func(from, to, arc int) { t.transitions.Set(from, to, math.Exp(min(max(w[arc], -steepest), steepest))) })
	if m.bayes != nil {
		m.bayes.startRow(t.bias, layout)
	}
	return t
}

// score fills rows with the scores of a document.
func (t *tagger) score(d sequence) {
	t.sums.begin()
	t.extract.extract(d, func(_ int, bundles []int32) { t.sums.token(bundles) })
	t.sum(len(d.words))
}

// sum fills rows with the scores of n tokens by their bundles.
func (t *tagger) sum(n int) {
	t.rows = slices.Grow(t.rows[:0], n*t.layout.Stride)[:n*t.layout.Stride]
	t.sums.gather(t.rows, t.bias)
}

// copyRows copies rows, [T][stride], to psi, [T][L].
func (t *tagger) copyRows() {
	l, stride, entries := t.exact.l, t.layout.Stride, t.exact.e
	n := len(t.rows) / stride * l
	t.psi = slices.Grow(t.psi[:0], n)[:n]
	for from, to := 0, 0; to < len(t.psi); from, to = from+stride, to+l {
		for i, v := range t.rows[from : from+entries] {
			t.psi[to+i] = float64(v)
		}
		for i := entries; i < l; i++ {
			t.psi[to+i] = float64(t.rows[from+t.inside+i])
		}
	}
}

// marginal turns the scores in rows into P(y_t = state), in psi.
func (t *tagger) marginal() {
	if t.marginalRows() {
		t.copyRows()
	}
}

// marginalRows turns the scores in rows into P(y_t = state). It returns false if it
// left them in psi.
func (t *tagger) marginalRows() bool {
	if t.model.bayes != nil {
		t.copyRows()
		posterior(t.psi, t.exact.l)
		return false
	}
	if _, ok := t.chain.Run(t.rows, t.transitions, nil); ok {
		return true
	}
	t.sums.gather(t.rows, t.bias) // the chain overwrote the scores
	t.copyRows()
	t.exact.backward(t.psi, t.exact.forward(t.psi), nil)
	return false
}

// path is the most probable state of each token: the best sequence for a chain, each
// token's best state for naive Bayes.
func (t *tagger) path() []uint16 {
	if t.model.bayes != nil {
		t.copyRows()
		return t.model.states.best(t.psi)
	}
	path, _ := bestPath(t.decode, t.rows, t.layout.Stride, t.inside)
	return path
}

// with calls do with the scores of a document that has tokens.
func (m *Model) with(d sequence, do func(t *tagger)) {
	if len(d.words) == 0 {
		return
	}
	d = m.withFirstPass(d)
	pool := m.pool()
	r := pool.take(m.gazette, m.families.plain())
	t := r.tagger(m)
	t.score(d)
	do(t)
	r.release()
	pool.give(r) // not after a panic, which may leave it inconsistent
}

// Tag returns the spans of the most probable path, in text order, each with the
// mean marginal probability of its label over its tokens. Model is left 0. The
// document needs Tokens.
func (m *Model) Tag(v annotate.View) []annotate.Suggestion { return m.tag(unlabelled(v)) }

func (m *Model) tag(d sequence) []annotate.Suggestion {
	var found []annotate.Suggestion
	m.with(d, func(tagger *tagger) {
		path := tagger.path()
		if !slices.ContainsFunc(path, func(state uint16) bool { return state != 0 }) {
			return
		}
		inRows := tagger.marginalRows()
		for from := 0; from < len(path); {
			to := m.spanEnd(path, from)
			if k := m.states.label(int(path[from])); k >= 0 {
				span := annotate.Span{Start: d.tokens[from].Start, End: d.tokens[to-1].End, Label: m.states.labels[k]}
				found = append(found, annotate.Suggestion{Span: span, Score: tagger.meanMarginal(from, to, k, inRows)})
			}
			from = to
		}
	})
	return found
}

// Inside reports which tokens the most probable path puts into spans.
func (m *Model) Inside(v annotate.View) []bool {
	out := make([]bool, len(v.Words))
	m.with(unlabelled(v), func(tagger *tagger) {
		for i, state := range tagger.path() {
			out[i] = state != 0
		}
	})
	return out
}

// spanEnd is the end of the span, or of the single token of O, that starts at from.
func (m *Model) spanEnd(path []uint16, from int) int {
	to := from + 1
	for path[from] != 0 && to < len(path) && path[to] != 0 && !m.states.begins(int(path[to])) {
		to++
	}
	return to
}

// meanMarginal is the mean probability of label k over tokens, from rows or psi.
func (t *tagger) meanMarginal(from, to, k int, inRows bool) float64 {
	begin, inside, sum := 1+k, t.model.states.inside(k), 0.0
	for i := from; i < to; i++ {
		if inRows {
			row := t.rows[i*t.layout.Stride:]
			sum += float64(row[t.layout.Place(begin)]) + float64(row[t.layout.Place(inside)])
		} else {
			row := t.psi[i*t.exact.l:]
			sum += row[begin] + row[inside]
		}
	}
	return min(sum/float64(to-from), 1)
}

// Sensitive returns each token's probability of not being O.
func (m *Model) Sensitive(v annotate.View) []float64 { return m.sensitive(unlabelled(v)) }

func (m *Model) sensitive(d sequence) []float64 {
	out := make([]float64, len(d.words))
	m.marginals(d, func(t int, p []float64) { out[t] = min(total(p[1:]), 1) })
	return out
}

// Typed returns each token's most probable label other than O; "" for every token if
// the model knows no label.
func (m *Model) Typed(v annotate.View) []annotate.Label {
	out := make([]annotate.Label, len(v.Words))
	m.marginals(unlabelled(v), func(t int, p []float64) {
		best := -1.0
		for k, label := range m.states.labels {
			if v := p[1+k] + p[m.states.inside(k)]; v > best {
				best, out[t] = v, label
			}
		}
	})
	return out
}

// Marginals returns, for each token, the probability of each label in the order of
// labels. The rest up to 1 is the probability of O.
func (m *Model) Marginals(v annotate.View) (p [][]float64, labels []annotate.Label) {
	return m.marginalsOf(unlabelled(v))
}

func (m *Model) marginalsOf(d sequence) (p [][]float64, labels []annotate.Label) {
	p = make([][]float64, len(d.words))
	n := len(m.states.labels)
	all := make([]float64, n*len(d.words))
	m.marginals(d, func(t int, states []float64) {
		p[t] = all[n*t : n*(t+1) : n*(t+1)]
		for k := range p[t] {
			p[t][k] = states[1+k] + states[m.states.inside(k)]
		}
	})
	return p, m.Labels()
}

// Doubt returns, for each token, the probability that its most probable decision (O, or
// one of the labels) is wrong.
func (m *Model) Doubt(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	m.marginals(unlabelled(v), func(t int, p []float64) {
		most := p[0]
		for k := range m.states.labels {
			most = max(most, p[1+k]+p[m.states.inside(k)])
		}
		out[t] = max(0, 1-most)
	})
	return out
}

// marginals calls yield with P(y_t = state) for each token.
func (m *Model) marginals(d sequence, yield func(t int, p []float64)) {
	m.with(d, func(tagger *tagger) {
		tagger.marginal()
		l := tagger.exact.l
		for t := range d.words {
			yield(t, tagger.psi[t*l:(t+1)*l])
		}
	})
}

// summary holds the summed weights of bundles. With many states most bundles have few
// nonzero weights. Those are stored as a list of weights and places, which is faster to
// read than a row.
type summary struct {
	layout kernel.Layout
	rows   []float32 // [whole bundles][stride]
	parts  []part32  // of brief bundles; the upper half of a bundle's first place holds the number of its parts

	whole, brief table // of the current tokens: token -> rows, and token -> first parts
}

// part32 is one number of a row.
type part32 struct {
	place  uint32
	weight float32
}

// upperHalf is the shift of the number of parts in the first place.
const upperHalf = 16

func newSummary(l kernel.Layout) summary { return summary{layout: l} }

// size is the storage used, in numbers.
func (s *summary) size() int { return len(s.rows) + 2*len(s.parts) }

// add stores a row and returns its number: twice its index if stored whole, twice its
// index plus one if brief, -1 if all zeros.
func (s *summary) add(row []float32) int32 {
	from, few := len(s.parts), s.layout.Stride/8
	if s.layout.Stride < 16 {
		few = -1
	}
	for place, v := range row {
		if v == 0 {
			continue
		}
		if len(s.parts)-from >= few {
			s.parts = s.parts[:from]
			return s.addWhole(row)
		}
		s.parts = append(s.parts, part32{uint32(place), v})
	}
	if len(s.parts) == from {
		return -1
	}
	s.parts[from].place |= uint32(len(s.parts)-from) << upperHalf
	return int32(2*from + 1)
}

func (s *summary) addWhole(row []float32) int32 {
	if len(s.rows)+len(row) > cap(s.rows) { // append would grow by only a quarter, and copy often
		s.rows = slices.Grow(s.rows, max(len(s.rows), 64*len(row)))
	}
	s.rows = append(s.rows, row...)
	return int32(2 * (len(s.rows)/len(row) - 1))
}

// begin drops the tokens of the previous document.
func (s *summary) begin() {
	for _, t := range []*table{&s.whole, &s.brief} {
		t.start, t.items = append(t.start[:0], 0), t.items[:0]
	}
}

// token appends a token with its bundles.
func (s *summary) token(bundles []int32) {
	for _, b := range bundles {
		if b%2 == 0 {
			s.whole.items = append(s.whole.items, b/2)
		} else {
			s.brief.items = append(s.brief.items, b/2)
		}
	}
	s.whole.end()
	s.brief.end()
}

// gather sets the row of each token to bias and the sum of its bundles.
func (s *summary) gather(rows []float32, bias []float32) {
	stride := s.layout.Stride
	kernel.Gather(rows, s.rows, s.whole.lists(), stride, bias)
	for t := range s.brief.len() {
		row := rows[t*stride : (t+1)*stride]
		for _, at := range s.brief.row(t) {
			first := s.parts[at]
			row[first.place%(1<<upperHalf)] += first.weight
			for _, p := range s.parts[at+1:][:first.place>>upperHalf-1] {
				row[p.place] += p.weight
			}
		}
	}
}
