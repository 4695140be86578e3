// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"

	"hide/internal/annotate"
)

// tagger is the scratch space of one tagging at a time. It remembers the summed
// weights of the bundles it has met, so that a known word costs nine additions of
// rows and no look-up of names.
type tagger struct {
	model   *Model
	extract *extractor
	lattice *lattice
	sums    []float64 // [bundles][L]
	scores  []float64 // [T][L]
}

// maxBundles is how many summed bundles a tagger remembers.
const maxBundles = 1 << 16

// bundle sums the weights of the attributes the model knows.
func (t *tagger) bundle(a *attributes) int32 {
	l := t.lattice.l
	from := len(t.sums)
	t.sums = slices.Grow(t.sums, l)[:from+l]
	row := t.sums[from:]
	clear(row)
	known := false
	for i := range a.ends {
		id, ok := t.model.attrs[string(a.name(i))]
		if !ok {
			continue
		}
		known = true
		for j, w := range t.model.weights[t.model.rows[id]:t.model.rows[id+1]] {
			row[j] += a.values[i] * float64(w)
		}
	}
	if !known {
		t.sums = t.sums[:from]
		return -1
	}
	return int32(from / l)
}

func (m *Model) tagger() *tagger {
	if t, ok := m.taggers.Get().(*tagger); ok {
		return t
	}
	t := &tagger{model: m, lattice: newLattice(m.states)}
	w := make([]float64, m.states.transitions())
	for i := range w {
		w[i] = float64(m.weights[i])
	}
	t.lattice.setTransitions(w)
	t.extract = newExtractor(m.families, m.gazette, t)
	return t
}

// release gives a tagger back, without what it remembers when that is too much.
func (m *Model) release(t *tagger) {
	if len(t.sums) > maxBundles*t.lattice.l || len(t.extract.keys) > 4*maxBundles || len(t.extract.strings) > 4*maxBundles {
		t.sums = nil
		t.extract = newExtractor(m.families, m.gazette, t)
	}
	m.taggers.Put(t)
}

// score fills scores, [T][L].
func (t *tagger) score(d Doc) []float64 {
	l := t.lattice.l
	if n := len(d.Words) * l; cap(t.scores) < n {
		t.scores = make([]float64, n)
	}
	scores := t.scores[:len(d.Words)*l]
	clear(scores)
	t.extract.extract(d, func(at int, bundles []int32) {
		row := scores[at*l : (at+1)*l]
		for _, b := range bundles {
			add(t.sums[int(b)*l:], row)
		}
	})
	return scores
}

// with runs do on the scores of a document that has tokens.
func (m *Model) with(d Doc, do func(x *lattice, scores []float64)) {
	if len(d.Words) == 0 {
		return
	}
	t := m.tagger()
	defer m.release(t)
	do(t.lattice, t.score(d))
}

// Tag returns the spans of the most probable path, in text order, each with the
// mean marginal probability of its label over its tokens. Model is left 0. The
// document needs Tokens.
func (m *Model) Tag(d Doc) []annotate.Suggestion {
	var found []annotate.Suggestion
	m.with(d, func(x *lattice, scores []float64) {
		path, _ := x.viterbi(scores)
		x.forward(scores)
		x.backward(scores, nil)
		for from := 0; from < len(path); {
			to := m.spanEnd(path, from)
			if k := m.states.label(int(path[from])); k >= 0 {
				span := annotate.Span{Start: d.Tokens[from].Start, End: d.Tokens[to-1].End, Label: m.states.labels[k]}
				found = append(found, annotate.Suggestion{Span: span, Score: m.meanMarginal(scores, from, to, k)})
			}
			from = to
		}
	})
	return found
}

// spanEnd is where the span, or the single token of O, that starts at from ends.
func (m *Model) spanEnd(path []uint16, from int) int {
	to := from + 1
	for path[from] != 0 && to < len(path) && path[to] != 0 && !m.states.begins(int(path[to])) {
		to++
	}
	return to
}

func (m *Model) meanMarginal(p []float64, from, to, k int) float64 {
	sum, l := 0.0, m.states.count()
	for t := from; t < to; t++ {
		sum += p[t*l+1+k] + p[t*l+m.states.inside(k)]
	}
	return min(sum/float64(to-from), 1)
}

// Sensitive gives each token's probability of not being O.
func (m *Model) Sensitive(d Doc) []float64 {
	out := make([]float64, len(d.Words))
	m.marginals(d, func(t int, p []float64) { out[t] = min(total(p[1:]), 1) })
	return out
}

// Typed gives each token its most probable label, were it sensitive; "" for every
// token when the model knows no label.
func (m *Model) Typed(d Doc) []annotate.Label {
	out := make([]annotate.Label, len(d.Words))
	m.marginals(d, func(t int, p []float64) {
		best := -1.0
		for k, label := range m.states.labels {
			if v := p[1+k] + p[m.states.inside(k)]; v > best {
				best, out[t] = v, label
			}
		}
	})
	return out
}

// Marginals gives, for each token, the probability of each label in the order of
// labels; what is missing to 1 is the probability of O.
func (m *Model) Marginals(d Doc) (p [][]float64, labels []annotate.Label) {
	p = make([][]float64, len(d.Words))
	m.marginals(d, func(t int, states []float64) {
		p[t] = make([]float64, len(m.states.labels))
		for k := range p[t] {
			p[t][k] = states[1+k] + states[m.states.inside(k)]
		}
	})
	return p, m.Labels()
}

// marginals calls yield with P(y_t = state) for each token.
func (m *Model) marginals(d Doc, yield func(t int, p []float64)) {
	m.with(d, func(x *lattice, scores []float64) {
		x.forward(scores)
		x.backward(scores, nil)
		for t := range d.Words {
			yield(t, scores[t*x.l:(t+1)*x.l])
		}
	})
}
